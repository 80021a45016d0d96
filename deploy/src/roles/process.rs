//! `arb process`: the pump on a thread of its own, and the watchdog that ends the process when it stalls.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::anyhow;
use arb_pipeline::fail_point::FailPoints;
use arb_pipeline::kafka::{self, Ends, TickConsumer, TransactionalProducer};
use arb_pipeline::process::batch::BatchLimits;
use arb_pipeline::process::counts::Counts;
use arb_pipeline::process::places::Places;
use arb_pipeline::process::pump::{Config, Pump};
use arb_pipeline::process::watchdog::{self, Pulse, Watcher};
use arb_pipeline::stop::Stop;
use arb_pipeline::telemetry::{self, Role};
use arb_schemas::topics::ODDS_TICKS;
use rustix::process::{Signal, getpid, kill_process};

use crate::admin::{Admin, Vitals};
use crate::cli::Process;
use crate::{clock, signals};

/// Between a transaction that was aborted and the next.
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) fn run(config: Process) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let admin = Admin::start(config.admin, Role::Process)?;
    let (pulse, places, done) = (Pulse::default(), Places::default(), Stop::default());
    let watched = (pulse.clone(), config.watchdog, done.clone());
    std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
        // Also while it ends.
        let (pulse, limit, done) = watched;
        if watchdog::watch(&pulse, limit, &done) {
            stalled(limit);
        }
    })?;
    let pump = std::thread::Builder::new().name("pump".to_owned());
    let pump = pump.spawn(move || pump_until(&stop, &config, &admin, pulse, places))?;
    let counts = pump.join().map_err(|_| anyhow!("the pump panicked"));
    done.stop();
    let counts = counts??;
    tracing::info!(?counts, "processed");
    Ok(())
}

fn pump_until(
    stop: &Stop,
    config: &Process,
    admin: &Admin,
    pulse: Pulse,
    places: Places,
) -> anyhow::Result<Counts> {
    let brokers = &config.brokers.brokers;
    let partitions = kafka::partitions(brokers)?;
    let ends = Ends::watch(brokers, &ODDS_TICKS, partitions, stop)?;
    admin.show(Seen::new(&pulse, config.watchdog, places.clone(), ends));
    let fail_points = fail_points(config);
    let transactional_id = format!("{}-{}", config.group, config.slot);
    let mut producer = TransactionalProducer::new(brokers, &transactional_id, fail_points.clone())?;
    let mut consumer = TickConsumer::join(brokers, &config.group)?;
    let mut pump = Pump::new(Config {
        policy: config.policy.into(),
        limits: BatchLimits { records: config.commit_records.max(1), interval: config.commit_interval },
        pause: PAUSE,
        abort_each: config.abort_each,
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
struct Seen {
    watcher: Mutex<Watcher>,
    limit: Duration,
    places: Places,
    ends: Ends,
}

impl Seen {
    fn new(pulse: &Pulse, limit: Duration, places: Places, ends: Ends) -> Self {
        Self { watcher: Mutex::new(Watcher::new(pulse.clone())), limit, places, ends }
    }

    fn silence(&self) -> Option<Duration> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner).silence()
    }
}

impl Vitals for Seen {
    /// Half the watchdog's time, so that it is told before the process is gone.
    fn is_alive(&self) -> bool {
        self.silence().is_none_or(|silence| silence < self.limit / 2)
    }

    /// It reads; that it owns nothing is no fault of it.
    fn is_ready(&self) -> bool {
        self.silence().is_some_and(|silence| silence < self.limit / 2)
    }

    fn look(&self) {
        telemetry::process::look(&self.places.get(), &self.ends.get(), clock::now(), self.silence());
    }
}

/// Where a test has this process killed, frozen or stalled.
fn fail_points(config: &Process) -> FailPoints {
    let signal = |signal: Signal| {
        move || {
            let _ = kill_process(getpid(), signal);
        }
    };
    match (config.kill_at, config.freeze_at, config.stall_at) {
        (Some(at), ..) => FailPoints::armed(at, signal(Signal::KILL)),
        (_, Some(at), _) => FailPoints::armed(at, signal(Signal::STOP)),
        (.., Some(at)) => FailPoints::armed(at, || {
            loop {
                std::thread::park();
            }
        }),
        (None, None, None) => FailPoints::default(),
    }
}

/// Another process can take the partitions over only when this one is gone.
#[expect(
    clippy::disallowed_methods,
    reason = "a pump that does not move cannot be asked to end in good order"
)]
fn stalled(limit: Duration) {
    eprintln!("arb: the processor has not moved for {} s and is ended", limit.as_secs_f64());
    std::process::exit(70)
}
