//! One partition of a pump: its machine, and where in the log it is.
//!
//! A record becomes outputs and a draft; [`Partition::apply`] makes the draft the state, [`Partition::abort`] drops
//! it. It never commits anything itself.

use arb_schemas::records::StatePartition;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::wire::encode;

use super::error::Failure;
use crate::batch::Awaited;
use crate::dead_letters::{self, Reason};
use crate::log::{Output, Record, Transaction};
use crate::machine::{Change, Counts, InputPlace, Machine, Outbox};
use crate::progress::PartitionProgress;
use crate::timer_clock::TimerClock;

/// Key of [`StatePartition`], the changelog's record of the partition itself.
pub const PARTITION_KEY: &str = "partition";

/// Where a restored partition is.
#[derive(Clone, Copy)]
pub(super) struct RestoredPlace {
    /// Offset of the next record; `None` before the first.
    pub(super) next: Option<i64>,
    /// The group has an earlier one.
    pub(super) is_behind: bool,
    /// The time of its machine.
    pub(super) clock: TimerClock,
}

/// One partition.
pub(super) struct Partition<M> {
    id: i32,
    /// The epoch of its counters, in the marks of what it numbers and of its dead letters.
    epoch: i64,
    /// The rules under which the machine works.
    rules: String,
    machine: M,
    /// The time of the machine, the draft included; and what was committed of it.
    clock: TimerClock,
    committed_clock: TimerClock,
    /// Timers are not believed; logged once.
    is_doubted: bool,
    /// Offset of the next record, the draft included; `None` before the first.
    next: Option<i64>,
    /// The same without the draft: what was committed.
    committed: Option<i64>,
    /// The group has an earlier offset than that: it is to be committed again.
    is_behind: bool,
    /// Records are coming again; logged once.
    is_repeating: bool,
}

impl<M: Machine> Partition<M> {
    /// A partition of an epoch, of which everything before a position has been processed.
    pub(super) fn new(id: i32, epoch: i64, rules: String, machine: M, at: RestoredPlace) -> Self {
        let RestoredPlace { next, is_behind, clock } = at;
        Self {
            id,
            epoch,
            rules,
            machine,
            clock,
            committed_clock: clock,
            is_doubted: false,
            next,
            committed: next,
            is_behind,
            is_repeating: false,
        }
    }

    /// Whether the group's offset is to be committed again.
    pub(super) fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// The group has its offset.
    pub(super) fn is_in_group(&mut self) {
        self.is_behind = false;
    }

    /// Offset of the next record, the draft included.
    pub(super) fn next(&self) -> Option<i64> {
        self.next
    }

    /// Offset of the next record without the draft.
    pub(super) fn committed(&self) -> Option<i64> {
        self.committed
    }

    /// Its progress, for the metrics of lag.
    pub(super) fn progress(&self) -> PartitionProgress {
        PartitionProgress { next: self.committed, watermark: self.machine.watermark() }
    }

    /// Its machine.
    pub(super) fn machine(&self) -> &M {
        &self.machine
    }

    /// Whether the record of an offset has been processed already, the draft included. The first of several in a row is logged.
    pub(super) fn has_processed(&mut self, offset: i64) -> bool {
        let was_repeating = self.is_repeating;
        self.is_repeating = self.next.is_some_and(|next| offset < next);
        if self.is_repeating && !was_repeating {
            tracing::warn!(
                partition = self.id,
                offset,
                next = self.next,
                "records come again and are left out"
            );
        }
        self.is_repeating
    }

    /// Processes a record and writes its outputs. Returns whether anybody waits for them.
    pub(super) fn process<T: Transaction>(
        &mut self,
        record: &Record,
        to: &mut T,
        out: &mut Outbox,
        counts: &mut Counts<M::Tally>,
    ) -> Result<Awaited, Failure> {
        self.next = Some(record.offset + 1);
        counts.records += 1;
        out.clear();
        let mut awaited = Awaited::Yes;
        match M::decode(record.value.as_deref().unwrap_or_default()) {
            Ok(mut input) => {
                if M::is_heartbeat(&input) {
                    awaited = Awaited::No;
                }
                if let Some(time) = M::timer(&mut input) {
                    *time = self.tick(*time, record.appended_at, counts);
                    awaited = Awaited::No;
                }
                let at = InputPlace { partition: self.id, offset: record.offset, epoch: self.epoch };
                self.machine.step(at, &input, out, &mut counts.tally)?;
            }
            Err(error) => out.dead_letter(Reason::Unreadable, error.to_string()),
        }
        for (reason, error) in &out.letters {
            self.dead_letter(record, (*reason, error), to, counts)?;
        }
        out.outputs.drain(..).try_for_each(|output| to.send(output))?;
        Ok(awaited)
    }

    /// How late it is by a timer. What it is not believed for is counted, and logged when it begins.
    fn tick(&mut self, timer: Micros, appended_at: Option<Micros>, counts: &mut Counts<M::Tally>) -> Micros {
        let tick = self.clock.tick(timer, appended_at);
        let was_doubted = std::mem::replace(&mut self.is_doubted, tick.is_apart() || tick.is_step);
        counts.doubted[0] += u64::from(tick.is_apart());
        counts.doubted[1] += u64::from(tick.is_step);
        if self.is_doubted && !was_doubted {
            let (ahead, is_step) = (tick.apart / SECOND, tick.is_step);
            tracing::warn!(
                partition = self.id,
                timer,
                ahead,
                is_step,
                "a timer is not taken at its word: see the clocks of the instances and of the broker"
            );
        }
        tick.now
    }

    /// Publishes a record as a dead letter in place of processing it: what its step makes fits no record.
    pub(super) fn refuse<T: Transaction>(
        &mut self,
        record: &Record,
        error: &str,
        to: &mut T,
        counts: &mut Counts<M::Tally>,
    ) -> Result<(), Failure> {
        self.next = Some(record.offset + 1);
        counts.records += 1;
        self.dead_letter(record, (Reason::DoesNotFit, error), to, counts)
    }

    fn dead_letter<T: Transaction>(
        &self,
        record: &Record,
        (reason, error): (Reason, &str),
        to: &mut T,
        counts: &mut Counts<M::Tally>,
    ) -> Result<(), Failure> {
        let topics = (M::TOPICS.input.name, M::TOPICS.dead_letters.name);
        let (reason, letter) = dead_letters::output(record, topics, self.epoch, reason, error);
        counts.letters[reason as usize] += 1;
        Ok(to.send(letter)?)
    }

    /// Writes what the draft changes of the state, and how far it has come.
    pub(super) fn write_state<T: Transaction>(&self, to: &mut T) -> Result<(), Failure> {
        self.machine.changes(|Change { key, value }| -> Result<(), Failure> {
            Ok(to.send(Output::new(M::TOPICS.changelog.name, self.id, key, value))?)
        })?;
        let state = self.clock.with(StatePartition {
            next_offset: self.next.unwrap_or(0),
            policy: self.rules.clone(),
            sequence: self.machine.sequence(),
            epoch: self.epoch,
            ..StatePartition::default()
        });
        let (key, value) = (PARTITION_KEY.to_owned(), Some(encode(&state)?));
        Ok(to.send(Output::new(M::TOPICS.changelog.name, self.id, key, value))?)
    }

    /// The draft has been committed.
    pub(super) fn apply(&mut self) {
        self.machine.apply();
        (self.committed, self.committed_clock) = (self.next, self.clock);
    }

    /// The draft has been aborted.
    pub(super) fn abort(&mut self) {
        self.machine.abort();
        (self.next, self.clock) = (self.committed, self.committed_clock);
    }
}
