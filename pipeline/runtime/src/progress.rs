//! The progress of a loop, the pump's or the sink's in a topic, for observers: the position and the time of
//! each partition that it owns.
//!
//! Written once for each transaction or batch. It is never read by its writer: decisions come from the loop's
//! state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arb_schemas::time::Micros;

/// How far a partition is, as of its last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionProgress {
    /// Offset of the next record; `None` before the first.
    pub next: Option<i64>,
    /// The event time up to which all output is published; `None` before any time is known.
    pub watermark: Option<Micros>,
}

/// The offsets of a partition's first record and of the next one to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Of the first that is still there.
    pub first: i64,
    /// Of the one after the last.
    pub next: i64,
}

impl Span {
    /// Records between a place and the end; the end may be older than the place.
    #[must_use]
    pub fn lag(self, next: Option<i64>) -> i64 {
        (self.next - next.unwrap_or(self.first).max(self.first)).max(0)
    }
}

/// The progress of all partitions that the workers of a process own, shared by all clones.
#[derive(Debug, Clone, Default)]
pub struct ProgressMap {
    known: Arc<Mutex<Known>>,
    /// Whose partitions this clone reports.
    worker: usize,
}

/// By partition, each with its worker.
#[derive(Debug, Default)]
struct Known {
    owned: BTreeMap<i32, (usize, PartitionProgress)>,
    /// Assigned, and not taken over yet.
    assigned: BTreeMap<i32, usize>,
}

impl ProgressMap {
    /// The same map, for what another worker reports.
    #[must_use]
    pub fn of(&self, worker: usize) -> Self {
        Self { known: Arc::clone(&self.known), worker }
    }

    /// Partitions are assigned, and will be taken over.
    pub fn assign(&self, partitions: impl IntoIterator<Item = i32>) {
        self.lock().assigned.extend(partitions.into_iter().map(|partition| (partition, self.worker)));
    }

    /// A partition is owned and has come so far.
    pub fn put(&self, partition: i32, progress: PartitionProgress) {
        let mut known = self.lock();
        known.assigned.remove(&partition);
        known.owned.insert(partition, (self.worker, progress));
    }

    /// Partitions are owned no longer, unless they are another worker's by now.
    pub fn remove(&self, partitions: &[i32]) {
        let is_gone =
            |partition: &i32, worker: &usize| *worker == self.worker && partitions.contains(partition);
        let mut known = self.lock();
        known.owned.retain(|partition, (worker, _)| !is_gone(partition, worker));
        known.assigned.retain(|partition, worker| !is_gone(partition, worker));
    }

    /// Where each is that is owned.
    #[must_use]
    pub fn get(&self) -> BTreeMap<i32, PartitionProgress> {
        self.lock().owned.iter().map(|(partition, (_, progress))| (*partition, *progress)).collect()
    }

    /// Those that are being taken over.
    #[must_use]
    pub fn assigned(&self) -> BTreeSet<i32> {
        self.lock().assigned.keys().copied().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_assigned_until_it_is_owned_or_gone() {
        let (map, progress) = (ProgressMap::default(), PartitionProgress { next: None, watermark: None });
        map.assign([1, 2, 3]);
        map.put(1, progress);
        map.remove(&[2]);
        assert_eq!((map.get(), map.assigned()), (BTreeMap::from([(1, progress)]), BTreeSet::from([3])));
        map.remove(&[1, 3]);
        assert!(map.get().is_empty() && map.assigned().is_empty());
    }

    #[test]
    fn a_partition_that_another_worker_has_taken_over_stays() {
        let (map, progress) = (ProgressMap::default(), PartitionProgress { next: None, watermark: None });
        let other = map.of(1);
        map.put(1, progress);
        map.assign([2]);
        other.put(1, progress);
        other.assign([2]);
        map.remove(&[1, 2]);
        assert_eq!((map.get(), map.assigned()), (BTreeMap::from([(1, progress)]), BTreeSet::from([2])));
        other.remove(&[1, 2]);
        assert!(map.get().is_empty() && map.assigned().is_empty());
    }

    #[test]
    fn the_lag_is_what_is_there_and_not_read() {
        let end = Span { first: 5, next: 9 };
        assert_eq!(end.lag(Some(7)), 2);
        assert_eq!(end.lag(None), 4, "nothing has been read");
        assert_eq!(end.lag(Some(2)), 4, "what is gone cannot be read");
        assert_eq!(end.lag(Some(12)), 0, "the end was asked for before that was read");
    }
}
