//! `arb-bench peers`: other engines beside ours, on one broker, in turn.
//!
//! They are programs of others' libraries, which are no part of this repository: a simpler job (no signals, no flags, no lifetimes), written
//! for a loop in Rust, a loop in Java, Apache Flink and Kafka Streams, exactly once. Our input is theirs tick by tick; and, since no feed
//! is like it, our push feed, beside theirs on their ticks. Where they are missing, ours is measured alone. It never leaves out a figure
//! because it is not what was expected.

mod programs;
mod rows;

use std::path::Path;
use std::time::Duration;

use arb::cli::LogFormat;
use arb::system::clock;
use arb_engine::market::Policy;
use arb_runtime::batch::BatchLimits;
use arb_runtime::stop::Stop;
use arb_schemas::TickRecord;
use arb_schemas::records::Frame;
use arb_schemas::time::Micros;
use arb_schemas::topics::ODDS_TICKS;

use super::bare_loop::Guarantee;
use super::ground::KafkaGround;
use super::input::{Filled, Filler, STEP};
use super::latency;
use super::pump_run::{PumpRun, pump};
use super::{INTERVAL, go_on, partition_of};
use crate::Scale;
use crate::actor::MarketKind;
use crate::cli::KafkaOptions;
use crate::peer_market::{PeerMarket, Shape};
use crate::push_market::{MOVING, PushMarket};
use crate::report::Measured;
use programs::{Peers, TICKS, WARM_UP};

/// As the table calls it.
pub(crate) const PART: &str = "peers";
/// Records a transaction of ours, at most.
const RECORDS: usize = 10_000;
/// The rate at which delays are compared, a second; for how long; how much of that the others do not count.
const RATE: u32 = 5_000;
const SECONDS: u64 = 30;
const NOT_COUNTED: u64 = 5;
/// A quick run has so many times fewer ticks, and this for delays.
const QUICK: (u64, u32, u64) = (1_000, 500, 1);

/// What a tick costs a contestant.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PeerCost {
    per_second: f64,
    /// In microseconds, the client's and the broker's.
    cpu: f64,
    broker: Option<f64>,
}

/// How late events were at a rate, in milliseconds, and what a tick cost.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PeerDelay {
    p50: f64,
    p99: f64,
    cpu: f64,
}

/// Ours on some ticks, round by round.
#[derive(Default)]
struct Ours {
    /// The whole engine, as `arb process` has it.
    whole: Vec<PeerCost>,
    /// The raw policy.
    raw: Vec<PeerCost>,
    delays: Vec<PeerDelay>,
}

/// Ours on both.
#[derive(Default)]
struct OursOn {
    theirs: Ours,
    pushes: Ours,
}

impl Ours {
    fn measure(&mut self, filled: &Filled, ground: &mut KafkaGround<'_>) -> anyhow::Result<()> {
        self.whole.push(cost(Policy::Board, filled, ground)?);
        self.raw.push(cost(Policy::Raw, filled, ground)?);
        go_on(ground)
    }
}

pub(crate) fn run(
    kafka: &KafkaOptions,
    folder: &Path,
    scale: Scale,
    log_format: LogFormat,
    stop: &Stop,
) -> anyhow::Result<Measured> {
    KafkaGround::measured(kafka, log_format, stop, |ground| measure(folder, scale, ground))
}

fn measure(folder: &Path, scale: Scale, ground: &mut KafkaGround<'_>) -> anyhow::Result<Measured> {
    let mut peers = Peers::find(folder, scale, ground);
    let ticks = if scale.is_quick { TICKS / QUICK.0 } else { TICKS };
    let mut ours = OursOn::default();
    for round in 0..scale.rounds {
        if round % 2 == 1 {
            peers.throughput();
        }
        let mut market = PeerMarket::new(Shape::Full, clock::now())?;
        let filled = fill(|at| market.next(at), ticks, ground)?;
        ours.theirs.measure(&filled, ground)?;
        if round % 2 == 0 {
            peers.throughput();
        }
        let mut market = PushMarket::new(clock::now(), MOVING[0]);
        let filled = fill(|at| market.next(at), ticks, ground)?;
        ours.pushes.measure(&filled, ground)?;
    }
    let (rate, seconds) = if scale.is_quick { (QUICK.1, QUICK.2) } else { (RATE, SECONDS) };
    let time = Duration::from_secs(seconds);
    for _ in 0..scale.rounds.div_ceil(2) {
        ours.theirs.delays.push(delay(rate, time, MarketKind::Peers, ground)?);
        peers.latency(rate, seconds);
        ours.pushes.delays.push(delay(rate, time, MarketKind::PushesBesidePeers, ground)?);
        go_on(ground)?;
    }
    Ok(rows::measured(&ours, &peers, ticks, rate))
}

/// The tick topic, with so many ticks and nothing else.
fn fill(
    mut next: impl FnMut(Micros) -> Frame,
    ticks: u64,
    ground: &KafkaGround<'_>,
) -> anyhow::Result<Filled> {
    let mut to = Filler::new(ground)?;
    ground.empty(&[ODDS_TICKS])?;
    for (_, at) in (0..ticks).zip((clock::now()..).step_by(usize::try_from(STEP)?)) {
        go_on(ground)?;
        let frame = next(at);
        to.send(partition_of(&frame.event.id), &frame.event.id.clone(), &TickRecord::Frame(frame))?;
    }
    to.filled()
}

/// A run of ours over all ticks, of which as many are not counted as the others do not count.
fn cost(policy: Policy, filled: &Filled, ground: &mut KafkaGround<'_>) -> anyhow::Result<PeerCost> {
    // A run of fewer ticks has several transactions too, or all of them would be the first, which does not count.
    let records = RECORDS.min(usize::try_from(filled.records / 10)?);
    let limits = BatchLimits { records, interval: INTERVAL };
    let warm_up = WARM_UP * filled.records / TICKS;
    let run = PumpRun { policy, warm_up, ..PumpRun::new(Guarantee::ExactlyOnce, filled.records, limits) };
    let meter = pump(run, ground)?;
    let (ticks, cost) = (meter.counted as f64, meter.cost);
    let micros = |time: Duration| time.as_secs_f64() * 1e6 / ticks;
    let per_second = ticks / cost.wall.as_secs_f64();
    Ok(PeerCost { per_second, cpu: micros(cost.cpu), broker: cost.broker.map(micros) })
}

fn delay(
    rate: u32,
    time: Duration,
    market: MarketKind,
    ground: &mut KafkaGround<'_>,
) -> anyhow::Result<PeerDelay> {
    let measured = latency::measure(rate, time, market, ground)?;
    let (feed, sent) = (measured.late.feed, measured.paced.sent as f64);
    let cpu = measured.cost.cpu.as_secs_f64() * 1e6 / sent;
    Ok(PeerDelay { p50: feed.p50 as f64 / 1e3, p99: feed.p99 as f64 / 1e3, cpu })
}
