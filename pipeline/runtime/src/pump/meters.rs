//! What a pump reports of its transactions, restores and partitions, as metrics and as lines of the log.
//!
//! A pump whose machine is of no role reports no metrics.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::log::Committed;
use crate::machine::Counts;
use crate::telemetry::pump::PumpMeters;
use crate::telemetry::{Gauge, Role, took};

/// What a pump reports to.
pub(super) struct Meters {
    to: Option<PumpMeters>,
    /// What this pump owned when it last said so: the gauge is the sum over all pumps of the process.
    owned: Cell<usize>,
}

impl Meters {
    pub(super) fn new(role: Option<Role>) -> Self {
        Self { to: role.map(PumpMeters::of), owned: Cell::default() }
    }

    fn report(&self, report: impl FnOnce(&PumpMeters)) {
        if let Some(to) = &self.to {
            report(to);
        }
    }

    /// A transaction was committed.
    pub(super) fn committed<T>(&self, counts: &Counts<T>) {
        self.report(|to| to.committed(counts.records, counts.letters, counts.doubted));
    }

    /// A transaction was aborted.
    pub(super) fn aborted(&self) {
        self.report(|to| to.transactions[1].increment(1));
    }

    /// The outcome of a commit was unknown, and the committed offsets have decided it so.
    pub(super) fn in_doubt(&self, found: &BTreeSet<Committed>) {
        tracing::warn!(?found, "a commit that was in doubt is resolved by the committed offsets");
        self.report(|to| to.transactions[2].increment(1));
    }

    /// A commit was answered.
    pub(super) fn commit_took(&self, time: Duration) {
        self.report(|to| to.commit_seconds.record(took(time)));
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
        let before = self.owned.replace(owned);
        self.report(|to| to.partitions.increment(owned as f64 - before as f64));
    }

    /// A restore begins.
    pub(super) fn restoring(&self) -> Restoring {
        let gauge = self.to.as_ref().map(|to| to.restoring.clone());
        if let Some(gauge) = &gauge {
            gauge.increment(1.0);
        }
        Restoring { begun: Instant::now(), gauge }
    }

    /// A partition was restored from so many records.
    pub(super) fn restored(&self, time: Duration, records: usize) {
        self.report(|to| {
            to.restore_seconds.record(took(time));
            to.restored_records.increment(records as u64);
        });
    }

    /// A record of the input was processed again.
    pub(super) fn replayed(&self) {
        self.report(|to| to.replayed_records.increment(1));
    }

    /// All that was open of a partition was closed.
    pub(super) fn superseded(&self, partition: i32, epoch: i64, open: usize) {
        tracing::warn!(partition, epoch, open, "all that was open is closed: another epoch begins");
        self.report(|to| to.superseded.increment(1));
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
