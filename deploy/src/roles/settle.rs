//! `arb settle`: the pump of the settlement machine on a thread of its own, its timers, the reader of windows, and the watchdog.
//!
//! Instances share the partitions; each writes the timers of those that it owns. The end of the reader of windows is the end of the process.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Context;
use arb_kafka::{self as kafka, Beginning, Cluster, ForwardedRecord, Forwarder, OutgoingTask, TaskProducer};
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::Machine;
use arb_runtime::pump::CutLimits;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_schemas::records::PickTimer;
use arb_schemas::topics::{FEED_EVENTS, PICK_TASKS, PICKS};
use arb_schemas::wire;
use arb_settle::clauses::Clauses;
use arb_settle::machine::SettleMachine;
use arb_settle::opened;

use super::guarded;
use super::machine::{Begun, MachineRole, Surroundings, run_machine, thread, write_timers};
use crate::cli::Settle;
use crate::roles::books;
use crate::system::clock;

/// Tasks of one transaction at most.
const RECORDS: usize = 1_000;
/// Between two timers: what is settled by time ends after minutes and hours.
const TICK: Duration = Duration::from_secs(5);
/// The key of timers.
const TIMER: &str = "timer";

pub(crate) fn run(config: Settle) -> anyhow::Result<()> {
    let role = MachineRole {
        role: Role::Settle,
        name: "settle",
        fail_points: guarded::fail_points(&config.options.guard),
        options: config.options,
        group: config.group.clone(),
        limits: BatchLimits { records: RECORDS, interval: config.commit_interval },
        cuts: CutLimits::EACH,
        workers: 1,
        output: &PICKS,
    };
    let (group, books_file) = (config.group, config.books_file);
    run_machine::<SettleMachine, _>(role, move |Surroundings { cluster, places, stop }| {
        let partitions = kafka::machine_partitions(cluster, &SettleMachine::TOPICS)?;
        let timers = TaskProducer::new(cluster, &PICK_TASKS)?;
        write_timers(places, TICK, stop, move |partition| write_timer(&timers, partition))?;
        start_windows(cluster, &group, stop)?;
        let machine = Clauses::new(books::read(books_file.as_deref())?);
        Ok(Begun { machine, partitions, beside: () })
    })
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
