//! What a run costs: wall time, this process's CPU time, and the broker's.
//!
//! It looks at clocks only at the ends of a run, never during it.

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
