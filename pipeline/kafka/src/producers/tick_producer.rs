//! The producer of what is written to the tick topic outside transactions, such as heartbeats of a live source: idempotent, in order
//! within a partition.
//!
//! It never drops a record silently: a failed delivery is an error of the next call.

use std::sync::Mutex;
use std::time::Duration;

use arb_schemas::topics;
use rdkafka::error::KafkaError;
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext};

use crate::client::{Listener, heard, settings};
use crate::cluster::Cluster;
use crate::error::Error;

use super::queue::{enqueue, flush};

/// How long a record waits for others of its partition, to be sent with them.
const LINGER: Duration = Duration::from_millis(5);
/// How long all that was sent may take to be acknowledged.
const FLUSH: Duration = Duration::from_secs(30);
/// Publishes to [`topics::ODDS_TICKS`].
pub struct TickProducer {
    producer: BaseProducer<Deliveries>,
    topic: &'static str,
}

/// Keeps the first record that was not delivered.
pub(super) struct Deliveries {
    listener: Listener,
    failure: Mutex<Option<KafkaError>>,
}

heard!(Deliveries, listener);

impl ProducerContext for Deliveries {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if let Err((error, _)) = result
            && let Ok(mut first) = self.failure.lock()
        {
            first.get_or_insert_with(|| error.clone());
        }
    }
}

impl Deliveries {
    pub(super) fn new(cluster: &Cluster) -> Self {
        Self { listener: Listener::new(cluster), failure: Mutex::default() }
    }

    /// The first record that was not delivered since the last call is an error.
    pub(super) fn check(&self) -> Result<(), Error> {
        let failure = self.failure.lock().ok().and_then(|mut first| first.take());
        failure.map_or(Ok(()), |error| Err(error.into()))
    }
}

impl TickProducer {
    /// Connects.
    ///
    /// ```no_run
    /// use arb_kafka::{Cluster, TickProducer};
    /// use arb_schemas::TickRecord;
    /// use arb_schemas::records::Heartbeat;
    ///
    /// let producer = TickProducer::new(&Cluster::plaintext("127.0.0.1:9092"))?;
    /// let beat = TickRecord::Heartbeat(Heartbeat { source: "feed".to_owned(), at: 1_000_000 });
    /// producer.send(0, "feed", &beat.encode().unwrap())?;
    /// producer.flush()?;
    /// # Ok::<(), arb_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn new(cluster: &Cluster) -> Result<Self, Error> {
        Self::lingering(cluster, LINGER)
    }

    /// The same with another time that a record waits for others of its partition: the bench sends as the generators of other
    /// engines do.
    ///
    /// # Errors
    /// As above.
    pub fn lingering(cluster: &Cluster, linger: Duration) -> Result<Self, Error> {
        let (mut config, millis) = (settings::producer(cluster), linger.as_secs_f64() * 1e3);
        let producer =
            cluster.producer(config.set("linger.ms", millis.to_string()), Deliveries::new(cluster))?;
        Ok(Self { producer, topic: cluster.topic(topics::ODDS_TICKS.name) })
    }

    /// Sends a record to a partition; waits while the queue is full.
    ///
    /// # Errors
    /// [`Error::Client`], also for a record of an earlier call that could not be delivered.
    pub fn send(&self, partition: i32, key: &str, value: &[u8]) -> Result<(), Error> {
        self.send_bytes(partition, Some(key.as_bytes()), Some(value))
    }

    /// [`Self::send`] for what may be no record of ours.
    ///
    /// # Errors
    /// As above.
    pub fn send_bytes(&self, partition: i32, key: Option<&[u8]>, value: Option<&[u8]>) -> Result<(), Error> {
        let mut record = BaseRecord::<[u8], [u8]>::to(self.topic).partition(partition);
        (record.key, record.payload) = (key, value);
        enqueue(&self.producer, record)?;
        self.producer.poll(Duration::ZERO);
        self.check()
    }

    /// Waits until everything is acknowledged.
    ///
    /// # Errors
    /// [`Error::Client`] for a record that could not be delivered, or when 30 s were not enough.
    pub fn flush(&self) -> Result<(), Error> {
        flush(&self.producer, FLUSH)?;
        self.check()
    }

    fn check(&self) -> Result<(), Error> {
        self.producer.context().check()
    }
}
