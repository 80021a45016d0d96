//! `arb-bench takeover`: a processor restores a partition, and processes again what came since its state, while it processes another.
//!
//! The log is in memory, so what is measured is the processor: reading the changelog from Kafka and the adoption of the
//! transactional id come on top. It judges nothing.

mod memory;

use std::iter::once;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::bail;
use arb_engine::market::Policy;
use arb_process::machine::OddsMachine;
use arb_runtime::batch::BatchLimits;
use arb_runtime::pump::{Config, CutLimits, Pump};
use arb_runtime::stop::Stop;
use arb_schemas::wire::encode;
use memory::{Left, MemoryLog};

use super::Scale;
use super::growth::Market;
use super::meter::percentile;
use super::pipeline::{INTERVAL, config};
use super::push_market::{MOVING, PushMarket};
use super::report::{Expected, Measure, Measured, Row};

/// As the table calls it.
pub(super) const PART: &str = "takeover";
/// Quotes of the partition that is taken over; a quick run has a tenth.
const QUOTES: usize = 1_000_000;
const BOOKS: usize = 10;
/// Quotes of the partition that is processed meanwhile.
const OTHER: usize = 2_000;
/// Records of a push feed of 20,000 ticks a second since the state was written: those of a quarter of a second.
const SINCE: usize = 5_000;
/// Of a takeover, in seconds.
const EXPECTED: Expected = Expected::AtMost(0.5);
/// Between two ticks of that feed, in microseconds.
const BETWEEN: i64 = 50;
/// Longer than anything here.
const NEVER: Duration = Duration::from_hours(1);
/// Microseconds in a second.
const MICROS: f64 = 1e6;

/// What one takeover came to.
struct Taken {
    /// To the start, and to the end of what is processed again.
    seconds: [f64; 2],
    /// Between two commits of the other partition, or the assignment or the start and a commit, in microseconds: the longest and the
    /// median.
    pause: i64,
    median: i64,
}

pub(super) fn run(scale: Scale, stop: &Stop) -> anyhow::Result<Measured> {
    let quotes = if scale.is_quick { QUOTES / 10 } else { QUOTES };
    let left = left_by(quotes, stop)?;
    let (mut started, mut done, mut pauses, mut medians) = (vec![], vec![], vec![], vec![]);
    for _ in 0..scale.rounds {
        let taken = take_over(&left, stop)?;
        let [to_start, to_end] = taken.seconds;
        started.push(to_start);
        done.push(to_end);
        pauses.push(taken.pause as f64 / MICROS * 1e3);
        medians.push(taken.median as f64 / MICROS * 1e3);
    }
    let case = format!("{quotes} quotes, {BOOKS} books");
    let rows = vec![
        Row::alone(PART, case.clone(), Measure("from the assignment to the start", "s"), &started),
        Row::alone(PART, case.clone(), Measure("with what came since the state", "s"), &done)
            .expect(EXPECTED),
        Row::alone(PART, case.clone(), Measure("longest pause of another partition", "ms"), &pauses),
        Row::alone(PART, case, Measure("median time between its commits", "ms"), &medians),
    ];
    let notes = vec![format!(
        "takeover: a pump restores {} changelog records from memory in slices of 20 ms, and processes a record a millisecond \
         of another partition between them; then it processes {} records of a push feed again, which came since the state was \
         written. Reading from Kafka and the adoption of the id are not in it.",
        left.changelog.len(),
        left.since.len()
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

/// What is left of a processor that has the state of so many quotes in its changelog, and has published what a push feed has sent since.
fn left_by(quotes: usize, stop: &Stop) -> anyhow::Result<Left> {
    let frames: Vec<_> = Market::new(quotes, BOOKS).pass();
    let mut at = frames.iter().map(|frame| frame.received_at).max().unwrap_or_default();
    let mut log = MemoryLog::filling(frames.iter().map(encode).collect::<Result<_, _>>()?);
    let mut producer = log.clone();
    let never = CutLimits { interval: NEVER, records: usize::MAX };
    let mut pump = Pump::<OddsMachine>::new(Config { cuts: never, ..config(limits(), Policy::Board) });
    let mut processed = frames.len() as u64;
    while pump.counts().records < processed {
        go_on(stop)?;
        pump.step(&mut log, &mut producer)?;
    }
    pump.finish(&mut log, &mut producer)?;
    let mut market = PushMarket::new(at, MOVING[1]);
    let pushed = (0..SINCE).map(|_| {
        at += BETWEEN;
        encode(&market.next(at))
    });
    let since: Vec<_> = pushed.collect::<Result<_, _>>()?;
    log.add(&since);
    processed += SINCE as u64;
    while pump.counts().records < processed {
        go_on(stop)?;
        pump.step(&mut log, &mut producer)?;
    }
    Ok(Left { changelog: log.changelog(), since: Rc::new(since) })
}

/// Takes a partition of which this is left over, beside another.
fn take_over(left: &Left, stop: &Stop) -> anyhow::Result<Taken> {
    let mut other = Market::new(OTHER, BOOKS);
    let frames: Vec<_> =
        (0..100).flat_map(|_| other.pass()).map(|frame| encode(&frame)).collect::<Result<_, _>>()?;
    let mut log = MemoryLog::taking_over(frames, left.clone());
    let mut producer = log.clone();
    let mut pump = Pump::<OddsMachine>::new(config(limits(), Policy::Board));
    while log.done().is_none() {
        go_on(stop)?;
        pump.step(&mut log, &mut producer)?;
    }
    let (Some(assigned), Some(started), Some(done)) = (log.assigned(), log.started(), log.done()) else {
        bail!("nothing was taken over")
    };
    // A takeover that is over before the other partition commits is a pause too.
    let meanwhile = log.commits().into_iter().filter(|at| (assigned..=done).contains(at));
    let moments: Vec<Instant> = once(assigned).chain(meanwhile).chain(once(done)).collect();
    let between = |pair: &[Instant]| i64::try_from((pair[1] - pair[0]).as_micros()).unwrap_or(i64::MAX);
    let mut between: Vec<_> = moments.windows(2).map(between).collect();
    let pause = between.iter().copied().max().unwrap_or(0);
    let seconds = [started, done].map(|at| (at - assigned).as_secs_f64());
    Ok(Taken { seconds, pause, median: percentile(&mut between, 50) })
}
