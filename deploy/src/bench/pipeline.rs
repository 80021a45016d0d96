//! `arb bench pipeline`: the way from tick to feed over a real Kafka, beside bare clients that do the same work.
//!
//! What counts are the ratios: pump and yardstick run in turn in one process against one broker, so that whatever
//! else the machine does meets both. A Kafka of its own is started in a temporary folder and removed again; one that
//! is given must have none of our topics, and has none afterwards. It judges nothing.

mod ground;
mod input;
mod latency;
pub(super) mod meter;
mod sse;
mod table;
mod throughput;

use std::time::Duration;

use anyhow::bail;
use arb_pipeline::process::batch::BatchLimits;
use arb_schemas::topics::{DEFAULT_PARTITIONS, ODDS_TICKS};

use crate::children::Children;
use crate::cli::{BenchPipeline, Child, LogFormat};
use crate::signals;

use ground::Ground;
pub(super) use ground::free_port;
use input::{Feed, Filled};

/// What an operator gets who sets nothing.
const INTERVAL: Duration = Duration::from_millis(100);
/// Transactions for the cost of a commit alone.
const SINGLE: u64 = 1_000;

pub(super) fn run(config: &BenchPipeline, log_format: LogFormat) -> anyhow::Result<()> {
    let stop = signals::stop(Child { child: false })?;
    let mut children = Children::new(log_format);
    let done = Ground::prepare(config, &mut children, &stop).and_then(|mut ground| {
        let done = measure(config, &mut ground);
        // Also after an error, which is the one to be told.
        let cleared = ground.clear();
        done.and(cleared)
    });
    children.stop();
    done
}

fn measure(config: &BenchPipeline, ground: &mut Ground<'_>) -> anyhow::Result<()> {
    table::head(config);
    for feed in [Feed::Push, Feed::Polls] {
        throughput(config, feed, ground)?;
    }
    table::latency_head();
    for rate in &config.rates {
        table::latency(*rate, &latency::measure(*rate, Duration::from_secs(config.seconds), ground)?);
    }
    table::notes();
    Ok(())
}

fn throughput(config: &BenchPipeline, feed: Feed, ground: &mut Ground<'_>) -> anyhow::Result<()> {
    ground.empty(&[ODDS_TICKS])?;
    let filled = input::fill(feed, config, ground)?;
    table::input(feed, &filled);
    let records = usize::try_from(config.commit_records)?;
    let limits = BatchLimits { records, interval: INTERVAL };
    let measured = throughput::measure(&filled, limits, config.rounds, ground)?;
    table::throughput(&filled, &measured);
    if feed == Feed::Push {
        let few = Filled { records: filled.records.min(SINGLE), ..filled };
        table::single_commits(&throughput::single_commits(&few, ground)?);
    }
    Ok(())
}

/// One partition count is assumed by what is published here.
fn partition_of(key: &str) -> i32 {
    arb_pipeline::kafka::partition_of(key, DEFAULT_PARTITIONS)
}

/// Fails when whoever measures no longer wishes to.
fn go_on(ground: &Ground<'_>) -> anyhow::Result<()> {
    if ground.stop.is_stopped() {
        bail!("stopped");
    }
    Ok(())
}
