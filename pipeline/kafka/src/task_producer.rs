//! The producer of tasks: records of any partition of one topic, with a wait until the broker has all of them.
//!
//! It sends each record at once: whoever has many gathers them first. It never drops a record silently: a failed delivery is an error of
//! the next call.

use std::time::Duration;

use arb_schemas::topics::Topic;
use rdkafka::ClientConfig;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use super::Error;
use super::cluster::Cluster;
use super::producer::{Deliveries, enqueue, take_reports};

/// How long all that was sent may take to be acknowledged.
const FLUSH: Duration = Duration::from_secs(30);

/// Sends tasks.
pub struct TaskProducer {
    producer: BaseProducer<Deliveries>,
    topic: &'static str,
}

impl TaskProducer {
    /// To a topic.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn new(cluster: &Cluster, topic: &'static Topic) -> Result<Self, Error> {
        let producer = cluster.producer(&settings(cluster), Deliveries::new(cluster))?;
        Ok(Self { producer, topic: cluster.topic(topic.name) })
    }

    /// Sends a record; waits while the queue is full.
    ///
    /// # Errors
    /// [`Error::Client`], also for a record of an earlier call that could not be delivered.
    pub fn send(&self, partition: i32, key: &str, value: &[u8]) -> Result<(), Error> {
        let mut record = BaseRecord::<[u8], [u8]>::to(self.topic).partition(partition);
        (record.key, record.payload) = (Some(key.as_bytes()), Some(value));
        enqueue(&self.producer, record)?;
        self.serve(Duration::ZERO)
    }

    /// Takes the broker's reports for so long.
    ///
    /// # Errors
    /// [`Error::Client`] for a record that could not be delivered.
    pub fn serve(&self, time: Duration) -> Result<(), Error> {
        take_reports(&self.producer, time);
        self.producer.context().check()
    }

    /// Waits until everything is acknowledged.
    ///
    /// # Errors
    /// [`Error::Client`] for a record that could not be delivered, or when 30 s were not enough.
    pub fn flush(&self) -> Result<(), Error> {
        super::producer::flush(&self.producer, FLUSH)?;
        self.producer.context().check()
    }
}

/// Settings of a producer of tasks. In the last millisecond of a linger librdkafka's thread does not wait, it spins: of one millisecond in
/// all of it.
fn settings(cluster: &Cluster) -> ClientConfig {
    let mut config = super::producer(cluster);
    config.set("linger.ms", "0").set("delivery.report.only.error", "true");
    config
}
