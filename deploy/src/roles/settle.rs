//! `arb settle`: the pump of the settlement machine on a thread of its own, its timers, and the watchdog.
//!
//! Instances share the partitions. Each writes a timer a second to those that it owns: several at a time do no harm, because the machine
//! takes the latest.

use std::time::Duration;

use arb_kafka::{self as kafka, Cluster, TaskProducer};
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
/// Between two timers.
const TICK: Duration = Duration::from_secs(1);
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
    write_timers(cluster, &places, stop)?;
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

/// Writes a timer a second to each partition that is owned, until the shutdown signal. A timer that is not delivered is followed by the
/// next one.
fn write_timers(cluster: &Cluster, places: &ProgressMap, stop: &Stop) -> anyhow::Result<()> {
    let producer = TaskProducer::new(cluster, &PICK_TASKS)?;
    let (places, stop) = (places.clone(), stop.clone());
    std::thread::Builder::new().name("timers".to_owned()).spawn(move || {
        while !stop.wait(TICK) {
            let owned = places.get();
            let written = owned.keys().try_for_each(|partition| write_timer(&producer, *partition));
            if let Err(error) = written {
                tracing::warn!("a timer was not written: {error:#}");
            }
        }
    })?;
    Ok(())
}

fn write_timer(producer: &TaskProducer, partition: i32) -> anyhow::Result<()> {
    let timer = wire::encode(&PickTimer { at: clock::now() })?;
    Ok(producer.send(partition, TIMER, &timer)?)
}
