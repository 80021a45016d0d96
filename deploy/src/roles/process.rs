//! `arb process`: the pump on a dedicated thread, and the watchdog that ends the process when it stalls.

use std::time::Duration;

use arb_kafka::{self as kafka, Ends, InputConsumer, Surroundings, TransactionalProducer, watch_held_back};
use arb_process::counts::OddsCounts;
use arb_process::machine::{OddsConfig, OddsMachine};
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::{Counts, Machine};
use arb_runtime::progress::ProgressMap;
use arb_runtime::pump::{Config, Pump, SLICE};
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::{FEED_EVENTS, ODDS_TICKS};

use super::guarded::{self, LoopLiveness};
use super::readiness::{Readiness, Topic};
use crate::cli::Process;
use crate::roles::admin::{Admin, Vitals};
use crate::roles::{books, cluster};
use crate::system::{clock, signals};

/// Between a transaction that was aborted and the next.
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) fn run(config: Process) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let admin = Admin::start(config.admin, Role::Process)?;
    let (pulse, places, limit) = (Pulse::default(), ProgressMap::default(), config.guard.watchdog);
    let counts = guarded::run("processor", pulse.clone(), limit, move || {
        pump_until(&stop, &config, &admin, pulse, places)
    })?;
    tracing::info!("finished: {counts}");
    Ok(())
}

fn pump_until(
    stop: &Stop,
    config: &Process,
    admin: &Admin,
    pulse: Pulse,
    places: ProgressMap,
) -> anyhow::Result<Counts<OddsCounts>> {
    let cluster = &cluster::open(&config.brokers)?;
    let partitions = kafka::partitions(cluster)?;
    let ends = Ends::watch(cluster, &ODDS_TICKS, partitions, stop)?;
    let life = LoopLiveness::new(&pulse, config.guard.watchdog);
    let feed = Ends::watch(cluster, &FEED_EVENTS, partitions, stop)?;
    admin.show(ProcessVitals { life, places: places.clone(), ends, feed, readiness: Readiness::new() });
    let fail_points = guarded::fail_points(&config.guard);
    #[cfg(feature = "fail-points")]
    let fail_points = fail_points.aborting(config.abort_each);
    watch_held_back(cluster, &OddsMachine::TOPICS, partitions, stop)?;
    let surroundings =
        Surroundings { fail_points: fail_points.clone(), pulse: pulse.clone(), stop: stop.clone() };
    let mut producer =
        TransactionalProducer::new(cluster, &config.group, &OddsMachine::TOPICS, partitions, surroundings)?;
    let mut consumer = InputConsumer::join(cluster, &config.group, &OddsMachine::TOPICS)?;
    let books = books::read(config.books_file.as_deref())?;
    let mut pump = Pump::<OddsMachine>::new(Config {
        machine: OddsConfig { policy: config.policy.into(), books },
        epoch: clock::epoch,
        limits: BatchLimits { records: config.commit_records.max(1), interval: config.commit_interval },
        slice: SLICE,
        pause: PAUSE,
        fail_points,
        pulse,
        places,
    });
    while !stop.is_stopped() {
        pump.step(&mut consumer, &mut producer)?;
    }
    Ok(pump.counts().clone())
}

/// The pump, seen from outside.
struct ProcessVitals {
    life: LoopLiveness,
    places: ProgressMap,
    ends: Ends,
    /// Of the feed: what it writes there in transactions is held back by those that others leave open.
    feed: Ends,
    readiness: Readiness,
}

impl Vitals for ProcessVitals {
    fn is_alive(&self) -> bool {
        self.life.is_alive()
    }

    /// What it owns moves; that it owns nothing is no fault of it.
    fn is_ready(&self) -> bool {
        self.life.is_moving() && self.readiness.is_ready()
    }

    fn inspect(&self) {
        let input = Topic { name: ODDS_TICKS.name, places: Some(&self.places), ends: &self.ends };
        self.readiness.inspect(&[input, Topic { name: FEED_EVENTS.name, places: None, ends: &self.feed }]);
        arb_process::telemetry::inspect(
            &self.places.get(),
            &self.ends.get(),
            clock::now(),
            self.life.silence(),
        );
    }
}
