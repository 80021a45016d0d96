//! What the settlement reports. It never carries an id or a name of a bot.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use arb_runtime::dead_letters::Reason;
use arb_runtime::machine::Counts;
use arb_runtime::progress::{PartitionProgress, Span};
use arb_runtime::telemetry::{Counter, Gauge, PumpMetrics, list, took};

use crate::counts::{Held, SettleCounts};

struct Meters {
    picks: Counter,
    repeated: Counter,
    results: Counter,
    gradings: Counter,
    corrections: Counter,
    windows: Counter,
    window_gradings: Counter,
    window_corrections: Counter,
    closings: Counter,
    offers: Counter,
    letters: [Counter; Reason::ALL.len()],
    /// Far apart, a step.
    doubted: [Counter; 2],
    open: Gauge,
    graded: Gauge,
    held_windows: Gauge,
    lag: Gauge,
    pump_age: Gauge,
}

static METERS: LazyLock<Meters> = LazyLock::new(|| Meters {
    picks: list::SETTLE_PICKS.counter(&[]),
    repeated: list::SETTLE_REPEATED.counter(&[]),
    results: list::SETTLE_RESULTS.counter(&[]),
    gradings: list::SETTLE_GRADINGS.counter(&[]),
    corrections: list::SETTLE_CORRECTIONS.counter(&[]),
    windows: list::SETTLE_WINDOWS.counter(&[]),
    window_gradings: list::SETTLE_WINDOW_GRADINGS.counter(&[]),
    window_corrections: list::SETTLE_WINDOW_CORRECTIONS.counter(&[]),
    closings: list::SETTLE_CLOSINGS.counter(&[]),
    offers: list::SETTLE_OFFERS.counter(&[]),
    letters: Reason::ALL.map(|reason| list::SETTLE_DEAD_LETTERS.counter(&[reason.key()])),
    doubted: ["apart", "step"].map(|reason| list::SETTLE_TIMERS_DOUBTED.counter(&[reason])),
    open: list::SETTLE_OPEN.gauge(&[]),
    graded: list::SETTLE_GRADED.gauge(&[]),
    held_windows: list::SETTLE_HELD_WINDOWS.gauge(&[]),
    lag: list::SETTLE_LAG.gauge(&[]),
    pump_age: list::SETTLE_PUMP_AGE.gauge(&[]),
});

/// The metrics of its pump.
pub(crate) const PUMP: PumpMetrics = PumpMetrics {
    transactions: list::SETTLE_TRANSACTIONS,
    commit_seconds: list::SETTLE_COMMIT_SECONDS,
    transaction_records: list::SETTLE_TRANSACTION_RECORDS,
    restore_seconds: list::SETTLE_RESTORE_SECONDS,
    restored_records: list::SETTLE_RESTORED_RECORDS,
    restoring: list::SETTLE_RESTORING,
    partitions: list::SETTLE_PARTITIONS,
};

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    PUMP.begin();
    LazyLock::force(&METERS);
}

/// A transaction was committed.
pub(crate) fn committed(counts: &Counts<SettleCounts>) {
    let SettleCounts { picks, repeated, results, gradings, corrections, closings, offers, .. } = counts.tally;
    let SettleCounts { windows, window_gradings, window_corrections, .. } = counts.tally;
    let single = [
        (&METERS.picks, picks),
        (&METERS.repeated, repeated),
        (&METERS.results, results),
        (&METERS.gradings, gradings),
        (&METERS.corrections, corrections),
        (&METERS.windows, windows),
        (&METERS.window_gradings, window_gradings),
        (&METERS.window_corrections, window_corrections),
        (&METERS.closings, closings),
        (&METERS.offers, offers),
    ];
    let letters = METERS.letters.iter().zip(counts.letters);
    let doubted = METERS.doubted.iter().zip(counts.doubted);
    single.into_iter().chain(letters).chain(doubted).for_each(|(counter, count)| counter.increment(count));
}

/// Reports what the partitions hold.
pub(crate) fn sizes(of: impl Iterator<Item = Held>) {
    let (open, graded, windows) = of.fold((0, 0, 0), |(open, graded, windows), held| {
        (open + held.open, graded + held.graded, windows + held.windows)
    });
    METERS.open.set(open as f64);
    METERS.graded.set(graded as f64);
    METERS.held_windows.set(windows as f64);
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
