//! One partition of a pump: its machine, and where in the log it is.
//!
//! A record becomes outputs and a draft, which is committed with the position; the draft becomes the state when a transaction has
//! written that too ([`Partition::apply`]), and [`Partition::abort`] drops it. It never commits anything itself.

use std::time::{Duration, Instant};

use arb_schemas::records::StatePartition;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::wire::{WireError, encode};

use super::config::CutLimits;
use super::error::Failure;
use super::reach::Reach;
use crate::batch::Awaited;
use crate::dead_letters::{self, Reason};
use crate::log::{Output, Record, Transaction};
use crate::machine::{Change, Counts, InputPlace, Machine, OpenRecords, Outbox};
use crate::progress::PartitionProgress;

/// Key of [`StatePartition`], the changelog's record of the partition itself.
pub const PARTITION_KEY: &str = "partition";

/// Where a restored partition is.
#[derive(Clone, Copy)]
pub(super) struct RestoredPlace {
    /// What was committed.
    pub(super) committed: Reach,
    /// What the restored state is of.
    pub(super) saved: Reach,
    /// The group has an earlier offset.
    pub(super) is_behind: bool,
}

/// One partition.
///
/// The draft of its machine begins at the state that the changelog has, and may lie over many transactions. A transaction that is
/// aborted drops all of it: what was committed since is processed again, and published by nobody, before the partition goes on.
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub(super) struct Partition<M> {
    id: i32,
    /// The epoch of its counters, in the marks of what it numbers and of its dead letters.
    epoch: i64,
    /// The rules under which the machine works.
    rules: String,
    machine: M,
    /// The draft included.
    reach: Reach,
    /// What was committed.
    committed: Reach,
    /// What the changelog's state is of.
    saved: Reach,
    /// When that was written, or restored.
    saved_at: Instant,
    /// The first record after it, and how many there were, once one was read.
    since: Option<(i64, usize)>,
    /// The open transaction writes the state.
    is_cutting: bool,
    /// Timers are not believed; logged once.
    is_doubted: bool,
    /// The group has an earlier offset than what was committed: it is to be committed again.
    is_behind: bool,
    /// Records are coming again; logged once.
    is_repeating: bool,
}

impl<M: Machine> Partition<M> {
    /// A partition of an epoch, whose machine has the state of a place.
    pub(super) fn new(id: i32, epoch: i64, rules: String, machine: M, at: RestoredPlace) -> Self {
        let RestoredPlace { committed, saved, is_behind } = at;
        Self {
            id,
            epoch,
            rules,
            machine,
            reach: saved,
            committed,
            saved,
            saved_at: Instant::now(),
            since: None,
            is_cutting: false,
            is_doubted: false,
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
        self.reach.next
    }

    /// Offset of the next record without the draft.
    pub(super) fn committed(&self) -> Option<i64> {
        self.committed.next
    }

    /// Offset that the group is to have: that of the draft, unless what was committed is being processed again.
    pub(super) fn position(&self) -> Option<i64> {
        self.reach.next.max(self.committed.next)
    }

    /// Whether records that were committed are being processed again.
    pub(super) fn is_replaying(&self) -> bool {
        self.reach.next < self.committed.next
    }

    /// Whether the changelog's state is older than what was committed.
    pub(super) fn is_unsaved(&self) -> bool {
        self.saved.next != self.committed.next
    }

    /// Whether the open transaction writes its state.
    pub(super) fn is_cutting(&self) -> bool {
        self.is_cutting
    }

    /// How long its state need not be written yet; `None` while the changelog has it.
    pub(super) fn until_cut(&self, cuts: &CutLimits, now: Instant) -> Option<Duration> {
        let (_, records) = self.since.filter(|_| !self.is_replaying())?;
        let is_full = records >= cuts.records;
        Some(if is_full {
            Duration::ZERO
        } else {
            (self.saved_at + cuts.interval).saturating_duration_since(now)
        })
    }

    /// Its progress, for the metrics of lag.
    pub(super) fn progress(&self) -> PartitionProgress {
        PartitionProgress { next: self.committed.next, watermark: self.machine.watermark() }
    }

    /// Records that were processed since the changelog's state.
    pub(super) fn records_since(&self) -> usize {
        self.since.map_or(0, |(_, records)| records)
    }

    /// Its machine.
    pub(super) fn machine(&self) -> &M {
        &self.machine
    }

    /// Whether the record of an offset has been processed already, the draft included. The first of several in a row is logged.
    pub(super) fn has_processed(&mut self, offset: i64) -> bool {
        let was_repeating = self.is_repeating;
        self.is_repeating = self.reach.next.is_some_and(|next| offset < next);
        if self.is_repeating && !was_repeating {
            tracing::warn!(
                partition = self.id,
                offset,
                next = self.reach.next,
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
        let awaited = self.step(record, out, counts)?;
        for (reason, error) in &out.letters {
            self.dead_letter(record, (*reason, error), to, counts)?;
        }
        out.outputs.drain(..).try_for_each(|output| to.send(output))?;
        Ok(awaited)
    }

    /// Processes a record that was committed again, and publishes nothing. Whether the partition is where it was, with the same
    /// outputs, once it is as far; `true` before that.
    pub(super) fn replay(&mut self, record: &Record, out: &mut Outbox) -> bool {
        if self.committed.next.is_some_and(|next| record.offset >= next) {
            return false;
        }
        let is_stepped = self.step(record, out, &mut Counts::default()).is_ok();
        is_stepped && (self.is_replaying() || self.reach == self.committed)
    }

    fn step(
        &mut self,
        record: &Record,
        out: &mut Outbox,
        counts: &mut Counts<M::Tally>,
    ) -> Result<Awaited, WireError> {
        self.reach.next = Some(record.offset + 1);
        self.note(record);
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
        self.reach.sequence = self.machine.sequence();
        self.reach.add(record, out);
        Ok(awaited)
    }

    /// Notes a record of those since the changelog's state.
    fn note(&mut self, record: &Record) {
        let (first, records) = self.since.unwrap_or((record.offset, 0));
        self.since = Some((first, records + 1));
    }

    /// How late it is by a timer. What it is not believed for is counted, and logged when it begins.
    fn tick(&mut self, timer: Micros, appended_at: Option<Micros>, counts: &mut Counts<M::Tally>) -> Micros {
        let tick = self.reach.clock.tick(timer, appended_at);
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
        self.reach.next = Some(record.offset + 1);
        self.note(record);
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

    /// Writes how far it has come; with the state, where that is to be written, all that its draft changes.
    pub(super) fn write_state<T: Transaction>(
        &mut self,
        is_cutting: bool,
        to: &mut T,
    ) -> Result<(), Failure> {
        self.is_cutting = is_cutting;
        if is_cutting {
            self.machine.changes(|Change { key, value }| -> Result<(), Failure> {
                Ok(to.send(Output::new(M::TOPICS.changelog.name, self.id, key, value))?)
            })?;
        }
        let state = StatePartition {
            next_offset: self.reach.next.unwrap_or(0),
            policy: self.rules.clone(),
            sequence: self.reach.sequence,
            epoch: self.epoch,
            timers: self.reach.clock.state(),
            cut: (!is_cutting).then(|| self.saved.cut(self.reach.digest)),
        };
        let (key, value) = (PARTITION_KEY.to_owned(), Some(encode(&state)?));
        Ok(to.send(Output::new(M::TOPICS.changelog.name, self.id, key, value))?)
    }

    /// What the open transaction has written was committed.
    pub(super) fn apply(&mut self) {
        if std::mem::take(&mut self.is_cutting) {
            self.machine.apply();
            self.reach.digest = 0;
            (self.saved, self.saved_at, self.since) = (self.reach, Instant::now(), None);
        }
        self.committed = self.reach;
    }

    /// The open transaction was aborted: the machine is where the changelog's state is. The offset from which it is to be read again.
    pub(super) fn abort(&mut self) -> Option<i64> {
        self.machine.abort();
        (self.reach, self.is_cutting) = (self.saved, false);
        let (first, _) = self.since.take()?;
        Some(first)
    }

    /// Begins another epoch in which nothing is open: closes what `open` lists, the records of the topics that a machine names.
    /// It goes on after what was committed, or, to take that again, after the changelog's state.
    pub(super) fn supersede<T: Transaction>(
        &mut self,
        epoch: i64,
        open: &OpenRecords,
        to: &mut T,
    ) -> Result<(), Failure> {
        let mut out = Outbox::default();
        (self.epoch, self.reach.next) = (epoch, self.position());
        let at = InputPlace { partition: self.id, offset: self.reach.next.unwrap_or(0), epoch };
        self.machine.supersede(at, open, &mut out)?;
        self.reach.sequence = self.machine.sequence();
        out.outputs.into_iter().try_for_each(|output| to.send(output))?;
        self.write_state(true, to)
    }

    /// Takes what was committed since the changelog's state for not processed.
    pub(super) fn go_back(&mut self) {
        self.abort();
        self.committed = self.saved;
    }
}
