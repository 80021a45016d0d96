//! `arb accounts`: the pump of the accounts machine on a thread of its own, its timers, and the watchdog.
//!
//! One instance owns the one partition and writes its timers; every other one stands by in the same consumer group and takes over.

use std::time::Duration;

use arb_accounts::codec;
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_kafka::{self as kafka, CommandProducer};
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::Machine;
use arb_runtime::pump::CutLimits;
use arb_runtime::telemetry::Role;
use arb_schemas::topics::{ACCOUNT_COMMANDS, ACCOUNTS};

use super::guarded;
use super::machine::{Begun, MachineRole, Surroundings, run_machine, write_timers};
use crate::cli::Accounts;
use crate::system::clock;

/// Records of one transaction at most.
const RECORDS: usize = 1_000;
/// How long a report of the broker on a timer is waited for.
const REPORT: Duration = Duration::from_millis(100);
/// Between two timers.
const TICK: Duration = Duration::from_secs(1);
/// The key of timers.
const TIMER: &str = "timer";

pub(crate) fn run(config: Accounts) -> anyhow::Result<()> {
    let machine = AccountsConfig { max_accounts: config.most };
    let role = MachineRole {
        role: Role::Accounts,
        name: "accounts",
        fail_points: guarded::fail_points(&config.options.guard),
        options: config.options,
        group: config.group,
        limits: BatchLimits { records: RECORDS, interval: config.commit_interval },
        cuts: CutLimits::EACH,
        workers: 1,
        output: &ACCOUNTS,
    };
    run_machine::<AccountsMachine, _>(role, move |Surroundings { cluster, places, stop }| {
        let partitions = kafka::machine_partitions(cluster, &AccountsMachine::TOPICS)?;
        let timers = CommandProducer::new(cluster, &ACCOUNT_COMMANDS)?;
        write_timers(places, TICK, stop, move |_| write_timer(&timers))?;
        Ok(Begun { machine, partitions, beside: () })
    })
}

fn write_timer(producer: &CommandProducer) -> anyhow::Result<()> {
    producer.send(TIMER, &codec::encode_timer(clock::now())?)?;
    Ok(producer.serve(REPORT)?)
}
