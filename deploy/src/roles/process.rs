//! `arb process`: the pumps of the odds machine, each on a thread of its own, and the watchdog that ends the process when one of them
//! stalls.

use std::num::NonZeroUsize;

use arb_kafka::{self as kafka, watch_held_back};
use arb_process::machine::{CUTS, OddsConfig, OddsMachine};
use arb_process::telemetry;
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::Machine;
use arb_runtime::telemetry::Role;
use arb_schemas::topics::FEED_EVENTS;

use super::guarded;
use super::machine::{Begun, MachineRole, Surroundings, run_machine};
use crate::cli::Process;
use crate::roles::books;
use crate::system::clock;

pub(crate) fn run(config: Process) -> anyhow::Result<()> {
    let fail_points = guarded::fail_points(&config.options.guard);
    #[cfg(feature = "fail-points")]
    let fail_points = fail_points.aborting(config.abort_each);
    let workers = config.workers.or_else(|| std::thread::available_parallelism().ok());
    let role = MachineRole {
        role: Role::Process,
        name: "processor",
        fail_points,
        options: config.options,
        group: config.group,
        limits: BatchLimits { records: config.commit_records.max(1), interval: config.commit_interval },
        cuts: CUTS,
        workers: workers.map_or(1, NonZeroUsize::get),
        output: &FEED_EVENTS,
    };
    let (policy, books_file) = (config.policy, config.books_file);
    run_machine::<OddsMachine, _>(role, move |Surroundings { cluster, stop, .. }| {
        let partitions = kafka::partitions(cluster)?;
        watch_held_back(cluster, &OddsMachine::TOPICS, partitions, stop)?;
        let books = books::read(books_file.as_deref())?;
        telemetry::table_of_books(&books, clock::now());
        Ok(Begun { machine: OddsConfig { policy: policy.into(), books }, partitions, beside: () })
    })
}
