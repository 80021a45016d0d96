//! What a pump reports: transactions, restores and partitions, under the names that its machine states.
//!
//! It never counts what was aborted: the same records come again.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::log::Committed;
use crate::telemetry::{Counter, Gauge, Histogram, PumpMetrics, took};

/// The handles of a pump's metrics.
pub(super) struct PumpMeters(Option<Handles>);

struct Handles {
    transactions: [Counter; 3],
    commit_seconds: Histogram,
    transaction_records: Histogram,
    restore_seconds: Histogram,
    restored_records: Counter,
    restoring: Gauge,
    partitions: Gauge,
    /// What this pump owned when it last said so: the gauge is the sum over all pumps of the process.
    owned: Cell<usize>,
}

impl Handles {
    fn new(metrics: &PumpMetrics) -> Self {
        let transactions =
            ["committed", "aborted", "in_doubt"].map(|outcome| metrics.transactions.counter(&[outcome]));
        Self {
            transactions,
            commit_seconds: metrics.commit_seconds.histogram(&[]),
            transaction_records: metrics.transaction_records.histogram(&[]),
            restore_seconds: metrics.restore_seconds.histogram(&[]),
            restored_records: metrics.restored_records.counter(&[]),
            restoring: metrics.restoring.gauge(&[]),
            partitions: metrics.partitions.gauge(&[]),
            owned: Cell::default(),
        }
    }
}

impl PumpMeters {
    pub(super) fn new(metrics: Option<&PumpMetrics>) -> Self {
        Self(metrics.map(Handles::new))
    }

    /// A transaction of so many records was committed.
    pub(super) fn committed(&self, records: u64) {
        let Some(handles) = &self.0 else { return };
        handles.transactions[0].increment(1);
        handles.transaction_records.record(records as f64);
    }

    /// A transaction was aborted.
    pub(super) fn aborted(&self) {
        if let Some(handles) = &self.0 {
            handles.transactions[1].increment(1);
        }
    }

    /// The outcome of a commit was unknown, and the committed offsets have decided it so.
    pub(super) fn in_doubt(&self, found: &BTreeSet<Committed>) {
        tracing::warn!(?found, "a commit that was in doubt is resolved by the committed offsets");
        if let Some(handles) = &self.0 {
            handles.transactions[2].increment(1);
        }
    }

    /// A commit was answered.
    pub(super) fn commit_took(&self, time: Duration) {
        if let Some(handles) = &self.0 {
            handles.commit_seconds.record(took(time));
        }
    }

    /// Partitions were taken; so many are owned now.
    pub(super) fn taken(&self, assigned: &[i32], owned: usize) {
        tracing::info!(?assigned, "partitions taken");
        self.owned(owned);
    }

    /// Partitions were given back; so many are owned now.
    pub(super) fn given_back(&self, gone: &[i32], owned: usize) {
        tracing::info!(?gone, "partitions given back");
        self.owned(owned);
    }

    fn owned(&self, owned: usize) {
        if let Some(handles) = &self.0 {
            handles.partitions.increment(owned as f64 - handles.owned.replace(owned) as f64);
        }
    }

    /// A restore begins.
    pub(super) fn restoring(&self) -> Restoring {
        let handles = self.0.as_ref();
        let gauge = handles.map(|handles| handles.restoring.clone());
        if let Some(gauge) = &gauge {
            gauge.increment(1.0);
        }
        Restoring { begun: Instant::now(), gauge }
    }

    /// A partition was restored from so many records.
    pub(super) fn restored(&self, time: Duration, records: usize) {
        if let Some(handles) = &self.0 {
            handles.restore_seconds.record(took(time));
            handles.restored_records.increment(records as u64);
        }
    }
}

/// A restore that is under way.
pub(super) struct Restoring {
    begun: Instant,
    gauge: Option<Gauge>,
}

impl Restoring {
    /// How long it has taken.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}

impl Drop for Restoring {
    fn drop(&mut self) {
        if let Some(gauge) = &self.gauge {
            gauge.decrement(1.0);
        }
    }
}
