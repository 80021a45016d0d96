//! `arb-bench pipeline`: the way from tick to feed over a real Kafka, beside bare clients that do the same work; and `arb-bench peers`.
//!
//! The ratios matter: pump and baseline run in turn in one process against one broker, so that other load on
//! the machine affects both. A separate Kafka is started in a temporary folder and removed again; a Kafka
//! that is passed in must have none of the product's topics, and has none afterwards. It never judges a
//! result.

mod at_least_once;
mod bare_loop;
mod batching_loop;
mod broker;
mod client;
mod costs;
pub(super) mod cuts;
mod feed_writer;
mod gate;
mod ground;
mod input;
mod latency;
mod metered;
pub(super) mod peers;
mod pump_run;
mod push;
mod rows;
mod scratch;
mod throughput;

use std::time::Duration;

use anyhow::bail;
use arb::cli::LogFormat;
use arb_runtime::batch::BatchLimits;
use arb_runtime::stop::Stop;
use arb_schemas::topics::{DEFAULT_PARTITIONS, ODDS_TICKS};

use super::Scale;
use super::report::Measured;
use crate::actor::MarketKind;
use crate::cli::PipelineOptions;
use crate::push_market::MOVING;
pub(super) use feed_writer::FeedWriter;
pub(super) use ground::{KafkaGround, free_port};
pub(super) use input::STEP;
use input::{Feed, Filled};
pub(super) use pump_run::config;

/// As the table calls it.
pub(super) const PART: &str = "pipeline";
/// The default settings of an operator.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);
/// Transactions for the cost of a commit alone.
const SINGLE: u64 = 1_000;
/// Events that are enough for the 99th percentile of a delay, and of how many ticks at most one comes.
const EVENTS: u64 = 5_000;
const TICKS_AN_EVENT: u64 = 50;
/// A quick run's ticks, ticks a second, and seconds.
const QUICK: (u64, u32, u64) = (2_000, 500, 1);

pub(super) fn run(
    config: &PipelineOptions,
    scale: Scale,
    log_format: LogFormat,
    stop: &Stop,
) -> anyhow::Result<Measured> {
    let config = &sized(config, scale);
    KafkaGround::measured(&config.kafka, log_format, stop, |ground| measure(config, scale, ground))
}

fn sized(config: &PipelineOptions, scale: Scale) -> PipelineOptions {
    let config = config.clone();
    if !scale.is_quick {
        return config;
    }
    let (ticks, rate, seconds) = QUICK;
    PipelineOptions { ticks, rates: vec![rate], seconds, ..config }
}

fn measure(config: &PipelineOptions, scale: Scale, ground: &mut KafkaGround<'_>) -> anyhow::Result<Measured> {
    let mut to = Measured::default();
    let [few, many] = MOVING;
    for feed in [Feed::Push { moving: few }, Feed::Push { moving: many }, Feed::Polls] {
        throughput(config, scale.pipeline_rounds, feed, ground, &mut to)?;
    }
    for &rate in &config.rates {
        let latency =
            latency::measure(rate, long_enough(rate, config.seconds, scale), MarketKind::Pushes, ground)?;
        to.rows.extend(rows::latency(rate, &latency));
        to.notes.push(rows::about_latency(rate, &latency));
    }
    to.notes.push(rows::notes());
    push::measure(scale, ground, &mut to)?;
    Ok(to)
}

/// At least so many seconds, and until enough events have come.
fn long_enough(rate: u32, seconds: u64, scale: Scale) -> Duration {
    let until = if scale.is_quick { 0 } else { (EVENTS * TICKS_AN_EVENT).div_ceil(u64::from(rate.max(1))) };
    Duration::from_secs(seconds.max(until))
}

fn throughput(
    config: &PipelineOptions,
    rounds: u32,
    feed: Feed,
    ground: &mut KafkaGround<'_>,
    to: &mut Measured,
) -> anyhow::Result<()> {
    ground.empty(&[ODDS_TICKS])?;
    let filled = input::fill(feed, config, ground)?;
    let records = usize::try_from(config.commit_records)?;
    let limits = BatchLimits { records, interval: INTERVAL };
    let measured = throughput::measure(&filled, limits, rounds, ground)?;
    to.rows.extend(rows::throughput(feed, &filled, &measured));
    to.notes.push(rows::about(feed, &filled, &measured));
    if feed == (Feed::Push { moving: MOVING[0] }) {
        let few = Filled { records: filled.records.min(SINGLE), ..filled };
        to.rows.extend(rows::single_commits(&throughput::single_commits(&few, ground)?));
    }
    Ok(())
}

/// One partition count is assumed by what is published here.
fn partition_of(key: &str) -> i32 {
    arb_kafka::partition_of(key, DEFAULT_PARTITIONS)
}

/// Fails once the measurement has been stopped.
fn go_on(ground: &KafkaGround<'_>) -> anyhow::Result<()> {
    if ground.stop.is_stopped() {
        bail!("stopped");
    }
    Ok(())
}
