//! The producer of tasks: records of any partition of one topic, with a wait until the broker has all of them.
//!
//! It sends each record at once: whoever has many gathers them first. It never drops a record silently: a failed delivery is an error of
//! the next call.

use std::time::Duration;

use arb_schemas::topics::Topic;

use crate::cluster::Cluster;
use crate::error::Error;

use super::outbox::Outbox;

/// How long all that was sent may take to be acknowledged.
const FLUSH: Duration = Duration::from_secs(30);

/// Sends tasks.
pub struct TaskProducer(Outbox);

impl TaskProducer {
    /// To a topic.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn new(cluster: &Cluster, topic: &Topic) -> Result<Self, Error> {
        Ok(Self(Outbox::open(cluster, topic, &[])?))
    }

    /// Sends a record; waits while the queue is full.
    ///
    /// # Errors
    /// [`Error::Client`], also for a record of an earlier call that could not be delivered.
    pub fn send(&self, partition: i32, key: &str, value: &[u8]) -> Result<(), Error> {
        while !self.0.send(partition, key, Some(value))? {
            self.0.wait_for_room();
        }
        self.serve(Duration::ZERO)
    }

    /// Takes the broker's reports for so long.
    ///
    /// # Errors
    /// [`Error::Client`] for a record that could not be delivered.
    pub fn serve(&self, time: Duration) -> Result<(), Error> {
        self.0.serve(time)
    }

    /// Waits until everything is acknowledged.
    ///
    /// # Errors
    /// [`Error::Client`] for a record that could not be delivered, or when 30 s were not enough.
    pub fn flush(&self) -> Result<(), Error> {
        self.0.flush(FLUSH)
    }
}
