//! `arb-bench takeover`: a processor restores a partition while it processes another.
//!
//! The log is in memory, so what is measured is the processor: reading the changelog from Kafka and the adoption of the
//! transactional id come on top. It judges nothing.

mod memory;

use std::iter::once;
use std::time::Instant;

use anyhow::bail;
use arb_engine::market::Policy;
use arb_process::machine::OddsMachine;
use arb_runtime::batch::BatchLimits;
use arb_runtime::pump::Pump;
use arb_runtime::stop::Stop;
use arb_schemas::wire::encode;
use memory::{Changelog, MemoryLog};

use super::Scale;
use super::growth::Market;
use super::meter::percentile;
use super::pipeline::{INTERVAL, config};
use super::report::{Expected, Measure, Measured, Row};

/// As the table calls it.
pub(super) const PART: &str = "takeover";
/// Quotes of the partition that is taken over; a quick run has a tenth.
const QUOTES: usize = 1_000_000;
const BOOKS: usize = 10;
/// Quotes of the partition that is processed meanwhile.
const OTHER: usize = 2_000;
/// Of a takeover, in seconds.
const EXPECTED: Expected = Expected::AtMost(5.0);
/// Microseconds in a second.
const MICROS: f64 = 1e6;

/// What one takeover came to.
struct Taken {
    seconds: f64,
    /// Between two commits of the other partition, or the assignment or the start and a commit, in microseconds: the longest and the
    /// median.
    pause: i64,
    median: i64,
}

pub(super) fn run(scale: Scale, stop: &Stop) -> anyhow::Result<Measured> {
    let quotes = if scale.is_quick { QUOTES / 10 } else { QUOTES };
    let changelog = changelog(quotes, stop)?;
    let (mut seconds, mut pauses, mut medians) = (vec![], vec![], vec![]);
    for _ in 0..scale.rounds {
        let taken = take_over(&changelog, stop)?;
        seconds.push(taken.seconds);
        pauses.push(taken.pause as f64 / MICROS * 1e3);
        medians.push(taken.median as f64 / MICROS * 1e3);
    }
    let case = format!("{quotes} quotes, {BOOKS} books");
    let rows = vec![
        Row::alone(PART, case.clone(), Measure("from the assignment to the start", "s"), &seconds)
            .expect(EXPECTED),
        Row::alone(PART, case.clone(), Measure("longest pause of another partition", "ms"), &pauses),
        Row::alone(PART, case, Measure("median time between its commits", "ms"), &medians),
    ];
    let notes = vec![format!(
        "takeover: a pump restores {} changelog records from memory in slices of 20 ms, and processes a record a millisecond \
         of another partition between them. Reading from Kafka and the adoption of the id are not in it.",
        changelog.len()
    )];
    Ok(Measured { rows, notes, ..Measured::default() })
}

fn limits() -> BatchLimits {
    BatchLimits { records: 10_000, interval: INTERVAL }
}

fn go_on(stop: &Stop) -> anyhow::Result<()> {
    if stop.is_stopped() {
        bail!("stopped");
    }
    Ok(())
}

/// What a processor writes to its changelog of a market of so many quotes.
fn changelog(quotes: usize, stop: &Stop) -> anyhow::Result<Changelog> {
    let frames: Vec<_> = Market::new(quotes, BOOKS).pass().iter().map(encode).collect::<Result<_, _>>()?;
    let count = frames.len() as u64;
    let mut log = MemoryLog::filling(frames);
    let mut producer = log.clone();
    let mut pump = Pump::<OddsMachine>::new(config(limits(), Policy::Board));
    while pump.counts().records < count {
        go_on(stop)?;
        pump.step(&mut log, &mut producer)?;
    }
    Ok(log.changelog())
}

/// Takes a partition with this changelog over, beside another.
fn take_over(changelog: &Changelog, stop: &Stop) -> anyhow::Result<Taken> {
    let mut other = Market::new(OTHER, BOOKS);
    let frames: Vec<_> =
        (0..100).flat_map(|_| other.pass()).map(|frame| encode(&frame)).collect::<Result<_, _>>()?;
    let mut log = MemoryLog::taking_over(frames, changelog.clone());
    let mut producer = log.clone();
    let mut pump = Pump::<OddsMachine>::new(config(limits(), Policy::Board));
    while log.started().is_none() {
        go_on(stop)?;
        pump.step(&mut log, &mut producer)?;
    }
    let (Some(assigned), Some(started)) = (log.assigned(), log.started()) else {
        bail!("nothing was taken over")
    };
    // A takeover that is over before the other partition commits is a pause too.
    let meanwhile = log.commits().into_iter().filter(|at| (assigned..=started).contains(at));
    let moments: Vec<Instant> = once(assigned).chain(meanwhile).chain(once(started)).collect();
    let between = |pair: &[Instant]| i64::try_from((pair[1] - pair[0]).as_micros()).unwrap_or(i64::MAX);
    let mut between: Vec<_> = moments.windows(2).map(between).collect();
    let pause = between.iter().copied().max().unwrap_or(0);
    Ok(Taken { seconds: (started - assigned).as_secs_f64(), pause, median: percentile(&mut between, 50) })
}
