//! The telemetry of ingest: records published, malformed parts, the age of the last poll.
//!
//! It never depends on a book.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use arb_model::Faults;
use arb_runtime::telemetry::{Counter, Gauge, Since, list, seconds};
use arb_schemas::time::Micros;

use crate::scan::ScanOutcome;

struct Meters {
    polls: Counter,
    frames: Counter,
    ticks: Counter,
    heartbeats: Counter,
    refused: Counter,
    unfit: Counter,
    too_long: Counter,
    scans: [Counter; ScanOutcome::ALL.len()],
    poll_age: Gauge,
    last: Mutex<Last>,
}

/// What was published last.
struct Last {
    /// When that was, of a poll.
    poll: Since,
    /// The newest time of a poll.
    received_at: Option<Micros>,
    /// The newest time of a poll or a heartbeat.
    published: Option<Micros>,
}

static METERS: LazyLock<Meters> = LazyLock::new(|| Meters {
    polls: list::POLLS.counter(&[]),
    frames: list::FRAMES.counter(&[]),
    ticks: list::TICKS.counter(&[]),
    heartbeats: list::HEARTBEATS.counter(&[]),
    refused: list::PUBLISH_ERRORS.counter(&["kafka"]),
    unfit: list::PUBLISH_ERRORS.counter(&["schema"]),
    too_long: list::PUBLISH_ERRORS.counter(&["too_long"]),
    scans: ScanOutcome::ALL.map(|outcome| list::INGEST_SCANS.counter(&[outcome.key()])),
    poll_age: list::POLL_AGE.gauge(&[]),
    last: Mutex::new(Last { poll: Since::now(), received_at: None, published: None }),
});

/// Sources whose clocks are reported: a list of sports without end makes no more.
const CLOCKS_SHOWN: usize = 256;
/// Seconds between two lines of the log about one clock.
const LOGGED_EVERY: f64 = 60.0;

/// The sources whose clock was ahead of ours, and when that was last logged.
static CLOCKS: Mutex<BTreeMap<String, Since>> = Mutex::new(BTreeMap::new());

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    LazyLock::force(&METERS);
}

/// A poll was published.
pub fn poll(received_at: Micros, frames: usize, ticks: usize) {
    METERS.polls.increment(1);
    METERS.frames.increment(frames as u64);
    METERS.ticks.increment(ticks as u64);
    let mut last = last();
    last.poll = Since::now();
    // A recording may go back.
    last.received_at = last.received_at.max(Some(received_at));
    last.published = last.published.max(Some(received_at));
}

fn last() -> MutexGuard<'static, Last> {
    METERS.last.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A heartbeat of this time was published.
pub fn heartbeat(at: Micros) {
    METERS.heartbeats.increment(1);
    let mut last = last();
    last.published = last.published.max(Some(at));
}

/// Something could not be published: Kafka did not take it, or it fits no schema.
pub fn not_published(by_kafka: bool) {
    if by_kafka { &METERS.refused } else { &METERS.unfit }.increment(1);
}

/// So many scans were answered by a source.
pub fn scans(outcome: ScanOutcome, scans: usize) {
    let counters = ScanOutcome::ALL.iter().zip(&METERS.scans);
    counters.filter(|(known, _)| **known == outcome).for_each(|(_, counter)| counter.increment(scans as u64));
}

/// A poll for scans cost so many credits.
pub fn scan_credits(credits: u64) {
    list::SCAN_CREDITS.counter(&[]).increment(credits);
}

/// A result was written.
pub fn result(status: &str) {
    let known = ["finished", "postponed", "in_progress"].into_iter().find(|known| *known == status);
    list::INGEST_RESULTS.counter(&[known.unwrap_or("other")]).increment(1);
}

/// A frame was too long for its topic: its event was published without ticks.
pub fn too_long(event: &str, bytes: usize) {
    tracing::error!(event, bytes, "a frame is too long for its topic: its event is published without ticks");
    METERS.too_long.increment(1);
}

/// A live source was called: for what, and what came of it.
pub fn call(kind: &'static str, outcome: &'static str) {
    list::CALLS.counter(&[kind, outcome]).increment(1);
}

/// The response of a live source reported the remaining credits.
pub fn credits(remaining: u64) {
    list::CREDITS.gauge(&[]).set(remaining as f64);
}

/// No lease is held: other workers spend now, and the last report to this one is out of date.
pub fn no_credits() {
    list::CREDITS.gauge(&[]).set(f64::NAN);
}

/// So many sports of a live source are polled here.
pub fn sports(held: usize) {
    list::SPORTS.gauge(&[]).set(held as f64);
}

/// The clock is so far behind a source's; 0 where it is not. A line of the log each minute while it is.
pub fn clock_behind(source: &str, offset: Micros) {
    let mut logged = CLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    let last = logged.get(source).copied();
    if last.is_none() && (offset == 0 || logged.len() >= CLOCKS_SHOWN) {
        return;
    }
    let seconds = seconds(0, offset);
    list::CLOCK_BEHIND.gauge(&[source]).set(seconds);
    if offset > 0 && last.is_none_or(|last| last.seconds() >= LOGGED_EVERY) {
        let what =
            "the clock of this machine is behind the source's: the times of its prices are shifted back";
        tracing::warn!(source, seconds, "{what}");
        logged.insert(source.to_owned(), Since::now());
    }
}

/// What was malformed since the start.
pub fn faults(faults: &Faults) {
    for (field, problem, count) in faults.iter() {
        list::FAULTS.counter(&[field, problem]).absolute(count);
    }
}

/// Reports ages at a moment of UTC.
pub fn inspect(now: Micros) {
    let last = last();
    METERS.poll_age.set(last.poll.seconds());
    if let Some(received_at) = last.received_at {
        list::INGEST_LAG.gauge(&[]).set(seconds(received_at, now));
    }
    if let Some(published) = last.published {
        list::PUBLISHED_LAG.gauge(&[]).set(seconds(published, now));
    }
}
