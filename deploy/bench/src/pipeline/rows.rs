//! What was measured of the pipeline, as rows of the table.
//!
//! It computes what a tick costs from what a run took, and measures nothing.

use std::time::Duration;

use super::PART;
use super::input::{Feed, Filled};
use super::latency::{Delays, Latency};
use super::throughput::{LoopSample, Pair, Throughput};
use crate::meter::percentile;
use crate::push_market::QUOTES;
use crate::report::{Expected, Measure, Row};

const SPEED: Measure = Measure("throughput", "ticks/s");
const CPU: Measure = Measure("CPU a tick", "us");

/// Of both, to the bare client's.
const EXPECTED: (Expected, Expected) = (Expected::AtLeast(0.7), Expected::AtMost(1.2));
const TRANSACTIONS: Measure = Measure("transactions", "");

/// As the table calls it.
fn called(feed: Feed) -> &'static str {
    match feed {
        Feed::Push => "a tick a record",
        Feed::Polls => "a frame a record",
    }
}

pub(super) fn throughput(feed: Feed, filled: &Filled, measured: &Throughput) -> Vec<Row> {
    let ticks = filled.ticks as f64;
    let mut rows = Vec::new();
    for (guarantee, pairs) in ["exactly once", "at least once"].into_iter().zip(&measured.rounds) {
        let case = format!("{}, {guarantee}", called(feed));
        let beside = |what, of: &dyn Fn(&LoopSample) -> f64| {
            let pairs: Vec<_> = pairs.iter().map(|Pair { pump, bare }| (of(pump), of(bare))).collect();
            Row::beside(PART, case.clone(), what, &pairs)
        };
        let (speed, cpu) = EXPECTED;
        rows.push(beside(SPEED, &|sample| ticks / sample.wall.as_secs_f64()).expect(speed));
        rows.push(beside(CPU, &|sample| sample.cpu.as_secs_f64() * 1e6 / ticks).expect(cpu));
        rows.push(beside(TRANSACTIONS, &|sample| sample.transactions as f64));
    }
    rows.extend(commits(&format!("{}, under this load", called(feed)), &measured.commits));
    rows
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
    let to = |reader: &str, Delays { p50, p99, .. }: Delays| {
        let case = format!("{rate} ticks/s, to {reader}");
        let row =
            |what, delay: i64| Row::alone(PART, case.clone(), Measure(what, "ms"), &[delay as f64 / 1e3]);
        [row("delay, p50", p50), row("delay, p99", p99)]
    };
    let mut rows = to("an event on the feed", latency.feed).to_vec();
    rows.extend(to("an event on a stream", latency.stream));
    rows.extend(commits(&format!("{rate} ticks/s"), &latency.commits));
    rows
}

/// What was really sent, and what came.
pub(super) fn about_latency(rate: u32, latency: &Latency) -> String {
    let Latency { sent, feed, stream, .. } = latency;
    format!(
        "pipeline, {rate} ticks/s: {sent:.0} were sent a second; {} events on the feed, {} on the stream.",
        feed.events, stream.events
    )
}

pub(super) fn notes() -> String {
    format!(
        "pipeline: CPU is this process's, librdkafka's threads included, Kafka's not. The baseline is a bare client that \
         writes what the pump wrote, byte for byte, in transactions of the same size, with the same settings; both read by \
         poll: the batch call of librdkafka, which is cheaper by some 200 ns a record, is unsafe and so forbidden here. \
         Delays are of {QUOTES} quotes, a record each, of which one in fifty opens or closes a window; a tick waits up to \
         5 ms in its producer (linger.ms) before it is sent."
    )
}

fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
