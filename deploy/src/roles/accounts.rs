//! `arb accounts`: the pump of the accounts machine on a thread of its own, its timers, and the watchdog.
//!
//! One instance owns the one partition; every other one stands by in the same consumer group and takes over. The owner writes a timer
//! a second: several that do at a time do no harm, because the machine takes the latest.

use std::time::Duration;

use arb_accounts::codec;
use arb_accounts::counts::AccountCounts;
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_kafka::{
    self as kafka, Cluster, CommandProducer, Ends, InputConsumer, Surroundings, TransactionalProducer,
};
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::{Counts, Machine};
use arb_runtime::progress::ProgressMap;
use arb_runtime::pump::{Config, Pump, SLICE};
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::{ACCOUNT_COMMANDS, ACCOUNTS};

use super::guarded::{self, LoopLiveness};
use super::readiness::{Readiness, Topic};
use crate::cli::Accounts;
use crate::roles::admin::{Admin, Vitals};
use crate::roles::cluster;
use crate::system::{clock, signals};

/// Between a transaction that was aborted and the next.
const PAUSE: Duration = Duration::from_millis(20);
/// Records of one transaction at most.
const RECORDS: usize = 1_000;
/// Between two timers.
const TICK: Duration = Duration::from_secs(1);
/// How long a report of the broker on a timer is waited for.
const REPORT: Duration = Duration::from_millis(100);
/// The key of timers.
const TIMER: &str = "timer";

pub(crate) fn run(config: Accounts) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let admin = Admin::start(config.admin, Role::Accounts)?;
    let (pulse, limit) = (Pulse::default(), config.guard.watchdog);
    let counts =
        guarded::run("accounts", pulse.clone(), limit, move || pump_until(&stop, &config, &admin, pulse))?;
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
    let ends = Ends::watch(cluster, &ACCOUNT_COMMANDS, partitions, stop)?;
    let outputs = Ends::watch(cluster, &ACCOUNTS, partitions, stop)?;
    let life = LoopLiveness::new(&pulse, config.guard.watchdog);
    admin.show(AccountsVitals { life, places: places.clone(), ends, outputs, readiness: Readiness::new() });
    let fail_points = guarded::fail_points(&config.guard);
    let surroundings =
        Surroundings { fail_points: fail_points.clone(), pulse: pulse.clone(), stop: stop.clone() };
    let topics = &AccountsMachine::TOPICS;
    let mut producer = TransactionalProducer::new(cluster, &config.group, topics, partitions, surroundings)?;
    let mut consumer = InputConsumer::join(cluster, &config.group, topics)?;
    write_timers(cluster, &places, stop)?;
    let mut pump = Pump::<AccountsMachine>::new(Config {
        machine: AccountsConfig { max_accounts: config.most },
        epoch: clock::epoch,
        limits: BatchLimits { records: RECORDS, interval: config.commit_interval },
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

/// Writes a timer a second while a partition is owned, until the shutdown signal. A timer that is not delivered is followed by
/// the next one.
fn write_timers(cluster: &Cluster, places: &ProgressMap, stop: &Stop) -> anyhow::Result<()> {
    let producer = CommandProducer::new(cluster, &ACCOUNT_COMMANDS)?;
    let (places, stop) = (places.clone(), stop.clone());
    std::thread::Builder::new().name("timers".to_owned()).spawn(move || {
        while !stop.wait(TICK) {
            if !places.get().is_empty()
                && let Err(error) = write_timer(&producer)
            {
                tracing::warn!(%error, "a timer was not written");
            }
        }
    })?;
    Ok(())
}

fn write_timer(producer: &CommandProducer) -> anyhow::Result<()> {
    producer.send(TIMER, &codec::encode_timer(clock::now())?)?;
    Ok(producer.serve(REPORT)?)
}

/// The pump, seen from outside.
struct AccountsVitals {
    life: LoopLiveness,
    places: ProgressMap,
    ends: Ends,
    /// Of the compacted topic: what it writes there is held back by transactions that others leave open.
    outputs: Ends,
    readiness: Readiness,
}

impl Vitals for AccountsVitals {
    fn is_alive(&self) -> bool {
        self.life.is_alive()
    }

    /// What it owns moves; a standby owns nothing, and is ready.
    fn is_ready(&self) -> bool {
        self.life.is_moving() && self.readiness.is_ready()
    }

    fn inspect(&self) {
        let input = Topic { name: ACCOUNT_COMMANDS.name, places: Some(&self.places), ends: &self.ends };
        self.readiness.inspect(&[input, Topic { name: ACCOUNTS.name, places: None, ends: &self.outputs }]);
        arb_accounts::telemetry::inspect(&self.places.get(), &self.ends.get(), self.life.silence());
    }
}
