//! `arb bots`: the bots over the current prices, on a thread of their own, and the watchdog.
//!
//! It belongs to no consumer group: each instance reads all of its topics, and what two of them ask for is published once.

use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arb_bots::follow::{self, Inputs};
use arb_bots::watcher::{Settings, Watcher};
use arb_kafka::{self as kafka, Table, TaskProducer};
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::{PICK_TASKS, PICKS, PROCESS_STATE, SIGNALS};

use super::guarded::{self, LoopLiveness};
use crate::cli::Bots;
use crate::roles::admin::{Admin, Vitals};
use crate::roles::{books, cluster};
use crate::system::signals;

pub(crate) fn run(config: Bots) -> anyhow::Result<()> {
    let stop = signals::stop(config.options.child)?;
    let admin = Admin::start((config.options.admin, config.options.child), Role::Bots)?;
    let (pulse, limit) = (Pulse::default(), config.options.guard.watchdog);
    guarded::run("bots", vec![pulse.clone()], limit, move || follow_until(&stop, &config, &admin, &pulse))
}

fn follow_until(stop: &Stop, config: &Bots, admin: &Admin, pulse: &Pulse) -> anyhow::Result<()> {
    let cluster = &cluster::open(&config.options.brokers)?;
    let partitions = kafka::partitions(cluster)?;
    let is_ready = Arc::new(AtomicBool::new(false));
    let liveness = LoopLiveness::new(from_ref(pulse), config.options.guard.watchdog);
    admin.show(BotsVitals { liveness, is_ready: Arc::clone(&is_ready) });
    let read = |topic| Table::open(cluster, topic, partitions);
    let inputs = Inputs { state: read(&PROCESS_STATE)?, signals: read(&SIGNALS)?, picks: read(&PICKS)? };
    let producer = TaskProducer::new(cluster, &PICK_TASKS)?;
    let settings = Settings { feed: config.feed, sharp_books: config.sharp_books.clone() };
    let mut watcher = Watcher::new(settings, partitions, &books::read(config.books_file.as_deref())?);
    Ok(follow::follow(inputs, &producer, &mut watcher, (stop, pulse), &is_ready)?)
}

/// The loop, seen from outside.
struct BotsVitals {
    liveness: LoopLiveness,
    is_ready: Arc<AtomicBool>,
}

impl Vitals for BotsVitals {
    fn is_alive(&self) -> bool {
        self.liveness.is_alive()
    }

    fn problem(&self) -> Option<String> {
        let is_read = self.is_ready.load(Ordering::Acquire);
        let unread =
            || "the processor's state, the signals or the picks have not been read to their ends".to_owned();
        self.liveness.problem().or_else(|| (!is_read).then(unread))
    }

    fn inspect(&self) {}
}
