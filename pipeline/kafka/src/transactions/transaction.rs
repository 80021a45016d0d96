//! The transactional producer, and a transaction as a borrow of it.
//!
//! What is sent, and the offsets of what it was made from, become visible together or not at all. A transaction
//! that is dropped is aborted. It never retries what may already have happened: that is [`Committed::Unknown`].
//!
//! Source: KIP-98, and KIP-447 for fencing by the consumer group's generation.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use arb_runtime::fail_point::{FailPoints, Point};
use arb_runtime::log::Output;
use arb_runtime::log::{Committed, LogError, Transaction as Port};
use arb_runtime::pump::PARTITION_KEY;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};

use crate::client::settings;
use crate::cluster::Cluster;
use crate::error::{Error, fatal};
use crate::group::InputConsumer;
use crate::offsets::to_commit;
use crate::producers::enqueue;

use super::origin::{ORIGIN, Origin};
use super::silent::Silent;

/// Longer than any commit takes, shorter than a frozen writer may stall every reader (10 s).
pub(super) const TIMEOUT: Duration = Duration::from_secs(8);
/// Longer than a message may take (`message.timeout.ms`): what cannot be delivered has failed by then, and the
/// transaction is known to need an abort.
const SETTLE: Duration = Duration::from_millis(9_500);
/// How long librdkafka's threads are left alone at first. Only a new call of the flush wakes them once the coordinator has added a
/// partition to the transaction, whose batch they could not send before.
const WAKE: Duration = Duration::from_millis(1);
/// Most outputs of a small transaction, and most bytes of their values: they are sent after the offsets.
const SMALL: (usize, usize) = (2_000, 1 << 20);
/// How long a call is resumed for: longer than a transaction may last (10 s).
pub(super) const RESUME: Duration = Duration::from_secs(15);
/// First contact with the transaction coordinator, which may have to wait for an earlier owner's time-out.
const INIT_TIMEOUT: Duration = Duration::from_secs(30);

/// A producer with a transactional id, as the library has it.
pub(super) type Client = BaseProducer<Silent>;

/// Takes over a transactional id: its last user is fenced; the coordinator aborts the transaction that it
/// knows of.
pub(super) fn connect(cluster: &Cluster, transactional_id: &str) -> Result<Client, Error> {
    let config = settings::transactional(cluster, transactional_id);
    let client: Client = cluster.producer(&config, Silent::new(cluster))?;
    resume(INIT_TIMEOUT, || client.init_transactions(INIT_TIMEOUT))
        .map_err(|source| cluster.broker(source))?;
    Ok(client)
}

/// An output as the client takes it, for what its topic is called in Kafka.
pub(super) fn record<'a>(output: &'a Output, topic: &'a str) -> BaseRecord<'a, [u8], [u8]> {
    let mut record = BaseRecord::<[u8], [u8]>::to(topic).partition(output.partition);
    (record.key, record.payload) = (output.key.as_deref(), output.value.as_deref());
    if !output.headers.is_empty() {
        let add = |headers: OwnedHeaders, (key, value): &(&str, String)| {
            headers.insert(Header { key, value: Some(value) })
        };
        record.headers = Some(output.headers.iter().fold(OwnedHeaders::new(), add));
    }
    record
}

/// Sends what waits in batches, and waits until nothing is in flight. What was not delivered is noted in the client's context.
pub(super) fn settle(client: &Client) -> Result<(), KafkaError> {
    let begun = Instant::now();
    loop {
        let passed = begun.elapsed();
        let is_settled = arb_kafka_native::flush(client.client(), WAKE + passed / 8);
        // Reports of what was not delivered are in flight until they are taken.
        client.poll(Duration::ZERO);
        if is_settled {
            return Ok(());
        }
        if passed >= SETTLE {
            return Err(KafkaError::Flush(RDKafkaErrorCode::OperationTimedOut));
        }
    }
}

/// An open transaction.
///
/// A large one sends its outputs as they come, but for the last of each partition, which names its end, and what the changelog says of the
/// partition. A small one sends its outputs once its offsets are in it. Right after another transaction the coordinator is still busy with
/// that one and refuses both; librdkafka then asks again for the offsets after `retry.backoff.ms`, but for the outputs
/// after 20 ms.
pub struct Transaction<'a> {
    client: &'a mut Client,
    fail_points: &'a FailPoints,
    transactional_id: &'a str,
    /// Outputs that are not sent yet, and the bytes of their values; `None` once there were too many of them.
    held: Option<(Vec<Output>, usize)>,
    /// Of a large one: the last output of each partition, and the changelog's records of partitions.
    ends: (BTreeMap<(&'static str, i32), Output>, Vec<Output>),
    /// The first offset of each input partition that it is made from.
    from: BTreeMap<i32, i64>,
    /// The offsets that it commits, once they are known.
    to: BTreeMap<i32, i64>,
    /// Where it has written.
    written: BTreeSet<(&'static str, i32)>,
    is_open: bool,
}

impl<'a> Transaction<'a> {
    /// Begins one.
    pub(super) fn begin(
        client: &'a mut Client,
        transactional_id: &'a str,
        fail_points: &'a FailPoints,
    ) -> Result<Self, LogError> {
        client.begin_transaction().map_err(|error| end(client, transactional_id, error))?;
        let (from, to, written) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let held = Some((Vec::new(), 0));
        let ends = (BTreeMap::new(), Vec::new());
        Ok(Self { client, fail_points, transactional_id, held, ends, from, to, written, is_open: true })
    }

    /// An error after which the producer can do no more.
    fn end(&self, error: impl Into<Error>) -> LogError {
        end(self.client, self.transactional_id, error)
    }

    /// An error of a record that was not accepted; a fatal one names the record.
    fn refused(&self, source: KafkaError, output: &Output) -> LogError {
        if !is_fatal(&source) {
            return LogError::Abort(source.into());
        }
        let key = String::from_utf8_lossy(output.key.as_deref().unwrap_or_default()).into();
        let length = output.value.as_ref().map_or(0, Vec::len);
        self.end(Error::NotTaken {
            topic: output.topic,
            partition: output.partition,
            key,
            length,
            source: source.into(),
        })
    }
}

/// A fatal error of a producer: for a fenced one, the sentence that explains it.
pub(super) fn end(client: &Client, transactional_id: &str, error: impl Into<Error>) -> LogError {
    fatal(if is_fenced(client) { Error::Fenced(transactional_id.to_owned()) } else { error.into() })
}

/// Whether another process has initialised the id of a client since.
pub(super) fn is_fenced(client: &Client) -> bool {
    client.client().fatal_error().is_some_and(|(code, _)| is_fencing(code))
}

pub(super) fn is_fencing(code: RDKafkaErrorCode) -> bool {
    matches!(code, RDKafkaErrorCode::Fenced | RDKafkaErrorCode::ProducerFenced)
}

impl Port for Transaction<'_> {
    type Input = InputConsumer;

    fn send(&mut self, output: Output) -> Result<(), LogError> {
        let Some((held, bytes)) = &mut self.held else { return self.produce_early(output) };
        *bytes += output.value.as_ref().map_or(0, Vec::len);
        held.push(output);
        if held.len() <= SMALL.0 && *bytes <= SMALL.1 {
            return Ok(());
        }
        let (held, _) = self.held.take().unwrap_or_default();
        held.into_iter().try_for_each(|output| self.produce_early(output))
    }

    fn reads(&mut self, partition: i32, from: i64) {
        self.from.insert(partition, from);
    }

    fn commit(mut self, input: &mut InputConsumer, next: &BTreeMap<i32, i64>) -> Result<Committed, LogError> {
        match self.prepare(input, next) {
            Ok(()) => {}
            Err(LogError::Abort(error)) => {
                tracing::warn!(%error, "the transaction is aborted");
                return self.abort().map(|()| Committed::Aborted);
            }
            Err(error) => {
                self.is_open = false;
                return Err(error);
            }
        }
        self.fail_points.pass(Point::Commit);
        match resume(RESUME, || self.client.commit_transaction(TIMEOUT)) {
            Ok(()) => {
                self.is_open = false;
                self.fail_points.pass(Point::Committed);
                Ok(Committed::Yes)
            }
            // Also where librdkafka requests an abort: the broker may have received the request.
            Err(error) => {
                self.is_open = false;
                if is_fatal(&error) {
                    return Err(self.end(error));
                }
                tracing::warn!(%error, "the outcome of a commit is unknown");
                Ok(Committed::Unknown)
            }
        }
    }

    fn abort(mut self) -> Result<(), LogError> {
        self.try_abort().map_err(|error| self.end(error))
    }
}

impl Transaction<'_> {
    /// The first record in a partition names its transaction, and so do the last one of a large one and that by which the changelog says
    /// how far it has come.
    fn name_origin(&self, record: &mut BaseRecord<'_, [u8], [u8]>) {
        let Some(partition) = record.partition else { return };
        let Some(from) = self.from.get(&partition).copied() else { return };
        let (transactional_id, to) = (self.transactional_id.to_owned(), self.to.get(&partition).copied());
        let origin = Origin { transactional_id, from, to }.to_string();
        let headers = record.headers.take().unwrap_or_default();
        record.headers = Some(headers.insert(Header { key: ORIGIN, value: Some(&origin) }));
    }

    /// Everything before the commit itself.
    fn prepare(&mut self, input: &InputConsumer, next: &BTreeMap<i32, i64>) -> Result<(), LogError> {
        if self.held.is_some() {
            self.to.clone_from(next);
            self.send_offsets(input, next)?;
            self.produce_held()?;
            return self.settle();
        }
        self.to.clone_from(next);
        self.produce_ends()?;
        self.settle()?;
        self.send_offsets(input, next)
    }

    /// Waits until all outputs are acknowledged: the commit's own flush looks every 100 ms only.
    fn settle(&self) -> Result<(), LogError> {
        settle(self.client).map_err(|error| self.failed(error))
    }

    fn send_offsets(&self, input: &InputConsumer, next: &BTreeMap<i32, i64>) -> Result<(), LogError> {
        self.fail_points.pass(Point::Offsets);
        let send = || {
            let offsets = to_commit(input.topic(), next)?;
            let lost =
                || KafkaError::ClientCreation("the consumer is no member of its group any more".to_owned());
            let group = input.group().ok_or_else(lost)?;
            resume(RESUME, || self.client.send_offsets_to_transaction(&offsets, &group, TIMEOUT))
        };
        send().map_err(|error| self.failed(error))
    }

    /// Sends the outputs that are held, and holds none any more.
    fn produce_held(&mut self) -> Result<(), LogError> {
        let (held, _) = self.held.take().unwrap_or_default();
        held.iter().try_for_each(|output| self.produce(output, false))
    }

    /// Sends an output of a large transaction when the next one of its partition comes.
    fn produce_early(&mut self, output: Output) -> Result<(), LogError> {
        let (last, stated) = &mut self.ends;
        if is_stated(&output) {
            stated.push(output);
            return Ok(());
        }
        let before = last.insert((output.topic, output.partition), output);
        before.map_or(Ok(()), |before| self.produce(&before, false))
    }

    /// Sends the rest of a large transaction, whose end is known.
    fn produce_ends(&mut self) -> Result<(), LogError> {
        let (last, stated) = std::mem::take(&mut self.ends);
        last.into_values().chain(stated).try_for_each(|output| self.produce(&output, true))
    }

    fn produce(&mut self, output: &Output, is_end: bool) -> Result<(), LogError> {
        self.fail_points.pass(Point::Produce);
        let mut record = record(output, self.client.context().topic(output.topic));
        let is_first = self.written.insert((output.topic, output.partition));
        if is_first || is_end || is_stated(output) {
            self.name_origin(&mut record);
        }
        enqueue(self.client, record).map_err(|error| self.refused(error, output))
    }

    /// An error before which nothing was committed.
    fn failed(&self, error: KafkaError) -> LogError {
        if is_fatal(&error) { self.end(error) } else { LogError::Abort(error.into()) }
    }

    fn try_abort(&mut self) -> Result<(), Error> {
        self.is_open = false;
        // The abort waits for what is in flight, but does not take the reports of it.
        if let Err(error) = settle(self.client) {
            tracing::warn!(%error, "what was sent is not settled before the abort");
        }
        Ok(resume(RESUME, || self.client.abort_transaction(TIMEOUT))?)
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

/// Whether the changelog says by it how far it has come.
fn is_stated(output: &Output) -> bool {
    output.key.as_deref() == Some(PARTITION_KEY.as_bytes())
}

/// Calls again while librdkafka reports that it is safe: it then resumes the call rather than repeat it.
pub(super) fn resume(
    within: Duration,
    mut call: impl FnMut() -> Result<(), KafkaError>,
) -> Result<(), KafkaError> {
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

/// Whether the producer is of no more use (fenced by another, or broken), or the same work would fail again.
pub(super) fn is_fatal(error: &KafkaError) -> bool {
    use RDKafkaErrorCode as Code;
    let by_code = matches!(
        error.rdkafka_error_code(),
        Some(Code::Fatal | Code::Fenced | Code::ProducerFenced | Code::MessageSizeTooLarge)
    );
    by_code || matches!(error, KafkaError::Transaction(error) if error.is_fatal())
}
