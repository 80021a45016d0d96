//! Throughput: the pump and the bare loops over the same topic, in turn.
//!
//! A first run of the pump, which is not counted, determines the records to write; the bare loops then write
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
use super::batching_loop;
use super::costs::{CostWatch, RunCost};
use super::go_on;
use super::ground::KafkaGround;
use super::input::Filled;
use super::metered::{Meter, Metered};

/// How long nothing may move.
const PATIENCE: Duration = Duration::from_mins(1);
/// One run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LoopSample {
    pub(super) cost: RunCost,
    pub(super) transactions: usize,
}

/// Who does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contestant {
    Pump,
    /// A bare client that reads and sends record by record.
    Single,
    /// A bare client that reads and sends batches.
    Batching,
}

impl Contestant {
    /// Of a guarantee.
    fn all(guarantee: Guarantee) -> &'static [Self] {
        match guarantee {
            Guarantee::ExactlyOnce => &[Self::Pump, Self::Single, Self::Batching],
            Guarantee::AtLeastOnce => &[Self::Pump, Self::Single],
        }
    }
}

/// What all had in one round.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Round {
    pub(super) pump: LoopSample,
    pub(super) single: LoopSample,
    /// Exactly once only.
    pub(super) batching: LoopSample,
}

/// What came of one input.
pub(super) struct Throughput {
    pub(super) exactly_once: Vec<Round>,
    pub(super) at_least_once: Vec<Round>,
    /// Of all transactions of the pump.
    pub(super) commits: Vec<Duration>,
    /// What the first run wrote, and where.
    pub(super) first: Meter,
}

/// What the bare loops do: what the pump wrote, in transactions of the pump's last run with the same guarantee.
struct WorkScript {
    outputs: Vec<Output>,
    cuts: Vec<Cut>,
}

/// What is measured on what.
struct Runs<'a, 'g> {
    filled: &'a Filled,
    limits: BatchLimits,
    ground: &'a mut KafkaGround<'g>,
}

pub(super) fn measure(
    filled: &Filled,
    limits: BatchLimits,
    rounds: u32,
    ground: &mut KafkaGround<'_>,
) -> anyhow::Result<Throughput> {
    let mut first = pump(
        PumpRun { is_kept: true, ..PumpRun::new(Guarantee::ExactlyOnce, filled.records, limits) },
        ground,
    )?;
    let outputs = first.kept.take().unwrap_or_default();
    let mut scripts = [(); 2].map(|()| WorkScript { outputs: outputs.clone(), cuts: first.cuts.clone() });
    let mut measured = Throughput { exactly_once: vec![], at_least_once: vec![], commits: vec![], first };
    let mut runs = Runs { filled, limits, ground };
    for number in 0..rounds as usize {
        let [exactly, at_least] = &mut scripts;
        let (round, commits) = runs.round(number, Guarantee::ExactlyOnce, exactly)?;
        measured.exactly_once.push(round);
        measured.commits.extend(commits);
        measured.at_least_once.push(runs.round(number, Guarantee::AtLeastOnce, at_least)?.0);
    }
    Ok(measured)
}

impl Runs<'_, '_> {
    /// A run of each contestant, another one first in each round; and how long the pump's commits took.
    fn round(
        &mut self,
        number: usize,
        guarantee: Guarantee,
        script: &mut WorkScript,
    ) -> anyhow::Result<(Round, Vec<Duration>)> {
        let all = Contestant::all(guarantee);
        let (mut round, mut commits) = (Round::default(), vec![]);
        for turn in 0..all.len() {
            match all[(turn + number) % all.len()] {
                Contestant::Pump => {
                    let meter = pump(PumpRun::new(guarantee, self.filled.records, self.limits), self.ground)?;
                    round.pump = LoopSample { cost: meter.cost, transactions: meter.cuts.len() };
                    (script.cuts, commits) = (meter.cuts, meter.commits);
                }
                Contestant::Single => round.single = bare(guarantee, false, script, self.ground)?,
                Contestant::Batching => round.batching = bare(guarantee, true, script, self.ground)?,
            }
        }
        Ok((round, commits))
    }
}

/// How long commits take, one record a transaction.
pub(super) fn single_commits(few: &Filled, ground: &mut KafkaGround<'_>) -> anyhow::Result<Vec<Duration>> {
    let limits = BatchLimits { records: 1, interval: Duration::from_secs(1) };
    Ok(pump(PumpRun::new(Guarantee::ExactlyOnce, few.records, limits), ground)?.commits)
}

/// What a new pump does.
#[derive(Debug, Clone, Copy)]
pub(super) struct PumpRun {
    pub(super) guarantee: Guarantee,
    pub(super) policy: Policy,
    pub(super) limits: BatchLimits,
    /// How many records it processes in all, and how many of them do not count.
    pub(super) records: u64,
    pub(super) warm_up: u64,
    /// Whether what it writes is kept.
    pub(super) is_kept: bool,
}

impl PumpRun {
    /// As an operator has it; all records count.
    pub(super) fn new(guarantee: Guarantee, records: u64, limits: BatchLimits) -> Self {
        Self { guarantee, policy: Policy::Board, limits, records, warm_up: 0, is_kept: false }
    }
}

/// Lets a new pump process records.
pub(super) fn pump(run: PumpRun, ground: &mut KafkaGround<'_>) -> anyhow::Result<Meter> {
    let name = ground.name();
    ground.empty(&[ARBS_BOARD, FEED_EVENTS, PROCESS_STATE, DEAD_TICKS])?;
    let consumer = InputConsumer::join(&ground.cluster, &name, &OddsMachine::TOPICS)?;
    let meter = Meter::new(run.is_kept, ground.broker);
    match run.guarantee {
        Guarantee::ExactlyOnce => {
            let producer = TransactionalProducer::new(
                &ground.cluster,
                &name,
                &OddsMachine::TOPICS,
                kafka::partitions(&ground.cluster)?,
                Surroundings::default(),
            )?;
            drive(run, consumer, Metered { producer, meter }, ground)
        }
        Guarantee::AtLeastOnce => {
            let producer = AtLeastOnceProducer::new(ground.cluster.brokers())?;
            drive(run, consumer, Metered { producer, meter }, ground)
        }
    }
}

/// A pump as `arb process` has it.
pub(crate) fn config(limits: BatchLimits, policy: Policy) -> Config<OddsMachine> {
    Config {
        machine: OddsConfig { policy, books: Arc::new(books::shipped().unwrap_or_default()) },
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
    PumpRun { policy, limits, records, warm_up, .. }: PumpRun,
    mut consumer: InputConsumer,
    mut to: Metered<P>,
    ground: &KafkaGround<'_>,
) -> anyhow::Result<Meter> {
    let mut pump = Pump::new(config(limits, policy));
    let (mut done, mut moved) = (0, Instant::now());
    while done < records {
        go_on(ground)?;
        pump.step(&mut consumer, &mut to)?;
        let before = done;
        if pump.counts().records > done {
            (done, moved) = (pump.counts().records, Instant::now());
            if before < warm_up && done >= warm_up {
                to.meter.watch = Some(CostWatch::start(ground.broker));
                to.meter.counted = records - done;
            }
        } else if moved.elapsed() > PATIENCE {
            bail!("the pump stands still after {done} of {records} records");
        }
    }
    to.meter.cost = to.meter.watch.as_ref().map(CostWatch::elapsed).unwrap_or_default();
    if pump.counts().dead() + pump.counts().tally.late + pump.counts().tally.violations > 0 {
        bail!("the input is not what was meant: {:?}", pump.counts());
    }
    Ok(to.meter)
}

fn bare(
    guarantee: Guarantee,
    is_batching: bool,
    script: &WorkScript,
    ground: &mut KafkaGround<'_>,
) -> anyhow::Result<LoopSample> {
    let group = ground.name();
    ground.empty(&[ARBS_BOARD, FEED_EVENTS, PROCESS_STATE, DEAD_TICKS])?;
    let work = Work { group: &group, cuts: &script.cuts, outputs: &script.outputs };
    let (brokers, broker) = (ground.cluster.brokers(), ground.broker);
    let mut watch = CostWatch::start(broker);
    let begun = || watch = CostWatch::start(broker);
    if is_batching {
        batching_loop::run(brokers, &work, begun)?;
    } else {
        bare_loop::run(brokers, guarantee, &work, begun)?;
    }
    Ok(LoopSample { cost: watch.elapsed(), transactions: script.cuts.len() })
}
