//! The telemetry of ingest: records published, malformed parts, the age of the last poll.
//!
//! It never depends on a book.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use arb_model::Faults;
use arb_runtime::telemetry::{Since, list, seconds};
use arb_schemas::time::Micros;

use crate::scan::ScanOutcome;

/// What was published last.
struct Last {
    /// When that was, of a poll.
    poll: Since,
    /// The newest time of a poll.
    received_at: Option<Micros>,
    /// The newest time of a poll or a heartbeat.
    published: Option<Micros>,
}

static LAST: LazyLock<Mutex<Last>> =
    LazyLock::new(|| Mutex::new(Last { poll: Since::now(), received_at: None, published: None }));

/// Why something was not published as it is.
const ERRORS: [&str; 3] = ["kafka", "schema", "too_long"];

/// Sources whose clocks are reported: a list of sports without end makes no more.
const CLOCKS_SHOWN: usize = 256;
/// Seconds between two lines of the log about one clock.
const LOGGED_EVERY: f64 = 60.0;

/// The sources whose clock was ahead of ours, and when that was last logged.
static CLOCKS: Mutex<BTreeMap<String, Since>> = Mutex::new(BTreeMap::new());

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    LazyLock::force(&LAST);
    list::PUBLISH_ERRORS.begin_each(ERRORS);
    list::INGEST_SCANS.begin_each(ScanOutcome::ALL.iter().map(|outcome| outcome.key()));
}

/// A poll was published.
pub fn poll(received_at: Micros, frames: usize, ticks: usize) {
    list::POLLS.add(1);
    list::FRAMES.add(frames as u64);
    list::TICKS.add(ticks as u64);
    let mut last = last();
    last.poll = Since::now();
    // A recording may go back.
    last.received_at = last.received_at.max(Some(received_at));
    last.published = last.published.max(Some(received_at));
}

fn last() -> MutexGuard<'static, Last> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A heartbeat of this time was published.
pub fn heartbeat(at: Micros) {
    list::HEARTBEATS.add(1);
    let mut last = last();
    last.published = last.published.max(Some(at));
}

/// Something could not be published: Kafka did not take it, or it fits no schema.
pub fn not_published(by_kafka: bool) {
    let [kafka, schema, _] = ERRORS;
    list::PUBLISH_ERRORS.add_each([(if by_kafka { kafka } else { schema }, 1)]);
}

/// So many scans were answered by a source.
pub fn scans(outcome: ScanOutcome, scans: usize) {
    list::INGEST_SCANS.add_each([(outcome.key(), scans as u64)]);
}

/// A poll for scans cost so many credits.
pub fn scan_credits(credits: u64) {
    list::SCAN_CREDITS.add(credits);
}

/// A result was written.
pub fn result(status: &str) {
    let known = ["finished", "postponed", "in_progress"].into_iter().find(|known| *known == status);
    list::INGEST_RESULTS.counter(&[known.unwrap_or("other")]).increment(1);
}

/// A frame was too long for its topic: its event was published without ticks.
pub fn too_long(event: &str, bytes: usize) {
    tracing::error!(event, bytes, "a frame is too long for its topic: its event is published without ticks");
    let [_, _, too_long] = ERRORS;
    list::PUBLISH_ERRORS.add_each([(too_long, 1)]);
}

/// A live source was called: for what, and what came of it.
pub fn call(kind: &'static str, outcome: &'static str) {
    list::CALLS.counter(&[kind, outcome]).increment(1);
}

/// The response of a live source reported the remaining credits.
pub fn credits(remaining: u64) {
    list::CREDITS.set(remaining as f64);
}

/// No lease is held: other workers spend now, and the last report to this one is out of date.
pub fn no_credits() {
    list::CREDITS.set(f64::NAN);
}

/// So many sports of a live source are polled here.
pub fn sports(held: usize) {
    list::SPORTS.set(held as f64);
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
    list::POLL_AGE.set(last.poll.seconds());
    if let Some(received_at) = last.received_at {
        list::INGEST_LAG.set(seconds(received_at, now));
    }
    if let Some(published) = last.published {
        list::PUBLISHED_LAG.set(seconds(published, now));
    }
}
