//! `arb ingest`: a recording or the synthetic market, published in its own time.

use arb_pipeline::ingest::publish::Publisher;
use arb_pipeline::ingest::recording::Recording;
use arb_pipeline::ingest::replay::{LIVE_HEARTBEAT, Played, RECORDED_HEARTBEAT, Replay, ReplayError, Speed};
use arb_pipeline::ingest::source::{Source, SourceError};
use arb_pipeline::ingest::synthetic::Synthetic;
use arb_pipeline::telemetry::{self, Role};
use arb_schemas::time::{Micros, SECOND};

use crate::admin::{Admin, Vitals};
use crate::cli::{Ingest, Play};
use crate::{clock, signals};

/// A recording's default speed: an hour a minute.
const RECORDING: Speed = Speed::Times(60.0);
/// The synthetic market's: it polls by the wall clock.
const SYNTHETIC: Speed = Speed::Times(1.0);
/// Time between its polls.
const EVERY: Micros = 2 * SECOND;

pub(crate) fn run(config: &Ingest) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let admin = Admin::start(config.admin, Role::Ingest)?;
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
        Some(path) => (Box::new(Recording::open(path, play.odds_format.into())?), RECORDING),
        None => (Box::new(Synthetic::new(play.seed, clock::now() / SECOND * SECOND, EVERY)), SYNTHETIC),
    })
}
