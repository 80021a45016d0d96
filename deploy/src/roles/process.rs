//! `arb process`: the pumps of the odds machine, each on a thread of its own, and the watchdog that ends the process when one of them
//! stalls.

use std::num::NonZeroUsize;

use arb_kafka::{self as kafka, watch_held_back};
use arb_process::counts::OddsCounts;
use arb_process::machine::{OddsConfig, OddsMachine};
use arb_process::telemetry;
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::{Counts, Machine};
use arb_runtime::progress::ProgressMap;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::FEED_EVENTS;

use super::guarded;
use super::machine::{self, MachineRole};
use crate::cli::Process;
use crate::roles::admin::Admin;
use crate::roles::{books, cluster};
use crate::system::{clock, signals};

pub(crate) fn run(config: Process) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let admin = Admin::start((config.admin, config.child), Role::Process)?;
    let workers = config.workers.or_else(|| std::thread::available_parallelism().ok());
    let pulses: Vec<_> = (0..workers.map_or(1, NonZeroUsize::get)).map(|_| Pulse::default()).collect();
    let limit = config.guard.watchdog;
    let counts =
        guarded::run("processor", pulses.clone(), limit, move || pump_until(&stop, &config, &admin, pulses))?;
    tracing::info!("finished: {counts}");
    Ok(())
}

fn pump_until(
    stop: &Stop,
    config: &Process,
    admin: &Admin,
    pulses: Vec<Pulse>,
) -> anyhow::Result<Counts<OddsCounts>> {
    let cluster = &cluster::open(&config.brokers)?;
    let partitions = kafka::partitions(cluster)?;
    let fail_points = guarded::fail_points(&config.guard);
    #[cfg(feature = "fail-points")]
    let fail_points = fail_points.aborting(config.abort_each);
    watch_held_back(cluster, &OddsMachine::TOPICS, partitions, stop)?;
    let books = books::read(config.books_file.as_deref())?;
    telemetry::table_of_books(&books, clock::now());
    let role = MachineRole::<OddsMachine> {
        machine: OddsConfig { policy: config.policy.into(), books },
        group: config.group.clone(),
        partitions,
        limits: BatchLimits { records: config.commit_records.max(1), interval: config.commit_interval },
        output: &FEED_EVENTS,
        fail_points,
        watchdog: config.guard.watchdog,
        pulses,
        places: ProgressMap::default(),
        inspect: |places, ends, silence| telemetry::inspect(places, ends, clock::now(), silence),
    };
    machine::pump_until(stop, &role, cluster, admin)
}
