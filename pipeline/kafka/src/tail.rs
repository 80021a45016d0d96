//! A topic of one partition read from its end on: what is written after the reader was opened.
//!
//! It belongs to no consumer group: each reader receives all of it. It never reads what was written before.

use std::time::Duration;

use arb_schemas::topics::Topic;
use rdkafka::Message;
use rdkafka::topic_partition_list::Offset;

use super::Error;
use super::cluster::Cluster;
use super::reader::{Reader, ReaderEvent};
use super::stall_watch::WATCHED;

/// The partition.
const PARTITION: i32 = 0;

/// A reader of new records.
pub struct Tail {
    reader: Reader,
}

impl Tail {
    /// Of a topic of one partition.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn open(cluster: &Cluster, topic: &Topic) -> Result<Self, Error> {
        let mut reader = Reader::new(cluster, topic, 1, &[WATCHED])?;
        reader.assign([(PARTITION, Offset::End)])?;
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
