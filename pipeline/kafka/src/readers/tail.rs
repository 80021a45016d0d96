//! A topic of one partition read from a moment on, to its end and what is written after it.
//!
//! It belongs to no consumer group: each reader receives all of it.

use std::time::Duration;

use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use rdkafka::Message;

use crate::cluster::Cluster;
use crate::error::Error;

use super::following::TopicReader;
use super::reader::ReaderEvent;

/// A reader of new records.
pub struct Tail {
    reader: TopicReader,
}

impl Tail {
    /// Of a topic of one partition, from the first record on that was written at a moment of UTC or after it.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses, or when the broker does not answer.
    pub fn open(cluster: &Cluster, topic: &Topic, since: Micros) -> Result<Self, Error> {
        let mut reader = TopicReader::new(cluster, topic, 1, &[])?;
        reader.assign_since(since)?;
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
