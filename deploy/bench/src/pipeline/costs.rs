//! What a run costs: wall time, this process's CPU time, and the broker's.
//!
//! It looks at clocks only at the ends of a run, never during it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::broker::{Broker, ThreadTimes};
use crate::meter::Watch;

/// What has passed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunCost {
    pub(super) wall: Duration,
    /// User and system, all threads of this process.
    pub(super) cpu: Duration,
    /// The same of the broker, where it runs on this machine.
    pub(super) broker: Option<Duration>,
}

/// All three, from a moment on.
#[derive(Debug, Clone)]
pub(super) struct CostWatch {
    broker: Broker,
    before: ThreadTimes,
    watch: Watch,
}

impl CostWatch {
    pub(super) fn start(broker: Broker) -> Self {
        Self { broker, before: broker.spent(), watch: Watch::start() }
    }

    /// What has passed since then.
    pub(super) fn elapsed(&self) -> RunCost {
        let (wall, cpu) = self.watch.elapsed();
        RunCost { wall, cpu, broker: self.broker.spent().since(&self.before) }
    }
}

/// The same of a run of several threads, from the first that begins to the one that ends it.
pub(super) struct RunWatch {
    broker: Broker,
    times: Mutex<RunTimes>,
}

#[derive(Default)]
struct RunTimes {
    begun: Option<CostWatch>,
    ended: Option<RunCost>,
}

impl RunWatch {
    pub(super) fn new(broker: Broker) -> Self {
        Self { broker, times: Mutex::default() }
    }

    /// Begins, if nothing has begun.
    pub(super) fn begin(&self) {
        self.times().begun.get_or_insert_with(|| CostWatch::start(self.broker));
    }

    /// Begins anew: what was before does not count.
    pub(super) fn restart(&self) {
        self.times().begun = Some(CostWatch::start(self.broker));
    }

    /// Ends: what follows does not count.
    pub(super) fn end(&self) {
        let mut times = self.times();
        times.ended = times.begun.as_ref().map(CostWatch::elapsed);
    }

    /// What has passed from its begin to its end.
    pub(super) fn cost(&self) -> RunCost {
        self.times().ended.unwrap_or_default()
    }

    fn times(&self) -> MutexGuard<'_, RunTimes> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
