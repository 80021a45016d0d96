//! The producer of commands: records of a topic of one partition, each reported on by its reader.
//!
//! Whoever sends a command waits for its reply, not for the broker: a record that is not delivered within five seconds is given up,
//! and is never delivered later. It never waits for the broker.

use std::time::Duration;

use arb_schemas::topics::Topic;
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use super::Error;
use super::cluster::Cluster;
use super::producer::{Deliveries, take_reports};

/// The partition.
const PARTITION: i32 = 0;
/// After so many milliseconds a record is not sent any more: whoever waits has given up.
const GIVEN_UP_MS: &str = "5000";

/// Sends commands.
pub struct CommandProducer {
    producer: BaseProducer<Deliveries>,
    topic: &'static str,
}

impl CommandProducer {
    /// To a topic of one partition.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn new(cluster: &Cluster, topic: &'static Topic) -> Result<Self, Error> {
        let mut config = super::producer(cluster);
        config.set("linger.ms", "0").set("message.timeout.ms", GIVEN_UP_MS);
        let producer = cluster.producer(&config, Deliveries::new(cluster))?;
        Ok(Self { producer, topic: cluster.topic(topic.name) })
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
        let mut record = BaseRecord::<str, [u8]>::to(self.topic).partition(PARTITION).key(key);
        record.payload = value;
        match self.producer.send(record) {
            Ok(()) => Ok(true),
            Err((error, _)) if error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull) => Ok(false),
            Err((error, _)) => Err(error.into()),
        }
    }

    /// Takes the broker's reports for so long; the first command that was not delivered since the last call is an error.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn serve(&self, time: Duration) -> Result<(), Error> {
        take_reports(&self.producer, time);
        self.producer.context().check()
    }

    /// Commands that the broker has not reported on.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        usize::try_from(self.producer.in_flight_count()).unwrap_or_default()
    }
}
