//! `arb accounts`: the pump of the accounts machine on a thread of its own, its timers, and the watchdog.
//!
//! One instance owns the one partition and writes its timers; every other one stands by in the same consumer group and takes over.

use std::time::Duration;

use arb_accounts::counts::AccountCounts;
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::{codec, telemetry};
use arb_kafka::{self as kafka, CommandProducer};
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::{Counts, Machine};
use arb_runtime::progress::ProgressMap;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::{ACCOUNT_COMMANDS, ACCOUNTS};

use super::guarded;
use super::machine::{self, MachineRole};
use crate::cli::Accounts;
use crate::roles::admin::Admin;
use crate::roles::cluster;
use crate::system::{clock, signals};

/// Records of one transaction at most.
const RECORDS: usize = 1_000;
/// How long a report of the broker on a timer is waited for.
const REPORT: Duration = Duration::from_millis(100);
/// Between two timers.
const TICK: Duration = Duration::from_secs(1);
/// The key of timers.
const TIMER: &str = "timer";

pub(crate) fn run(config: Accounts) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let admin = Admin::start((config.admin, config.child), Role::Accounts)?;
    let (pulse, limit) = (Pulse::default(), config.guard.watchdog);
    let counts = guarded::run("accounts", vec![pulse.clone()], limit, move || {
        pump_until(&stop, &config, &admin, pulse)
    })?;
    tracing::info!("finished: {counts}");
    Ok(())
}

fn pump_until(
    stop: &Stop,
    config: &Accounts,
    admin: &Admin,
    pulse: Pulse,
) -> anyhow::Result<Counts<AccountCounts>> {
    let (cluster, places) = (&cluster::open(&config.brokers)?, ProgressMap::default());
    let partitions = kafka::machine_partitions(cluster, &AccountsMachine::TOPICS)?;
    let timers = CommandProducer::new(cluster, &ACCOUNT_COMMANDS)?;
    machine::write_timers(&places, TICK, stop, move |_| write_timer(&timers))?;
    let role = MachineRole::<AccountsMachine> {
        machine: AccountsConfig { max_accounts: config.most },
        group: config.group.clone(),
        partitions,
        limits: BatchLimits { records: RECORDS, interval: config.commit_interval },
        output: &ACCOUNTS,
        fail_points: guarded::fail_points(&config.guard),
        watchdog: config.guard.watchdog,
        pulses: vec![pulse],
        places,
        inspect: telemetry::inspect,
    };
    machine::pump_until(stop, &role, cluster, admin)
}

fn write_timer(producer: &CommandProducer) -> anyhow::Result<()> {
    producer.send(TIMER, &codec::encode_timer(clock::now())?)?;
    Ok(producer.serve(REPORT)?)
}
