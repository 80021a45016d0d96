//! `arb-bench cuts`: what it spares to write the state in cuts, on a Kafka: a pump with short transactions beside the same pump that writes
//! its state with each of them.
//!
//! It judges nothing.

use std::time::Duration;

use arb::cli::LogFormat;
use arb_process::machine::CUTS;
use arb_runtime::batch::BatchLimits;
use arb_runtime::pump::CutLimits;
use arb_runtime::stop::Stop;

use super::INTERVAL;
use super::bare_loop::Guarantee;
use super::costs::RunCost;
use super::ground::KafkaGround;
use super::input::{self, Filled};
use super::pump_run::{PumpRun, pump};
use crate::Scale;
use crate::cli::KafkaOptions;
use crate::push_market::MOVING;
use crate::report::{Expected, Measure, Measured, Row};
use crate::turns::in_turns;

/// As the table calls it.
pub(crate) const PART: &str = "cuts";
/// Of a transaction: those of 10 ms at 20,000 a second.
const RECORDS: usize = 200;
/// Ticks of a run, and of a quick one.
const TICKS: [u64; 2] = [100_000, 2_000];
/// Of the CPU that a state with each transaction takes: ours, and the broker's.
const EXPECTED: [Expected; 2] = [Expected::AtMost(0.8), Expected::AtMost(0.7)];

pub(crate) fn run(
    config: &KafkaOptions,
    scale: Scale,
    log_format: LogFormat,
    stop: &Stop,
) -> anyhow::Result<Measured> {
    let ticks = TICKS[usize::from(scale.is_quick)];
    KafkaGround::measured(config, log_format, stop, |ground| {
        let filled = input::fill_with_pushed(ticks, MOVING[1], ground)?;
        measure(&filled, scale.rounds, ground)
    })
}

fn measure(filled: &Filled, rounds: u32, ground: &mut KafkaGround<'_>) -> anyhow::Result<Measured> {
    let limits = BatchLimits { records: RECORDS, interval: INTERVAL };
    let stop = ground.stop.clone();
    let costs: [Vec<RunCost>; 2] = in_turns(rounds, &stop, |contestant| {
        let cuts = [CUTS, CutLimits::EACH][contestant];
        let run = PumpRun { cuts, ..PumpRun::new(Guarantee::ExactlyOnce, filled.records, limits) };
        Ok(pump(run, ground)?.cost)
    })?;
    let a_tick = |time: Duration| time.as_secs_f64() * 1e6 / filled.records as f64;
    let row = |what, of: &dyn Fn(&RunCost) -> f64| {
        let [ours, each] = &costs;
        let rounds: Vec<_> = ours.iter().zip(each).map(|(ours, each)| (of(ours), of(each))).collect();
        let case =
            format!("{} % of prices moving, {RECORDS} records a transaction, state in cuts", MOVING[1]);
        Row::beside(PART, case, what, &rounds)
    };
    let [ours, theirs] = EXPECTED;
    let mut rows = vec![row(Measure("CPU a tick", "us"), &|cost| a_tick(cost.cpu)).expect(ours)];
    // A short run takes less of the broker than the clock of its CPU can tell.
    if costs.iter().flatten().all(|cost| cost.broker.is_some_and(|broker| !broker.is_zero())) {
        let broker = row(Measure("broker CPU a tick", "us"), &|cost| a_tick(cost.broker.unwrap_or_default()));
        rows.push(broker.expect(theirs));
    }
    let note = format!(
        "cuts: one pump over {} ticks of the push feed, the state each 250 ms or 50,000 records, beside the same pump that writes it with each \
         transaction.",
        filled.records
    );
    Ok(Measured { rows, notes: vec![note], ..Measured::default() })
}
