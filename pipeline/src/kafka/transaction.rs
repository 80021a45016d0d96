//! The transactional producer, and a transaction as a borrow of it.
//!
//! What is sent, and the offsets of what it was made from, become visible together or not at all. A transaction
//! that is dropped is aborted. It never retries what may already have happened: that is [`Committed::Unknown`].
//!
//! Source: KIP-98, and KIP-447 for fencing by the consumer group's generation.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arb_schemas::topics;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _, ProducerContext};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::{ClientConfig, ClientContext};

use super::producer::{enqueue, flush};
use super::{Error, Listener, TickConsumer, fatal};
use crate::fail_point::{FailPoints, Point};
use crate::process::log::{Committed, LogError, Producer, Transaction as Port};
use crate::records::Output;

/// Longer than any commit takes, shorter than a frozen writer may stall every reader (10 s).
const TIMEOUT: Duration = Duration::from_secs(8);
/// Longer than a message may take (`message.timeout.ms`): what cannot be delivered has failed by then, and the
/// transaction is known to need an abort.
const FLUSH: Duration = Duration::from_millis(9_500);
/// How long a call is resumed for: longer than a transaction may last (10 s).
const RESUME: Duration = Duration::from_secs(15);
/// First contact with the transaction coordinator, which may have to wait for an earlier owner's time-out.
const INIT_TIMEOUT: Duration = Duration::from_secs(30);

/// A producer with a transactional id.
pub struct TransactionalProducer {
    producer: BaseProducer<Silent>,
    brokers: String,
    transactional_id: String,
    fail_points: FailPoints,
}

/// Delivery errors need no ear: they fail the commit.
pub(super) struct Silent;

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
    pub fn new(brokers: &str, transactional_id: &str, fail_points: FailPoints) -> Result<Self, Error> {
        let producer = connect(brokers, transactional_id)?;
        let (brokers, transactional_id) = (brokers.to_owned(), transactional_id.to_owned());
        Ok(Self { producer, brokers, transactional_id, fail_points })
    }
}

fn connect(brokers: &str, transactional_id: &str) -> Result<BaseProducer<Silent>, Error> {
    let broker = |source| Error::Broker { brokers: brokers.to_owned(), source };
    let producer: BaseProducer<Silent> =
        transactional(brokers, transactional_id).create_with_context(Silent).map_err(broker)?;
    resume(INIT_TIMEOUT, || producer.init_transactions(INIT_TIMEOUT)).map_err(broker)?;
    Ok(producer)
}

/// Settings of a producer of what is computed.
pub(super) fn settings(brokers: &str) -> ClientConfig {
    let mut config = super::producer(brokers);
    config
        .set("linger.ms", "0")
        .set("message.timeout.ms", "9000")
        // A transaction begun right after another meets a coordinator that is still busy with the first. The
        // default is to ask again after 100 ms, which would then be what a small transaction costs.
        .set("retry.backoff.ms", "2");
    config
}

/// Settings of one that writes transactions.
pub(super) fn transactional(brokers: &str, transactional_id: &str) -> ClientConfig {
    let mut config = settings(brokers);
    config.set("transactional.id", transactional_id).set("transaction.timeout.ms", "10000");
    config
}

/// An output as the client takes it.
pub(super) fn record(output: &Output) -> BaseRecord<'_, [u8], [u8]> {
    let mut record = BaseRecord::<[u8], [u8]>::to(output.topic).partition(output.partition);
    (record.key, record.payload) = (output.key.as_deref(), output.value.as_deref());
    if !output.headers.is_empty() {
        let add = |headers: OwnedHeaders, (key, value): &(&str, String)| {
            headers.insert(Header { key, value: Some(value) })
        };
        record.headers = Some(output.headers.iter().fold(OwnedHeaders::new(), add));
    }
    record
}

/// Places as the client takes them.
pub(super) fn offsets(next: &BTreeMap<i32, i64>) -> Result<TopicPartitionList, KafkaError> {
    let mut offsets = TopicPartitionList::new();
    for (partition, offset) in next {
        offsets.add_partition_offset(topics::ODDS_TICKS.name, *partition, Offset::Offset(*offset))?;
    }
    Ok(offsets)
}

impl Producer for TransactionalProducer {
    type Input = TickConsumer;
    type Transaction<'a> = Transaction<'a>;

    fn begin(&mut self) -> Result<Transaction<'_>, LogError> {
        self.producer.begin_transaction().map_err(fatal)?;
        Ok(Transaction { producer: self, is_open: true })
    }

    fn renew(&mut self) -> Result<(), LogError> {
        // Its initialisation fences the old one and completes or aborts what that one had begun.
        self.producer = connect(&self.brokers, &self.transactional_id).map_err(fatal)?;
        Ok(())
    }
}

/// An open transaction.
pub struct Transaction<'a> {
    producer: &'a mut TransactionalProducer,
    is_open: bool,
}

impl Port for Transaction<'_> {
    type Input = TickConsumer;

    fn send(&mut self, output: &Output) -> Result<(), LogError> {
        self.producer.fail_points.pass(Point::Produce);
        enqueue(&self.producer.producer, record(output)).map_err(|error| classify(error, output))
    }

    fn commit(mut self, input: &mut TickConsumer, next: &BTreeMap<i32, i64>) -> Result<Committed, LogError> {
        if let Err(error) = self.prepare(input, next) {
            return self.give_up(error);
        }
        self.producer.fail_points.pass(Point::Commit);
        match resume(RESUME, || self.producer.producer.commit_transaction(TIMEOUT)) {
            Ok(()) => {
                self.is_open = false;
                self.producer.fail_points.pass(Point::Committed);
                Ok(Committed::Yes)
            }
            // Also where librdkafka asks for an abort: the request may have been heard.
            Err(error) => {
                self.is_open = false;
                if is_fatal(&error) {
                    return Err(fatal(error));
                }
                tracing::warn!(%error, "nobody knows whether a commit has happened");
                Ok(Committed::Unknown)
            }
        }
    }

    fn abort(mut self) -> Result<(), LogError> {
        self.try_abort().map_err(fatal)
    }
}

impl Transaction<'_> {
    /// Everything before the commit itself.
    fn prepare(&self, input: &TickConsumer, next: &BTreeMap<i32, i64>) -> Result<(), Error> {
        // The commit's own flush looks every 100 ms only.
        flush(&self.producer.producer, FLUSH)?;
        self.producer.fail_points.pass(Point::Offsets);
        let offsets = offsets(next)?;
        let lost =
            || KafkaError::ClientCreation("the consumer is no member of its group any more".to_owned());
        let group = input.group().ok_or_else(lost)?;
        let send = || self.producer.producer.send_offsets_to_transaction(&offsets, &group, TIMEOUT);
        Ok(resume(RESUME, send)?)
    }

    /// Aborts after an error before which nothing was committed; an error of the producer's end stays one.
    fn give_up(mut self, error: Error) -> Result<Committed, LogError> {
        if let Error::Client(client) = &error
            && is_fatal(client)
        {
            self.is_open = false;
            return Err(fatal(error));
        }
        tracing::warn!(%error, "the transaction is aborted");
        self.abort().map(|()| Committed::Aborted)
    }

    fn try_abort(&mut self) -> Result<(), Error> {
        self.is_open = false;
        // The abort waits for what is in flight, but does not take the reports of it.
        if let Err(error) = flush(&self.producer.producer, FLUSH) {
            tracing::warn!(%error, "what was sent is not settled before the abort");
        }
        Ok(resume(RESUME, || self.producer.producer.abort_transaction(TIMEOUT))?)
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
fn resume(within: Duration, mut call: impl FnMut() -> Result<(), KafkaError>) -> Result<(), KafkaError> {
    let deadline = Instant::now() + within;
    loop {
        match call() {
            Err(KafkaError::Transaction(error)) if error.is_retriable() && Instant::now() < deadline => {
                tracing::warn!(%error, "the coordinator is asked again");
            }
            done => return done,
        }
    }
}

/// An error of a record that was not taken; one that ends the producer names the record.
fn classify(source: KafkaError, output: &Output) -> LogError {
    if !is_fatal(&source) {
        return LogError::Abort(source.into());
    }
    let key = String::from_utf8_lossy(output.key.as_deref().unwrap_or_default()).into_owned();
    let length = output.value.as_ref().map_or(0, Vec::len);
    fatal(Error::NotTaken { topic: output.topic, partition: output.partition, key, length, source })
}

/// Whether the producer is of no more use (fenced by another, or broken), or the same work would fail again.
fn is_fatal(error: &KafkaError) -> bool {
    use RDKafkaErrorCode as Code;
    let by_code = matches!(
        error.rdkafka_error_code(),
        Some(Code::Fatal | Code::Fenced | Code::ProducerFenced | Code::MessageSizeTooLarge)
    );
    by_code || matches!(error, KafkaError::Transaction(error) if error.is_fatal())
}
