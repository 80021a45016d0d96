//! The sink's loop: reads, commits, and has rows sent by a runtime beside it.
//!
//! It polls Kafka whatever ClickHouse does, so that it stays a member of the group; what it cannot send it
//! does not read. `partition` and `recovery` make every decision, and a row is sent only shortly after a
//! commit that the group accepted.

mod ending;
mod own;
mod recreation;

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use arb_kafka::{self as kafka, Commit, Mark, SinkConsumer, SinkEvent, Source, Taken};
use arb_runtime::fail_point::{FailPoints, Point};
use arb_runtime::progress::{PartitionProgress, ProgressMap};
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::kafka::double;
use arb_runtime::watchdog::Pulse;
use arb_schemas::time::Micros;
use arb_schemas::topics::FEED_EVENTS;
use thiserror::Error;
use tokio::runtime::Handle;

use self::ending::Ending;
use self::own::{Owned, Report, Told};
use self::recreation::TopicRecreationWatch;
use super::attempt;
use super::batch::Limits;
use super::counts::Counts;
use super::insert_lease::InsertLease;
use super::intent::Note;
use super::partition::{Attempt, Step};
use super::record::Kept;
use super::recovery::Refusal;
use super::sources::named;
use super::store::{Range, Store};
use crate::telemetry::{self, Held};

/// How long to wait for a record before looking at anything else.
const WAIT: Duration = Duration::from_millis(10);
/// Records that are read before looking at anything else.
const BURST: usize = 2_000;
/// Between commits that the group does not take.
const REFUSED: Duration = Duration::from_millis(200);

/// How a sink works.
#[derive(Debug, Clone)]
pub struct Config {
    /// The largest batch. Of each partition that is owned two are held.
    pub limits: Limits,
    /// Inserts at a time.
    pub inserts: usize,
    /// How long it may take to end what is under way.
    pub close: Duration,
    /// Where a test kills or freezes the process.
    pub fail_points: FailPoints,
    /// Its sign of life.
    pub pulse: Pulse,
    /// Where it reports its progress, for each topic.
    pub places: [ProgressMap; 2],
    /// The time on the wall, UTC in microseconds.
    pub clock: fn() -> Micros,
    /// The counts from before, from which it continues.
    pub counts: Counts,
}

/// Why a sink stopped.
#[derive(Debug, Error)]
pub enum SinkError {
    /// Kafka.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
    /// A partition cannot be read.
    #[error("{topic} partition {partition}: {refusal}")]
    Refused {
        /// The topic.
        topic: &'static str,
        /// The partition.
        partition: i32,
        /// The reason.
        refusal: Refusal,
    },
    /// The log was cut below a reader, which does not learn the partition.
    #[error(
        "Kafka no longer has the place from which a partition was to be read: the log was cut, or the topic was recreated; \
         the next start finds the position to continue from, and reports what is lost"
    )]
    OutOfRange,
    /// What was read is not what is there.
    #[error(
        "{topic} was recreated while it was read: its offsets are those of other records; the next start reads it from \
         its beginning"
    )]
    Recreated {
        /// Which topic.
        topic: &'static str,
    },
    /// An error of ClickHouse that the operator must resolve.
    #[error("{0}")]
    Lasting(String),
}

/// A member of the group with its assigned partitions.
pub struct Sink {
    config: Config,
    consumer: SinkConsumer,
    store: Store,
    runtime: Handle,
    recreation: TopicRecreationWatch,
    owned: BTreeMap<Source, Owned>,
    /// Inserts under way, those of partitions that have left among them.
    under_way: usize,
    reports: (Sender<Told>, Receiver<Told>),
    lives: u64,
    not_before: Instant,
    ending: Ending,
    counts: Counts,
    random: fastrand::Rng,
}

impl Sink {
    /// A sink without partitions, until the shutdown signal; `runtime` must have worker threads.
    #[must_use]
    pub fn new(config: Config, consumer: SinkConsumer, store: Store, runtime: Handle, stop: Stop) -> Self {
        let close = config.close;
        let counts = config.counts.clone();
        Self {
            recreation: TopicRecreationWatch::watch(consumer.ids(), &runtime),
            config,
            consumer,
            store,
            runtime,
            owned: BTreeMap::new(),
            under_way: 0,
            reports: channel(),
            lives: 0,
            not_before: Instant::now(),
            ending: Ending::new(stop, close),
            counts,
            random: fastrand::Rng::new(),
        }
    }

    /// What went through it.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    fn held(&self) -> Held {
        let (all, partitions) = (self.owned.values(), self.owned.len());
        let paused = all.clone().filter(|owned| owned.is_paused).count();
        Held { partitions, paused, bytes: all.map(|owned| owned.partition.bytes()).sum() }
    }

    /// Runs until the shutdown signal; then finishes the batches under way, if that is soon done. The rest is
    /// done by the next owner.
    ///
    /// # Errors
    /// [`SinkError`], after which it must be dropped.
    pub fn run(&mut self) -> Result<(), SinkError> {
        while !self.ending.has_begun() {
            self.step()?;
        }
        let all: Vec<_> = self.owned.keys().copied().collect();
        self.drain(&all)
    }

    /// Reads for a moment, and takes every step that is due.
    ///
    /// # Errors
    /// As above.
    pub fn step(&mut self) -> Result<(), SinkError> {
        self.config.pulse.beat();
        if let Some(topic) = self.recreation.found() {
            return Err(SinkError::Recreated { topic });
        }
        self.receive()?;
        self.read()?;
        self.advance(false, &|_| true)?;
        self.pause()?;
        telemetry::counted(&self.counts, self.held());
        Ok(())
    }

    fn receive(&mut self) -> Result<(), SinkError> {
        while let Ok((source, life, report)) = self.reports.1.try_recv() {
            self.under_way -= usize::from(matches!(report, Report::Ended(_)));
            match report {
                Report::Known(Err(error)) | Report::Ended(Err(error)) => {
                    return Err(SinkError::Lasting(error));
                }
                report => self.apply(source, life, report),
            }
        }
        Ok(())
    }

    fn apply(&mut self, source: Source, life: u64, report: Report) {
        // The next owner finds out the state of a partition that was revoked.
        let Some(owned) = self.owned.get_mut(&source).filter(|owned| owned.life == life) else { return };
        match report {
            Report::Known(Ok(highest)) => owned.partition.know(highest),
            Report::Waits => self.counts.retries += 1,
            Report::Ended(Ok(ended)) => {
                let error = self.counts.ended(source, &ended);
                let failures = owned.partition.ended(ended, Instant::now(), self.random.f64());
                if let Some(error) = error {
                    let partition = named(source);
                    tracing::warn!(partition, failures, %error, "rows are sent again later");
                }
            }
            Report::Known(Err(_)) | Report::Ended(Err(_)) => {}
        }
    }

    /// Reads what there is, until a partition has enough or something else happened.
    fn read(&mut self) -> Result<(), SinkError> {
        let mut wait = WAIT;
        for _ in 0..BURST {
            self.config.fail_points.pass(Point::Gather);
            let (owned, mut full, now) = (&mut self.owned, false, Instant::now());
            let event = self.consumer.next(wait, &mut |Taken { source, offset, key, value, mark }| {
                if let Some(owned) = owned.get_mut(&source) {
                    if !owned.partition.take(Kept { offset, key, value }, mark, now) {
                        double(FEED_EVENTS.name);
                    }
                    full = owned.partition.is_full();
                }
            })?;
            wait = Duration::ZERO;
            match event {
                SinkEvent::Record => self.counts.records += 1,
                SinkEvent::Idle => return Ok(()),
                rebalance => return self.rebalance(rebalance),
            }
            if full {
                return Ok(());
            }
        }
        Ok(())
    }

    fn rebalance(&mut self, event: SinkEvent) -> Result<(), SinkError> {
        match event {
            SinkEvent::Assigned(sources) => self.take(&sources),
            SinkEvent::Revoked(sources) => {
                self.drain(&sources)?;
                self.give_back(&sources)
            }
            SinkEvent::Lost(sources) => self.give_back(&sources),
            // librdkafka no longer reads that partition, whatever is requested: after a restart, recovery
            // decides the offset.
            SinkEvent::OutOfRange => Err(SinkError::OutOfRange),
            SinkEvent::Record | SinkEvent::Idle => Ok(()),
        }
    }

    /// Takes every step that is due in some partitions, with one commit for all.
    fn advance(&mut self, ends: bool, of: &dyn Fn(&Source) -> bool) -> Result<(), SinkError> {
        let now = Instant::now();
        if now < self.not_before {
            return Ok(());
        }
        let mut free = self.config.inserts.saturating_sub(self.under_way);
        let mut due: Vec<(Source, Step)> = Vec::new();
        let mut owned: Vec<_> = self.owned.iter().filter(|(source, _)| of(source)).collect();
        // The partition that has waited longest comes first, or a backlog of ticks would leave no slot to the
        // feed.
        owned.sort_by_key(|(_, owned)| owned.sent_at);
        for (source, owned) in owned {
            if let Some(step) = owned.partition.due(now, free > 0, ends) {
                free -= usize::from(step != Step::Settle);
                due.push((*source, step));
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        let lease = InsertLease::from_now(self.config.clock);
        let sends = due.iter().any(|(_, step)| *step != Step::Settle);
        self.config.fail_points.pass(if sends { Point::Intend } else { Point::Settle });
        match self.consumer.mark(&self.marks(&due), &|| !self.ending.is_over())? {
            Commit::Taken => {
                self.config.fail_points.pass(if sends { Point::Intended } else { Point::Settled });
                for (source, step) in due {
                    self.marked(source, step, lease);
                }
            }
            Commit::Again(error) | Commit::Lost(error) => {
                self.counts.refused += 1;
                self.not_before = now + REFUSED;
                tracing::warn!(error, "the group does not take the commit now");
            }
        }
        Ok(())
    }

    fn marks(&self, due: &[(Source, Step)]) -> Vec<Mark> {
        let mark = |(source, step): &(Source, Step)| {
            let owned = self.owned.get(source)?;
            let (offset, intent) = owned.partition.mark(*step);
            let (topic_id, mark) = (owned.range.topic_id.clone(), owned.partition.mark_before(*step));
            let note = Note { topic_id, mark, intent }.format();
            Some(Mark { source: *source, offset, note })
        };
        due.iter().filter_map(mark).collect()
    }

    /// The group has taken a step, which gives a lease.
    fn marked(&mut self, source: Source, step: Step, lease: InsertLease) {
        let Some(owned) = self.owned.get_mut(&source) else { return };
        let arrived = owned.partition.arrived();
        let next = owned.partition.mark(step).0;
        if let Some(batch) = &arrived {
            self.counts.batches += 1;
            self.counts.rows.add(batch.rows());
        }
        owned.latest = owned.latest.max(arrived.and_then(|batch| batch.latest()));
        if let Some(places) = self.config.places.get(source.topic) {
            places.put(source.partition, PartitionProgress { next: Some(next), watermark: owned.latest });
        }
        let Some(attempt) = owned.partition.marked(step) else { return };
        self.counts.in_doubt += u64::from(attempt.is_in_doubt && step == Step::Begin);
        let first = attempt.doubt.map_or(attempt.batch.first(), |doubt| doubt.first);
        let range = Range { first, last: attempt.batch.next() - 1, ..owned.range.clone() };
        let life = owned.life;
        owned.sent_at = Some(lease.since());
        self.send(source, life, attempt, range, lease);
    }

    fn send(&mut self, source: Source, life: u64, attempt: Attempt, range: Range, lease: InsertLease) {
        let (store, to) = (self.store.clone(), self.reports.0.clone());
        self.under_way += 1;
        self.runtime.spawn(async move {
            let begun = Instant::now();
            let ended = attempt::run(&store, &attempt, &range, lease).await;
            telemetry::insert_took(begun.elapsed());
            // The receiver is dropped when the sink ends.
            let _ = to.send((source, life, Report::Ended(ended)));
        });
    }

    /// Stops to read what is full, and begins again where there is room.
    fn pause(&mut self) -> Result<(), SinkError> {
        for (source, owned) in &mut self.owned {
            let is_full = owned.partition.is_full();
            if is_full != owned.is_paused {
                self.consumer.pause(*source, is_full)?;
                owned.is_paused = is_full;
            }
        }
        Ok(())
    }

    /// Ends what is under way in partitions, as far as that is soon done.
    fn drain(&mut self, sources: &[Source]) -> Result<(), SinkError> {
        let deadline = Instant::now() + self.config.close;
        loop {
            self.config.pulse.beat();
            self.receive()?;
            self.advance(true, &|source| sources.contains(source))?;
            let flying = |source| self.owned.get(source).is_some_and(|owned| owned.partition.is_in_flight());
            let left = sources.iter().filter(|source| flying(source)).count();
            if left == 0 {
                return Ok(());
            }
            if Instant::now() > deadline {
                tracing::warn!(left, "batches are left to the next owner");
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
