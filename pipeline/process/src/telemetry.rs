//! The telemetry of the processor, once for each transaction: records read, effects, lag.
//!
//! It never counts what was aborted: the same records come again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use arb_engine::Size;
use arb_engine::effect::{CloseReason, SignalKind};
use arb_engine::venues::Books;
use arb_runtime::dead_letters;
use arb_runtime::machine::Counts;
use arb_runtime::progress::{PartitionProgress, Span};
use arb_runtime::telemetry::{Counter, Gauge, PumpMetrics, list, seconds, took};
use arb_schemas::time::Micros;

use crate::books::CHECKED_WITHIN;
use crate::counts::{EffectCounts, OddsCounts};

struct Meters {
    /// Frames, poll ends, heartbeats, suspensions, markers of scans, and what was none of them.
    records: [Counter; 6],
    /// Applied, late, incomplete, ahead, over, refused.
    judged: [Counter; 6],
    /// Repeated, conflicting, forgotten, of an unknown event.
    pushes: [Counter; 4],
    ticks: Counter,
    letters: [Counter; dead_letters::Reason::ALL.len()],
    windows: [Counter; 3],
    closed: [Counter; CloseReason::ALL.len()],
    movements: [Counter; 2],
    alerts: [Counter; 4],
    /// By kind: opened, updated, refreshed, closed.
    signals: [[Counter; 4]; SignalKind::ALL.len()],
    violations: Counter,
    sizes: [Gauge; 4],
    unknown_books: Gauge,
    /// Those that were ever named.
    unknown: Mutex<BTreeSet<Arc<str>>>,
    /// By worker.
    held: Mutex<BTreeMap<usize, Held>>,
    pump_age: Gauge,
    /// Of each partition that was ever owned: its lag in records, and in event time.
    lags: Mutex<BTreeMap<i32, (Gauge, Gauge)>>,
}

/// What the partitions of a worker hold.
struct Held {
    /// Events, markets, quotes, windows.
    sizes: [usize; 4],
    unknown_books: BTreeSet<Arc<str>>,
}

static METERS: LazyLock<Meters> = LazyLock::new(|| Meters {
    records: ["frame", "poll_end", "heartbeat", "suspension", "scan_marker", "unreadable"]
        .map(|kind| list::RECORDS_READ.counter(&[kind])),
    judged: ["applied", "late", "incomplete", "ahead", "over", "refused"]
        .map(|what| list::RECORDS_JUDGED.counter(&[what])),
    pushes: ["repeated", "conflicting", "forgotten", "unknown_event"]
        .map(|what| list::RECORDS_JUDGED.counter(&[what])),
    ticks: list::TICKS_READ.counter(&[]),
    letters: dead_letters::Reason::ALL.map(|reason| list::DEAD_LETTERS.counter(&[reason.key()])),
    windows: [list::WINDOWS_OPENED, list::WINDOWS_UPDATED, list::WINDOWS_REFRESHED].map(|it| it.counter(&[])),
    closed: CloseReason::ALL.map(|reason| list::WINDOWS_CLOSED.counter(&[reason.key()])),
    movements: ["price", "main_line"].map(|kind| list::LINE_MOVEMENTS.counter(&[kind])),
    alerts: ["arb_stale", "book_stale", "book_recovered", "book_gone"]
        .map(|state| list::STALE_ALERTS.counter(&[state])),
    signals: SignalKind::ALL.map(|kind| {
        ["opened", "updated", "refreshed", "closed"]
            .map(|change| list::SIGNALS.counter(&[kind.key(), change]))
    }),
    violations: list::VIOLATIONS.counter(&[]),
    sizes: [list::EVENTS, list::MARKETS, list::QUOTES, list::WINDOWS].map(|it| it.gauge(&[])),
    unknown_books: list::UNKNOWN_BOOKS.gauge(&[]),
    unknown: Mutex::default(),
    held: Mutex::default(),
    pump_age: list::PUMP_AGE.gauge(&[]),
    lags: Mutex::default(),
});

/// The metrics of its pump.
pub(crate) const PUMP: PumpMetrics = PumpMetrics {
    transactions: list::TRANSACTIONS,
    commit_seconds: list::COMMIT_SECONDS,
    transaction_records: list::TRANSACTION_RECORDS,
    restore_seconds: list::RESTORE_SECONDS,
    restored_records: list::RESTORED_RECORDS,
    restoring: list::RESTORING,
    partitions: list::PARTITIONS,
};

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    PUMP.begin();
    LazyLock::force(&METERS);
}

/// A transaction was committed: what it took in, and what came of it.
pub fn committed(counts: &Counts<OddsCounts>) {
    let OddsCounts {
        frames,
        poll_ends,
        heartbeats,
        suspensions,
        scan_markers,
        late,
        incomplete,
        ahead,
        over,
        refused,
        pushes,
        ..
    } = counts.tally;
    let (records, tally) = (counts.records, &counts.tally);
    let readable = tally.readable();
    count(&METERS.records, &[frames, poll_ends, heartbeats, suspensions, scan_markers, records - readable]);
    let applied = readable - (late + incomplete + ahead + over + refused + pushes.iter().sum::<u64>());
    count(&METERS.judged, &[applied, late, incomplete, ahead, over, refused]);
    count(&METERS.pushes, &pushes);
    METERS.ticks.increment(tally.ticks);
    count(&METERS.letters, &counts.letters);
    effects(&tally.effects);
    METERS.violations.increment(tally.violations);
    for (field, problem, count) in tally.faults.iter() {
        list::FAULTS_READ.counter(&[field, problem]).increment(count);
    }
}

fn effects(effects: &EffectCounts) {
    count(&METERS.windows, &[effects.opened, effects.updated, effects.refreshed]);
    count(&METERS.closed, &effects.closed);
    METERS.signals.iter().zip(&effects.signals).for_each(|(to, from)| count(to, from));
    count(&METERS.movements, &[effects.price_moves, effects.main_line_moves]);
    count(
        &METERS.alerts,
        &[effects.stale_arbs, effects.stale_books, effects.recovered_books, effects.gone_books],
    );
}

fn count<const N: usize>(to: &[Counter; N], from: &[u64; N]) {
    to.iter().zip(from).filter(|(_, count)| **count > 0).for_each(|(to, count)| to.increment(*count));
}

/// Reports what the partitions of a worker hold, and their books that are not in the table, as its part of what the process holds. Books
/// that no report had are named in the log.
pub(crate) fn holds(worker: usize, of: impl Iterator<Item = Size>, unknown_books: BTreeSet<Arc<str>>) {
    let mut sizes = [0; 4];
    for Size { events, markets, quotes, windows } in of {
        sizes.iter_mut().zip([events, markets, quotes, windows]).for_each(|(sum, one)| *sum += one);
    }
    let mut named = METERS.unknown.lock().unwrap_or_else(PoisonError::into_inner);
    for book in unknown_books.difference(&named) {
        tracing::warn!(%book, "this book is not in the table: nothing it takes part in is verified");
    }
    named.extend(unknown_books.iter().cloned());
    drop(named);
    let mut held = METERS.held.lock().unwrap_or_else(PoisonError::into_inner);
    held.insert(worker, Held { sizes, unknown_books });
    for (index, gauge) in METERS.sizes.iter().enumerate() {
        gauge.set(held.values().map(|held| held.sizes[index]).sum::<usize>() as f64);
    }
    let unknown: BTreeSet<_> = held.values().flat_map(|held| &held.unknown_books).collect();
    METERS.unknown_books.set(unknown.len() as f64);
}

/// Reports which rows of the table of books nobody has compared with their source of late, at a moment of UTC.
pub fn table_of_books(books: &Books, now: Micros) {
    let rows = books.unchecked_since(now.saturating_sub(CHECKED_WITHIN));
    list::UNCHECKED_ROWS.gauge(&[]).set(rows.len() as f64);
    if !rows.is_empty() {
        let named = rows.join("; ");
        tracing::info!(rows = rows.len(), %named, "rows of the table of books were not compared with their source within 90 days");
    }
}

/// Reports the lag of the owned partitions, at a moment of UTC, and how long the pump has not moved. `ends`
/// are the end offsets of the topic's partitions, as far as they are known.
pub fn inspect(
    places: &BTreeMap<i32, PartitionProgress>,
    ends: &BTreeMap<i32, Span>,
    now: Micros,
    silence: Option<Duration>,
) {
    METERS.pump_age.set(silence.map_or(0.0, took));
    let mut lags = METERS.lags.lock().unwrap_or_else(PoisonError::into_inner);
    // A partition that was owned once is no longer owned here.
    lags.iter().filter(|(id, _)| !places.contains_key(id)).for_each(|(_, (records, event_time))| {
        records.set(0.0);
        event_time.set(0.0);
    });
    for (id, place) in places {
        let (records, event_time) = lags.entry(*id).or_insert_with(|| {
            let id = id.to_string();
            (list::LAG_RECORDS.gauge(&[&id]), list::EVENT_TIME_LAG.gauge(&[&id]))
        });
        if let Some(lag) = ends.get(id).map(|end| end.lag(place.next)) {
            records.set(lag as f64);
        }
        if let Some(watermark) = place.watermark {
            event_time.set(seconds(watermark, now));
        }
    }
}
