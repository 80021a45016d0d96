//! A machine: what decides about the records of one input topic, and whose state survives every kill.
//!
//! A machine is pure. It decodes a record, steps, and returns its outputs and the changes of its state; the
//! [`Pump`](crate::pump::Pump) reads, writes, commits, restores and supervises. A machine never reads a
//! clock, never calls a broker, and never sees a transaction.
//!
//! # Rules
//!
//! 1. **One input topic for each machine.** The topic is a union of record types, partitioned by the key that
//!    the machine decides about. A machine that needs two sources together has them written into one topic:
//!    cooperative rebalancing does not keep the partitions of two topics together, and the order in which two
//!    topics were read cannot be replayed.
//! 2. **Time is a record.** Each input topic has timer records in every partition, written by a role.
//!    Something expires when such a record carries a late enough time, which the pump has compared with the
//!    broker's ([`timer_clock`](crate::timer_clock)).
//! 3. **A reply is an output.** It carries the id of its command. The machine stores ids for a fixed time, so
//!    that a command that is sent twice is executed once and has the same reply.
//! 4. **Partitions are in the catalogue** (`schemas/src/topics.rs`). All topics of one machine have the same
//!    number, and the outputs of a partition of the input go to the partition of that number.
//! 5. **Names belong to the runtime**: the transactional id is `GROUP-PARTITION`, and the changelog's record
//!    of the partition has the key `partition`. A machine uses any other key.
//! 6. **A step is a function** of the state, the record and its offset. The pump may step the same record
//!    again after an abort, cut transactions anywhere and restore at any offset: the outputs must be the same.
//!
//! `docs/architecture/machines.md` explains how to write one; `pipeline/runtime/examples/counter.rs` is a
//! complete one.

mod counts;

use std::collections::BTreeMap;
use std::fmt;

use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use arb_schemas::wire::WireError;

use crate::dead_letters::Reason;
use crate::log::Output;
use crate::telemetry::Role;

pub use counts::Counts;

/// The topics of a machine.
#[derive(Debug, Clone, Copy)]
pub struct MachineTopics {
    /// What it reads.
    pub input: &'static Topic,
    /// The changelog: compacted, a record for each part of the state.
    pub changelog: &'static Topic,
    /// Input records that could not be used, with the reason.
    pub dead_letters: &'static Topic,
    /// What else it publishes.
    pub outputs: &'static [&'static Topic],
}

impl MachineTopics {
    /// The topics that its transactions write.
    pub fn written(&self) -> impl Iterator<Item = &'static Topic> + Clone + use<> {
        self.outputs.iter().copied().chain([self.changelog, self.dead_letters])
    }
}

/// What the outputs of a machine depend on, besides its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The rules, recorded in the changelog: a state that was computed under other rules is refused.
    pub rules: String,
    /// The setting that chooses the rules, for the error that names it.
    pub setting: &'static str,
    /// A digest of the tables, which may change from run to run. It is logged with each restore: processes of one group
    /// that run at the same time must have the same.
    pub tables: u64,
}

/// The position of an input record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputPlace {
    /// Its partition, and the partition of every output.
    pub partition: i32,
    /// Its offset.
    pub offset: i64,
    /// The epoch of the partition's state, for the marks of what is numbered.
    pub epoch: i64,
}

/// What a step publishes. It is sent when the step has returned, in one transaction with the state and the offset.
#[derive(Debug, Default)]
pub struct Outbox {
    pub(crate) outputs: Vec<Output>,
    pub(crate) letters: Vec<(Reason, String)>,
}

impl Outbox {
    /// Publishes a record.
    pub fn send(&mut self, output: Output) {
        self.outputs.push(output);
    }

    /// Publishes the input record as a dead letter, with the reason and an explanation.
    pub fn dead_letter(&mut self, reason: Reason, error: String) {
        self.letters.push((reason, error));
    }

    /// What was published since it was last emptied.
    #[must_use]
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// The dead letters since it was last emptied.
    #[must_use]
    pub fn letters(&self) -> &[(Reason, String)] {
        &self.letters
    }

    /// Empties it; its memory is used again.
    pub fn clear(&mut self) {
        self.outputs.clear();
        self.letters.clear();
    }
}

/// Records of compacted outputs that are there, by topic and key.
pub type OpenRecords = BTreeMap<(&'static str, Vec<u8>), Vec<u8>>;

/// A part of the state as the changelog has it: a key, and a value or a tombstone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its key.
    pub key: String,
    /// Its value; `None` removes it.
    pub value: Option<Vec<u8>>,
}

/// What a machine counts, added up when a transaction is committed.
pub trait Tally: fmt::Debug + Clone + Default {
    /// Adds the counts of a transaction.
    fn add(&mut self, other: &Self);
}

impl Tally for () {
    fn add(&mut self, (): &Self) {}
}

/// One partition of a state machine: `step` drafts, `apply` makes the drafts the state, `abort` drops them.
pub trait Machine: Sized {
    /// What all partitions share and nothing changes while the process runs: tables, policies.
    type Config;
    /// An input record, borrowed from the message: decoding copies nothing that it need not copy.
    type Input<'a>;
    /// What it counts.
    type Tally: Tally;
    /// What its state holds, for the log and for [`Self::report_state`].
    type Size: fmt::Display;
    /// Why a record of the changelog cannot be restored.
    type RestoreError: std::error::Error + Send + Sync + 'static;

    /// Its topics.
    const TOPICS: MachineTopics;
    /// Its compacted outputs: what they list is open ([`Self::supersede`]).
    const OPEN: &'static [&'static Topic] = &[];
    /// The role as which its pump reports; `None` for a machine that reports nothing.
    const ROLE: Option<Role> = None;

    /// A machine without state.
    fn new(config: &Self::Config) -> Self;

    /// What its outputs depend on, besides its input.
    fn fingerprint(config: &Self::Config) -> Fingerprint;

    /// Reads a message of the input topic.
    ///
    /// # Errors
    /// [`WireError`] when it is none: the pump publishes it as a dead letter.
    fn decode(message: &[u8]) -> Result<Self::Input<'_>, WireError>;

    /// The time of a timer record; `None` of any other. The pump puts the time in its place that counts
    /// ([`timer_clock`](crate::timer_clock)).
    fn timer<'a>(_input: &'a mut Self::Input<'_>) -> Option<&'a mut Micros> {
        None
    }

    /// Whether a record that is no timer only tells how late it is, too. Nobody waits for what follows from such a record: a transaction of
    /// them alone waits for others for a moment.
    fn is_heartbeat(_input: &Self::Input<'_>) -> bool {
        false
    }

    /// Takes in one record, and drafts what it changes.
    ///
    /// # Errors
    /// [`WireError::Avro`] when what it publishes does not fit its schema, which ends the process.
    fn step(
        &mut self,
        at: InputPlace,
        input: &Self::Input<'_>,
        out: &mut Outbox,
        tally: &mut Self::Tally,
    ) -> Result<(), WireError>;

    /// Gives every part of the state that the drafts change to `put`.
    ///
    /// # Errors
    /// As above, and the error of `put`.
    fn changes<E: From<WireError>>(&self, put: impl FnMut(Change) -> Result<(), E>) -> Result<(), E>;

    /// Makes the drafts since the last call the state.
    fn apply(&mut self);

    /// Drops the drafts since the last call of [`Self::apply`].
    fn abort(&mut self);

    /// Restores one part of the state. Parts come in the order of their keys, each key once.
    ///
    /// # Errors
    /// For a record that is none of its changelog, or does not fit what was restored before.
    fn restore(&mut self, key: &[u8], value: &[u8]) -> Result<(), Self::RestoreError>;

    /// Closes all that is open: of its state, and of what the records of [`Self::OPEN`] list. Numbers begin again. It is called where what
    /// was published since the state that was restored is not what the machine makes of the same records: another program or other tables have
    /// published it.
    ///
    /// # Errors
    /// As [`Self::step`].
    fn supersede(
        &mut self,
        _at: InputPlace,
        _open: &OpenRecords,
        _out: &mut Outbox,
    ) -> Result<(), WireError> {
        Ok(())
    }

    /// The number of the last record that it numbered, drafts included; the changelog keeps it.
    fn sequence(&self) -> i64 {
        0
    }

    /// Restores what [`Self::sequence`] gave.
    fn restore_sequence(&mut self, _sequence: i64) {}

    /// Up to when its input is complete, as far as it knows.
    fn watermark(&self) -> Option<Micros> {
        None
    }

    /// What its state holds.
    fn size(&self) -> Self::Size;

    /// Reports what a committed transaction counted.
    fn report(_counts: &Counts<Self::Tally>) {}

    /// Reports what the machines of all partitions of a worker hold; called every few seconds. It is that worker's part of what the
    /// process holds.
    fn report_state(_worker: usize, _machines: &[&Self]) {}
}
