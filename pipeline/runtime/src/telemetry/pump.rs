//! What the pumps of a role report: transactions, restores, partitions, dead letters, timers and lag.
//!
//! It never counts what was aborted: the same records come again.

use std::collections::BTreeMap;
use std::time::Duration;

use arb_schemas::time::Micros;

use super::metric::Role;
use super::{Counter, Gauge, Histogram, lag, list, took};
use crate::dead_letters::Reason;
use crate::progress::{PartitionProgress, Span};

/// The handles of what a pump reports about transactions and restores.
#[derive(Debug)]
pub(crate) struct PumpMeters {
    /// Committed, aborted, in doubt.
    pub(crate) transactions: [Counter; 3],
    pub(crate) commit_seconds: Histogram,
    transaction_records: Histogram,
    letters: [Counter; Reason::ALL.len()],
    /// Far apart, a step.
    doubted: [Counter; 2],
    pub(crate) restore_seconds: Histogram,
    pub(crate) restored_records: Counter,
    pub(crate) replayed_records: Counter,
    pub(crate) superseded: Counter,
    pub(crate) restoring: Gauge,
    pub(crate) partitions: Gauge,
}

impl PumpMeters {
    /// Those of a role. Before anything has happened, counters are 0.
    pub(crate) fn of(role: Role) -> Self {
        let role = role.key();
        let meters = Self {
            transactions: ["committed", "aborted", "in_doubt"]
                .map(|outcome| list::TRANSACTIONS.counter(&[role, outcome])),
            commit_seconds: list::COMMIT_SECONDS.histogram(&[role]),
            transaction_records: list::TRANSACTION_RECORDS.histogram(&[role]),
            letters: Reason::ALL.map(|reason| list::DEAD_LETTERS.counter(&[role, reason.key()])),
            doubted: ["apart", "step"].map(|reason| list::TIMERS_DOUBTED.counter(&[role, reason])),
            restore_seconds: list::RESTORE_SECONDS.histogram(&[role]),
            restored_records: list::RESTORED_RECORDS.counter(&[role]),
            replayed_records: list::REPLAYED_RECORDS.counter(&[role]),
            superseded: list::SUPERSEDED.counter(&[role]),
            restoring: list::RESTORING.gauge(&[role]),
            partitions: list::PARTITIONS.gauge(&[role]),
        };
        drop(list::PUMP_AGE.gauge(&[role]));
        meters
    }

    /// A transaction of so many records was committed, with so many dead letters by reason and so many timers that were doubted.
    pub(crate) fn committed(&self, records: u64, letters: [u64; Reason::ALL.len()], doubted: [u64; 2]) {
        let [committed, ..] = &self.transactions;
        committed.increment(1);
        self.transaction_records.record(records as f64);
        let letters = self.letters.iter().zip(letters);
        let doubted = self.doubted.iter().zip(doubted);
        letters.chain(doubted).for_each(|(counter, count)| counter.increment(count));
    }
}

/// Reports how far behind the owned partitions are at a moment of UTC, and for how long no pump has moved. `ends` are the end offsets of
/// the input's partitions, as far as they are known.
pub fn inspect(
    role: Role,
    places: &BTreeMap<i32, PartitionProgress>,
    ends: &BTreeMap<i32, Span>,
    now: Micros,
    silence: Option<Duration>,
) {
    list::PUMP_AGE.gauge(&[role.key()]).set(silence.map_or(0.0, took));
    lag::inspect([&list::LAG_RECORDS, &list::EVENT_TIME_LAG], role.key(), places, ends, now);
}
