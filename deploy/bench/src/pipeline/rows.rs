//! What was measured of the pipeline, as rows of the table.
//!
//! It computes what a tick costs from what a run took, and measures nothing.

use std::time::Duration;

use super::PART;
use super::input::{Feed, Filled};
use super::latency::Latency;
use super::throughput::{LoopSample, Round, Throughput, workers};
use crate::actor::{Delays, Paced};
use crate::meter::percentile;
use crate::push_market::{MOVING, QUOTES};
use crate::report::{Expected, Measure, Row};

const SPEED: Measure = Measure("throughput", "ticks/s");
const CPU: Measure = Measure("CPU a tick", "us");

const BROKER: Measure = Measure("broker CPU a tick", "us");
const TRANSACTIONS: Measure = Measure("transactions", "");

/// As the table calls it.
fn called(feed: Feed) -> String {
    match feed {
        Feed::Push { moving } => format!("a tick a record, {moving} % of prices moving"),
        Feed::Polls => "a frame a record".to_owned(),
    }
}

/// Of throughput and of CPU, to those of the client that reads and sends batches.
fn expected(feed: Feed) -> (Expected, Expected) {
    match feed {
        Feed::Push { .. } => (Expected::AtLeast(0.5), Expected::AtMost(2.5)),
        Feed::Polls => (Expected::AtLeast(0.6), Expected::AtMost(3.5)),
    }
}

pub(super) fn throughput(feed: Feed, filled: &Filled, measured: &Throughput) -> Vec<Row> {
    let called = called(feed);
    let beside =
        |case: &str, rounds: &[Round], ours: fn(&Round) -> LoopSample, bare: fn(&Round) -> LoopSample| {
            let pairs: Vec<_> = rounds.iter().map(|round| (ours(round), bare(round))).collect();
            costs(&format!("{called}, {case}"), filled.ticks, &pairs)
        };
    let Throughput { exactly_once, at_least_once, commits: took, .. } = measured;
    let one = |round: &Round| round.pump;
    let mut rows = beside("exactly once", exactly_once, one, |round| round.batching);
    let (speed, cpu) = expected(feed);
    let judged = [Some(speed), Some(cpu)].into_iter().chain([None].into_iter().cycle());
    rows = rows.into_iter().zip(judged).map(|(row, expected)| row.expect_if(expected)).collect();
    let many = format!("exactly once, {} workers", workers());
    rows.extend(beside(&many, exactly_once, |round| round.pumps, |round| round.batching));
    rows.extend(beside("exactly once, record by record", exactly_once, one, |round| round.single));
    rows.extend(beside("at least once, record by record", at_least_once, one, |round| round.single));
    rows.extend(commits(&format!("{called}, under this load"), took));
    rows
}

/// What a tick costs beside a bare client: speed, CPU, the broker's where it is known, and transactions.
fn costs(case: &str, ticks: u64, pairs: &[(LoopSample, LoopSample)]) -> Vec<Row> {
    let ticks = ticks as f64;
    let beside = |what, of: &dyn Fn(&LoopSample) -> f64| {
        let pairs: Vec<_> = pairs.iter().map(|(pump, bare)| (of(pump), of(bare))).collect();
        Row::beside(PART, case.to_owned(), what, &pairs)
    };
    let mut rows = vec![
        beside(SPEED, &|sample| ticks / sample.cost.wall.as_secs_f64()),
        beside(CPU, &|sample| micros(sample.cost.cpu) / ticks),
    ];
    if pairs.iter().all(|(pump, bare)| pump.cost.broker.and(bare.cost.broker).is_some()) {
        rows.push(beside(BROKER, &|sample| micros(sample.cost.broker.unwrap_or_default()) / ticks));
    }
    rows.push(beside(TRANSACTIONS, &|sample| sample.transactions as f64));
    rows
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// What goes in and what comes out.
pub(super) fn about(feed: Feed, filled: &Filled, measured: &Throughput) -> String {
    let Filled { records, ticks, bytes } = filled;
    let written = measured.first.written.iter();
    let written: Vec<_> =
        written.map(|(topic, w)| format!("{topic} {} records, {}", w.records, size(w.bytes))).collect();
    let called = called(feed);
    format!(
        "pipeline, {called}: {records} records, {ticks} ticks, {} in; out: {}.",
        size(*bytes),
        written.join("; ")
    )
}

pub(super) fn single_commits(took: &[Duration]) -> Vec<Row> {
    commits("one record a transaction", took)
}

fn commits(case: &str, took: &[Duration]) -> Vec<Row> {
    let mut took = took.to_vec();
    let row = |what, percent, took: &mut Vec<Duration>| {
        Row::alone(PART, case, Measure(what, "ms"), &[percentile(took, percent).as_secs_f64() * 1e3])
    };
    vec![row("a commit, p50", 50, &mut took), row("a commit, p99", 99, &mut took)]
}

pub(super) fn latency(rate: u32, latency: &Latency) -> Vec<Row> {
    let Latency { paced, late, cost, commits: took } = latency;
    let case = format!("{rate} ticks/s");
    let alone = |case: String, what, value: f64| Row::alone(PART, case, what, &[value]);
    let to = |reader: &str, Delays { p50, p99, .. }: Delays| {
        [("delay, p50", p50), ("delay, p99", p99)].map(|(what, delay)| {
            alone(format!("{case}, to {reader}"), Measure(what, "ms"), delay as f64 / 1e3)
        })
    };
    let mut rows = to("an event on the feed", late.feed).to_vec();
    rows.extend(to("an event on a stream", late.stream));
    rows.push(alone(case.clone(), CPU, micros(cost.cpu) / paced.sent as f64));
    rows.extend(cost.broker.map(|spent| alone(case.clone(), BROKER, micros(spent) / paced.sent as f64)));
    rows.extend(commits(&case, took));
    rows
}

/// What was really sent, and what came.
pub(super) fn about_latency(rate: u32, latency: &Latency) -> String {
    let Latency { paced: Paced { sent, seconds, latest, .. }, late, .. } = latency;
    format!(
        "pipeline, {rate} ticks/s: {:.0} were sent a second for {seconds:.0} s, the latest {:.1} ms late; {} events on the feed, {} on \
         the stream.",
        *sent as f64 / seconds,
        latest.as_secs_f64() * 1e3,
        late.feed.events,
        late.stream.events
    )
}

pub(super) fn notes() -> String {
    format!(
        "pipeline: CPU is this process's, librdkafka's threads included; broker CPU is user and system of the broker's process, where it \
         runs on this machine. The baseline is a bare client that writes what the pump wrote, byte for byte, in transactions of the \
         same size: it reads by librdkafka's batch call from the queues of its partitions, hands outputs over in bursts and \
         sends full batches, with the pump's settings. The client \"record by record\" polls each record and sends each output \
         at once. The push feed has {QUOTES} quotes of 12 books in four currencies, a record each; three books in four have the \
         main line. Delays are from the time at which a tick was to be sent, by a process of its own that also reads the events \
         (no coordinated omission), of that feed with {} % of prices moving; a tick waits up to 5 ms in its producer (linger.ms) \
         before it is sent. CPU a tick at a rate is of the pump alone in its process.",
        MOVING[0]
    )
}

fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
