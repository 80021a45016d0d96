//! Where a loop is, the pump or the sink in a topic, for whoever looks from outside: the position and the time of each
//! partition that it owns.
//!
//! Written once a transaction or a batch. It is never read by who writes it: what is decided comes from its own state.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arb_schemas::time::Micros;

/// Where a partition is, as of its last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Offset of the next record; `None` before the first.
    pub next: Option<i64>,
    /// Up to when everything has been said; `None` before any time is known.
    pub watermark: Option<Micros>,
}

/// The places of all partitions that a loop owns, shared by all clones.
#[derive(Debug, Clone, Default)]
pub struct Places(Arc<Mutex<BTreeMap<i32, Place>>>);

impl Places {
    /// A partition has come to a place.
    pub(crate) fn put(&self, partition: i32, place: Place) {
        self.lock().insert(partition, place);
    }

    /// Partitions are owned no longer.
    pub(crate) fn remove(&self, partitions: &[i32]) {
        self.lock().retain(|partition, _| !partitions.contains(partition));
    }

    /// Where each is.
    #[must_use]
    pub fn get(&self) -> BTreeMap<i32, Place> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i32, Place>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
