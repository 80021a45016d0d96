//! The programs of other engines: found in a folder, run by its script, and their output read.
//!
//! A program that does not run has no figures, and the first reason is kept. It never builds one, and never fails.

use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context, bail};
use arb_setup::program;

use super::{NOT_COUNTED, PeerCost, PeerDelay};
use crate::Scale;
use crate::pipeline::broker::Broker;
use crate::pipeline::ground::KafkaGround;

/// Ticks that each reads, and how many of them the loop in Java, Flink and Kafka Streams do not count: `throughput.py` of their folder.
pub(super) const TICKS: u64 = 3_500_000;
pub(super) const WARM_UP: u64 = 1_500_000;

/// A program: its name in the table, those of its script for throughput and for latency, and what the script printed, round by round.
pub(super) struct Peer {
    pub(super) name: &'static str,
    throughput: &'static str,
    latency: Option<&'static str>,
    pub(super) costs: Vec<PeerCost>,
    pub(super) delays: Vec<PeerDelay>,
}

/// All of them.
pub(super) struct Peers {
    /// `None` where they cannot run.
    script: Option<PathBuf>,
    brokers: String,
    broker: Broker,
    pub(super) all: [Peer; 4],
    /// Why figures are missing: the first reason.
    pub(super) missing: Option<String>,
}

impl Peer {
    fn new(name: &'static str, throughput: &'static str, latency: Option<&'static str>) -> Self {
        Self { name, throughput, latency, costs: vec![], delays: vec![] }
    }

    /// It is compared by its delays too.
    pub(super) fn is_paced(&self) -> bool {
        self.latency.is_some()
    }
}

impl Peers {
    /// Finds their script, and fills their topic.
    pub(super) fn find(folder: &Path, scale: Scale, ground: &KafkaGround<'_>) -> Self {
        let all = [
            Peer::new("a loop in Rust", "rust-arbbtx20k", None),
            Peer::new("a loop in Java", "hand-tx100", Some("hand-tx-20")),
            Peer::new("Flink, a checkpoint a second", "flink-eos-1s", None),
            Peer::new("Kafka Streams, RocksDB with a cache", "ks-eos-rocksc-1000", None),
        ];
        let (brokers, broker) = (ground.cluster.brokers().to_owned(), ground.broker);
        let mut peers = Self { script: None, brokers, broker, all, missing: None };
        match Self::script(folder, scale) {
            Ok(script) => peers.script = Some(script),
            Err(error) => peers.missing = Some(format!("{error:#}")),
        }
        peers.run(&["fill"], |_, _| Ok(()));
        peers
    }

    fn script(folder: &Path, scale: Scale) -> anyhow::Result<PathBuf> {
        if scale.is_quick {
            bail!("a quick run does not run them");
        }
        let script = folder.join("run");
        script.canonicalize().with_context(|| script.display().to_string())
    }

    /// A run of each.
    pub(super) fn throughput(&mut self) {
        for index in 0..self.all.len() {
            let before = self.broker.spent();
            let arguments = ["throughput", "1", self.all[index].throughput];
            self.run(&arguments, |peers, text| {
                let mut cost = cost(text)?;
                // The loop in Rust does not look at the broker: its share is of the whole run.
                let of_run = peers.broker.spent().since(&before);
                cost.broker = cost.broker.or(of_run.map(|spent| spent.as_secs_f64() * 1e6 / TICKS as f64));
                peers.all[index].costs.push(cost);
                Ok(())
            });
        }
    }

    /// A run of each that is compared by its delays.
    pub(super) fn latency(&mut self, rate: u32, seconds: u64) {
        let numbers = [rate.to_string(), seconds.to_string(), NOT_COUNTED.to_string()];
        for index in 0..self.all.len() {
            let Some(name) = self.all[index].latency else { continue };
            let arguments = ["latency", &numbers[0], &numbers[1], &numbers[2], name];
            self.run(&arguments, |peers, text| {
                peers.all[index].delays.push(delay(text)?);
                Ok(())
            });
        }
    }

    /// Runs the script, where there is one, and reads what it prints; notes the first reason why that fails.
    fn run(&mut self, arguments: &[&str], read: impl FnOnce(&mut Self, &str) -> anyhow::Result<()>) {
        let Some(script) = &self.script else { return };
        let done = output(script, &self.brokers, self.broker, arguments).and_then(|text| read(self, &text));
        if let Err(error) = done {
            self.missing.get_or_insert(format!("{}: {error:#}", arguments.join(" ")));
        }
    }
}

fn output(script: &Path, brokers: &str, broker: Broker, arguments: &[&str]) -> anyhow::Result<String> {
    let process = broker.process().context("the broker's process is unknown")?.to_string();
    let mut command = program::command(script);
    command.args(arguments).envs([("BROKER", brokers), ("BROKER_PID", process.as_str())]);
    let Output { status, stdout, stderr } = command.output()?;
    let text = String::from_utf8_lossy(&stdout).into_owned();
    if !status.success() {
        let error = String::from_utf8_lossy(&stderr);
        bail!("{status}: {}", error.lines().last().unwrap_or_default());
    }
    Ok(text)
}

/// The last line of a run that counts, of either form.
fn cost(text: &str) -> anyhow::Result<PeerCost> {
    let java = |line: &&str| line.contains("| RES ") && !line.contains("warmround-");
    if let Some(line) = text.lines().rfind(java) {
        let of = |name| after(line, name).with_context(|| line.to_owned());
        let (per_second, cpu, broker) = (of("rate")?, of("cpu_ns")? / 1e3, Some(of("broker_ns")? / 1e3));
        return Ok(PeerCost { per_second, cpu, broker });
    }
    let line = text.lines().rfind(|line| line.contains(" client cpu "));
    let line = line.with_context(|| format!("no figures: {}", text.trim()))?;
    let per_second = before(line, "ticks/s").with_context(|| line.to_owned())?;
    let cpu = after(line, "cpu").with_context(|| line.to_owned())? / 1e3;
    Ok(PeerCost { per_second, cpu, broker: None })
}

fn delay(text: &str) -> anyhow::Result<PeerDelay> {
    let line = text.lines().rfind(|line| line.contains("| LAT "));
    let line = line.with_context(|| format!("no figures: {}", text.trim()))?;
    let figures = after(line, "p50").zip(after(line, "p99")).zip(before(line, "ns/tick,"));
    let ((p50, p99), cpu) = figures.with_context(|| line.to_owned())?;
    Ok(PeerDelay { p50, p99, cpu: cpu / 1e3 })
}

/// The number that follows a word, or comes before it.
fn after(line: &str, word: &str) -> Option<f64> {
    let mut words = line.split_whitespace();
    words.by_ref().find(|found| *found == word)?;
    words.next()?.parse().ok()
}

fn before(line: &str, word: &str) -> Option<f64> {
    let words: Vec<_> = line.split_whitespace().collect();
    let at = words.iter().position(|found| *found == word)?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_programs_print_is_read() {
        let java = "@1 hand-tx100 | RES warmround-hand-tx-w100 ticks 2000000 rate 100000 cpu_ns 9000 cores 1.1 broker_ns 5000 rss_mb 1\n\
                    @1 hand-tx100 | RES hand-tx-w100-m100 ticks 2000000 rate 812345 cpu_ns 1960 cores 1.59 broker_ns 1010 rss_mb 800\n\
                    @1 hand-tx100 # wall 9.1 foreign_cores 0.01 steal_cores 0.00 at 10:00:00\n";
        assert_eq!(cost(java).unwrap(), PeerCost { per_second: 812_345.0, cpu: 1.96, broker: Some(1.01) });
        let rust = "@1 rust-arbbtx20k | arbbtx         901234 ticks/s  client cpu 1570 ns/tick (1.41 cores) emits 7 (0.067/tick) commit 3% of wall\n";
        assert_eq!(cost(rust).unwrap(), PeerCost { per_second: 901_234.0, cpu: 1.57, broker: None });
        let late = "@hand-tx-20 | LAT hand-tx-20 rate 5000 ticks 150000 outputs 14000 p50 12.34 p90 20.00 p99 31.25 max 99.00 ms maxbehind 9  | app 0.100 cores 20100 ns/tick, broker 0.150 cores, rss 300 MB at 10:00:00\n";
        assert_eq!(delay(late).unwrap(), PeerDelay { p50: 12.34, p99: 31.25, cpu: 20.1 });
        assert!(cost("@1 flink-eos-1s | TIMEOUT None").unwrap_err().to_string().contains("TIMEOUT"));
    }
}
