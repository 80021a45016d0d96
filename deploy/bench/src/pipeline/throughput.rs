//! Throughput: the pump and the bare loop over the same topic, in turn.
//!
//! A first run of the pump, which is not counted, determines the records to write; the bare loop then writes
//! the same records in transactions of the size that the pump's last run had. The order changes from round to
//! round.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use arb::system::clock;
use arb_engine::market::Policy;
use arb_kafka::{self as kafka, InputConsumer, Surroundings, TransactionalProducer};
use arb_process::books;
use arb_process::machine::{OddsConfig, OddsMachine};
use arb_runtime::batch::BatchLimits;
use arb_runtime::fail_point::FailPoints;
use arb_runtime::log::{Output, Producer};
use arb_runtime::machine::Machine;
use arb_runtime::progress::ProgressMap;
use arb_runtime::pump::{Config, Pump, SLICE};
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, FEED_EVENTS, PROCESS_STATE};

use super::at_least_once::AtLeastOnceProducer;
use super::bare_loop::{self, Cut, Guarantee, Work};
use super::go_on;
use super::ground::KafkaGround;
use super::input::Filled;
use super::metered::{Meter, Metered};
use crate::meter::Watch;

/// How long nothing may move.
const PATIENCE: Duration = Duration::from_mins(1);
/// Both guarantees, the stronger first.
pub(super) const GUARANTEES: [Guarantee; 2] = [Guarantee::ExactlyOnce, Guarantee::AtLeastOnce];

/// One run.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoopSample {
    pub(super) wall: Duration,
    pub(super) cpu: Duration,
    pub(super) transactions: usize,
}

/// Pump and bare loop of one round.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) pump: LoopSample,
    pub(super) bare: LoopSample,
}

/// What came of one input.
pub(super) struct Throughput {
    /// By guarantee, a pair a round.
    pub(super) rounds: [Vec<Pair>; 2],
    /// Of all transactions of the pump.
    pub(super) commits: Vec<Duration>,
    /// What the first run wrote, and where.
    pub(super) first: Meter,
}

/// What the bare loop does: what the pump wrote, in transactions of the pump's last run with the same guarantee.
struct WorkScript {
    outputs: Vec<Output>,
    cuts: Vec<Cut>,
}

pub(super) fn measure(
    filled: &Filled,
    limits: BatchLimits,
    rounds: u32,
    ground: &mut KafkaGround<'_>,
) -> anyhow::Result<Throughput> {
    let mut first = pump(Guarantee::ExactlyOnce, filled.records, limits, true, ground)?;
    let outputs = first.kept.take().unwrap_or_default();
    let mut scripts = GUARANTEES.map(|_| WorkScript { outputs: outputs.clone(), cuts: first.cuts.clone() });
    let mut measured = Throughput { rounds: [vec![], vec![]], commits: vec![], first };
    for round in 0..rounds {
        let each = GUARANTEES.into_iter().zip(&mut measured.rounds).zip(&mut scripts);
        for ((guarantee, pairs), script) in each {
            let early = if round % 2 == 1 { Some(bare(guarantee, script, ground)?) } else { None };
            let meter = pump(guarantee, filled.records, limits, false, ground)?;
            let pump = sample_of(&meter);
            script.cuts = meter.cuts;
            let bare = early.map_or_else(|| bare(guarantee, script, ground), Ok)?;
            pairs.push(Pair { pump, bare });
            if guarantee == Guarantee::ExactlyOnce {
                measured.commits.extend(meter.commits);
            }
        }
    }
    Ok(measured)
}

/// How long commits take, one record a transaction.
pub(super) fn single_commits(few: &Filled, ground: &mut KafkaGround<'_>) -> anyhow::Result<Vec<Duration>> {
    let limits = BatchLimits { records: 1, interval: Duration::from_secs(1) };
    Ok(pump(Guarantee::ExactlyOnce, few.records, limits, false, ground)?.commits)
}

/// Lets a new pump process so many records.
fn pump(
    guarantee: Guarantee,
    records: u64,
    limits: BatchLimits,
    keep: bool,
    ground: &mut KafkaGround<'_>,
) -> anyhow::Result<Meter> {
    let name = ground.name();
    ground.empty(&[ARBS_BOARD, FEED_EVENTS, PROCESS_STATE, DEAD_TICKS])?;
    let consumer = InputConsumer::join(&ground.cluster, &name, &OddsMachine::TOPICS)?;
    let meter = Meter::new(keep);
    let pump = Pump::new(config(limits));
    match guarantee {
        Guarantee::ExactlyOnce => {
            let producer = TransactionalProducer::new(
                &ground.cluster,
                &name,
                &OddsMachine::TOPICS,
                kafka::partitions(&ground.cluster)?,
                Surroundings::default(),
            )?;
            drive(pump, consumer, Metered { producer, meter }, records, ground)
        }
        Guarantee::AtLeastOnce => {
            let producer = AtLeastOnceProducer::new(ground.cluster.brokers())?;
            drive(pump, consumer, Metered { producer, meter }, records, ground)
        }
    }
}

/// A pump as `arb process` has it.
pub(crate) fn config(limits: BatchLimits) -> Config<OddsMachine> {
    Config {
        machine: OddsConfig { policy: Policy::Board, books: Arc::new(books::shipped().unwrap_or_default()) },
        epoch: clock::epoch,
        limits,
        slice: SLICE,
        pause: Duration::from_millis(20),
        fail_points: FailPoints::default(),
        pulse: Pulse::default(),
        places: ProgressMap::default(),
    }
}

fn drive<P: Producer<Input = InputConsumer>>(
    mut pump: Pump<OddsMachine>,
    mut consumer: InputConsumer,
    mut to: Metered<P>,
    records: u64,
    ground: &KafkaGround<'_>,
) -> anyhow::Result<Meter> {
    let (mut done, mut moved) = (0, Instant::now());
    while done < records {
        go_on(ground)?;
        pump.step(&mut consumer, &mut to)?;
        if pump.counts().records > done {
            (done, moved) = (pump.counts().records, Instant::now());
        } else if moved.elapsed() > PATIENCE {
            bail!("the pump stands still after {done} of {records} records");
        }
    }
    to.meter.took = to.meter.watch.map(|watch| watch.elapsed()).unwrap_or_default();
    if pump.counts().dead() + pump.counts().tally.late + pump.counts().tally.violations > 0 {
        bail!("the input is not what was meant: {:?}", pump.counts());
    }
    Ok(to.meter)
}

fn bare(
    guarantee: Guarantee,
    script: &WorkScript,
    ground: &mut KafkaGround<'_>,
) -> anyhow::Result<LoopSample> {
    let group = ground.name();
    ground.empty(&[ARBS_BOARD, FEED_EVENTS, PROCESS_STATE, DEAD_TICKS])?;
    let work = Work { group: &group, cuts: &script.cuts, outputs: &script.outputs };
    let mut watch = Watch::start();
    bare_loop::run(ground.cluster.brokers(), guarantee, &work, || watch = Watch::start())?;
    let (wall, cpu) = watch.elapsed();
    Ok(LoopSample { wall, cpu, transactions: script.cuts.len() })
}

fn sample_of(meter: &Meter) -> LoopSample {
    let (wall, cpu) = meter.took;
    LoopSample { wall, cpu, transactions: meter.cuts.len() }
}
