//! When a transaction ends: at once when there is nothing more to read, by size and by time under load.
//!
//! It never looks into a record, and the output of a machine never depends on where it cuts.

use std::time::{Duration, Instant};

/// The clock is asked one time in so many: each record that comes asks, whether or not it counts.
const A_FEW: usize = 16;

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
/// assert!(!batch.is_full(|| now));
/// assert!(batch.is_full(|| now + Duration::from_secs(1)), "by time");
/// batch.add();
/// assert!(batch.is_full(|| now), "by records");
/// ```
#[derive(Debug)]
pub struct Batch {
    limits: BatchLimits,
    records: usize,
    /// How often it was asked whether it is full.
    asked: usize,
    started: Instant,
}

impl Batch {
    /// A batch that begins now.
    #[must_use]
    pub fn new(limits: BatchLimits, now: Instant) -> Self {
        Self { limits, records: 0, asked: 0, started: now }
    }

    /// Counts a record.
    pub fn add(&mut self) {
        self.records += 1;
    }

    /// Records that were counted.
    #[must_use]
    pub fn records(&self) -> usize {
        self.records
    }

    /// Whether it must end. The clock is asked each of the first times, and then one time in a few.
    #[must_use]
    pub fn is_full(&mut self, now: impl FnOnce() -> Instant) -> bool {
        self.asked += 1;
        let is_late = || now().duration_since(self.started) >= self.limits.interval;
        self.records >= self.limits.records
            || ((self.asked < A_FEW || self.asked.is_multiple_of(A_FEW)) && is_late())
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
        assert!(!batch.is_full(|| start) && batch.is_full(|| start + limits.interval));
        batch.add();
        assert!(batch.is_full(|| start));
    }

    #[test]
    fn one_time_in_sixteen_the_clock_is_asked_whether_or_not_records_count() {
        let start = Instant::now();
        let limits = BatchLimits { records: 100, interval: Duration::from_millis(10) };
        let mut batch = Batch::new(limits, start);
        let late: Vec<_> = (1..=100).filter(|_| batch.is_full(|| start + limits.interval)).collect();
        assert_eq!(late, (1..=16).chain([32, 48, 64, 80, 96]).collect::<Vec<_>>());
    }
}
