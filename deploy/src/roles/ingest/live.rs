//! Live polling: settings that are checked before anything is called.
//!
//! It never logs the key, nor puts it anywhere but into the client.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context, bail};
use arb_ingest::leased_log::WriteProgress;
use arb_ingest::live::backoff::Backoff;
use arb_ingest::live::client::{ApiKey, Client};
use arb_ingest::live::listing::is_key;
use arb_ingest::live::plan::Sports;
use arb_ingest::live::plan::scores::ScoreRules;
use arb_ingest::live::scan_budget::ScanCaps;
use arb_ingest::live::schedule::Intervals;
use arb_ingest::live::{self, LONGEST_CALL, Limits, LiveSettings};
use arb_ingest::open_picks::OpenPicks;
use arb_ingest::scan_queue::ScanQueue;
use arb_ingest::the_odds_api::AmericanOdds;
use arb_kafka::Cluster;
use arb_process::books::shipped_american;
use arb_runtime::stop::Stop;
use arb_schemas::time::SECOND;
use arb_setup::secrets::ODDS_API_KEY;

use crate::cli::{Live, live as environment};
use crate::system::clock;

/// How often the longest back-off is the first one.
const DOUBLINGS: i64 = 150;

/// Polls until the shutdown signal; logs when it is connected.
pub(super) fn run(
    config: &Live,
    cluster: &Cluster,
    stop: &Stop,
    connected: impl FnOnce(Arc<WriteProgress>),
) -> anyhow::Result<()> {
    let settings = settings(config, cluster)?;
    let live = live::Live::connect(&settings, stop)?;
    connected(live.progress());
    let scans = ScanQueue::start(cluster, clock::now, stop)?;
    let picks = OpenPicks::start(cluster, arb_kafka::partitions(cluster)?, stop)?;
    let polled = live.run(&scans, &picks, stop)?;
    let live::Polled { polls, frames, ticks, results, failures, faults } = polled;
    tracing::info!(polls, frames, ticks, results, failures, %faults, "polled");
    Ok(())
}

/// The limits from the command line, if they are valid.
pub(crate) fn settings(config: &Live, cluster: &Cluster) -> anyhow::Result<LiveSettings> {
    let key = environment::key();
    let key =
        key.with_context(|| format!("set {ODDS_API_KEY} to a key of The Odds API (the-odds-api.com)"))?;
    let key = ApiKey::new(&key)?;
    let total = config.timeout.duration();
    if total.is_zero() || total > LONGEST_CALL {
        bail!("--live-timeout must be above 0 and at most {} s", LONGEST_CALL.as_secs());
    }
    // Before anything is started: whether the address is one.
    Client::new(&config.url, key.clone(), total, total)?;
    let now = clock::now();
    let (books, american_regions) = shipped_american()?;
    Ok(LiveSettings {
        cluster: cluster.clone(),
        group: config.group.clone(),
        address: config.url.clone(),
        key,
        connect: total / 3,
        total,
        regions: words("--regions", &config.regions)?,
        american: AmericanOdds { books, regions: american_regions },
        markets: unique(config.markets.iter().map(|market| market.key().to_owned())),
        rules: limits(config)?,
        clock: clock::now,
        seed: now.cast_unsigned() ^ u64::from(std::process::id()),
    })
}

fn limits(config: &Live) -> anyhow::Result<Limits> {
    let intervals = Intervals {
        in_play: config.every_in_play.micros(),
        hour: config.every_hour.micros(),
        six_hours: config.every_six_hours.micros(),
        day: config.every_day.micros(),
        later: config.every_later.micros(),
    };
    if !intervals.is_ordered() {
        bail!(
            "--every-in-play, --every-hour, --every-six-hours, --every-day and --every-later must be above 0, none longer than the next"
        );
    }
    let look_every = config.look_every.micros();
    if look_every < SECOND / 10 {
        bail!("--look-every must be at least 100ms");
    }
    let (after, every) = (config.scores_after.micros(), config.scores_every.micros());
    let first = config.backoff.micros();
    Ok(Limits {
        sports: sports(&config.sports)?,
        intervals,
        look_every,
        backoff: Backoff { first, longest: first.saturating_mul(DOUBLINGS) },
        floor: config.credit_floor,
        reset_day: config.credit_reset_day,
        scores: (every > 0).then_some(ScoreRules { after, every }),
        scans: ScanCaps { percent: config.scan_credit_percent, sports: config.scan_sports },
    })
}

fn sports(values: &[String]) -> anyhow::Result<Sports> {
    if values == ["all"] {
        return Ok(Sports::All);
    }
    Ok(Sports::Named(words("--sports", values)?.into_iter().collect()))
}

/// Words that may be part of an address, each once.
fn words(option: &str, values: &[String]) -> anyhow::Result<Vec<String>> {
    if let Some(wrong) = values.iter().find(|word| !is_key(word)) {
        bail!("{option}: {wrong:?} is none of the API's keys, which are small letters, digits and _");
    }
    Ok(unique(values.iter().cloned()))
}

fn unique(words: impl Iterator<Item = String>) -> Vec<String> {
    words.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn values(arguments: &[&str]) -> Live {
        let cli = Cli::try_parse_from(["arb", "ingest", "--live"].iter().chain(arguments)).unwrap();
        let Command::Ingest(config) = cli.command else { panic!("not ingest") };
        config.play.live
    }

    #[test]
    fn the_defaults_are_those_of_the_schedule() {
        let limits = limits(&values(&[])).unwrap();
        assert_eq!((limits.intervals, limits.backoff), (Intervals::default(), Backoff::default()));
        assert_eq!(limits.scans, ScanCaps::default());
    }

    #[test]
    fn invalid_settings_are_refused() {
        let error = |arguments: &[&str]| limits(&values(arguments)).unwrap_err().to_string();
        assert!(error(&["--every-hour", "1s"]).contains("none longer than the next"));
        assert!(error(&["--every-in-play", "0s"]).contains("above 0"));
        assert!(error(&["--look-every", "1ms"]).contains("at least 100ms"));
        assert!(error(&["--sports", "soccer_epl,../odds"]).contains("\"../odds\" is none"));
        assert!(error(&["--sports", "all,soccer_epl,"]).contains("\"\" is none"));
        assert_eq!(sports(&["all".to_owned()]).unwrap(), Sports::All);
    }
}
