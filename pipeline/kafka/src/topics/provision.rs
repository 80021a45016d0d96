//! Provisioning: creates the catalogue's topics on the broker, and refuses where existing ones differ.
//!
//! It creates what is missing and never deletes or repartitions anything.

use std::time::{Duration, Instant};

use arb_schemas::topics;
use rdkafka::admin::{AdminOptions, NewTopic, TopicReplication};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::metadata::Metadata;
use rdkafka::types::RDKafkaErrorCode;

use crate::client::{Listener, settings};
use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::LED;

use super::answer::answered;
use super::partitions::{count, expect};

/// The time limit for the creation of topics.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Between two questions whether they are reported.
const AGAIN: Duration = Duration::from_millis(200);

/// Creates the missing topics: those that follow the ticks with the given number of partitions, the others
/// with the catalogue's; how many those were. When it returns, the broker reports those with a leader for each partition.
///
/// # Errors
/// [`Error`] when the broker does not answer or refuses one, or one whose number of partitions is fixed is there with another.
pub async fn provision(cluster: &Cluster, partitions: Option<i32>) -> Result<usize, Error> {
    let broker = |source| cluster.broker(source);
    let config = settings::client(cluster);
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
