//! What the pump needs of a log: records in, transactions out, and the compacted topics from which it is restored.
//!
//! A port: the pump uses nothing else of Kafka, so that a simulated log can drive it through every fault. It
//! never hides which of three kinds an error is: abort and retry, unknown outcome, or fatal.

use std::collections::BTreeMap;
use std::time::Duration;

use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use thiserror::Error;

/// A record of the input; its memory is used again for the next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Record {
    pub partition: i32,
    pub offset: i64,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    /// When the broker appended it, where its topic keeps that; it is in the log, the same whenever the record is read.
    pub appended_at: Option<Micros>,
}

/// A record to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Topic.
    pub topic: &'static str,
    /// Partition.
    pub partition: i32,
    /// Key.
    pub key: Option<Vec<u8>>,
    /// Value; `None` is a tombstone.
    pub value: Option<Vec<u8>>,
    /// Its key, value and headers.
    pub headers: Vec<(&'static str, String)>,
}

impl Output {
    /// A record with a key of text and no headers.
    #[must_use]
    pub fn new(topic: &'static str, partition: i32, key: String, value: Option<Vec<u8>>) -> Self {
        Self { topic, partition, key: Some(key.into_bytes()), value, headers: Vec::new() }
    }
}

/// The group's messages to the pump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A record is in the place that was given.
    Record,
    /// These partitions are assigned to the pump; it must accept them at once, and start each when it is
    /// restored.
    Assigned(Vec<i32>),
    /// These must be given back, once what was read of them is committed.
    Revoked(Vec<i32>),
    /// These are another's already: nothing that was read of them can be committed.
    Lost(Vec<i32>),
    /// Nothing new.
    Idle,
}

/// How a commit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Committed {
    /// Everything is visible.
    Yes,
    /// Nothing is; the same work may be done again.
    Aborted,
    /// Committed or aborted: the committed offsets decide, once the producer is recreated.
    Unknown,
}

/// What the group has committed for a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupOffset {
    /// This offset, or none.
    Known(Option<i64>),
    /// A transaction is about to change it, or Kafka did not answer: ask again.
    Pending,
}

/// How far the reading of a compacted topic has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// There is more.
    Partly,
    /// There is more, and it does not come yet: an open transaction hides it, or Kafka has not sent it.
    Waiting,
    /// Everything that anyone has written was given.
    Complete,
}

/// How far the takeover of transactional ids has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adoption {
    /// Nothing is open on the outputs of the partitions.
    Done,
    /// A transaction is still open there, or Kafka did not answer: call again.
    Waiting,
}

/// How the renewal of a producer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// The open transaction is committed or aborted, and finally so.
    Done,
    /// Nothing was renewed: the group has given all partitions of this member to others, or the shutdown signal has come. The next owner of
    /// the partition ends the transaction.
    Abandoned,
}

/// Why the log did not do something.
#[derive(Debug, Error)]
pub enum LogError {
    /// The transaction must be aborted; the same work may be done again.
    #[error("{0}")]
    Abort(Box<dyn std::error::Error + Send + Sync>),
    /// The client can do no more.
    #[error("{0}")]
    Fatal(Box<dyn std::error::Error + Send + Sync>),
}

/// Takes in a record of a compacted topic: its offset, its key, and its value or tombstone.
pub type Put<'a> = dyn FnMut(i64, &[u8], Option<&[u8]>) + 'a;

/// The input topic as a member of a consumer group reads it, and the compacted topics beside it.
pub trait Input {
    /// The next event, waiting at most so long; a record goes into `record`.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn next(&mut self, wait: Duration, record: &mut Record) -> Result<Event, LogError>;

    /// Answers an assignment, which may be empty: the group continues. The partitions are not read until they
    /// are started.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn accept(&mut self, partitions: &[i32]) -> Result<(), LogError>;

    /// The offset that the group has committed for a partition. It does not wait.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn committed(&mut self, partition: i32) -> Result<GroupOffset, LogError>;

    /// Begins to read a partition of a compacted topic from its first record; what was opened before is read no more.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn open(&mut self, topic: &'static Topic, partition: i32) -> Result<(), LogError>;

    /// Gives committed records of what was opened to `put`, in order, for about so long.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn replay(&mut self, limit: Duration, put: &mut Put<'_>) -> Result<Replay, LogError>;

    /// Reads a partition that was accepted, from an offset or from its first record. A partition that is
    /// being read is read again from there.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn start(&mut self, partition: i32, offset: Option<i64>) -> Result<(), LogError>;

    /// Gives back partitions that were revoked or lost.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn give_back(&mut self, partitions: &[i32]) -> Result<(), LogError>;

    /// Reads a partition again from an offset.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn seek(&mut self, partition: i32, offset: i64) -> Result<(), LogError>;
}

/// Writes transactions, under the transactional id of one of the input partitions that are owned.
///
/// The group assigns a partition to one live member, so its id has one live user; the new owner of the
/// partition adopts the id.
pub trait Producer {
    /// Whose offsets a transaction commits.
    type Input: Input;
    /// An open transaction.
    type Transaction<'a>: Transaction<Input = Self::Input>
    where
        Self: 'a;

    /// Adopts the transactional ids of partitions that were assigned: fences their last user, and aborts its
    /// open transaction. The partitions may be restored only after [`Adoption::Done`].
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn adopt(&mut self, partitions: &[i32], input: &mut Self::Input) -> Result<Adoption, LogError>;

    /// Stops to use the ids of partitions that leave; called before they are given back.
    fn release(&mut self, partitions: &[i32]);

    /// Begins a transaction.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn begin(&mut self) -> Result<Self::Transaction<'_>, LogError>;

    /// Makes a new client of the same id after an abort or [`Committed::Unknown`], and aborts what the id has left open.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn renew(&mut self, input: &mut Self::Input) -> Result<Renewal, LogError>;
}

/// An open transaction; dropped, it is aborted.
pub trait Transaction {
    /// Whose offsets it commits.
    type Input: Input;

    /// What it writes to partitions of this number is made from the input from this offset on; set before it is written.
    fn reads(&mut self, _partition: i32, _from: i64) {}

    /// Writes a record.
    ///
    /// # Errors
    /// [`LogError`].
    fn send(&mut self, output: Output) -> Result<(), LogError>;

    /// Commits it, with the offset of the next record to read of each partition.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn commit(self, input: &mut Self::Input, next: &BTreeMap<i32, i64>) -> Result<Committed, LogError>;

    /// Aborts it: nothing of it becomes visible.
    ///
    /// # Errors
    /// [`LogError::Fatal`].
    fn abort(self) -> Result<(), LogError>;
}
