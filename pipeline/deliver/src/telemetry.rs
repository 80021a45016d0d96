//! What the deliverer reports. It never carries an id, a URL or an answer.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use arb_runtime::dead_letters::Reason;
use arb_runtime::machine::Counts;
use arb_runtime::progress::{PartitionProgress, Span};
use arb_runtime::telemetry::{Counter, Gauge, Histogram, PumpMetrics, list, took};
use arb_schemas::time::Micros;

use crate::counts::{DeliverCounts, Pending};
use crate::delivery::AttemptOutcome;

struct Meters {
    events: Counter,
    deliveries: Counter,
    doubles: Counter,
    attempts: [Counter; AttemptOutcome::ALL.len()],
    ended: Counter,
    redelivered: Counter,
    letters: [Counter; Reason::ALL.len()],
    /// Far apart, a step.
    doubted: [Counter; 2],
    first_attempt: Histogram,
    pending: Gauge,
    failed: Gauge,
    oldest: Gauge,
    circuits: Gauge,
    lag: Gauge,
    pump_age: Gauge,
}

static METERS: LazyLock<Meters> = LazyLock::new(|| Meters {
    events: list::DELIVER_EVENTS.counter(&[]),
    deliveries: list::DELIVER_DELIVERIES.counter(&[]),
    doubles: list::DELIVER_DOUBLES.counter(&[]),
    attempts: AttemptOutcome::ALL.map(|outcome| list::DELIVER_ATTEMPTS.counter(&[outcome.key()])),
    ended: list::DELIVER_ENDED.counter(&[]),
    redelivered: list::DELIVER_REDELIVERED.counter(&[]),
    letters: Reason::ALL.map(|reason| list::DELIVER_DEAD_LETTERS.counter(&[reason.key()])),
    doubted: ["apart", "step"].map(|reason| list::DELIVER_TIMERS_DOUBTED.counter(&[reason])),
    first_attempt: list::DELIVER_FIRST_ATTEMPT.histogram(&[]),
    pending: list::DELIVER_PENDING.gauge(&[]),
    failed: list::DELIVER_FAILED.gauge(&[]),
    oldest: list::DELIVER_OLDEST.gauge(&[]),
    circuits: list::DELIVER_CIRCUITS.gauge(&[]),
    lag: list::DELIVER_LAG.gauge(&[]),
    pump_age: list::DELIVER_PUMP_AGE.gauge(&[]),
});

/// The metrics of its pump.
pub(crate) const PUMP: PumpMetrics = PumpMetrics {
    transactions: list::DELIVER_TRANSACTIONS,
    commit_seconds: list::DELIVER_COMMIT_SECONDS,
    transaction_records: list::DELIVER_TRANSACTION_RECORDS,
    restore_seconds: list::DELIVER_RESTORE_SECONDS,
    restored_records: list::DELIVER_RESTORED_RECORDS,
    restoring: list::DELIVER_RESTORING,
    partitions: list::DELIVER_PARTITIONS,
};

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    PUMP.begin();
    LazyLock::force(&METERS);
}

/// A delivery was attempted for the first time, so many microseconds after its event was read.
pub(crate) fn first_attempt(after: Micros) {
    METERS.first_attempt.record(after as f64 / 1e6);
}

/// A transaction was committed.
pub(crate) fn committed(counts: &Counts<DeliverCounts>) {
    let DeliverCounts { events, deliveries, doubles, attempts, ended, redelivered } = counts.tally;
    let single = [
        (&METERS.events, events),
        (&METERS.deliveries, deliveries),
        (&METERS.doubles, doubles),
        (&METERS.ended, ended),
        (&METERS.redelivered, redelivered),
    ];
    let attempts = METERS.attempts.iter().zip(attempts);
    let letters = METERS.letters.iter().zip(counts.letters);
    let doubted = METERS.doubted.iter().zip(counts.doubted);
    single
        .into_iter()
        .chain(attempts)
        .chain(letters)
        .chain(doubted)
        .for_each(|(counter, count)| counter.increment(count));
}

/// Reports what the partitions hold.
pub(crate) fn sizes(of: impl Iterator<Item = Pending>) {
    let sum = of.fold(Pending::default(), |sum, one| Pending {
        pending: sum.pending + one.pending,
        failed: sum.failed + one.failed,
        age: sum.age.max(one.age),
    });
    METERS.pending.set(sum.pending as f64);
    METERS.failed.set(sum.failed as f64);
    METERS.oldest.set(sum.age as f64 / 1e6);
}

/// Reports circuits that are open.
pub fn circuits(open: usize) {
    METERS.circuits.set(open as f64);
}

/// Reports how far behind the partitions are, and for how long the pump has not moved.
pub fn inspect(
    places: &BTreeMap<i32, PartitionProgress>,
    ends: &BTreeMap<i32, Span>,
    silence: Option<Duration>,
) {
    METERS.pump_age.set(silence.map_or(0.0, took));
    let lags = places.iter().filter_map(|(id, place)| Some(ends.get(id)?.lag(place.next)));
    METERS.lag.set(lags.sum::<i64>() as f64);
}
