//! The pump: reads records, steps the machine of their partition, writes outputs and changes, commits all of it in one
//! transaction.
//!
//! A closed loop on a dedicated thread: nothing else touches its state. It never continues from a state that
//! is not that of the committed offsets.
//!
//! What an abort makes it write again is the same only by the same program, tables and rules. Where a broker has
//! lost the markers of the aborted transaction, both stay in the outputs, and their readers keep the first
//! ([`feed_mark`](crate::feed_mark)).

mod config;
mod error;
mod last_resort;
mod meters;
mod partition;
mod reach;
mod restore;
mod superseding;
mod takeover;
mod transact;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::fail_point::Point;
use crate::log::{Event, Input, Producer, Record};
use crate::machine::{Counts, Machine, Outbox};

pub use config::{Config, CutLimits, SLICE};
pub use error::PumpError;
pub use partition::PARTITION_KEY;

use last_resort::LastResort;
use meters::Meters;
use partition::Partition;
use takeover::Takeover;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// How often the sizes of the state are reported: a machine may look at all of it.
const COUNT: Duration = Duration::from_secs(5);

/// A process's part of a group: the machines of the partitions that it owns.
pub struct Pump<M: Machine> {
    config: Config<M>,
    partitions: BTreeMap<i32, Partition<M>>,
    counts: Counts<M::Tally>,
    meters: Meters,
    record: Record,
    out: Outbox,
    /// A rebalance that is due once the transaction is over.
    due: Option<Event>,
    /// Partitions that are accepted and not started.
    takeover: Takeover<M>,
    /// What is taken record by record, since it did not fit.
    last_resort: LastResort,
    /// The next transaction reads nothing, and writes the state of these partitions.
    saving: Vec<i32>,
    /// When what it holds is to be counted again; `None` while nothing has changed.
    count_at: Option<Instant>,
}

impl<M: Machine> Pump<M> {
    /// A pump that owns nothing yet.
    #[must_use]
    pub fn new(config: Config<M>) -> Self {
        let meters = Meters::new(M::ROLE);
        let (partitions, counts, record) = (BTreeMap::new(), Counts::default(), Record::default());
        let (out, due, takeover, count_at) = (Outbox::default(), None, Takeover::new(), None);
        let (last_resort, saving) = (LastResort::default(), Vec::new());
        Self { config, partitions, counts, meters, record, out, due, takeover, last_resort, saving, count_at }
    }

    /// What went through it.
    #[must_use]
    pub fn counts(&self) -> &Counts<M::Tally> {
        &self.counts
    }

    /// The next event, with all that follows from it.
    ///
    /// # Errors
    /// [`PumpError`], after which the pump must be dropped.
    pub fn step<P: Producer>(&mut self, input: &mut P::Input, producer: &mut P) -> Result<(), PumpError> {
        match self.next(self.takeover.wait().min(self.until_cut()), input)? {
            Event::Record => match self.partitions.get(&self.record.partition) {
                Some(partition) if partition.is_replaying() => self.replay(),
                Some(_) => self.transact(true, input, producer)?,
                // A record of a partition that has just left is its next owner's.
                None => {}
            },
            Event::Idle
                if self.until_cut().is_zero() || self.partitions.values().any(Partition::is_behind) =>
            {
                self.transact(false, input, producer)?;
            }
            Event::Idle => {}
            rebalance => self.due = Some(rebalance),
        }
        if let Some(Event::Revoked(gone)) = &self.due {
            self.save(&gone.clone(), input, producer)?;
        }
        self.report_state();
        match self.due.take() {
            Some(Event::Assigned(assigned)) => self.accept(&assigned, input)?,
            Some(Event::Revoked(gone) | Event::Lost(gone)) => self.give_back(&gone, input, producer)?,
            Some(Event::Record | Event::Idle) | None => {}
        }
        self.take_over(input, producer)
    }

    /// Writes the state of all partitions, so that who takes them over has nothing to process again.
    ///
    /// # Errors
    /// As above.
    pub fn finish<P: Producer>(&mut self, input: &mut P::Input, producer: &mut P) -> Result<(), PumpError> {
        let all: Vec<_> = self.partitions.keys().copied().collect();
        self.save(&all, input, producer)
    }

    /// Writes the state of those of these partitions whose changelog has an older one.
    fn save<P: Producer>(
        &mut self,
        ids: &[i32],
        input: &mut P::Input,
        producer: &mut P,
    ) -> Result<(), PumpError> {
        let is_unsaved = |id: &&i32| {
            let partition = self.partitions.get(*id);
            partition.is_some_and(|partition| partition.is_unsaved() && !partition.is_replaying())
        };
        self.saving = ids.iter().filter(is_unsaved).copied().collect();
        if self.saving.is_empty() {
            return Ok(());
        }
        let saved = self.transact(false, input, producer);
        self.saving.clear();
        saved
    }

    /// How long no state of a partition need be written.
    fn until_cut(&self) -> Duration {
        let now = Instant::now();
        let until_cut =
            self.partitions.values().filter_map(|partition| partition.until_cut(&self.config.cuts, now));
        until_cut.min().unwrap_or(Duration::MAX)
    }

    /// Processes a record of a partition again that was committed. Where that does not lead to what was committed, all that is open is
    /// closed.
    fn replay(&mut self) {
        let id = self.record.partition;
        let Some(partition) = self.partitions.get_mut(&id) else { return };
        if partition.has_processed(self.record.offset) {
            return;
        }
        self.meters.replayed();
        if !partition.replay(&self.record, &mut self.out) {
            let (offset, next) = (self.record.offset, partition.committed());
            let text = "what was published since the state was written is not what these records lead to: another program or other tables \
                published it, or records are gone";
            tracing::warn!(partition = id, offset, next, "{text}");
            if let Some(partition) = self.partitions.remove(&id) {
                self.takeover.supersede(id, partition);
            }
        } else if !partition.is_replaying() {
            let records = partition.records_since();
            tracing::info!(partition = id, records, "processed again since the state that was restored");
        }
    }

    fn next<I: Input>(&mut self, wait: Duration, input: &mut I) -> Result<Event, PumpError> {
        self.config.pulse.beat();
        self.config.fail_points.pass(Point::Poll);
        Ok(input.next(wait, &mut self.record)?)
    }

    fn give_back<P: Producer>(
        &mut self,
        gone: &[i32],
        input: &mut P::Input,
        producer: &mut P,
    ) -> Result<(), PumpError> {
        self.partitions.retain(|id, _| !gone.contains(id));
        self.takeover.remove(gone);
        self.last_resort.remove(gone);
        self.config.places.remove(gone);
        producer.release(gone);
        input.give_back(gone)?;
        self.meters.given_back(gone, self.partitions.len());
        self.count_at = Some(Instant::now());
        Ok(())
    }

    /// Reports what the state holds, when that is due.
    fn report_state(&mut self) {
        if self.count_at.is_some_and(|at| Instant::now() >= at) {
            let machines: Vec<_> = self.partitions.values().map(Partition::machine).collect();
            M::report_state(self.config.worker, &machines);
            self.count_at = None;
        }
    }
}
