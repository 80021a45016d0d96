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

/// The same of a run of several threads, from the first that begins.
pub(super) struct RunWatch {
    broker: Broker,
    begun: Mutex<Option<CostWatch>>,
}

impl RunWatch {
    pub(super) fn new(broker: Broker) -> Self {
        Self { broker, begun: Mutex::default() }
    }

    /// Begins, if nothing has begun.
    pub(super) fn begin(&self) {
        self.begun().get_or_insert_with(|| CostWatch::start(self.broker));
    }

    /// Begins anew: what was before does not count.
    pub(super) fn restart(&self) {
        *self.begun() = Some(CostWatch::start(self.broker));
    }

    /// What has passed since it began.
    pub(super) fn elapsed(&self) -> RunCost {
        self.begun().as_ref().map(CostWatch::elapsed).unwrap_or_default()
    }

    fn begun(&self) -> MutexGuard<'_, Option<CostWatch>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
