//! The pump: read records, step the engine, write its effects and its changes, commit all of it in one transaction.
//!
//! A closed loop on a thread of its own: nothing else touches its state. An abort drops the drafts and reads the same
//! records again; a commit of which nobody knows whether it happened is looked up in the committed offsets. It never
//! goes on from a state that is not that of the committed offsets.
//!
//! What an abort makes it write again is the same only by the same program, table of books and policy. Where a broker has
//! lost the markers of the aborted transaction, both stay in the feed, and its readers keep the first (`feed_mark`).

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_engine::Engine;
use arb_engine::market::Policy;
use arb_engine::venues::Books;
use arb_runtime::batch::{Batch, BatchLimits};
use arb_runtime::fail_point::{FailPoints, Point};
use arb_runtime::log::{Adoption, Committed, Event, Input, LogError, Producer, Record, Renewal, Transaction};
use arb_runtime::progress::ProgressMap;
use arb_runtime::watchdog::Pulse;

use super::counts::Counts;
use super::error::PumpError;
use super::partition::Partition;
use super::restore::restore;
use crate::telemetry;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// How often it is counted what the state holds: that looks at every market.
const COUNT: Duration = Duration::from_secs(5);

/// How a pump works.
#[derive(Debug, Clone)]
pub struct Config {
    /// By which rules windows are made.
    pub policy: Policy,
    /// The books that are known.
    pub books: Arc<Books>,
    /// The epoch of a partition whose changelog is empty: milliseconds since 1970, by the clock of the role.
    pub epoch: fn() -> i64,
    /// The largest transaction.
    pub limits: BatchLimits,
    /// A pause after a transaction that was aborted, so that a fault that stays costs no core.
    pub pause: Duration,
    /// A fail point: of so many transactions the last is aborted.
    pub abort_each: Option<NonZeroU64>,
    /// Where a test kills or freezes the process.
    pub fail_points: FailPoints,
    /// Its sign of life.
    pub pulse: Pulse,
    /// Where it says how far it is.
    pub places: ProgressMap,
}

impl Config {
    fn engine(&self) -> Engine {
        Engine::with_books(self.policy, Arc::clone(&self.books))
    }
}

/// A processor's state: the partitions that are its own.
pub struct Pump {
    config: Config,
    partitions: BTreeMap<i32, Partition>,
    counts: Counts,
    record: Record,
    /// A rebalance that is due once the transaction is over.
    due: Option<Event>,
    /// An assignment that is not answered yet; it may be empty, and the group waits for the answer all the same.
    assigned: Option<Vec<i32>>,
    /// When what it holds is to be counted again; `None` while nothing has changed.
    count_at: Option<Instant>,
}

/// What a transaction was made from.
struct Read {
    batch: Batch,
    /// The first offset of each partition.
    from: BTreeMap<i32, i64>,
    /// What it came to, counted only if it is committed.
    counts: Counts,
}

impl Pump {
    /// A processor that owns nothing yet.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let (partitions, counts, record) = (BTreeMap::new(), Counts::default(), Record::default());
        Self { config, partitions, counts, record, due: None, assigned: None, count_at: None }
    }

    /// What went through it.
    #[must_use]
    pub fn counts(&self) -> &Counts {
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
        self.tell_sizes();
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

    /// One transaction, from the record that was read on.
    fn transact<P: Producer>(&mut self, input: &mut P::Input, producer: &mut P) -> Result<(), PumpError> {
        let mut transaction = producer.begin()?;
        let (batch, counts) = (Batch::new(self.config.limits, Instant::now()), Counts::default());
        let mut read = Read { batch, from: BTreeMap::new(), counts };
        let ended = match self.fill(input, &mut transaction, &mut read) {
            Ok(()) if self.is_to_fail() || matches!(self.due, Some(Event::Lost(_))) => {
                transaction.abort()?;
                Committed::Aborted
            }
            Ok(()) => {
                let begun = Instant::now();
                let committed = transaction.commit(input, &self.positions(&read))?;
                telemetry::commit_took(begun.elapsed());
                committed
            }
            Err(PumpError::Log(LogError::Abort(error))) => {
                tracing::warn!(%error, "the transaction is aborted");
                transaction.abort()?;
                Committed::Aborted
            }
            Err(error) => return Err(error),
        };
        match ended {
            Committed::Yes => self.apply(&read),
            Committed::Aborted => match self.end_aborted(input, producer)? {
                Renewal::Done => self.rewind(&read, input)?,
                // Its partitions are others': another transaction would fence them.
                Renewal::Expelled => self.partitions.clear(),
            },
            Committed::Unknown => match producer.renew(input)? {
                Renewal::Done => self.resolve(&read, input)?,
                // Only a partition's new owner can tell what became of its transaction.
                Renewal::Expelled => self.partitions.clear(),
            },
        }
        Ok(())
    }

    /// Makes sure that nothing of an aborted transaction is open: where its markers are lost, the next commit of the id would
    /// make its records visible. The id of a partition that is lost is its new owner's to end.
    fn end_aborted<P: Producer>(&self, input: &mut P::Input, producer: &mut P) -> Result<Renewal, PumpError> {
        if let Some(Event::Lost(gone)) = &self.due {
            producer.release(gone);
        }
        Ok(producer.renew(input)?)
    }

    fn is_to_fail(&self) -> bool {
        let ended = self.counts.commits + self.counts.aborts + 1;
        self.config.abort_each.is_some_and(|each| ended.is_multiple_of(each.get()))
    }

    /// Processes what there is to read, up to the limits or a rebalance, and writes what it changed.
    fn fill<I: Input, T: Transaction>(
        &mut self,
        input: &mut I,
        to: &mut T,
        read: &mut Read,
    ) -> Result<(), PumpError> {
        self.process(to, read)?;
        while !read.batch.is_full(Instant::now()) {
            match self.next(Duration::ZERO, input)? {
                Event::Record => self.process(to, read)?,
                Event::Idle => break,
                rebalance => {
                    self.due = Some(rebalance);
                    break;
                }
            }
        }
        let touched = read.from.keys().filter_map(|id| self.partitions.get(id));
        touched.into_iter().try_for_each(|partition| partition.write_state(to))
    }

    fn process<T: Transaction>(&mut self, to: &mut T, read: &mut Read) -> Result<(), PumpError> {
        self.config.fail_points.pass(Point::Process);
        let record = &self.record;
        if let Some(partition) = self.partitions.get_mut(&record.partition) {
            read.from.entry(record.partition).or_insert(record.offset);
            read.batch.add();
            let done = partition.process(record, to, &mut read.counts);
            done.map_err(|error| error.at(record.partition, record.offset))?;
        }
        Ok(())
    }

    /// The next offset of each partition that was read.
    fn positions(&self, read: &Read) -> BTreeMap<i32, i64> {
        read.from.keys().filter_map(|id| Some((*id, self.partitions.get(id)?.next()?))).collect()
    }

    fn apply(&mut self, read: &Read) {
        self.counts.add(&read.counts);
        self.counts.commits += 1;
        for id in read.from.keys() {
            if let Some(partition) = self.partitions.get_mut(id) {
                partition.apply();
                self.config.places.put(*id, partition.place());
            }
        }
        telemetry::committed(&read.counts);
        self.count_at.get_or_insert_with(|| Instant::now() + COUNT);
    }

    /// Forgets what was drafted, and reads again from where the transaction began.
    fn rewind<I: Input>(&mut self, read: &Read, input: &mut I) -> Result<(), PumpError> {
        self.counts.aborts += 1;
        telemetry::aborted();
        let leaving = self.leaving();
        for (id, position) in &read.from {
            if let Some(partition) = self.partitions.get_mut(id) {
                partition.abort();
                if !leaving.contains(id) {
                    input.seek(*id, *position)?;
                }
            }
        }
        std::thread::sleep(self.config.pause);
        Ok(())
    }

    /// Finds out by the committed offsets whether a commit happened. Each partition's are in the same transaction, so
    /// they agree; one that says neither was processed by somebody else, and is restored.
    fn resolve<I: Input>(&mut self, read: &Read, input: &mut I) -> Result<(), PumpError> {
        self.counts.unknown += 1;
        let leaving = self.leaving();
        self.partitions.retain(|id, _| !(leaving.contains(id) && read.from.contains_key(id)));
        let mut found = BTreeSet::new();
        for (id, partition) in self.partitions.iter().filter(|(id, _)| read.from.contains_key(id)) {
            let committed = input.committed(*id)?;
            found.insert(if committed == partition.next() {
                Committed::Yes
            } else if committed == partition.committed() {
                Committed::Aborted
            } else {
                Committed::Unknown
            });
        }
        telemetry::in_doubt(&found);
        match found.into_iter().collect::<Vec<_>>()[..] {
            [Committed::Yes] => self.apply(read),
            [] | [Committed::Aborted] => self.rewind(read, input)?,
            _ => self.rebuild(read, input)?,
        }
        Ok(())
    }

    fn rebuild<I: Input>(&mut self, read: &Read, input: &mut I) -> Result<(), PumpError> {
        for id in read.from.keys().filter(|id| self.partitions.contains_key(id)).copied().collect::<Vec<_>>()
        {
            let partition = restore(input, id, self.config.engine(), self.config.epoch, &self.config.pulse)?;
            let next = partition.next().or(read.from.get(&id).copied()).unwrap_or(0);
            self.config.places.put(id, partition.place());
            self.partitions.insert(id, partition);
            input.seek(id, next)?;
        }
        Ok(())
    }

    /// Partitions that leave once the transaction is over.
    fn leaving(&self) -> BTreeSet<i32> {
        match &self.due {
            Some(Event::Revoked(gone) | Event::Lost(gone)) => gone.iter().copied().collect(),
            _ => BTreeSet::new(),
        }
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
            let partition = restore(input, *id, self.config.engine(), self.config.epoch, &self.config.pulse)?;
            places.push((*id, partition.next()));
            self.config.places.put(*id, partition.place());
            self.partitions.insert(*id, partition);
            self.counts.restored += 1;
        }
        input.start(&places)?;
        telemetry::taken(&assigned, self.partitions.len());
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
        telemetry::given_back(gone, self.partitions.len());
        self.count_at = Some(Instant::now());
        Ok(())
    }

    /// Tells what the state holds, when that is due.
    fn tell_sizes(&mut self) {
        if self.count_at.is_some_and(|at| Instant::now() >= at) {
            telemetry::sizes(self.partitions.values().map(Partition::size));
            telemetry::unknown_books(self.partitions.values().flat_map(Partition::unknown_books).collect());
            self.count_at = None;
        }
    }
}
