//! The consumer group of a reader that reads all partitions: it commits the reader's positions, so that Kafka's tools show its lag.
//!
//! It never joins the group, never reads by it, and never delays or ends its reader: a position that is not committed is committed
//! the next time. The caller decides where the reader begins, not this module.

use std::time::Duration;

use arb_schemas::topics::Topic;
use rdkafka::admin::AdminOptions;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{Listener, discard_reports, settings};
use crate::cluster::Cluster;
use crate::error::Error;

/// How long a commit at the end may take, and the removal.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The group of one reader.
pub struct ReaderGroup {
    consumer: BaseConsumer<Listener>,
    topic: &'static str,
}

impl ReaderGroup {
    /// With a name.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn open(cluster: &Cluster, topic: &Topic, name: &str) -> Result<Self, Error> {
        let mut config = settings::read_committed(cluster);
        // A client that ends waits for its last commit for a session of the group, also where no broker is there any more: 45 s by itself
        // (`rd_kafka_cgrp_defer_offset_commit` of 2.12).
        config.set("group.id", cluster.id(name)).set("session.timeout.ms", TIMEOUT.as_millis().to_string());
        let consumer = cluster.consumer(&config, Listener::new(cluster))?;
        Ok(Self { consumer, topic: cluster.topic(topic.name) })
    }

    /// Commits the offsets of the next records, by partition, without waiting.
    pub fn commit(&self, next: &[i64]) {
        let mut positions = TopicPartitionList::new();
        let added = (0..).zip(next).try_for_each(|(partition, next)| {
            positions.add_partition_offset(self.topic, partition, Offset::Offset(*next))
        });
        let committed = added.and_then(|()| self.consumer.commit(&positions, CommitMode::Async));
        if let Err(error) = committed {
            tracing::debug!(%error, topic = self.topic, "the positions of a reader were not committed");
        }
        discard_reports(&self.consumer);
    }
}

/// Removes the group of a reader that has ended.
///
/// # Errors
/// [`Error`] when the broker does not answer or refuses.
pub async fn remove_group(cluster: &Cluster, name: &str) -> Result<(), Error> {
    let admin = cluster.admin(&settings::client(cluster), Listener::new(cluster))?;
    let options = AdminOptions::new().operation_timeout(Some(TIMEOUT)).request_timeout(Some(TIMEOUT));
    let removed =
        admin.delete_groups(&[&cluster.id(name)], &options).await.map_err(|error| cluster.broker(error))?;
    for result in removed {
        if let Err((group, code)) = result {
            tracing::debug!(group, %code, "the group of a reader was not removed");
        }
    }
    Ok(())
}
