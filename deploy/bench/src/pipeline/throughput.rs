//! Throughput: the pump and the bare loops over the same topic, in turn.
//!
//! A first run of the pump, which is not counted, determines the records to write; the bare loops then write
//! the same records in transactions of the size that the pump's last run had. The order changes from round to
//! round.

use std::num::NonZeroUsize;
use std::time::Duration;

use arb_runtime::batch::BatchLimits;
use arb_runtime::log::Output;
use arb_schemas::topics::DEFAULT_PARTITIONS;

use super::bare_loop::{self, Cut, Guarantee, Work};
use super::batching_loop;
use super::costs::{CostWatch, RunCost};
use super::ground::KafkaGround;
use super::input::Filled;
use super::metered::Meter;
use super::pump_run::{OUTPUTS, PumpRun, pump};

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
    /// As many pumps as `arb process` has on this machine.
    Pumps,
    /// A bare client that reads and sends record by record.
    Single,
    /// A bare client that reads and sends batches.
    Batching,
}

impl Contestant {
    /// Of a guarantee.
    fn all(guarantee: Guarantee) -> &'static [Self] {
        match guarantee {
            Guarantee::ExactlyOnce => &[Self::Pump, Self::Pumps, Self::Single, Self::Batching],
            Guarantee::AtLeastOnce => &[Self::Pump, Self::Single],
        }
    }
}

/// What all had in one round.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Round {
    pub(super) pump: LoopSample,
    /// Exactly once only.
    pub(super) pumps: LoopSample,
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
                Contestant::Pumps => {
                    let run = PumpRun::new(guarantee, self.filled.records, self.limits);
                    let meter = pump(PumpRun { workers: workers(), ..run }, self.ground)?;
                    round.pumps = LoopSample { cost: meter.cost, transactions: meter.cuts.len() };
                }
                Contestant::Single => round.single = bare(guarantee, false, script, self.ground)?,
                Contestant::Batching => round.batching = bare(guarantee, true, script, self.ground)?,
            }
        }
        Ok((round, commits))
    }
}

/// How many pumps `arb process` has by itself: one for each core, and no more than there are partitions.
pub(super) fn workers() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    cores.min(usize::try_from(DEFAULT_PARTITIONS).unwrap_or(1))
}

/// How long commits take, one record a transaction.
pub(super) fn single_commits(few: &Filled, ground: &mut KafkaGround<'_>) -> anyhow::Result<Vec<Duration>> {
    let limits = BatchLimits { records: 1, interval: Duration::from_secs(1) };
    Ok(pump(PumpRun::new(Guarantee::ExactlyOnce, few.records, limits), ground)?.commits)
}

fn bare(
    guarantee: Guarantee,
    is_batching: bool,
    script: &WorkScript,
    ground: &mut KafkaGround<'_>,
) -> anyhow::Result<LoopSample> {
    let group = ground.name();
    ground.empty(&OUTPUTS)?;
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
