//! The metrics that the pump of every machine reports, under names of the machine's role.
//!
//! It never makes up a name: [`super::list`] has them.

use super::metric::Metric;

/// The metrics of a pump, from the list.
#[derive(Debug, Clone, Copy)]
pub struct PumpMetrics {
    /// Transactions by `outcome`: committed, aborted, `in_doubt`.
    pub transactions: Metric,
    /// From the end of the last record to the answer on the commit.
    pub commit_seconds: Metric,
    /// Records of one committed transaction.
    pub transaction_records: Metric,
    /// How long a restore took.
    pub restore_seconds: Metric,
    /// Records of the changelog that partitions were restored from.
    pub restored_records: Metric,
    /// Partitions being restored now.
    pub restoring: Metric,
    /// Partitions that this instance owns.
    pub partitions: Metric,
}

impl PumpMetrics {
    /// Begins to report: before anything has happened, counters are 0.
    pub fn begin(&self) {
        for outcome in ["committed", "aborted", "in_doubt"] {
            drop(self.transactions.counter(&[outcome]));
        }
        drop(self.restored_records.counter(&[]));
        for metric in [self.commit_seconds, self.transaction_records, self.restore_seconds] {
            drop(metric.histogram(&[]));
        }
        for metric in [self.restoring, self.partitions] {
            drop(metric.gauge(&[]));
        }
    }
}
