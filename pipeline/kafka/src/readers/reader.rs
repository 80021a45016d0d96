//! What readers of a topic share: partitions from given positions, in no consumer group.
//!
//! It never decides what a record means.

use std::time::Duration;

use arb_schemas::topics::Topic;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{self, Listener, settings};
use crate::cluster::Cluster;
use crate::error::Error;

/// A consumer with manually assigned partitions of one topic, and a client of its own: for what is read once.
pub(super) struct Reader {
    consumer: BaseConsumer<Listener>,
    topic: &'static str,
}

/// The setting of a reader that goes on with what is there, where its position is there no more.
pub(super) const EARLIEST: (&str, &str) = ("auto.offset.reset", "earliest");

/// What a poll brought.
pub(super) enum ReaderEvent<M> {
    Record(M),
    /// A partition has been read to its end.
    End(i32),
    Idle,
}

impl Reader {
    /// A reader of a topic; `settings` are applied before the reader's, which read committed records and never skip.
    pub(super) fn new(cluster: &Cluster, topic: &Topic, settings: &[(&str, &str)]) -> Result<Self, Error> {
        let mut config = settings::reader(cluster);
        for (key, value) in settings {
            config.set(*key, *value);
        }
        let consumer = cluster.consumer(&config, Listener::new(cluster))?;
        Ok(Self { consumer, topic: cluster.topic(topic.name) })
    }

    /// Begins to read partitions, each at its position.
    pub(super) fn assign(&self, positions: impl IntoIterator<Item = (i32, Offset)>) -> Result<(), Error> {
        let mut assignment = TopicPartitionList::new();
        for (partition, position) in positions {
            assignment.add_partition_offset(self.topic, partition, position)?;
        }
        Ok(self.consumer.assign(&assignment)?)
    }

    /// The client, for what only one reader does.
    pub(super) fn consumer(&self) -> &BaseConsumer<Listener> {
        &self.consumer
    }

    /// The next record or end, waiting at most so long.
    pub(super) fn poll(&self, wait: Duration) -> Result<ReaderEvent<BorrowedMessage<'_>>, Error> {
        match client::poll(&self.consumer, wait) {
            None => Ok(ReaderEvent::Idle),
            Some(Ok(message)) => Ok(ReaderEvent::Record(message)),
            Some(Err(KafkaError::PartitionEOF(partition))) => Ok(ReaderEvent::End(partition)),
            Some(Err(error)) => Err(error.into()),
        }
    }
}
