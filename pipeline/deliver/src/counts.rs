//! What the delivery machine counts, and how much it holds.

use std::fmt;

use arb_runtime::machine::Tally;
use arb_schemas::time::Micros;

use crate::delivery::AttemptOutcome;

/// How much a partition holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pending {
    /// Pending deliveries.
    pub pending: usize,
    /// Deliveries that failed and can be delivered again.
    pub failed: usize,
    /// For how long the oldest has been pending, by the last timer.
    pub age: Micros,
}

/// Counts of committed transactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliverCounts {
    /// Events that were taken in.
    pub events: u64,
    /// Deliveries that became pending.
    pub deliveries: u64,
    /// Events and attempts that were taken in before.
    pub doubles: u64,
    /// Attempts by outcome, in the order of [`AttemptOutcome::ALL`].
    pub attempts: [u64; AttemptOutcome::ALL.len()],
    /// Deliveries that ended without success.
    pub ended: u64,
    /// Deliveries that began again on request.
    pub redelivered: u64,
}

impl DeliverCounts {
    /// An attempt had an outcome.
    pub(crate) fn attempt(&mut self, outcome: AttemptOutcome) {
        if let Some(count) = self.attempts.get_mut(outcome as usize) {
            *count += 1;
        }
    }
}

impl Tally for DeliverCounts {
    fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.deliveries += other.deliveries;
        self.doubles += other.doubles;
        self.attempts.iter_mut().zip(other.attempts).for_each(|(sum, one)| *sum += one);
        self.ended += other.ended;
        self.redelivered += other.redelivered;
    }
}

impl fmt::Display for DeliverCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { events, deliveries, doubles, attempts: [delivered, failed, gone, dropped], .. } = self;
        write!(f, "events={events} deliveries={deliveries} doubles={doubles} delivered={delivered} ")?;
        write!(f, "failed={failed} gone={gone} dropped={dropped} ")?;
        write!(f, "ended={} redelivered={}", self.ended, self.redelivered)
    }
}
