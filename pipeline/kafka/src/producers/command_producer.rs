//! The producer of commands: records of a topic of one partition, each reported on by its reader.
//!
//! Whoever sends a command waits for its reply, not for the broker: a record that is not delivered within five seconds is given up,
//! and is never delivered later. It never waits for the broker.

use std::time::Duration;

use arb_schemas::topics::Topic;

use crate::cluster::Cluster;
use crate::error::Error;

use super::outbox::Outbox;

/// The partition.
const PARTITION: i32 = 0;
/// After so many milliseconds a record is not sent any more: whoever waits has given up.
const GIVEN_UP: (&str, &str) = ("message.timeout.ms", "5000");

/// Sends commands.
pub struct CommandProducer(Outbox);

impl CommandProducer {
    /// To a topic of one partition.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn new(cluster: &Cluster, topic: &Topic) -> Result<Self, Error> {
        Ok(Self(Outbox::open(cluster, topic, &[GIVEN_UP])?))
    }

    /// Puts a command into the queue; whether there was room for it.
    ///
    /// # Errors
    /// [`Error::Client`] for a record that is never taken.
    pub fn send(&self, key: &str, value: &[u8]) -> Result<bool, Error> {
        self.send_bytes(key, Some(value))
    }

    /// [`Self::send`] for what may be a tombstone.
    ///
    /// # Errors
    /// As above.
    pub fn send_bytes(&self, key: &str, value: Option<&[u8]>) -> Result<bool, Error> {
        self.0.send(PARTITION, key, value)
    }

    /// Takes the broker's reports for so long; the first command that was not delivered since the last call is an error.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn serve(&self, time: Duration) -> Result<(), Error> {
        self.0.serve(time)
    }

    /// Commands that the broker has not reported on.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.0.in_flight()
    }
}
