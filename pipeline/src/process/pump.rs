//! The pump: read records, step the engine, write its effects, commit both in one transaction.
//!
//! A thread of its own, closed: nothing else touches its state. An abort drops the drafts and reads the same records
//! again. It never goes on from a state that it does not know: a partition with committed offsets, one that is taken
//! away, or a record that cannot be read stops it with a sentence.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use arb_engine::Engine;
use arb_engine::catalogue::Policy;
use arb_engine::effect::Effect;
use arb_engine::input::Coordinate;
use arb_engine::invariants;
use arb_engine::source::Disposition;
use arb_schemas::topics::ODDS_TICKS;
use arb_schemas::wire::WireError;
use thiserror::Error;

use super::batch::{Batch, BatchLimits};
use crate::faults::Faults;
use crate::kafka::{self, Committed, Event, Record, TickConsumer, Transaction, TransactionalProducer};
use crate::records::{self, TickRecord};
use crate::stop::Stop;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// What a processor is told.
#[derive(Debug, Clone)]
pub struct Config {
    /// Kafka's addresses.
    pub brokers: String,
    /// Its consumer group.
    pub group: String,
    /// The transactional id of its slot, the same after a restart.
    pub transactional_id: String,
    /// By which rules windows are made.
    pub policy: Policy,
    /// The largest transaction.
    pub limits: BatchLimits,
    /// A fail point: of so many transactions the last is aborted.
    pub abort_each: Option<NonZeroU64>,
}

/// Why the pump stopped.
#[derive(Debug, Error)]
pub enum PumpError {
    /// Kafka.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
    /// Kafka does not take what a transaction writes.
    #[error(transparent)]
    Write(kafka::Error),
    /// The group has been here before.
    #[error(
        "partition {partition} of {topic} has been processed up to offset {offset}, and this version cannot \
         restore the state of that moment: start with empty topics"
    )]
    CannotRestore {
        /// The topic.
        topic: &'static str,
        /// The partition.
        partition: i32,
        /// Its committed offset.
        offset: i64,
    },
    /// Partitions are no longer its own.
    #[error(
        "partitions {0:?} were taken away (another processor has joined, or the broker was out of reach for a \
         session's time), and this version cannot hand over their state"
    )]
    CannotHandOver(Vec<i32>),
    /// A record that is none of the topic's.
    #[error("{topic} partition {partition} offset {offset}: {error}")]
    Record {
        /// The topic.
        topic: &'static str,
        /// The partition.
        partition: i32,
        /// The record's offset.
        offset: i64,
        /// What is wrong with it.
        error: WireError,
    },
}

/// What went through the pump.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Records read.
    pub records: u64,
    /// Transactions committed.
    pub commits: u64,
    /// Transactions aborted, their records read again.
    pub aborts: u64,
    /// Records that came late.
    pub late: u64,
    /// Polls that lacked frames.
    pub incomplete: u64,
    /// Entries that broke an invariant.
    pub violations: u64,
    /// Ticks that were left out.
    pub faults: Faults,
}

/// One partition: its engine, and the offset of the next record.
struct Partition {
    engine: Engine,
    next: i64,
}

/// What the loop owns.
struct Pump {
    config: Config,
    partitions: BTreeMap<i32, Partition>,
    counts: Counts,
}

/// What a transaction was made from.
struct Read {
    batch: Batch,
    /// The first offset of each partition.
    from: BTreeMap<i32, i64>,
    /// What it came to, counted only if it is committed.
    counts: Counts,
}

impl Read {
    fn new(limits: BatchLimits) -> Self {
        Self { batch: Batch::new(limits, Instant::now()), from: BTreeMap::new(), counts: Counts::default() }
    }
}

/// Runs a processor until the end is wished.
///
/// # Errors
/// [`PumpError`].
pub fn run(config: Config, stop: &Stop) -> Result<Counts, PumpError> {
    kafka::partitions(&config.brokers)?;
    let mut producer = TransactionalProducer::new(&config.brokers, &config.transactional_id)?;
    let consumer = TickConsumer::join(&config.brokers, &config.group)?;
    let mut pump = Pump { config, partitions: BTreeMap::new(), counts: Counts::default() };
    while !stop.is_stopped() {
        match consumer.next(WAIT)? {
            Event::Record(first) => pump.transact(&first, &consumer, &mut producer)?,
            Event::Assigned(assigned) => pump.take(&assigned, &consumer)?,
            Event::Revoked(revoked) => return Err(PumpError::CannotHandOver(revoked)),
            Event::Idle => {}
        }
    }
    Ok(pump.counts)
}

impl Pump {
    /// One transaction, from a first record on.
    fn transact(
        &mut self,
        first: &Record<'_>,
        consumer: &TickConsumer,
        producer: &mut TransactionalProducer,
    ) -> Result<(), PumpError> {
        let mut transaction = producer.begin()?;
        let mut read = Read::new(self.config.limits);
        let filled = self.fill(first, consumer, &mut transaction, &mut read);
        let next = read.from.keys().filter_map(|id| Some((*id, self.partitions.get(id)?.next))).collect();
        let ended = match filled {
            Ok(()) if self.is_to_fail() => transaction.abort(),
            Ok(()) => transaction.commit(consumer, &next),
            Err(PumpError::Write(error)) => transaction.give_up(error),
            Err(error) => return Err(error),
        };
        match ended? {
            Committed::Yes => {
                self.apply(read);
                Ok(())
            }
            Committed::Aborted => self.rewind(&read, consumer),
        }
    }

    fn is_to_fail(&self) -> bool {
        let ended = self.counts.commits + self.counts.aborts + 1;
        self.config.abort_each.is_some_and(|each| ended.is_multiple_of(each.get()))
    }

    /// Processes what there is to read, up to the limits.
    fn fill(
        &mut self,
        first: &Record<'_>,
        consumer: &TickConsumer,
        transaction: &mut Transaction<'_>,
        read: &mut Read,
    ) -> Result<(), PumpError> {
        self.process(first, transaction, read)?;
        while !read.batch.is_full(Instant::now()) {
            match consumer.next(Duration::ZERO)? {
                Event::Record(record) => self.process(&record, transaction, read)?,
                Event::Idle => break,
                Event::Assigned(assigned) => self.take(&assigned, consumer)?,
                Event::Revoked(revoked) => return Err(PumpError::CannotHandOver(revoked)),
            }
        }
        Ok(())
    }

    fn process(
        &mut self,
        record: &Record<'_>,
        transaction: &mut Transaction<'_>,
        read: &mut Read,
    ) -> Result<(), PumpError> {
        if let Some(partition) = self.partitions.get_mut(&record.partition()) {
            read.from.entry(record.partition()).or_insert(record.offset());
            read.batch.add();
            partition.process(record, transaction, &mut read.counts)?;
        }
        Ok(())
    }

    /// Takes partitions that no one has processed before.
    fn take(&mut self, assigned: &[i32], consumer: &TickConsumer) -> Result<(), PumpError> {
        for partition in assigned {
            if let Some(offset) = consumer.committed(*partition)? {
                return Err(PumpError::CannotRestore {
                    topic: ODDS_TICKS.name,
                    partition: *partition,
                    offset,
                });
            }
            let engine = Engine::new(self.config.policy);
            self.partitions.insert(*partition, Partition { engine, next: 0 });
        }
        consumer.start(assigned)?;
        tracing::info!(?assigned, "partitions taken");
        Ok(())
    }

    fn apply(&mut self, mut read: Read) {
        read.counts.commits = 1;
        read.counts.records = read.batch.records() as u64;
        self.counts.add(&read.counts);
        for partition in self.partitions.values_mut() {
            partition.engine.commit();
        }
    }

    /// Forgets what was drafted, and reads again from where the transaction began.
    fn rewind(&mut self, read: &Read, consumer: &TickConsumer) -> Result<(), PumpError> {
        self.counts.aborts += 1;
        for (id, position) in &read.from {
            if let Some(partition) = self.partitions.get_mut(id) {
                partition.engine.abort();
                partition.next = *position;
            }
            consumer.seek(*id, *position)?;
        }
        Ok(())
    }
}

impl Partition {
    fn process(
        &mut self,
        record: &Record<'_>,
        transaction: &mut Transaction<'_>,
        counts: &mut Counts,
    ) -> Result<(), PumpError> {
        let (partition, offset) = (record.partition(), record.offset());
        let at = |error| PumpError::Record { topic: ODDS_TICKS.name, partition, offset, error };
        let record = TickRecord::decode(record.value()).map_err(at)?;
        let input = record.as_input(&mut counts.faults);
        let coordinate = Coordinate { topic: ODDS_TICKS.name, partition, offset };
        let mut effects = Vec::new();
        let step = self.engine.step(coordinate, &input, &mut effects);
        counts.late += u64::from(step.disposition == Disposition::Late);
        counts.incomplete += u64::from(step.disposition == Disposition::Incomplete);
        counts.faults.count_step(step);
        for effect in &effects {
            counts.check(effect);
            for output in records::outputs(effect, partition).map_err(at)? {
                transaction.send(&output).map_err(PumpError::Write)?;
            }
        }
        self.next = offset + 1;
        Ok(())
    }
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.commits += other.commits;
        self.aborts += other.aborts;
        self.late += other.late;
        self.incomplete += other.incomplete;
        self.violations += other.violations;
        self.faults.add(&other.faults);
    }

    fn check(&mut self, effect: &Effect) {
        let (Effect::Transition(_, entry) | Effect::Refreshed(entry)) = effect else { return };
        if let Err(violation) = invariants::check_entry(entry) {
            self.violations += 1;
            tracing::error!(?violation, id = %entry.id, "an entry breaks an invariant");
        }
    }
}
