//! `arb settle`: the pump of the settlement machine on a thread of its own, its timers, and the watchdog.
//!
//! Instances share the partitions; each writes the timers of those that it owns.

use arb_kafka::{self as kafka, TaskProducer};
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::{Counts, Machine};
use arb_runtime::progress::ProgressMap;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_runtime::watchdog::Pulse;
use arb_schemas::records::PickTimer;
use arb_schemas::topics::{PICK_TASKS, PICKS};
use arb_schemas::wire;
use arb_settle::counts::SettleCounts;
use arb_settle::machine::SettleMachine;
use arb_settle::telemetry;

use super::guarded;
use super::machine::{self, MachineRole};
use crate::cli::Settle;
use crate::roles::admin::Admin;
use crate::roles::cluster;
use crate::system::{clock, signals};

/// Tasks of one transaction at most.
const RECORDS: usize = 1_000;
/// The key of timers.
const TIMER: &str = "timer";

pub(crate) fn run(config: Settle) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let admin = Admin::start(config.admin, Role::Settle)?;
    let (pulse, limit) = (Pulse::default(), config.guard.watchdog);
    let counts =
        guarded::run("settle", pulse.clone(), limit, move || pump_until(&stop, &config, &admin, pulse))?;
    tracing::info!("finished: {counts}");
    Ok(())
}

fn pump_until(
    stop: &Stop,
    config: &Settle,
    admin: &Admin,
    pulse: Pulse,
) -> anyhow::Result<Counts<SettleCounts>> {
    let (cluster, places) = (&cluster::open(&config.brokers)?, ProgressMap::default());
    let partitions = kafka::machine_partitions(cluster, &SettleMachine::TOPICS)?;
    let timers = TaskProducer::new(cluster, &PICK_TASKS)?;
    machine::write_timers(&places, stop, move |partition| write_timer(&timers, partition))?;
    let role = MachineRole::<SettleMachine> {
        machine: (),
        group: config.group.clone(),
        partitions,
        limits: BatchLimits { records: RECORDS, interval: config.commit_interval },
        output: &PICKS,
        fail_points: guarded::fail_points(&config.guard),
        watchdog: config.guard.watchdog,
        pulse,
        places,
        inspect: telemetry::inspect,
    };
    machine::pump_until(stop, role, cluster, admin)
}

fn write_timer(producer: &TaskProducer, partition: i32) -> anyhow::Result<()> {
    let timer = wire::encode(&PickTimer { at: clock::now() })?;
    Ok(producer.send(partition, TIMER, &timer)?)
}
