//! What was measured, as one table to read.
//!
//! It computes ratios and medians, and measures nothing.

use std::time::Duration;

use super::input::{Feed, Filled, QUOTES};
use super::latency::{Delays, Latency};
use super::meter::{median, percentile};
use super::throughput::{Measured, Pair, Sample};
use crate::cli::BenchPipeline;

/// Width of the first column.
const LABEL: usize = 34;

pub(super) fn head(config: &BenchPipeline) {
    let kafka = config.brokers.as_ref().map_or("a local Kafka", String::as_str);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let BenchPipeline { rounds, commit_records, .. } = config;
    println!(
        "over {kafka}, {cores} cores, load average {}; medians of {rounds} rounds; at most {commit_records} \
         records a transaction",
        load()
    );
}

/// How busy the machine is otherwise.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

pub(super) fn input(feed: Feed, filled: &Filled) {
    let what = match feed {
        Feed::Push => "a tick a record, as a push feed sends",
        Feed::Polls => "a frame a record, as a poll does",
    };
    let Filled { records, ticks, bytes } = filled;
    println!("\n{what}: {records} records, {ticks} ticks, {} in", size(*bytes));
    println!(
        "{:<LABEL$}{:>10}{:>12}{:>13}{:>11}{:>14}",
        "", "ticks/s", "CPU us/tick", "records out", "bytes out", "transactions"
    );
}

pub(super) fn throughput(filled: &Filled, measured: &Measured) {
    for (name, pairs) in ["exactly once", "at least once"].into_iter().zip(&measured.rounds) {
        row(&format!("pump, {name}"), filled, pairs, |pair| pair.pump);
        row(&format!("bare client, {name}"), filled, pairs, |pair| pair.bare);
        let ratio = |of: fn(&Sample) -> Duration| {
            let ratios = pairs.iter().map(|pair| of(&pair.pump).as_secs_f64() / of(&pair.bare).as_secs_f64());
            median(ratios.collect())
        };
        let (speed, cpu) = (1.0 / ratio(|sample| sample.wall), ratio(|sample| sample.cpu));
        println!("{:<LABEL$}{speed:>10.2}{cpu:>12.2}", format!("pump to bare client, {name}"));
    }
    let written = measured.first.written.iter();
    let written = written.map(|(topic, w)| format!("{topic} {} records, {}", w.records, size(w.bytes)));
    println!("where they go: {}", written.collect::<Vec<_>>().join("; "));
    commits("a commit under this load", &measured.commits);
}

fn row(name: &str, filled: &Filled, pairs: &[Pair], of: impl Fn(&Pair) -> Sample) {
    let middle = |value: &dyn Fn(Sample) -> f64| median(pairs.iter().map(|pair| value(of(pair))).collect());
    let ticks = filled.ticks as f64;
    let per_second = middle(&|sample| ticks / sample.wall.as_secs_f64());
    let cpu = middle(&|sample| sample.cpu.as_secs_f64() * 1e6 / ticks);
    let records = middle(&|sample| sample.written as f64);
    let bytes = middle(&|sample| sample.bytes as f64) / 1e6;
    let transactions = middle(&|sample| sample.transactions as f64);
    println!("{name:<LABEL$}{per_second:>10.0}{cpu:>12.3}{records:>13.0}{bytes:>8.1} MB{transactions:>14.0}");
}

pub(super) fn single_commits(took: &[Duration]) {
    commits("a commit of one record", took);
}

fn commits(name: &str, took: &[Duration]) {
    let mut took = took.to_vec();
    let (count, p50, p99) = (took.len(), percentile(&mut took, 50), percentile(&mut took, 99));
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{name:<LABEL$}p50 {:.2} ms, p99 {:.2} ms, {count} commits", millis(p50), millis(p99));
}

pub(super) fn latency_head() {
    println!(
        "\nfrom a tick, a record each, {QUOTES} quotes of which one in fifty ticks opens or closes a window:"
    );
    println!("{:<LABEL$}{:>10}{:>12}{:>10}{:>10}", "", "sent/s", "events", "p50 ms", "p99 ms");
}

pub(super) fn latency(rate: u32, latency: &Latency) {
    let row = |to: &str, Delays { events, p50, p99 }: Delays| {
        let (p50, p99) = (p50 as f64 / 1e3, p99 as f64 / 1e3);
        let label = format!("{rate}/s, to {to}");
        println!("{label:<LABEL$}{:>10.0}{events:>12}{p50:>10.2}{p99:>10.2}", latency.sent);
    };
    row("a read_committed event", latency.feed);
    row("an SSE event", latency.stream);
    commits(&format!("{rate}/s, a commit"), &latency.commits);
}

pub(super) fn notes() {
    println!(
        "\nload average at the end {}. CPU is this process's, librdkafka's threads included, Kafka's not. The bare\n\
         client writes what the pump wrote, byte for byte, in transactions of the same size, with the same settings;\n\
         both read by poll: the batch call of librdkafka, which is cheaper by some 200 ns a record, is unsafe and so\n\
         forbidden here. A tick waits up to 5 ms in its producer (linger.ms) before it is sent.",
        load()
    );
}

fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
