//! The producer of what clients push: each batch learns when the broker has acknowledged all its records.
//!
//! A record that is not delivered within five seconds is given up; whether it was written is not known then, and whoever sent it
//! sends it again: the processor takes an update in once. It never waits for the broker, and never for room in its queue.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arb_schemas::topics;
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext};

use crate::client::{Listener, heard, settings};
use crate::cluster::Cluster;
use crate::error::Error;

use super::queue::take_reports;

/// After so many milliseconds a record is not sent any more.
const GIVEN_UP_MS: &str = "5000";
/// Records that wait for the broker at the most, and their size in kibibytes: bytes of memory that clients can fill.
const QUEUE: [(&str, &str); 2] =
    [("queue.buffering.max.messages", "50000"), ("queue.buffering.max.kbytes", "65536")];

/// Publishes what clients push to [`topics::ODDS_TICKS`].
pub struct PushProducer {
    producer: BaseProducer<Receipts>,
    topic: &'static str,
}

/// Reports deliveries to the batches that sent the records.
struct Receipts(Listener);

/// Whoever waits for a batch; it is called once.
type Waiter = Box<dyn FnOnce(bool) + Send>;

/// Of a batch: how many of its records are outstanding, and who waits for them.
pub struct PushReceipt {
    outstanding: AtomicUsize,
    has_failed: AtomicBool,
    waiter: Mutex<Option<Waiter>>,
}

impl PushReceipt {
    /// Of a batch whose records are not sent yet; `waiter` is called once the batch is closed and the broker has reported on all of
    /// them: with whether it has acknowledged them all.
    pub fn new(waiter: impl FnOnce(bool) + Send + 'static) -> Arc<Self> {
        // One is outstanding until the batch is closed.
        let (outstanding, has_failed) = (AtomicUsize::new(1), AtomicBool::new(false));
        Arc::new(Self { outstanding, has_failed, waiter: Mutex::new(Some(Box::new(waiter))) })
    }

    /// No more records are sent.
    pub fn close(&self) {
        self.report(true);
    }

    /// Another record is sent.
    pub fn expect(&self) {
        self.outstanding.fetch_add(1, Ordering::AcqRel);
    }

    /// A record was delivered, or was not.
    pub fn report(&self, is_delivered: bool) {
        if !is_delivered {
            self.has_failed.store(true, Ordering::Release);
        }
        if self.outstanding.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(waiter) = self.waiter.lock().ok().and_then(|mut waiter| waiter.take())
        {
            waiter(!self.has_failed.load(Ordering::Acquire));
        }
    }
}

heard!(Receipts, 0);

impl ProducerContext for Receipts {
    type DeliveryOpaque = Arc<PushReceipt>;

    fn delivery(&self, result: &DeliveryResult<'_>, receipt: Arc<PushReceipt>) {
        receipt.report(result.is_ok());
    }
}

impl PushProducer {
    /// Connects.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn new(cluster: &Cluster) -> Result<Self, Error> {
        let mut config = settings::producer(cluster);
        config.set("linger.ms", "2").set("message.timeout.ms", GIVEN_UP_MS);
        for (name, value) in QUEUE {
            config.set(name, value);
        }
        let producer = cluster.producer(&config, Receipts(Listener::new(cluster)))?;
        Ok(Self { producer, topic: cluster.topic(topics::ODDS_TICKS.name) })
    }

    /// Puts a record of a batch into the queue; whether there was room for it.
    ///
    /// # Errors
    /// [`Error::Client`] for a record that is never taken.
    pub fn send(
        &self,
        partition: i32,
        key: &str,
        value: &[u8],
        receipt: &Arc<PushReceipt>,
    ) -> Result<bool, Error> {
        let record = BaseRecord::<str, [u8], _>::with_opaque_to(self.topic, Arc::clone(receipt));
        receipt.expect();
        match self.producer.send(record.partition(partition).key(key).payload(value)) {
            Ok(()) => Ok(true),
            Err((error, _)) => {
                receipt.report(false);
                match error.rdkafka_error_code() {
                    Some(RDKafkaErrorCode::QueueFull) => Ok(false),
                    _ => Err(error.into()),
                }
            }
        }
    }

    /// Takes the broker's reports for so long, and hands them to the batches.
    pub fn serve(&self, time: Duration) {
        take_reports(&self.producer, time);
    }

    /// Records that the broker has not reported on.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        usize::try_from(self.producer.in_flight_count()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the waiter of a batch receives when so many records are expected and these reports come.
    fn outcome(expected: usize, reports: &[bool]) -> Option<bool> {
        let heard = Arc::new(Mutex::new(None));
        let write = Arc::clone(&heard);
        let receipt = PushReceipt::new(move |is_delivered| *write.lock().unwrap() = Some(is_delivered));
        (0..expected).for_each(|_| receipt.expect());
        receipt.close();
        for is_delivered in reports {
            receipt.report(*is_delivered);
        }
        *heard.lock().unwrap()
    }

    #[test]
    fn a_batch_is_acknowledged_once_all_its_records_are() {
        assert_eq!(outcome(0, &[]), Some(true));
        assert_eq!(outcome(2, &[true]), None);
        assert_eq!(outcome(2, &[true, true]), Some(true));
        assert_eq!(outcome(3, &[true, false, true]), Some(false));
    }
}
