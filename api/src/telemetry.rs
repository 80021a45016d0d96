//! The telemetry of the API: requests, the board, the feed and its streams.
//!
//! It never knows the caller.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use arb_runtime::progress::Span;
use arb_runtime::telemetry::{Counter, Gauge, Histogram, Metric, kafka, list, seconds, took};
use arb_schemas::time::Micros;

/// Classes of a status.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Why a stream ends: the client went or took nothing, it was cut, its key is not valid any more, or the server ends.
const ENDS: [&str; 7] =
    ["gone", "too_slow", "catching_up", "unavailable", "source_changed", "key_revoked", "closing"];

/// Why a connection without a key is closed for another.
const EVICTIONS: [&str; 3] = ["address", "keyless", "full"];

/// Why a connection never became TLS.
const HANDSHAKE_FAILURES: [&str; 3] = ["failed", "late", "plain"];

/// How far a scan is when it is answered.
const SCAN_STATUSES: [&str; 3] = ["pending", "complete", "partial"];

/// What is counted for each event, or each batch of a stream: its handles are kept.
struct StreamMeters {
    read: Counter,
    conflated: Counter,
    sent: Counter,
    sent_bytes: Counter,
}

static METERS: LazyLock<StreamMeters> = LazyLock::new(|| StreamMeters {
    read: list::FEED_EVENTS.counter(&[]),
    conflated: list::STREAM_CONFLATED.counter(&[]),
    sent: list::STREAM_EVENTS.counter(&[]),
    sent_bytes: list::STREAM_BYTES.counter(&[]),
});

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    LazyLock::force(&METERS);
    kafka::begin_feed();
    list::STREAM_ENDS.begin_each(ENDS);
    list::SCANS.begin_each(SCAN_STATUSES);
    list::EVICTED_CONNECTIONS.begin_each(EVICTIONS);
    list::FAILED_HANDSHAKES.begin_each(HANDSHAKE_FAILURES);
}

/// The meters of one route.
#[derive(Debug)]
pub struct RouteMeters {
    answers: [Counter; CLASSES.len()],
    seconds: Histogram,
}

impl RouteMeters {
    /// Of the route with this pattern.
    #[must_use]
    pub fn new(pattern: &'static str) -> Self {
        let answers = CLASSES.map(|class| list::REQUESTS.counter(&[pattern, class]));
        Self { answers, seconds: list::REQUEST_SECONDS.histogram(&[pattern]) }
    }

    /// A request was answered with a status.
    pub fn answered(&self, status: u16, time: Duration) {
        let class = usize::from(status / 100).saturating_sub(1).min(CLASSES.len() - 1);
        self.answers[class].increment(1);
        self.seconds.record(took(time));
    }
}

/// Whether the accounts topic is known to be completely read.
pub fn accounts_current(is_current: bool) {
    list::ACCOUNTS_CURRENT.set(if is_current { 1.0 } else { 0.0 });
}

/// A request was refused because the key's quota is spent.
pub fn quota_refusal() {
    list::QUOTA_REFUSALS.add(1);
}

/// A scan was answered, and is so far.
pub fn scan(status: &'static str) {
    list::SCANS.add_each([(status, 1)]);
}

/// A connection without a key was closed for another, for one of these reasons.
pub fn connection_evicted(reason: &'static str) {
    list::EVICTED_CONNECTIONS.add_each([(reason, 1)]);
}

/// A connection never became TLS, for one of these reasons.
pub fn handshake_failed(reason: &'static str) {
    list::FAILED_HANDSHAKES.add_each([(reason, 1)]);
}

/// Something that is counted as open until this is dropped.
#[derive(Debug)]
pub struct Open(Gauge);

impl Open {
    /// A connection.
    #[must_use]
    pub fn connection() -> Self {
        Self::of(&list::CONNECTIONS)
    }

    /// A stream.
    #[must_use]
    pub fn stream() -> Self {
        Self::of(&list::STREAMS)
    }

    /// A set of own books that is watched.
    #[must_use]
    pub fn watched_board() -> Self {
        Self::of(&list::WATCHED_BOARDS)
    }

    fn of(metric: &Metric) -> Self {
        let gauge = metric.gauge(&[]);
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

/// An event of the feed was read.
pub fn feed_event() {
    METERS.read.increment(1);
}

/// An event was replaced by a later one before it was sent.
pub fn event_conflated() {
    METERS.conflated.increment(1);
}

/// A board that is watched was computed again: lines that were searched, and how long it took.
pub fn board_looked_at(lines: usize, time: Duration) {
    list::WATCHED_LINES.add(lines as u64);
    list::WATCHED_SECONDS.record(took(time));
}

/// A stream ended, for one of these reasons.
pub fn stream_ended(reason: &'static str) {
    tracing::debug!(reason, "a stream ended");
    list::STREAM_ENDS.add_each([(reason, 1)]);
}

/// Events of a batch, at most.
const BATCH: u64 = 64;

/// Events that were handed to a connection, reported a batch at a time.
#[derive(Debug, Default)]
pub struct Sent {
    events: u64,
    bytes: u64,
}

impl Sent {
    /// One event more.
    pub fn add(&mut self, bytes: usize) {
        self.events += 1;
        self.bytes += bytes as u64;
        if self.events == BATCH {
            self.report();
        }
    }

    /// Reports the collected counts.
    pub fn report(&mut self) {
        METERS.sent.increment(std::mem::take(&mut self.events));
        METERS.sent_bytes.increment(std::mem::take(&mut self.bytes));
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.report();
    }
}

/// What is in memory now.
#[derive(Debug, Clone, Copy)]
pub struct Memory<'a> {
    /// Entries of the board.
    pub entries: usize,
    /// Of these, the verified ones.
    pub verified: usize,
    /// Open edge signals.
    pub signals: usize,
    /// The time of the newest poll that the board wholly contains.
    pub as_of: Option<Micros>,
    /// Events of the feed, and their bytes.
    pub ring: (usize, usize),
    /// The offset of the next event of each of the feed's partitions.
    pub feed: &'a [i64],
}

/// Reports what is in memory at a moment of UTC. `ends` are the end offsets of the feed's partitions, as far
/// as they are known.
pub fn inspect(memory: &Memory<'_>, ends: &BTreeMap<i32, Span>, now: Micros) {
    list::BOARD_ENTRIES.set(memory.entries as f64);
    list::VERIFIED_ENTRIES.set(memory.verified as f64);
    list::SERVED_SIGNALS.set(memory.signals as f64);
    if let Some(as_of) = memory.as_of {
        list::BOARD_AGE.set(seconds(as_of, now));
    }
    list::RING_EVENTS.set(memory.ring.0 as f64);
    list::RING_BYTES.set(memory.ring.1 as f64);
    for (partition, next) in (0..).zip(memory.feed) {
        if let Some(end) = ends.get(&partition) {
            let lag = (end.next - next).max(0);
            list::FEED_LAG.gauge(&[&partition.to_string()]).set(lag as f64);
        }
    }
}
