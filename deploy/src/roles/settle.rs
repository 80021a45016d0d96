//! `arb settle`: the pump of the settlement machine on a thread of its own, its timers, the reader of windows, and the watchdog.
//!
//! Instances share the partitions; each writes the timers of those that it owns. The end of the reader of windows is the end of the process.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Context;
use arb_kafka::{self as kafka, Beginning, Cluster, ForwardedRecord, Forwarder, OutgoingTask, TaskProducer};
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::{Counts, Machine};
use arb_runtime::progress::ProgressMap;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_runtime::watchdog::Pulse;
use arb_schemas::records::PickTimer;
use arb_schemas::topics::{FEED_EVENTS, PICK_TASKS, PICKS};
use arb_schemas::wire;
use arb_settle::clauses::Clauses;
use arb_settle::counts::SettleCounts;
use arb_settle::machine::SettleMachine;
use arb_settle::{opened, telemetry};

use super::guarded;
use super::machine::{self, MachineRole, thread};
use crate::cli::Settle;
use crate::roles::admin::Admin;
use crate::roles::{books, cluster};
use crate::system::{clock, signals};

/// Tasks of one transaction at most.
const RECORDS: usize = 1_000;
/// Between two timers: what is settled by time ends after minutes and hours.
const TICK: Duration = Duration::from_secs(5);
/// The key of timers.
const TIMER: &str = "timer";

pub(crate) fn run(config: Settle) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let admin = Admin::start((config.admin, config.child), Role::Settle)?;
    let (pulse, limit) = (Pulse::default(), config.guard.watchdog);
    let counts = guarded::run("settle", vec![pulse.clone()], limit, move || {
        pump_until(&stop, &config, &admin, pulse)
    })?;
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
    machine::write_timers(&places, TICK, stop, move |partition| write_timer(&timers, partition))?;
    start_windows(cluster, &config.group, stop)?;
    let clauses = Clauses::new(books::read(config.books_file.as_deref())?);
    let role = MachineRole::<SettleMachine> {
        machine: clauses,
        group: config.group.clone(),
        partitions,
        limits: BatchLimits { records: RECORDS, interval: config.commit_interval },
        output: &PICKS,
        fail_points: guarded::fail_points(&config.guard),
        watchdog: config.guard.watchdog,
        pulses: vec![pulse],
        places,
        inspect: telemetry::inspect,
    };
    machine::pump_until(stop, &role, cluster, admin)
}

/// Reads the feed on a thread: windows that open are tasks in the partition of their event, which is that of the feed.
fn start_windows(cluster: &Cluster, group: &str, stop: &Stop) -> anyhow::Result<()> {
    let (group, topics) = (format!("{group}-feed"), (&FEED_EVENTS, &PICK_TASKS));
    let mut feed = Forwarder::join(cluster, &group, topics, Beginning::Oldest)?;
    let mut dated = BTreeSet::new();
    thread("windows", stop, move |stop| {
        feed.run(stop, &mut |record, tasks| forward_window(record, tasks, &mut dated))
    })
}

/// Before the first window of a partition a timer is written: those of a recording are kept from now on, not from when they opened.
fn forward_window(
    record: &ForwardedRecord,
    tasks: &mut Vec<OutgoingTask>,
    dated: &mut BTreeSet<i32>,
) -> anyhow::Result<()> {
    let ForwardedRecord { partition, offset, value, .. } = record;
    let partition = *partition;
    let task =
        opened::task(value).with_context(|| format!("the feed, partition {partition}, offset {offset}"))?;
    let Some((event, value)) = task else { return Ok(()) };
    if dated.insert(partition) {
        tasks.push(OutgoingTask { partition, key: TIMER.to_owned(), value: timer()? });
    }
    tasks.push(OutgoingTask { partition, key: event.to_string(), value });
    Ok(())
}

fn write_timer(producer: &TaskProducer, partition: i32) -> anyhow::Result<()> {
    Ok(producer.send(partition, TIMER, &timer()?)?)
}

fn timer() -> anyhow::Result<Vec<u8>> {
    Ok(wire::encode(&PickTimer { at: clock::now() })?)
}
