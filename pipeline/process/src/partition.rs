//! One partition of the pump: its engine, and where in the log it is.
//!
//! A record becomes outputs and a draft; [`Partition::apply`] makes the draft the state, [`Partition::abort`] drops
//! it. It never commits anything itself.

use std::sync::Arc;

use arb_engine::effect::Effect;
use arb_engine::input::Coordinate;
use arb_engine::time::Disposition;
use arb_engine::{Engine, Size, Step};
use arb_model::Faults;
use arb_runtime::dead_letters::{self, Reason};
use arb_runtime::log::{Output, Record, Transaction};
use arb_runtime::progress::PartitionProgress;
use arb_schemas::records::StatePartition;
use arb_schemas::topics::ODDS_TICKS;

use super::counts::Counts;
use super::error::PumpError;
use crate::codec::{self, TickMessage, state};
use crate::faults;

/// One partition.
pub(super) struct Partition {
    id: i32,
    /// Of its counters, in the marks of what it writes to the feed and to the dead letters.
    epoch: i64,
    engine: Engine,
    /// Offset of the next record, the draft included; `None` before the first.
    next: Option<i64>,
    /// The same without the draft: what the group has committed.
    committed: Option<i64>,
}

impl Partition {
    /// A partition of an epoch, of which everything before an offset has been processed.
    pub(super) fn new(id: i32, epoch: i64, engine: Engine, committed: Option<i64>) -> Self {
        Self { id, epoch, engine, next: committed, committed }
    }

    /// Offset of the next record, the draft included.
    pub(super) fn next(&self) -> Option<i64> {
        self.next
    }

    /// Offset of the next record, as the group has it without the draft.
    pub(super) fn committed(&self) -> Option<i64> {
        self.committed
    }

    /// Where it is, for whoever asks how far it is behind.
    pub(super) fn place(&self) -> PartitionProgress {
        PartitionProgress { next: self.committed, watermark: self.engine.watermark() }
    }

    /// What its committed state holds.
    /// The books that the table does not know.
    pub(super) fn unknown_books(&self) -> Vec<Arc<str>> {
        self.engine.unknown_books()
    }

    pub(super) fn size(&self) -> Size {
        self.engine.size()
    }

    /// Processes a record and writes what comes of it.
    pub(super) fn process<T: Transaction>(
        &mut self,
        record: &Record,
        to: &mut T,
        counts: &mut Counts,
    ) -> Result<(), PumpError> {
        self.next = Some(record.offset + 1);
        counts.records += 1;
        let value = record.value.as_deref().unwrap_or_default();
        match TickMessage::read(value) {
            Ok(tick) => self.step(&tick, record, to, counts),
            Err(error) => self.put_aside(record, Reason::Unreadable, &error.to_string(), to, counts),
        }
    }

    fn step<T: Transaction>(
        &mut self,
        tick: &TickMessage<'_>,
        record: &Record,
        to: &mut T,
        counts: &mut Counts,
    ) -> Result<(), PumpError> {
        let (mut faults, mut effects) = (Faults::default(), Vec::new());
        let input = tick.as_input(&mut faults);
        let at = Coordinate { topic: ODDS_TICKS.name, partition: self.id, offset: record.offset };
        let step = self.engine.step(at, &input, &mut effects);
        counts.step(&input, step);
        self.put_aside_left_out(record, step, faults, to, counts)?;
        for effect in &effects {
            counts.effect(effect);
            for output in self.outputs(effect, record.offset)? {
                to.send(&output)?;
            }
        }
        Ok(())
    }

    fn outputs(&self, effect: &Effect, offset: i64) -> Result<Vec<Output>, PumpError> {
        codec::outputs(effect, self.id, self.epoch).map_err(|error| self.at(offset, error))
    }

    fn at(&self, offset: i64, error: arb_schemas::wire::WireError) -> PumpError {
        PumpError::Record { topic: ODDS_TICKS.name, partition: self.id, offset, error }
    }

    /// Writes what the draft changes of the state, and how far it has come.
    pub(super) fn write_state<T: Transaction>(&self, to: &mut T) -> Result<(), PumpError> {
        let next_offset = self.next.unwrap_or(0);
        self.write_changes(next_offset, to).map_err(|error| error.at(self.id, next_offset))
    }

    fn write_changes<T: Transaction>(&self, next_offset: i64, to: &mut T) -> Result<(), PumpError> {
        for saved in self.engine.changes() {
            let output = state::output(&saved, self.id).map_err(|error| self.at(next_offset, error))?;
            output.map_or(Ok(()), |output| to.send(&output))?;
        }
        let policy = self.engine.policy().key().to_owned();
        let progress =
            StatePartition { next_offset, policy, sequence: self.engine.sequence(), epoch: self.epoch };
        let output = state::progress(&progress, self.id).map_err(|error| self.at(next_offset, error))?;
        Ok(to.send(&output)?)
    }

    /// The draft has been committed.
    pub(super) fn apply(&mut self) {
        self.engine.commit();
        self.committed = self.next;
    }

    /// The draft has been aborted.
    pub(super) fn abort(&mut self) {
        self.engine.abort();
        self.next = self.committed;
    }

    /// What was left out of a record is not lost: the record is put aside, with the reasons in words.
    fn put_aside_left_out<T: Transaction>(
        &self,
        record: &Record,
        step: Step,
        mut faults: Faults,
        to: &mut T,
        counts: &mut Counts,
    ) -> Result<(), PumpError> {
        if step.disposition == Disposition::Ahead {
            let error = "received in a future that no one else has reached";
            return self.put_aside(record, Reason::Ahead, error, to, counts);
        }
        faults::count_step(&mut faults, step);
        let reasons = [faults.to_string(), step.left_out.to_string()];
        let reasons: Vec<_> = reasons.into_iter().filter(|reason| !reason.is_empty()).collect();
        if reasons.is_empty() {
            return Ok(());
        }
        faults::count_left_out(&mut faults, &step.left_out);
        counts.faults.add(&faults);
        let is_refused = step.disposition == Disposition::Refused;
        let reason = if is_refused { Reason::Refused } else { Reason::PartlyLeftOut };
        self.put_aside(record, reason, &reasons.join(", "), to, counts)
    }

    fn put_aside<T: Transaction>(
        &self,
        record: &Record,
        reason: Reason,
        error: &str,
        to: &mut T,
        counts: &mut Counts,
    ) -> Result<(), PumpError> {
        let (reason, output) = dead_letters::output(record, self.epoch, reason, error);
        counts.letters[reason as usize] += 1;
        Ok(to.send(&output)?)
    }
}
