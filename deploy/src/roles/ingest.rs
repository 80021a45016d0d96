//! `arb ingest`: a recording or the simulated market, published at its pace by the instance that holds the
//! lease of the source, or The Odds API, polled on a schedule.

pub(crate) mod live;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use arb_ingest::error::ReplayError;
use arb_ingest::handoff::{Decision, Part, Resume};
use arb_ingest::leased_log::WriteProgress;
use arb_ingest::live_scores::ScoreWriter;
use arb_ingest::publish::Publisher;
use arb_ingest::recording;
use arb_ingest::replay::{Beside, LIVE_HEARTBEAT, PlayEnd, Played, RECORDED_HEARTBEAT, Replay, Speed};
use arb_ingest::results::ResultWriter;
use arb_ingest::scan_queue::ScanQueue;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::{Source, SourceError};
use arb_ingest::source_lease::{Request, SourceLease};
use arb_kafka::Ends;
use arb_runtime::readiness::{ProgressWatch, Subject};
use arb_runtime::telemetry::Role;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::ODDS_TICKS;

use crate::cli::{Ingest, Market, Play};
use crate::roles::admin::{Admin, Vitals};
use crate::roles::cluster;
use crate::roles::readiness::{SILENT, STUCK};
use crate::system::{clock, signals};

/// A recording's default speed: an hour a minute.
const RECORDING: Speed = Speed::Times(60.0);
/// The start of the simulated market: it follows the wall clock, so that a second run continues where the
/// first one was.
const SIMULATED: Speed = Speed::Times(1.0);

pub(crate) fn run(config: &Ingest) -> anyhow::Result<()> {
    let started_at = clock::now();
    let stop = signals::stop(config.child)?;
    let admin = Admin::start((config.admin, config.child), Role::Ingest)?;
    let cluster = &cluster::open(&config.brokers)?;
    if config.play.live.wanted {
        let ends = Ends::watch_committed(cluster, &ODDS_TICKS, arb_kafka::partitions(cluster)?, &stop)?;
        return live::run(&config.play.live, cluster, &stop, |progress| {
            admin.show(Publishing::by(progress, ends));
        });
    }
    // Before anything is connected: whether the recording can be read.
    let source = open(&config.play, None)?.name().to_owned();
    let partitions = arb_kafka::partitions(cluster)?;
    let mut publisher = Publisher::new(&source, partitions);
    let part = Part { after: config.play.after, until: config.play.until };
    let ends = Ends::watch_committed(cluster, &ODDS_TICKS, partitions, &stop)?;
    let scans = ScanQueue::start(cluster, clock::now, &stop)?;
    let mut results = ResultWriter::connect(cluster, partitions)?;
    let mut scores = ScoreWriter::connect(cluster)?;
    let request = Request { source: source.clone(), part, started_at, stop };
    let mut lease = SourceLease::join(cluster, partitions, request)?;
    admin.show(Publishing::by(lease.progress(), ends));
    let mut played = Played::default();
    let beside = (&scans, &mut results, &mut scores);
    let done = publish(&config.play, &mut publisher, &mut lease, beside, &mut played);
    let Played { polls, frames, ticks, faults, .. } = played;
    tracing::info!(source, polls, frames, ticks, %faults, "played");
    done
}

/// Publishes whenever this instance holds the lease, until all is published or the shutdown signal.
fn publish(
    play: &Play,
    publisher: &mut Publisher,
    lease: &mut SourceLease,
    (scans, results, scores): Beside<'_>,
    played: &mut Played,
) -> anyhow::Result<()> {
    loop {
        let from = match lease.acquire()? {
            None => return Ok(()),
            Some(Decision::Publish(from)) => from,
            Some(Decision::Complete) => {
                tracing::info!(
                    "another instance has published the source to its end: there is nothing to do"
                );
                return Ok(());
            }
        };
        let mut source = open(play, from.after)?;
        let beside = (scans, &mut *results, &mut *scores);
        match replay(play, from).play(source.as_mut(), publisher, lease, beside, played) {
            Ok(PlayEnd::Complete) => return Ok(lease.complete(clock::now())?),
            Ok(PlayEnd::Stopped) => return Ok(lease.give_back()?),
            Ok(PlayEnd::Revoked) => lease.give_back()?,
            Ok(PlayEnd::Lost) => lease.give_up()?,
            // The readable part is published: the unreadable rest is reported, and ends nothing else.
            Err(ReplayError::Source(error @ SourceError::Truncated { .. })) => {
                tracing::error!("{error}");
                return Ok(lease.give_back()?);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn replay(play: &Play, from: Resume) -> Replay {
    // The simulated market begins with its next poll: what it was before its clock came here is not made up for.
    let (speed, heartbeat, from) = match play.replay {
        Some(_) => (RECORDING, RECORDED_HEARTBEAT, from),
        None => (SIMULATED, LIVE_HEARTBEAT, Resume { after: play.after, beat: None }),
    };
    Replay { from, until: play.until, speed: play.speed.unwrap_or(speed), heartbeat }
}

/// The readiness of ingest: it is ready once it is connected, as long as Kafka acknowledges what it
/// publishes. A standby instance is ready too.
struct Publishing {
    progress: Arc<WriteProgress>,
    acknowledged: Mutex<ProgressWatch>,
    /// Whether the brokers answer: an instance that stands by writes nothing.
    ends: Ends,
}

impl Publishing {
    fn by(progress: Arc<WriteProgress>, ends: Ends) -> Self {
        Self { progress, acknowledged: Mutex::new(ProgressWatch::new(STUCK)), ends }
    }

    fn watch(&self) -> MutexGuard<'_, ProgressWatch> {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Vitals for Publishing {
    fn problem(&self) -> Option<String> {
        if self.ends.silence() >= STUCK {
            return Some(SILENT.to_owned());
        }
        self.watch().stuck(Instant::now()).map(|stuck| stuck.to_string())
    }

    fn inspect(&self) {
        arb_ingest::telemetry::inspect(clock::now());
        let subject = Subject { what: "acknowledged end", topic: ODDS_TICKS.name, partition: -1 };
        self.watch().inspect(Instant::now(), [(subject, self.progress.position())]);
    }
}

/// The source: a recording from its beginning, or the simulated market by the clock.
fn open(play: &Play, after: Option<Micros>) -> anyhow::Result<Box<dyn Source>> {
    Ok(match &play.replay {
        Some(path) => recording::open(path, play.odds_format.into())?,
        None => Box::new(Simulator::new(settings(play, after, clock::now()))),
    })
}

/// The market from now on, or, when it was played faster than the clock, from where it was.
fn settings(play: &Play, after: Option<Micros>, now: Micros) -> Settings {
    let Play { seed, every, market, .. } = play;
    let next = after.map(|after| after.saturating_add(*every));
    let start = next.unwrap_or(now).max(now) / SECOND * SECOND;
    let Market { events, books, exchange, short_events: short } = *market;
    Settings { seed: *seed, start, every: *every, events, books, exchange, short: short.unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn the_simulated_market_goes_on_by_the_clock_and_never_back() {
        let cli = Cli::try_parse_from(["arb", "ingest", "--every", "2"]).unwrap();
        let Command::Ingest(Ingest { play, .. }) = cli.command else { panic!("not ingest") };
        let now = 100 * SECOND + 7;
        let start = |after| settings(&play, after, now).start / SECOND;
        assert_eq!([start(None), start(Some(50 * SECOND)), start(Some(500 * SECOND))], [100, 100, 502]);
    }
}
