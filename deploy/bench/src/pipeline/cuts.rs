//! What it spares to write the state in cuts: a pump with short transactions beside the same pump that writes it with each of them.
//!
//! It judges nothing.

use std::time::Duration;

use arb_process::machine::CUTS;
use arb_runtime::batch::BatchLimits;
use arb_runtime::pump::CutLimits;

use super::bare_loop::Guarantee;
use super::costs::RunCost;
use super::ground::KafkaGround;
use super::input::Filled;
use super::pump_run::{PumpRun, pump};
use super::{INTERVAL, PART};
use crate::report::{Measure, Row};

/// Of a transaction: those of 10 ms at 20,000 a second.
const RECORDS: usize = 200;
/// Of a run, at most.
const MOST: u64 = 100_000;

pub(super) fn measure(
    filled: &Filled,
    rounds: u32,
    ground: &mut KafkaGround<'_>,
) -> anyhow::Result<Vec<Row>> {
    let records = filled.records.min(MOST);
    let limits = BatchLimits { records: RECORDS, interval: INTERVAL };
    let run = |cuts| PumpRun { cuts, ..PumpRun::new(Guarantee::ExactlyOnce, records, limits) };
    let mut pairs = Vec::new();
    for _ in 0..rounds {
        let ours = pump(run(CUTS), ground)?.cost;
        pairs.push((ours, pump(run(CutLimits::EACH), ground)?.cost));
    }
    let a_tick = |time: Duration| time.as_secs_f64() * 1e6 / records as f64;
    let row = |what, of: &dyn Fn(&RunCost) -> f64| {
        let rounds: Vec<_> = pairs.iter().map(|(ours, each)| (of(ours), of(each))).collect();
        Row::beside(PART, format!("state in cuts, {RECORDS} records a transaction"), what, &rounds)
    };
    // A short run takes less of the broker than the clock of its CPU can tell.
    let is_told = pairs.iter().all(|(ours, each)| {
        ![ours, each].map(|cost| cost.broker.unwrap_or_default()).contains(&Duration::ZERO)
    });
    let cpu = row(Measure("CPU a tick", "us"), &|cost| a_tick(cost.cpu));
    let broker = row(Measure("broker CPU a tick", "us"), &|cost| a_tick(cost.broker.unwrap_or_default()));
    Ok(if is_told { vec![cpu, broker] } else { vec![cpu] })
}
