//! The pump: reads records, steps the machine of their partition, writes outputs and changes, commits all of it in one
//! transaction.
//!
//! A closed loop on a thread of its own: nothing else touches its state. It never goes on from a state that is not that
//! of the committed offsets.
//!
//! What an abort makes it write again is the same only by the same program, tables and rules. Where a broker has
//! lost the markers of the aborted transaction, both stay in the outputs, and their readers keep the first
//! ([`feed_mark`](crate::feed_mark)).

mod config;
mod error;
mod meters;
mod partition;
mod restore;
mod transact;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::fail_point::Point;
use crate::log::{Adoption, Event, Input, Producer, Record};
use crate::machine::{Counts, Machine, Outbox};

pub use config::Config;
pub use error::PumpError;
pub use partition::PARTITION_KEY;

use meters::PumpMeters;
use partition::Partition;
use restore::Restore;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// How often the sizes of the state are reported: a machine may look at all of it.
const COUNT: Duration = Duration::from_secs(5);

/// A process's part of a group: the machines of the partitions that it owns.
pub struct Pump<M: Machine> {
    config: Config<M>,
    partitions: BTreeMap<i32, Partition<M>>,
    counts: Counts<M::Tally>,
    meters: PumpMeters,
    record: Record,
    out: Outbox,
    /// A rebalance that is due once the transaction is over.
    due: Option<Event>,
    /// An assignment that is not answered yet; it may be empty, and the group waits for the answer all the same.
    assigned: Option<Vec<i32>>,
    /// When what it holds is to be counted again; `None` while nothing has changed.
    count_at: Option<Instant>,
}

impl<M: Machine> Pump<M> {
    /// A pump that owns nothing yet.
    #[must_use]
    pub fn new(config: Config<M>) -> Self {
        let meters = PumpMeters::new(M::METRICS.as_ref());
        let (partitions, counts, record) = (BTreeMap::new(), Counts::default(), Record::default());
        let (out, due, assigned, count_at) = (Outbox::default(), None, None, None);
        Self { config, partitions, counts, meters, record, out, due, assigned, count_at }
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
        match self.next(WAIT, input)? {
            Event::Record if self.partitions.contains_key(&self.record.partition) => {
                self.transact(input, producer)?;
            }
            // A record of a partition that has just left is its next owner's.
            Event::Record | Event::Idle => {}
            rebalance => self.due = Some(rebalance),
        }
        self.report_state();
        match self.due.take() {
            Some(Event::Assigned(assigned)) => self.assigned.get_or_insert_default().extend(assigned),
            Some(Event::Revoked(gone) | Event::Lost(gone)) => self.give_back(&gone, input, producer)?,
            Some(Event::Record | Event::Idle) | None => {}
        }
        self.take(input, producer)
    }

    fn next<I: Input>(&mut self, wait: Duration, input: &mut I) -> Result<Event, PumpError> {
        self.config.pulse.beat();
        self.config.fail_points.pass(Point::Poll);
        Ok(input.next(wait, &mut self.record)?)
    }

    /// Starts the partitions that were assigned, once nothing is open on their outputs. Until then the others are
    /// processed as ever.
    fn take<P: Producer>(&mut self, input: &mut P::Input, producer: &mut P) -> Result<(), PumpError> {
        let Some(assigned) = self.assigned.take() else { return Ok(()) };
        if !assigned.is_empty() && producer.adopt(&assigned, input)? == Adoption::Waiting {
            self.assigned = Some(assigned);
            return Ok(());
        }
        let mut places = Vec::with_capacity(assigned.len());
        for id in &assigned {
            let partition = Restore::run(*id, &self.config, &self.meters, input)?;
            places.push((*id, partition.next()));
            self.config.places.put(*id, partition.progress());
            self.partitions.insert(*id, partition);
            self.counts.restored += 1;
        }
        input.start(&places)?;
        self.meters.taken(&assigned, self.partitions.len());
        self.count_at = Some(Instant::now());
        Ok(())
    }

    fn give_back<P: Producer>(
        &mut self,
        gone: &[i32],
        input: &mut P::Input,
        producer: &mut P,
    ) -> Result<(), PumpError> {
        self.partitions.retain(|id, _| !gone.contains(id));
        if let Some(assigned) = &mut self.assigned {
            assigned.retain(|id| !gone.contains(id));
        }
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
            M::report_state(&self.partitions.values().map(Partition::machine).collect::<Vec<_>>());
            self.count_at = None;
        }
    }
}
