//! What the accounts machine reports, once a transaction: commands by what became of them, and how much it holds.
//!
//! It never counts what was aborted, and never carries an id, an e-mail or an address.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use arb_runtime::dead_letters::Reason;
use arb_runtime::machine::Counts;
use arb_runtime::progress::{PartitionProgress, Span};
use arb_runtime::telemetry::{Counter, Gauge, PumpMetrics, list, took};

use crate::counts::{AccountCounts, Size};

struct Meters {
    /// Carried out, refused, repeated.
    commands: [Counter; 3],
    timers: Counter,
    expired: Counter,
    /// Granted, denied, repeated.
    leases: [Counter; 3],
    settled: Counter,
    forfeited: Counter,
    letters: [Counter; Reason::ALL.len()],
    /// Far apart, a step.
    doubted: [Counter; 2],
    sizes: [Gauge; 4],
    lag: Gauge,
    pump_age: Gauge,
}

static METERS: LazyLock<Meters> = LazyLock::new(|| Meters {
    commands: ["carried_out", "refused", "repeated"].map(|result| list::ACCOUNT_COMMANDS.counter(&[result])),
    timers: list::ACCOUNT_TIMERS.counter(&[]),
    expired: list::ACCOUNT_EXPIRED.counter(&[]),
    leases: ["granted", "denied", "repeated"].map(|outcome| list::ACCOUNT_LEASES.counter(&[outcome])),
    settled: list::ACCOUNT_SETTLED.counter(&[]),
    forfeited: list::ACCOUNT_FORFEITED.counter(&[]),
    letters: Reason::ALL.map(|reason| list::ACCOUNT_DEAD_LETTERS.counter(&[reason.key()])),
    doubted: ["apart", "step"].map(|reason| list::ACCOUNT_TIMERS_DOUBTED.counter(&[reason])),
    sizes: [list::ACCOUNTS, list::ACCOUNT_SESSIONS, list::ACCOUNT_KEYS, list::ACCOUNT_REPLIES]
        .map(|it| it.gauge(&[])),
    lag: list::ACCOUNT_LAG.gauge(&[]),
    pump_age: list::ACCOUNT_PUMP_AGE.gauge(&[]),
});

/// The metrics of its pump.
pub(crate) const PUMP: PumpMetrics = PumpMetrics {
    transactions: list::ACCOUNT_TRANSACTIONS,
    commit_seconds: list::ACCOUNT_COMMIT_SECONDS,
    transaction_records: list::ACCOUNT_TRANSACTION_RECORDS,
    restore_seconds: list::ACCOUNT_RESTORE_SECONDS,
    restored_records: list::ACCOUNT_RESTORED_RECORDS,
    restoring: list::ACCOUNT_RESTORING,
    partitions: list::ACCOUNT_PARTITIONS,
};

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    PUMP.begin();
    LazyLock::force(&METERS);
}

/// A transaction was committed: what it took in, and what came of it.
pub(crate) fn committed(counts: &Counts<AccountCounts>) {
    let AccountCounts { carried_out, refused, repeated, timers, expired, leases, settled, forfeited } =
        counts.tally;
    let leases = METERS.leases.iter().zip([leases.granted, leases.denied, leases.repeated]);
    let commands = METERS.commands.iter().zip([carried_out, refused, repeated]);
    let letters = METERS.letters.iter().zip(counts.letters);
    let doubted = METERS.doubted.iter().zip(counts.doubted);
    let single = [
        (&METERS.timers, timers),
        (&METERS.expired, expired),
        (&METERS.settled, settled),
        (&METERS.forfeited, forfeited),
    ];
    commands
        .chain(letters)
        .chain(doubted)
        .chain(leases)
        .chain(single)
        .for_each(|(counter, count)| counter.increment(count));
}

/// Reports what the partitions hold.
pub(crate) fn sizes(of: impl Iterator<Item = Size>) {
    let mut sum = [0; 4];
    for Size { accounts, sessions, keys, replies } in of {
        sum.iter_mut().zip([accounts, sessions, keys, replies]).for_each(|(sum, one)| *sum += one);
    }
    METERS.sizes.iter().zip(sum).for_each(|(gauge, sum)| gauge.set(sum as f64));
}

/// Reports how far behind the partition is, where it is owned, and for how long the pump has not moved. `ends` are where
/// the topic ends, as far as is known.
pub fn inspect(
    places: &BTreeMap<i32, PartitionProgress>,
    ends: &BTreeMap<i32, Span>,
    silence: Option<Duration>,
) {
    METERS.pump_age.set(silence.map_or(0.0, took));
    let lags = places.iter().filter_map(|(id, place)| Some(ends.get(id)?.lag(place.next)));
    METERS.lag.set(lags.sum::<i64>() as f64);
}
