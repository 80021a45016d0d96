//! How a pump takes partitions over: it accepts them at once, adopts their transactional ids, restores them one after the
//! other in slices beside its work, and starts each when it is restored.
//!
//! The order is that of fencing: nothing of a partition is read before its id is adopted and nothing is open on its
//! outputs. It never makes the group or another partition wait for a restore.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::error::PumpError;
use super::partition::Partition;
use super::restore::{Advance, Restore};
use super::superseding::Superseding;
use super::{Pump, WAIT};
use crate::log::{Adoption, Event, Input, Producer, Replay};
use crate::machine::Machine;

/// How long to wait for a record while a takeover waits for the log.
const POLL: Duration = Duration::from_millis(5);

/// Partitions that are accepted and not started.
pub(super) struct Takeover<M> {
    /// Their ids are not adopted yet.
    adopting: Vec<i32>,
    /// They are to be restored.
    queued: VecDeque<i32>,
    /// What is open of them is to be closed.
    superseding: VecDeque<Superseding<M>>,
    /// It is being restored.
    restore: Option<Restore<M>>,
    /// What is being read gives nothing for now.
    is_waiting: bool,
    /// They were assigned before the group expelled this member: their ids are others' to adopt.
    expelled_from: Vec<i32>,
}

impl<M: Machine> Takeover<M> {
    pub(super) fn new() -> Self {
        let (adopting, queued, expelled_from) = (Vec::new(), VecDeque::new(), Vec::new());
        let superseding = VecDeque::new();
        Self { adopting, queued, superseding, restore: None, is_waiting: false, expelled_from }
    }

    /// How long the pump may wait for a record.
    pub(super) fn wait(&self) -> Duration {
        let is_reading = self.restore.is_some() || !self.superseding.is_empty();
        match (is_reading, self.adopting.is_empty() && self.queued.is_empty()) {
            (false, true) => WAIT,
            (true, _) if self.is_waiting => POLL,
            (false, false) if self.queued.is_empty() => POLL,
            _ => Duration::ZERO,
        }
    }

    /// Restores a partition whose id is adopted.
    pub(super) fn restore_again(&mut self, id: i32) {
        self.queued.push_back(id);
    }

    /// Closes what is open of a partition, and begins another epoch of it.
    pub(super) fn supersede(&mut self, id: i32, partition: Partition<M>) {
        self.superseding.push_back(Superseding::new(id, partition));
    }

    /// Gives up the takeover of partitions.
    pub(super) fn remove(&mut self, gone: &[i32]) {
        self.adopting.retain(|id| !gone.contains(id));
        self.queued.retain(|id| !gone.contains(id));
        self.superseding.retain(|superseding| !gone.contains(&superseding.id()));
        self.restore.take_if(|restore| gone.contains(&restore.id()));
    }
}

impl<M: Machine> Pump<M> {
    /// Accepts partitions that were assigned; there may be none, and the group waits for the answer all the same.
    pub(super) fn accept<I: Input>(&mut self, assigned: &[i32], input: &mut I) -> Result<(), PumpError> {
        input.accept(assigned)?;
        if !assigned.is_empty() {
            tracing::info!(?assigned, "partitions accepted");
        }
        let expelled_from = std::mem::take(&mut self.takeover.expelled_from);
        let adopted: Vec<_> = assigned.iter().copied().filter(|id| !expelled_from.contains(id)).collect();
        self.config.places.assign(adopted.iter().copied());
        self.takeover.adopting.extend(adopted);
        Ok(())
    }

    /// Continues the takeover of accepted partitions, for a slice of time.
    pub(super) fn take_over<P: Producer>(
        &mut self,
        input: &mut P::Input,
        producer: &mut P,
    ) -> Result<(), PumpError> {
        let takeover = &mut self.takeover;
        if !takeover.adopting.is_empty() && producer.adopt(&takeover.adopting, input)? == Adoption::Done {
            takeover.queued.extend(takeover.adopting.drain(..));
        }
        let begin = |id| Restore::begin(id, &self.config, &self.meters);
        let restore = takeover.restore.take();
        if restore.is_none()
            && let Some(mut superseding) = takeover.superseding.pop_front()
        {
            let read = superseding.read(self.config.slice, input)?;
            if read == Replay::Complete {
                return self.supersede(superseding, input, producer);
            }
            takeover.is_waiting = read == Replay::Waiting;
            takeover.superseding.push_front(superseding);
            return Ok(());
        }
        let Some(restore) = restore.or_else(|| takeover.queued.pop_front().map(begin)) else {
            return Ok(());
        };
        let id = restore.id();
        let (advance, restore) = restore.advance(&self.config, &self.meters, input)?;
        takeover.restore = restore;
        takeover.is_waiting = matches!(advance, Advance::Waiting);
        if let Advance::Done(partition) = advance {
            self.start(id, *partition, input)?;
            self.counts.restored += 1;
            self.meters.taken(&[id], self.partitions.len());
        }
        Ok(())
    }

    /// Reads a partition from where its machine is.
    pub(super) fn start<I: Input>(
        &mut self,
        id: i32,
        partition: Partition<M>,
        input: &mut I,
    ) -> Result<(), PumpError> {
        input.start(id, partition.next())?;
        self.config.places.put(id, partition.progress());
        self.partitions.insert(id, partition);
        self.count_at = Some(Instant::now());
        Ok(())
    }

    /// Drops everything: the group has assigned all of it to others, also what this member was assigned last.
    /// That assignment is still to be accepted, or the group waits for the answer.
    pub(super) fn forget_all(&mut self) {
        self.partitions.clear();
        self.takeover = Takeover::new();
        if let Some(Event::Assigned(assigned)) = &self.due {
            self.takeover.expelled_from.extend(assigned);
        }
    }
}
