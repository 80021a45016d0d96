//! What a process sends to a topic beside its transactions: by one idempotent producer for all topics, each record at once.
//!
//! Each topic has its own count of what the broker has not reported on and its own first failure. It never drops a record silently, and
//! never waits for the broker where its caller does not.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arb_kafka_native::TopicSettings;
use arb_schemas::topics::Topic;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseProducer, BaseRecord, ProducerContext};

use crate::client::{Listener, heard, settings};
use crate::cluster::Cluster;
use crate::error::Error;

use super::queue::{pause, take_reports};

/// Tells each topic's outbox what became of its records.
struct Reports(Listener);

/// What is known of the records of one topic.
#[derive(Default)]
struct Sent {
    in_flight: AtomicUsize,
    failure: Mutex<Option<KafkaError>>,
}

heard!(Reports, 0);

impl ProducerContext for Reports {
    type DeliveryOpaque = Arc<Sent>;

    fn delivery(&self, result: &DeliveryResult<'_>, sent: Arc<Sent>) {
        sent.in_flight.fetch_sub(1, Ordering::AcqRel);
        if let Err((error, _)) = result
            && let Ok(mut first) = sent.failure.lock()
        {
            first.get_or_insert_with(|| error.clone());
        }
    }
}

/// Sends to one topic.
pub(super) struct Outbox {
    topic: &'static str,
    sent: Arc<Sent>,
    producer: Arc<BaseProducer<Reports>>,
    _settings: TopicSettings<BaseProducer<Reports>>,
}

impl Outbox {
    /// To a topic; `settings` are of it alone, and those of the first outbox of a topic count for all.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub(super) fn open(cluster: &Cluster, topic: &Topic, settings: &[(&str, &str)]) -> Result<Self, Error> {
        let producer = cluster.shared("producer", || {
            let mut config = settings::producer(cluster);
            // In the last millisecond of a linger librdkafka's thread does not wait, it spins: of one millisecond in all of it.
            config.set("linger.ms", "0");
            cluster.producer(&config, Reports(Listener::new(cluster)))
        })?;
        let topic = cluster.topic(topic.name);
        let refused = || KafkaError::ClientCreation(format!("librdkafka refuses the settings of {topic}"));
        let settings = TopicSettings::of_producer(&producer, topic, settings).ok_or_else(refused)?;
        Ok(Self { topic, sent: Arc::default(), producer, _settings: settings })
    }

    /// Puts a record into the queue; whether there was room for it.
    ///
    /// # Errors
    /// [`Error::Client`] for a record that is never taken.
    pub(super) fn send(&self, partition: i32, key: &str, value: Option<&[u8]>) -> Result<bool, Error> {
        let record = BaseRecord::<str, [u8], _>::with_opaque_to(self.topic, Arc::clone(&self.sent));
        let mut record = record.partition(partition).key(key);
        record.payload = value;
        self.sent.in_flight.fetch_add(1, Ordering::AcqRel);
        let Err((error, _)) = self.producer.send(record) else { return Ok(true) };
        self.sent.in_flight.fetch_sub(1, Ordering::AcqRel);
        match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::QueueFull) => Ok(false),
            _ => Err(error.into()),
        }
    }

    /// Waits until there is room again.
    pub(super) fn wait_for_room(&self) {
        pause(&self.producer);
    }

    /// Takes the broker's reports for so long; the first record that was not delivered since the last call is an error.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub(super) fn serve(&self, time: Duration) -> Result<(), Error> {
        take_reports(&self.producer, time);
        let failure = self.sent.failure.lock().ok().and_then(|mut first| first.take());
        failure.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Waits until the broker has reported on everything.
    ///
    /// # Errors
    /// [`Error::Client`] for a record that was not delivered, or when the time is over.
    pub(super) fn flush(&self, within: Duration) -> Result<(), Error> {
        let deadline = Instant::now() + within;
        while self.in_flight() > 0 {
            if Instant::now() >= deadline {
                return Err(KafkaError::Flush(RDKafkaErrorCode::OperationTimedOut).into());
            }
            pause(&self.producer);
        }
        self.serve(Duration::ZERO)
    }

    /// Records that the broker has not reported on.
    pub(super) fn in_flight(&self) -> usize {
        self.sent.in_flight.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::topics::{ACCOUNT_COMMANDS, PICK_TASKS};
    use rdkafka::mocking::MockCluster;

    use super::*;

    #[test]
    fn topics_share_a_producer_and_each_learns_of_its_own_records_alone() {
        let brokers = MockCluster::new(1).unwrap();
        brokers.create_topic(ACCOUNT_COMMANDS.name, 1, 1).unwrap();
        brokers.create_topic(PICK_TASKS.name, 1, 1).unwrap();
        let cluster = Cluster::plaintext(&brokers.bootstrap_servers());
        let soon = [("message.timeout.ms", "1000")];
        let commands = Outbox::open(&cluster, &ACCOUNT_COMMANDS, &soon).unwrap();
        let tasks = Outbox::open(&cluster, &PICK_TASKS, &[]).unwrap();
        assert!(Arc::ptr_eq(&commands.producer, &tasks.producer));
        assert!(Outbox::open(&cluster, &PICK_TASKS, &[("message.timeout.ms", "soon")]).is_err());
        let minute = Duration::from_mins(1);
        for outbox in [&commands, &tasks] {
            assert!(outbox.send(0, "key", Some(b"value")).unwrap());
            outbox.flush(minute).unwrap();
        }
        // Without a broker: commands are given up by their own time, tasks are not.
        brokers.broker_down(1).unwrap();
        for outbox in [&commands, &tasks] {
            assert!(outbox.send(0, "key", None).unwrap());
        }
        assert!(commands.flush(minute).is_err());
        assert_eq!((commands.in_flight(), tasks.in_flight()), (0, 1));
        commands.serve(Duration::ZERO).expect("a failure is told once");
        brokers.broker_up(1).unwrap();
        tasks.flush(minute).unwrap();
    }
}
