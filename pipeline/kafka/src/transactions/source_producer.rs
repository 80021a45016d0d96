//! The producer of a source: records of the tick topic and the note of the source's lease, in one transaction.
//!
//! The transactional id is `GROUP-PARTITION`, by the group and the partition of the lease, so that whoever takes the lease over fences its
//! last holder, wherever that was frozen. It never writes before it has taken over, and decides nothing: after a transaction that failed
//! the note says what became of it.
//!
//! Source: KIP-98, KIP-447; docs/adr/097-a-poll-and-its-position.md.

use std::collections::BTreeSet;
use std::time::Duration;

use arb_schemas::topics::{ODDS_TICKS, SCAN_REQUESTS};
use rdkafka::Message;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{BorrowedMessage, Header, Headers, OwnedHeaders};
use rdkafka::producer::{BaseRecord, Producer};

use crate::cluster::Cluster;
use crate::error::Error;
use crate::group::{LeaseNote, Leases};
use crate::offsets::{Asker, is_without_leader};
use crate::producers::enqueue;

use super::adoption::{abort_open, end_offsets};
use super::lost_commit::{Outputs, consumer, look_back, repeat};
use super::origin::{ORIGIN, Origin};
use super::output_ends::OutputEnds;
use super::transaction::{Client, RESUME, TIMEOUT, connect, is_fenced, is_fencing, resume, settle};
use super::transactional::passes;

/// The header of the first record that a source's transaction writes to a partition: the note of the lease after it.
pub const POSITION: &str = "arb-position";
/// How long the group may take to return the note before a marker is taken for lost: it answers within milliseconds.
const NOTE: Duration = Duration::from_secs(5);

/// A record that is to be written to the tick topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TickOutput {
    /// The partition.
    pub partition: i32,
    /// The key.
    pub key: String,
    /// The record.
    pub value: Vec<u8>,
}

/// What became of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It is committed.
    Yes,
    /// It may be committed or not: [`SourceProducer::take_over`] tells.
    Unknown,
    /// Another process has taken over since. What it was before that is not known here.
    Fenced,
}

/// Writes under the lease of one partition.
pub struct SourceProducer {
    cluster: Cluster,
    transactional_id: String,
    partition: i32,
    /// Of the topic.
    partitions: i32,
    ends: OutputEnds,
    client: Option<Client>,
}

impl SourceProducer {
    /// For the lease of a partition of a group, and a topic of so many partitions. It writes nothing before [`Self::take_over`].
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn new(cluster: &Cluster, group: &str, partition: i32, partitions: i32) -> Result<Self, Error> {
        let transactional_id = format!("{group}-{partition}");
        let ends = OutputEnds::open(cluster, [&ODDS_TICKS])?;
        Ok(Self { cluster: cluster.clone(), transactional_id, partition, partitions, ends, client: None })
    }

    /// Fences whoever wrote under the lease before, ends what was left open, and returns the note after that; `None` when the lease is
    /// another's, or Kafka does not answer now.
    ///
    /// # Errors
    /// [`Error`] that another attempt does not change.
    pub fn take_over(&mut self, leases: &Leases) -> Result<Option<LeaseNote>, Error> {
        self.client = None;
        match self.try_to_take_over(leases) {
            Err(error) if is_passing(&error) => {
                tracing::warn!(%error, "the lease cannot be taken over now; trying again");
                Ok(None)
            }
            taken => taken,
        }
    }

    fn try_to_take_over(&mut self, leases: &Leases) -> Result<Option<LeaseNote>, Error> {
        let Some(group) = leases.group(self.partition) else { return Ok(None) };
        let client = connect(&self.cluster, &self.transactional_id)?;
        let note = match leases.note_within(self.partition, NOTE) {
            Err(error) if is_passing(&error) => {
                end_offsets(&client, &group, &SCAN_REQUESTS)?;
                self.written_note(leases.note(self.partition)?)?
            }
            note => note?,
        };
        let (cluster, partitions, ends) = (&self.cluster, self.partitions, &self.ends);
        let outputs = Outputs { cluster, partitions, ends, are_shared: true };
        // A transaction commits the note by which it counts itself.
        let is_committed = |_, origin: &Origin| Ok(origin.to.is_some_and(|to| to <= note.count));
        repeat(&client, &self.transactional_id, &outputs, &is_committed)?;
        abort_open(&client, (ends, partitions), &group, &SCAN_REQUESTS)?;
        self.client = Some(client);
        Ok(Some(note))
    }

    /// The note after the last transaction of which committed records are there: the partition of the group's offsets has lost a marker, of
    /// an aborted transaction or of a committed one. Of a committed one the group has the note before it.
    fn written_note(&self, noted: LeaseNote) -> Result<LeaseNote, Error> {
        let consumer = consumer(&self.cluster, None)?;
        let (topic, asker) = (self.cluster.topic(ODDS_TICKS.name), Asker::of_committed(&self.cluster)?);
        let mut newest = noted;
        for partition in 0..self.partitions {
            let (span, take) =
                (asker.span(topic, partition)?, |message: &BorrowedMessage<'_>| self.note_of(message));
            let found = look_back(&consumer, (topic, partition), span, take, |found| !found.is_empty())?;
            newest = found.into_iter().next_back().filter(|note| note.count > newest.count).unwrap_or(newest);
        }
        Ok(newest)
    }

    /// The note of the transaction of this id that a record is the first of in its partition.
    fn note_of(&self, message: &BorrowedMessage<'_>) -> Option<LeaseNote> {
        let origin = Origin::of(message).filter(|origin| origin.transactional_id == self.transactional_id)?;
        let header = message.headers()?.iter().find(|header| header.key == POSITION)?;
        let text = std::str::from_utf8(header.value?).ok()?.to_owned();
        Some(LeaseNote { count: origin.to?, text })
    }

    /// Writes records and the note that follows from them. The next call after anything but [`Written::Yes`] is [`Self::take_over`].
    ///
    /// # Errors
    /// [`Error::Client`] for a record or a note that is never taken.
    pub fn write(
        &mut self,
        leases: &Leases,
        records: &[TickOutput],
        note: &LeaseNote,
    ) -> Result<Written, Error> {
        let Some(client) = self.client.take() else { return Ok(Written::Unknown) };
        let Err(error) = self.try_to_write(&client, leases, records, note) else {
            self.client = Some(client);
            return Ok(Written::Yes);
        };
        if error.rdkafka_error_code().is_some_and(is_refused) {
            return Err(error.into());
        }
        tracing::warn!(id = self.transactional_id, %error, "a transaction of a source failed");
        Ok(if is_fenced(&client) { Written::Fenced } else { Written::Unknown })
    }

    fn try_to_write(
        &self,
        client: &Client,
        leases: &Leases,
        records: &[TickOutput],
        note: &LeaseNote,
    ) -> Result<(), KafkaError> {
        client.begin_transaction()?;
        // At first: right after another transaction the coordinator is still busy, and librdkafka asks again for offsets sooner than for
        // records.
        let lost = || KafkaError::ClientCreation("the lease is another's".to_owned());
        let group = leases.group(self.partition).ok_or_else(lost)?;
        let offsets = leases.with_note(self.partition, note)?;
        resume(RESUME, || client.send_offsets_to_transaction(&offsets, &group, TIMEOUT))?;
        let (transactional_id, to) = (self.transactional_id.clone(), Some(note.count));
        let origin = Origin { transactional_id, from: note.count - 1, to }.to_string();
        let (topic, mut named) = (client.context().topic(ODDS_TICKS.name), BTreeSet::new());
        for TickOutput { partition, key, value } in records {
            let mut record = BaseRecord::<[u8], [u8]>::to(topic).partition(*partition);
            (record.key, record.payload) = (Some(key.as_bytes()), Some(value.as_slice()));
            if named.insert(*partition) {
                let headers = OwnedHeaders::new().insert(Header { key: ORIGIN, value: Some(&origin) });
                record.headers = Some(headers.insert(Header { key: POSITION, value: Some(&note.text) }));
            }
            enqueue(client, record)?;
        }
        settle(client)?;
        if client.context().take_failure() {
            return Err(KafkaError::Canceled);
        }
        resume(RESUME, || client.commit_transaction(TIMEOUT))
    }
}

/// Whether Kafka will never take it.
fn is_refused(code: RDKafkaErrorCode) -> bool {
    use RDKafkaErrorCode as Code;
    matches!(
        code,
        Code::MessageSizeTooLarge
            | Code::OffsetMetadataTooLarge
            | Code::TopicAuthorizationFailed
            | Code::GroupAuthorizationFailed
            | Code::TransactionalIdAuthorizationFailed
    )
}

/// Whether another attempt may succeed.
fn is_passing(error: &Error) -> bool {
    match error {
        Error::Broker { source, .. } | Error::Client(source) => {
            // Fenced meanwhile, or a record of the transaction that is aborted was not taken: that is tried again too.
            passes(source) || is_without_leader(source) || is_of_transaction(source)
        }
        // No token can be had now.
        Error::Connect { .. } => true,
        _ => false,
    }
}

fn is_of_transaction(error: &KafkaError) -> bool {
    match error {
        KafkaError::Transaction(error) => error.txn_requires_abort() || is_fencing(error.code()),
        error => matches!(error, KafkaError::Canceled | KafkaError::Flush(_)),
    }
}
