//! The telemetry of the processor, once for each transaction: records read, and effects.
//!
//! It never counts what was aborted: the same records come again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use arb_engine::Size;
use arb_engine::effect::{CloseReason, SignalKind};
use arb_engine::venues::Books;
use arb_runtime::machine::Counts;
use arb_runtime::telemetry::list;
use arb_schemas::time::Micros;

use crate::books::CHECKED_WITHIN;
use crate::counts::{EffectCounts, OddsCounts};

/// What a record of the tick topic is.
const RECORDS: [&str; 6] = ["frame", "poll_end", "heartbeat", "suspension", "scan_marker", "unreadable"];
/// What the engine made of one.
const JUDGED: [&str; 6] = ["applied", "late", "incomplete", "ahead", "over", "refused"];
/// Why it left a record of a push feed.
const PUSHES: [&str; 4] = ["repeated", "conflicting", "forgotten", "unknown_event"];
/// What moved.
const MOVEMENTS: [&str; 2] = ["price", "main_line"];
/// Of what a stale alert tells.
const ALERTS: [&str; 4] = ["arb_stale", "book_stale", "book_recovered", "book_gone"];
/// What became of a signal.
const CHANGES: [&str; 4] = ["opened", "updated", "refreshed", "closed"];

/// Books without a row in the table that were ever named in the log.
static NAMED: Mutex<BTreeSet<Arc<str>>> = Mutex::new(BTreeSet::new());
/// What each worker holds.
static HELD: Mutex<BTreeMap<usize, Held>> = Mutex::new(BTreeMap::new());

/// What the partitions of a worker hold.
struct Held {
    /// Events, markets, quotes, windows.
    sizes: [usize; 4],
    unknown_books: BTreeSet<Arc<str>>,
}

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    list::RECORDS_READ.begin_each(RECORDS);
    list::RECORDS_JUDGED.begin_each(JUDGED.into_iter().chain(PUSHES));
    list::WINDOWS_CLOSED.begin_each(CloseReason::ALL.map(CloseReason::key));
    list::LINE_MOVEMENTS.begin_each(MOVEMENTS);
    list::STALE_ALERTS.begin_each(ALERTS);
    for (kind, change) in SignalKind::ALL.into_iter().flat_map(|kind| CHANGES.map(|change| (kind, change))) {
        list::SIGNALS.counter(&[kind.key(), change]).increment(0);
    }
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
    let read = [frames, poll_ends, heartbeats, suspensions, scan_markers, records - readable];
    list::RECORDS_READ.add_each(RECORDS.into_iter().zip(read));
    let applied = readable - (late + incomplete + ahead + over + refused + pushes.iter().sum::<u64>());
    list::RECORDS_JUDGED.add_each(JUDGED.into_iter().zip([applied, late, incomplete, ahead, over, refused]));
    list::RECORDS_JUDGED.add_each(PUSHES.into_iter().zip(pushes));
    list::TICKS_READ.add(tally.ticks);
    effects(&tally.effects);
    list::VIOLATIONS.add(tally.violations);
    for (field, problem, count) in tally.faults.iter() {
        list::FAULTS_READ.counter(&[field, problem]).increment(count);
    }
}

fn effects(effects: &EffectCounts) {
    list::WINDOWS_OPENED.add(effects.opened);
    list::WINDOWS_UPDATED.add(effects.updated);
    list::WINDOWS_REFRESHED.add(effects.refreshed);
    list::WINDOWS_CLOSED.add_each(CloseReason::ALL.map(CloseReason::key).into_iter().zip(effects.closed));
    SignalKind::ALL.into_iter().zip(effects.signals).for_each(|(kind, counts)| signals(kind, counts));
    list::LINE_MOVEMENTS.add_each(MOVEMENTS.into_iter().zip([effects.price_moves, effects.main_line_moves]));
    let alerts = [effects.stale_arbs, effects.stale_books, effects.recovered_books, effects.gone_books];
    list::STALE_ALERTS.add_each(ALERTS.into_iter().zip(alerts));
}

fn signals(kind: SignalKind, counts: [u64; 4]) {
    for (change, count) in CHANGES.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
        list::SIGNALS.counter(&[kind.key(), change]).increment(count);
    }
}

/// Reports what the partitions of a worker hold, and their books that are not in the table, as its part of what the process holds. Books
/// that no report had are named in the log.
pub(crate) fn holds(worker: usize, of: impl Iterator<Item = Size>, unknown_books: BTreeSet<Arc<str>>) {
    let mut sizes = [0; 4];
    for Size { events, markets, quotes, windows } in of {
        sizes.iter_mut().zip([events, markets, quotes, windows]).for_each(|(sum, one)| *sum += one);
    }
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    for book in unknown_books.difference(&named) {
        tracing::warn!(%book, "this book is not in the table: nothing it takes part in is verified");
    }
    named.extend(unknown_books.iter().cloned());
    drop(named);
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.insert(worker, Held { sizes, unknown_books });
    for (index, gauge) in [list::EVENTS, list::MARKETS, list::QUOTES, list::WINDOWS].iter().enumerate() {
        gauge.set(held.values().map(|held| held.sizes[index]).sum::<usize>() as f64);
    }
    let unknown: BTreeSet<_> = held.values().flat_map(|held| &held.unknown_books).collect();
    list::UNKNOWN_BOOKS.set(unknown.len() as f64);
}

/// Reports which rows of the table of books nobody has compared with their source of late, at a moment of UTC.
pub fn table_of_books(books: &Books, now: Micros) {
    let rows = books.unchecked_since(now.saturating_sub(CHECKED_WITHIN));
    list::UNCHECKED_ROWS.set(rows.len() as f64);
    if !rows.is_empty() {
        let named = rows.join("; ");
        tracing::info!(rows = rows.len(), %named, "rows of the table of books were not compared with their source within 90 days");
    }
}
