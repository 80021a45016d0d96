//! `arb ingest`: a recording or the simulated market, published in its own time, or The Odds API, polled as it is due.

pub(crate) mod live;

use arb_pipeline::ingest::publish::Publisher;
use arb_pipeline::ingest::recording;
use arb_pipeline::ingest::replay::{LIVE_HEARTBEAT, Played, RECORDED_HEARTBEAT, Replay, ReplayError, Speed};
use arb_pipeline::ingest::simulator::{Settings, Simulator};
use arb_pipeline::ingest::source::{Source, SourceError};
use arb_pipeline::telemetry::{self, Role};
use arb_schemas::time::SECOND;

use crate::admin::{Admin, Vitals};
use crate::cli::{Ingest, Play};
use crate::{clock, signals};

/// A recording's default speed: an hour a minute.
const RECORDING: Speed = Speed::Times(60.0);
/// The simulated market's: it lives by the wall clock, so that it goes on where it was when it is played again.
const SIMULATED: Speed = Speed::Times(1.0);

pub(crate) fn run(config: &Ingest) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let admin = Admin::start(config.admin, Role::Ingest)?;
    if config.play.live.wanted {
        return live::run(&config.play.live, &config.brokers.brokers, &stop, || admin.show(Publishing));
    }
    let (mut source, speed) = source(&config.play)?;
    let publisher = Publisher::connect(&config.brokers.brokers, source.name())?;
    admin.show(Publishing);
    let Play { after, until, .. } = config.play;
    let speed = config.play.speed.unwrap_or(speed);
    let heartbeat = if config.play.replay.is_some() { RECORDED_HEARTBEAT } else { LIVE_HEARTBEAT };
    let replay = Replay { after, until, speed, heartbeat };
    let mut played = Played::default();
    let done = replay.play(source.as_mut(), &publisher, &mut played, &stop);
    let Played { polls, frames, ticks, faults, .. } = played;
    tracing::info!(source = source.name(), polls, frames, ticks, %faults, "played");
    match done {
        // What could be read is published: that the rest could not is said, and ends nothing else.
        Err(ReplayError::Source(error @ SourceError::Truncated { .. })) => {
            tracing::error!("{error}");
            Ok(())
        }
        done => Ok(done?),
    }
}

/// Ingest, seen from outside: once it is connected it does its work.
struct Publishing;

impl Vitals for Publishing {
    fn is_ready(&self) -> bool {
        true
    }

    fn look(&self) {
        telemetry::ingest::look(clock::now());
    }
}

fn source(play: &Play) -> anyhow::Result<(Box<dyn Source>, Speed)> {
    Ok(match &play.replay {
        Some(path) => (recording::open(path, play.odds_format.into())?, RECORDING),
        None => (Box::new(Simulator::new(settings(play))), SIMULATED),
    })
}

fn settings(play: &Play) -> Settings {
    let Play { seed, every, market, .. } = play;
    let start = clock::now() / SECOND * SECOND;
    Settings { seed: *seed, start, every: *every, events: market.events, books: market.books }
}
