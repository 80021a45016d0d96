//! How far the topics have come: the last whole poll of each source that every partition contains.
//!
//! The processor says so on the board's topic, in the transaction that contains the poll. It never goes by the time at
//! which a record was read.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arb_schemas::records::BoardProgress;
use arb_schemas::time::Micros;

/// Polls by source, shared by all that is listed.
#[derive(Debug)]
pub(crate) struct Polls {
    partitions: usize,
    /// By source, then partition: the last whole poll that the partition contains.
    progress: Mutex<BTreeMap<String, BTreeMap<i32, Micros>>>,
    /// Grows with every change, after it.
    version: AtomicU64,
}

impl Polls {
    /// None yet, of a topic with so many partitions.
    pub(crate) fn new(partitions: i32) -> Self {
        let partitions = usize::try_from(partitions).unwrap_or(0);
        Self { partitions, progress: Mutex::default(), version: AtomicU64::new(0) }
    }

    /// Notes how far a partition has come.
    pub(crate) fn note(&self, partition: i32, progress: BoardProgress) {
        self.lock().entry(progress.source).or_default().insert(partition, progress.received_at);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Which state of them this is, or an older one.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The last poll of each source that every partition contains.
    pub(crate) fn whole(&self) -> BTreeMap<String, Micros> {
        let progress = self.lock();
        let whole = progress.iter().filter(|(_, partitions)| partitions.len() == self.partitions);
        whole.filter_map(|(source, at)| Some((source.clone(), *at.values().min()?))).collect()
    }

    /// The time of the newest of them.
    pub(crate) fn as_of(&self) -> Option<Micros> {
        self.whole().into_values().max()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, BTreeMap<i32, Micros>>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
