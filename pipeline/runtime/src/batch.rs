//! When a transaction ends: at once when there is nothing more to read, by size and by time under load. One whose records only tell the
//! time waits for others for a moment.
//!
//! It never looks into a record, and the output of a machine never depends on where it cuts.

use std::time::{Duration, Instant};

/// The clock is asked one time in so many: each record that comes asks, whether or not it counts.
const A_FEW: usize = 16;

/// The longest that a transaction waits for others because nobody waits for it.
const QUIET: Duration = Duration::from_millis(100);

/// The largest transaction.
#[derive(Debug, Clone, Copy)]
pub struct BatchLimits {
    /// Records that are read.
    pub records: usize,
    /// Time since the first of them.
    pub interval: Duration,
}

/// Whether anybody waits for what follows from a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// Its transaction ends when there is nothing more to read.
    Yes,
    /// It tells how late it is, and what follows from that may come a little later.
    No,
}

/// A transaction's growth.
///
/// ```
/// use arb_runtime::batch::{Awaited, Batch, BatchLimits};
/// use std::time::{Duration, Instant};
///
/// let now = Instant::now();
/// let mut batch = Batch::new(BatchLimits { records: 2, interval: Duration::from_secs(1) }, now);
/// batch.add(Awaited::No);
/// assert!(!batch.is_full(|| now));
/// assert!(batch.is_full(|| now + Duration::from_secs(1)), "by time");
/// assert_eq!(batch.wait(|| now), Duration::from_millis(100), "another one may come");
/// batch.add(Awaited::Yes);
/// assert!(batch.is_full(|| now), "by records");
/// assert_eq!(batch.wait(|| now), Duration::ZERO);
/// ```
#[derive(Debug)]
pub struct Batch {
    limits: BatchLimits,
    records: usize,
    /// Of all of them.
    awaited: Awaited,
    /// How often it was asked whether it is full.
    asked: usize,
    started: Instant,
}

impl Batch {
    /// A batch that begins now.
    #[must_use]
    pub fn new(limits: BatchLimits, now: Instant) -> Self {
        Self { limits, records: 0, awaited: Awaited::No, asked: 0, started: now }
    }

    /// Counts a record.
    pub fn add(&mut self, awaited: Awaited) {
        self.records += 1;
        if awaited == Awaited::Yes {
            self.awaited = Awaited::Yes;
        }
    }

    /// How long it may wait for another record.
    #[must_use]
    pub fn wait(&self, now: impl FnOnce() -> Instant) -> Duration {
        if self.records == 0 || self.awaited == Awaited::Yes {
            return Duration::ZERO;
        }
        self.limits.interval.min(QUIET).saturating_sub(now().duration_since(self.started))
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
        batch.add(Awaited::Yes);
        assert!(!batch.is_full(|| start) && batch.is_full(|| start + limits.interval));
        batch.add(Awaited::Yes);
        assert!(batch.is_full(|| start));
    }

    #[test]
    fn it_waits_for_others_while_nobody_waits_for_it() {
        let start = Instant::now();
        let limits = BatchLimits { records: 100, interval: Duration::from_millis(10) };
        let mut batch = Batch::new(limits, start);
        let wait = |batch: &Batch, millis| batch.wait(|| start + Duration::from_millis(millis)).as_millis();
        assert_eq!(wait(&batch, 0), 0, "it is empty");
        batch.add(Awaited::No);
        assert_eq!([0, 4, 10, 11].map(|at| wait(&batch, at)), [10, 6, 0, 0]);
        batch.add(Awaited::Yes);
        batch.add(Awaited::No);
        assert_eq!(wait(&batch, 0), 0);
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
