//! When a transaction ends: at once when there is nothing more to read, by size and by time under load.
//!
//! It never looks into a record, and the output of a machine never depends on where it cuts.

use std::time::{Duration, Instant};

/// The largest transaction.
#[derive(Debug, Clone, Copy)]
pub struct BatchLimits {
    /// Records that are read.
    pub records: usize,
    /// Time since the first of them.
    pub interval: Duration,
}

/// A transaction's growth.
///
/// ```
/// use arb_runtime::batch::{Batch, BatchLimits};
/// use std::time::{Duration, Instant};
///
/// let now = Instant::now();
/// let mut batch = Batch::new(BatchLimits { records: 2, interval: Duration::from_secs(1) }, now);
/// batch.add();
/// assert!(!batch.is_full(now));
/// assert!(batch.is_full(now + Duration::from_secs(1)), "by time");
/// batch.add();
/// assert!(batch.is_full(now), "by records");
/// ```
#[derive(Debug)]
pub struct Batch {
    limits: BatchLimits,
    records: usize,
    started: Instant,
}

impl Batch {
    /// A batch that begins now.
    #[must_use]
    pub fn new(limits: BatchLimits, now: Instant) -> Self {
        Self { limits, records: 0, started: now }
    }

    /// Counts a record.
    pub fn add(&mut self) {
        self.records += 1;
    }

    /// Whether it must end.
    #[must_use]
    pub fn is_full(&self, now: Instant) -> bool {
        self.records >= self.limits.records || now.duration_since(self.started) >= self.limits.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_by_size_or_by_time() {
        let start = Instant::now();
        let limits = BatchLimits { records: 2, interval: Duration::from_millis(10) };
        let mut batch = Batch::new(limits, start);
        batch.add();
        assert!(!batch.is_full(start) && batch.is_full(start + limits.interval));
        batch.add();
        assert!(batch.is_full(start));
    }
}
