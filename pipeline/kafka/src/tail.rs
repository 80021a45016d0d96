//! A topic of one partition read from a moment on, to its end and what is written after it.
//!
//! It belongs to no consumer group: each reader receives all of it.

use std::time::Duration;

use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use rdkafka::Message;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::cluster::Cluster;
use super::reader::{Reader, ReaderEvent};
use super::stall_watch::WATCHED;
use super::{Error, leaders};

/// The partition.
const PARTITION: i32 = 0;
/// Time limit of the question where a moment is.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Microseconds in a millisecond.
const MILLI: Micros = 1_000;

/// A reader of new records.
pub struct Tail {
    reader: Reader,
}

impl Tail {
    /// Of a topic of one partition, from the first record on that was written at a moment of UTC or after it.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses, or when the broker does not answer.
    pub fn open(cluster: &Cluster, topic: &Topic, since: Micros) -> Result<Self, Error> {
        let mut reader = Reader::new(cluster, topic, 1, &[WATCHED])?;
        let mut asked = TopicPartitionList::new();
        let topic = cluster.topic(topic.name);
        asked.add_partition_offset(topic, PARTITION, Offset::Offset(since.max(0) / MILLI))?;
        let answer = leaders::offsets(reader.consumer(), &asked, TIMEOUT)?;
        let found = answer.find_partition(topic, PARTITION);
        let first = found.and_then(|found| found.offset().to_raw()).filter(|offset| *offset >= 0);
        reader.assign([(PARTITION, first.map_or(Offset::End, Offset::Offset))])?;
        Ok(Self { reader })
    }

    /// The value of the next record, waiting at most so long; `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Client`] for errors that librdkafka does not recover from by itself.
    pub fn next(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, Error> {
        Ok(match self.reader.poll(wait)? {
            ReaderEvent::Record(message) => message.payload().map(<[u8]>::to_vec),
            ReaderEvent::End(_) | ReaderEvent::Idle => None,
        })
    }
}
