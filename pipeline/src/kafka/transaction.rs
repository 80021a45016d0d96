//! The transactional producer, and a transaction as a borrow of it.
//!
//! What is sent, and the offsets of what it was made from, become visible together or not at all. A transaction
//! that is dropped is aborted. It never retries what may already have happened.
//!
//! Source: KIP-98, and KIP-447 for fencing by the consumer group's generation.

use std::collections::BTreeMap;
use std::time::Duration;

use arb_schemas::topics;
use rdkafka::ClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::producer::{enqueue, flush};
use super::{Error, Listener, TickConsumer};

/// Longer than any commit takes, shorter than a frozen writer may stall every reader (10 s).
const TIMEOUT: Duration = Duration::from_secs(8);
/// Longer than a message may take (`message.timeout.ms`): what cannot be delivered has failed by then, and the
/// transaction is known to need an abort.
const FLUSH: Duration = Duration::from_millis(9_500);
/// First contact with the transaction coordinator, which may have to wait for an earlier owner's time-out.
const INIT_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a call that may be resumed is resumed.
const RETRIES: usize = 5;

/// A record to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Topic.
    pub topic: &'static str,
    /// Partition.
    pub partition: i32,
    /// Key.
    pub key: String,
    /// Value; `None` is a tombstone.
    pub value: Option<Vec<u8>>,
}

/// How a commit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// Everything is visible.
    Yes,
    /// Nothing is; the same work may be done again.
    Aborted,
}

/// A producer with a transactional id.
pub struct TransactionalProducer {
    producer: BaseProducer<Silent>,
}

/// Delivery errors need no ear: they fail the commit.
struct Silent;

impl ClientContext for Silent {
    fn error(&self, error: KafkaError, reason: &str) {
        Listener.error(error, reason);
    }
}

impl ProducerContext for Silent {
    type DeliveryOpaque = ();

    fn delivery(&self, _: &DeliveryResult<'_>, (): ()) {}
}

impl TransactionalProducer {
    /// Takes over a transactional id: whoever had it is fenced, what it left open is aborted.
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub fn new(brokers: &str, transactional_id: &str) -> Result<Self, Error> {
        let broker = |source| Error::Broker { brokers: brokers.to_owned(), source };
        let producer: BaseProducer<Silent> = super::producer(brokers)
            .set("transactional.id", transactional_id)
            .set("transaction.timeout.ms", "10000")
            .set("message.timeout.ms", "9000")
            .set("linger.ms", "0")
            // A transaction begun right after another meets a coordinator that is still busy with the first. The
            // default is to ask again after 100 ms, which would then be what a small transaction costs.
            .set("retry.backoff.ms", "2")
            .create_with_context(Silent)
            .map_err(broker)?;
        producer.init_transactions(INIT_TIMEOUT).map_err(broker)?;
        Ok(Self { producer })
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn begin(&mut self) -> Result<Transaction<'_>, Error> {
        self.producer.begin_transaction()?;
        Ok(Transaction { producer: self, is_open: true })
    }
}

/// An open transaction.
pub struct Transaction<'a> {
    producer: &'a mut TransactionalProducer,
    is_open: bool,
}

impl Transaction<'_> {
    /// Writes a record; waits while the queue is full.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn send(&mut self, output: &Output) -> Result<(), Error> {
        let mut record = BaseRecord::to(output.topic).partition(output.partition).key(output.key.as_str());
        record.payload = output.value.as_deref();
        Ok(enqueue(&self.producer.producer, record)?)
    }

    /// Commits it, with the offsets of the next record to read of each partition.
    ///
    /// # Errors
    /// [`Error::Client`] when the producer is fenced or its error fatal, or when it is not known whether the commit
    /// happened: the process must stop.
    pub fn commit(mut self, consumer: &TickConsumer, next: &BTreeMap<i32, i64>) -> Result<Committed, Error> {
        if let Err(error) = self.prepare(consumer, next) {
            return self.give_up(error);
        }
        match retry(|| Ok(self.producer.producer.commit_transaction(TIMEOUT)?)) {
            Ok(()) => {
                self.is_open = false;
                Ok(Committed::Yes)
            }
            Err(error) if requires_abort(&error) => self.give_up(error),
            Err(error) => {
                self.is_open = false;
                Err(error)
            }
        }
    }

    /// Everything before the commit itself.
    fn prepare(&self, consumer: &TickConsumer, next: &BTreeMap<i32, i64>) -> Result<(), Error> {
        // The commit's own flush looks every 100 ms only.
        flush(&self.producer.producer, FLUSH)?;
        let mut offsets = TopicPartitionList::new();
        for (partition, offset) in next {
            offsets.add_partition_offset(topics::ODDS_TICKS.name, *partition, Offset::Offset(*offset))?;
        }
        let group = consumer.group()?;
        retry(|| Ok(self.producer.producer.send_offsets_to_transaction(&offsets, &group, TIMEOUT)?))
    }

    /// Aborts after an error before which nothing was committed.
    ///
    /// # Errors
    /// The error itself when the producer can do no more, or the abort's.
    pub fn give_up(self, error: Error) -> Result<Committed, Error> {
        if is_fatal(&error) {
            return Err(error);
        }
        tracing::warn!(%error, "the transaction is aborted");
        self.abort()
    }

    /// Aborts it: nothing of it becomes visible.
    ///
    /// # Errors
    /// [`Error::Client`] when the coordinator does not take that.
    pub fn abort(mut self) -> Result<Committed, Error> {
        self.try_abort().map(|()| Committed::Aborted)
    }

    fn try_abort(&mut self) -> Result<(), Error> {
        self.is_open = false;
        // The abort waits for what is in flight, but does not take the reports of it.
        if let Err(error) = flush(&self.producer.producer, FLUSH) {
            tracing::warn!(%error, "what was sent is not settled before the abort");
        }
        retry(|| Ok(self.producer.producer.abort_transaction(TIMEOUT)?))
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open
            && let Err(error) = self.try_abort()
        {
            // The coordinator aborts it when its time is out.
            tracing::warn!(%error, "a transaction was left open");
        }
    }
}

/// Calls again while librdkafka says that it is safe: it then resumes the call rather than repeat it.
fn retry(mut call: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
    for _ in 0..RETRIES {
        match call() {
            Err(Error::Client(KafkaError::Transaction(error))) if error.is_retriable() => {
                tracing::warn!(%error, "the coordinator is asked again");
            }
            done => return done,
        }
    }
    call()
}

/// Whether the producer is of no more use: fenced by another, or broken.
fn is_fatal(error: &Error) -> bool {
    let Error::Client(error) = error else { return true };
    let by_code = matches!(
        error.rdkafka_error_code(),
        Some(RDKafkaErrorCode::Fatal | RDKafkaErrorCode::Fenced | RDKafkaErrorCode::ProducerFenced)
    );
    by_code || matches!(error, KafkaError::Transaction(error) if error.is_fatal())
}

fn requires_abort(error: &Error) -> bool {
    matches!(error, Error::Client(KafkaError::Transaction(error)) if error.txn_requires_abort())
}
