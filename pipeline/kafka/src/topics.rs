//! Provisioning: creates the catalogue's topics on the broker, and refuses where existing ones differ.
//!
//! It creates what is missing and never deletes or repartitions anything.

use std::time::{Duration, Instant};

use arb_runtime::machine::MachineTopics;
use arb_schemas::topics::{self, Topic};
use rdkafka::admin::{AdminOptions, NewTopic, TopicReplication};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaResult;
use rdkafka::metadata::Metadata;
use rdkafka::types::RDKafkaErrorCode;

use super::asker::LED;
use super::certificate;
use super::cluster::{Cluster, Problem};
use super::reader::is_transient;
use super::{Error, Listener};

const TIMEOUT: Duration = Duration::from_secs(15);
/// The time limit of one request, before it is logged that the broker is waited for.
const POLL: Duration = Duration::from_millis(1_500);
/// How long TLS or authentication may fail before it counts as a wrong setting: several brokers are tried by then.
const LASTING: Duration = Duration::from_secs(5);
/// Between two questions.
const AGAIN: Duration = Duration::from_millis(200);

/// Creates the missing topics: those that follow the ticks with the given number of partitions, the others
/// with the catalogue's; how many those were. When it returns, the broker reports those with a leader for each partition.
///
/// # Errors
/// [`Error`] when the broker does not answer or refuses one, or one whose number of partitions is fixed is there with another.
pub async fn provision(cluster: &Cluster, partitions: Option<i32>) -> Result<usize, Error> {
    let broker = |source| cluster.broker(source);
    let config = super::client(cluster);
    // An admin client reports nothing, so that another one finds out first whether a broker can be used.
    let consumer = cluster.consumer(&config, Listener::of_question(cluster))?;
    answered(cluster, &consumer, |within| consumer.fetch_metadata(None, within))?;
    let admin = cluster.admin(&config, Listener::of_question(cluster))?;
    let configs = topics::ALL.map(|topic| topic.config());
    let wanted: Vec<_> = topics::ALL
        .iter()
        .zip(&configs)
        .map(|(topic, config)| {
            // The broker's own default replication: 1 on one node, what its operator chose elsewhere.
            let partitions = partitions.filter(|_| topic.follows_ticks()).unwrap_or(topic.partitions);
            let new = NewTopic::new(cluster.topic(topic.name), partitions, TopicReplication::Fixed(-1));
            config.iter().fold(new, |new, (key, value)| new.set(key, value))
        })
        .collect();
    let options = AdminOptions::new().operation_timeout(Some(TIMEOUT));
    let mut made = Vec::new();
    for result in admin.create_topics(&wanted, &options).await.map_err(broker)? {
        match result {
            Ok(topic) => made.push(topic),
            Err((topic, RDKafkaErrorCode::TopicAlreadyExists)) => check_fixed(cluster, &consumer, &topic)?,
            Err((topic, code)) => return Err(Error::Topic { topic, problem: code.to_string() }),
        }
    }
    wait_until_reported(cluster, &consumer, &made)?;
    Ok(made.len())
}

/// The controller has made a topic before the brokers report it, and whoever asks one meanwhile is told that there is none.
fn wait_until_reported(
    cluster: &Cluster,
    consumer: &BaseConsumer<Listener>,
    made: &[String],
) -> Result<(), Error> {
    let deadline = Instant::now() + LED;
    loop {
        let metadata = answered(cluster, consumer, |within| consumer.fetch_metadata(None, within))?;
        let Some(missing) = made.iter().find(|topic| !is_led(&metadata, topic)) else { return Ok(()) };
        if Instant::now() > deadline {
            let problem = format!("was made, but the broker did not report a leader of it within {LED:?}");
            return Err(Error::Topic { topic: missing.clone(), problem });
        }
        std::thread::sleep(AGAIN);
    }
}

/// Whether a topic is reported with a leader for each partition.
fn is_led(metadata: &Metadata, topic: &str) -> bool {
    let found = metadata.topics().iter().find(|found| found.name() == topic);
    found.is_some_and(|found| {
        let mut partitions = found.partitions().iter();
        !found.partitions().is_empty() && partitions.all(|partition| partition.leader() >= 0)
    })
}

/// Refuses a topic that is there with another number of partitions than the catalogue fixes.
fn check_fixed(cluster: &Cluster, consumer: &BaseConsumer<Listener>, name: &str) -> Result<(), Error> {
    match topics::ALL.iter().find(|topic| cluster.topic(topic.name) == name && !topic.follows_ticks()) {
        Some(topic) => expect(name, count(consumer, topic, cluster)?, topic.partitions),
        None => Ok(()),
    }
}

fn expect(topic: &str, found: i32, expected: i32) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    let problem = format!("has {found} partitions where it must have {expected}");
    Err(Error::Topic { topic: topic.to_owned(), problem })
}

/// Whether the broker answers one request within 1.5 s. A broker that starts accepts connections long before that.
#[must_use]
pub fn answers(cluster: &Cluster) -> bool {
    let consumer = cluster.consumer(&super::client(cluster), Listener::of_question(cluster));
    consumer.is_ok_and(|consumer| consumer.fetch_metadata(None, POLL).is_ok())
}

/// The number of partitions that the ticks and all topics that follow them have.
///
/// # Errors
/// [`Error::Topic`] when one is missing or they differ: what is computed from a partition is written to the
/// partition of the same number.
pub fn partitions(cluster: &Cluster) -> Result<i32, Error> {
    let consumer = cluster.consumer(&super::client(cluster), Listener::of_question(cluster))?;
    let expected = count(&consumer, &topics::ODDS_TICKS, cluster)?;
    for topic in topics::ALL.iter().filter(|topic| topic.follows_ticks()) {
        let found = count(&consumer, topic, cluster)?;
        if found != expected {
            let problem = format!(
                "has {found} partitions where {} has {expected}; give all topics the same number",
                cluster.topic(topics::ODDS_TICKS.name)
            );
            return Err(Error::Topic { topic: cluster.topic(topic.name).to_owned(), problem });
        }
    }
    Ok(expected)
}

/// The number of partitions that all topics of a machine have.
///
/// # Errors
/// [`Error::Topic`] when one is missing, they differ, or the catalogue fixes another number.
pub fn machine_partitions(cluster: &Cluster, machine: &MachineTopics) -> Result<i32, Error> {
    let consumer = cluster.consumer(&super::client(cluster), Listener::of_question(cluster))?;
    let found = count(&consumer, machine.input, cluster)?;
    let expected = if machine.input.follows_ticks() { found } else { machine.input.partitions };
    for topic in [machine.input].into_iter().chain(machine.written()) {
        expect(cluster.topic(topic.name), count(&consumer, topic, cluster)?, expected)?;
    }
    Ok(expected)
}

fn count(consumer: &BaseConsumer<Listener>, topic: &Topic, cluster: &Cluster) -> Result<i32, Error> {
    let name = cluster.topic(topic.name);
    let metadata = answered(cluster, consumer, |within| consumer.fetch_metadata(Some(name), within))?;
    let found = metadata.topics().iter().find(|found| found.name() == name);
    match found.map_or(0, |found| found.partitions().len()) {
        0 => Err(Error::Topic {
            topic: name.to_owned(),
            problem: "does not exist, or this user may not Describe it; `arb topics create` makes it"
                .to_owned(),
        }),
        partitions => Ok(i32::try_from(partitions).unwrap_or(i32::MAX)),
    }
}

/// The broker's answer within 15 s; that it is waited for is logged after the first one and a half. TLS or authentication
/// that has failed for five seconds is not waited for.
fn answered<T>(
    cluster: &Cluster,
    consumer: &BaseConsumer<Listener>,
    mut ask: impl FnMut(Duration) -> KafkaResult<T>,
) -> Result<T, Error> {
    let begun = Instant::now();
    let deadline = begun + TIMEOUT;
    let mut is_reported = false;
    loop {
        let asked = Instant::now();
        // What the client reports is taken: why a connection failed, or that a token must be renewed.
        while consumer.poll(Duration::ZERO).is_some() {}
        let source = match ask(POLL.min(deadline.saturating_duration_since(asked))) {
            Ok(answer) => {
                cluster.note_answer();
                return Ok(answer);
            }
            Err(source) => source,
        };
        while consumer.poll(Duration::ZERO).is_some() {}
        let is_over = Instant::now() >= deadline || !is_transient(&source);
        match cluster.problem_since(begun) {
            Some(problem) if is_over || begun.elapsed() >= LASTING => return Err(lasting(cluster, problem)),
            None if is_over => return Err(cluster.broker(source)),
            _ => {}
        }
        if !std::mem::replace(&mut is_reported, true) {
            tracing::warn!("waiting for Kafka at {}", cluster.brokers());
        }
        // What fails at once is not asked again at once.
        std::thread::sleep(AGAIN.saturating_sub(asked.elapsed()));
    }
}

/// The error of a connection that TLS or authentication does not allow.
fn lasting(cluster: &Cluster, problem: Problem) -> Error {
    let found = cluster.ca().filter(|_| problem.is_certificate);
    let found = found.and_then(|ca| certificate::problem(cluster.brokers(), ca));
    cluster.connect(found.unwrap_or(problem.sentence))
}
