//! A run of new pumps over the tick topic: one, or several that share its partitions, each on a thread of its own.
//!
//! What is counted begins with the first transaction, when all of them own partitions. It never compares.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use arb::system::clock;
use arb_engine::market::Policy;
use arb_kafka::{self as kafka, Cluster, InputConsumer, Surroundings, TransactionalProducer};
use arb_process::books;
use arb_process::machine::{CUTS, OddsConfig, OddsMachine};
use arb_runtime::batch::BatchLimits;
use arb_runtime::fail_point::FailPoints;
use arb_runtime::log::Producer;
use arb_runtime::machine::Machine;
use arb_runtime::progress::ProgressMap;
use arb_runtime::pump::{Config, CutLimits, Pump, SLICE};
use arb_runtime::stop::Stop;
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, FEED_EVENTS, PROCESS_STATE, Topic};

use super::at_least_once::AtLeastOnceProducer;
use super::bare_loop::Guarantee;
use super::costs::RunWatch;
use super::gate::{Gate, GatedInput};
use super::ground::KafkaGround;
use super::metered::{Meter, Metered};

/// How long nothing may move.
const PATIENCE: Duration = Duration::from_mins(1);
/// What a run writes to: empty at its start.
pub(super) const OUTPUTS: [Topic; 4] = [ARBS_BOARD, FEED_EVENTS, PROCESS_STATE, DEAD_TICKS];

/// What new pumps do.
#[derive(Debug, Clone, Copy)]
pub(super) struct PumpRun {
    pub(super) guarantee: Guarantee,
    pub(super) policy: Policy,
    pub(super) limits: BatchLimits,
    pub(super) cuts: CutLimits,
    /// How many there are.
    pub(super) workers: usize,
    /// How many records they process in all, and how many of them do not count.
    pub(super) records: u64,
    pub(super) warm_up: u64,
    /// Whether what they write is kept.
    pub(super) is_kept: bool,
}

impl PumpRun {
    /// A single one, as an operator has it; all records count.
    pub(super) fn new(guarantee: Guarantee, records: u64, limits: BatchLimits) -> Self {
        let policy = Policy::Board;
        Self { guarantee, policy, limits, cuts: CUTS, workers: 1, records, warm_up: 0, is_kept: false }
    }
}

/// What the workers of a run share.
struct SharedRun<'a> {
    run: PumpRun,
    cluster: &'a Cluster,
    group: String,
    gate: Arc<Gate>,
    watch: Arc<RunWatch>,
    /// Records that were processed.
    done: AtomicU64,
    /// The measurement is to end.
    stop: &'a Stop,
    /// A worker has failed.
    failed: Stop,
}

/// Lets new pumps process records.
pub(super) fn pump(run: PumpRun, ground: &mut KafkaGround<'_>) -> anyhow::Result<Meter> {
    let group = ground.name();
    ground.empty(&OUTPUTS)?;
    let cluster = &ground.cluster;
    let partitions = kafka::partitions(cluster)?;
    let gate = Gate::new(run.workers, partitions);
    let (watch, done) = (Arc::new(RunWatch::new(ground.broker)), AtomicU64::new(0));
    let (stop, failed) = (&ground.stop, Stop::default());
    let shared = SharedRun { run, cluster, group, gate, watch, done, stop, failed };
    match run.guarantee {
        Guarantee::ExactlyOnce => {
            let (group, topics) = (&shared.group, &OddsMachine::TOPICS);
            let producer = || {
                Ok(TransactionalProducer::new(cluster, group, topics, partitions, Surroundings::default())?)
            };
            all(&shared, producer)
        }
        Guarantee::AtLeastOnce => all(&shared, || AtLeastOnceProducer::new(cluster.brokers())),
    }
}

/// All workers, each with a producer of its own.
fn all<P: Producer<Input = InputConsumer>>(
    shared: &SharedRun<'_>,
    producer: impl Fn() -> anyhow::Result<P> + Sync,
) -> anyhow::Result<Meter> {
    let one = &|worker| {
        let meter = producer().and_then(|producer| drive(worker, shared, producer));
        if meter.is_err() {
            shared.failed.stop();
        }
        meter
    };
    let meters: Vec<_> = thread::scope(|scope| {
        let others: Vec<_> = (1..shared.run.workers).map(|worker| scope.spawn(move || one(worker))).collect();
        let first = one(0);
        let others = others.into_iter().map(|other| other.join().map_err(|_| anyhow!("a pump panicked"))?);
        std::iter::once(first).chain(others).collect::<anyhow::Result<_>>()
    })?;
    let mut sum = Meter::new(shared.run.is_kept, &shared.watch);
    for meter in meters {
        sum.add(meter);
    }
    sum.cost = shared.watch.cost();
    Ok(sum)
}

/// A pump as `arb process` has it.
pub(crate) fn config(limits: BatchLimits, policy: Policy) -> Config<OddsMachine> {
    Config {
        worker: 0,
        machine: OddsConfig { policy, books: Arc::new(books::shipped().unwrap_or_default()) },
        epoch: clock::epoch,
        limits,
        cuts: CUTS,
        slice: SLICE,
        pause: Duration::from_millis(20),
        fail_points: FailPoints::default(),
        pulse: Pulse::default(),
        places: ProgressMap::default(),
    }
}

fn drive<P: Producer<Input = InputConsumer>>(
    worker: usize,
    shared: &SharedRun<'_>,
    producer: P,
) -> anyhow::Result<Meter> {
    let PumpRun { policy, limits, cuts, records, warm_up, is_kept, .. } = shared.run;
    let consumer = InputConsumer::join(shared.cluster, &shared.group, &OddsMachine::TOPICS)?;
    let mut input = GatedInput::new(consumer, &shared.gate, worker);
    let mut to = Metered { producer, meter: Meter::new(is_kept, &shared.watch) };
    let mut pump = Pump::new(Config { worker, cuts, ..config(limits, policy) });
    let (mut seen, mut moved) = (0, Instant::now());
    while shared.done.load(Ordering::Relaxed) < records {
        if shared.stop.is_stopped() || shared.failed.is_stopped() {
            bail!("stopped");
        }
        let before = pump.counts().records;
        pump.step(&mut input, &mut to)?;
        let processed = pump.counts().records - before;
        let done = shared.done.fetch_add(processed, Ordering::Relaxed) + processed;
        if done > seen {
            (seen, moved) = (done, Instant::now());
            // By whoever was the one to reach it.
            if done - processed < warm_up && done >= warm_up {
                shared.watch.restart();
                to.meter.counted = records - done;
            }
            if done >= records {
                shared.watch.end();
            }
        } else if moved.elapsed() > PATIENCE {
            bail!("the pumps stand still after {done} of {records} records");
        }
    }
    if pump.counts().dead() + pump.counts().tally.late + pump.counts().tally.violations > 0 {
        bail!("the input is not what was meant: {:?}", pump.counts());
    }
    Ok(to.meter)
}
