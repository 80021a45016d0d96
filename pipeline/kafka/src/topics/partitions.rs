//! How many partitions the topics on the broker have.
//!
//! It refuses where they differ, or where the catalogue fixes another number, and never changes any.

use arb_runtime::machine::MachineTopics;
use arb_schemas::topics::{self, Topic};
use rdkafka::consumer::{BaseConsumer, Consumer};

use crate::client::{Listener, settings};
use crate::cluster::Cluster;
use crate::error::Error;

use super::answer::answered;

/// The number of partitions that the ticks and all topics that follow them have.
///
/// # Errors
/// [`Error::Topic`] when one is missing or they differ: what is computed from a partition is written to the
/// partition of the same number.
pub fn partitions(cluster: &Cluster) -> Result<i32, Error> {
    let consumer = cluster.consumer(&settings::client(cluster), Listener::of_question(cluster))?;
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
    let consumer = cluster.consumer(&settings::client(cluster), Listener::of_question(cluster))?;
    let found = count(&consumer, machine.input, cluster)?;
    let expected = if machine.input.follows_ticks() { found } else { machine.input.partitions };
    for topic in [machine.input].into_iter().chain(machine.written()) {
        expect(cluster.topic(topic.name), count(&consumer, topic, cluster)?, expected)?;
    }
    Ok(expected)
}

/// Refuses a topic that has another number of partitions than it must have.
pub(super) fn expect(topic: &str, found: i32, expected: i32) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    let problem = format!("has {found} partitions where it must have {expected}");
    Err(Error::Topic { topic: topic.to_owned(), problem })
}

/// The number of partitions of one topic.
pub(super) fn count(
    consumer: &BaseConsumer<Listener>,
    topic: &Topic,
    cluster: &Cluster,
) -> Result<i32, Error> {
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
