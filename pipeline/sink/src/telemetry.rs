//! The telemetry of the sink: records read, rows in ClickHouse, lag.
//!
//! Rows are counted when the group's offset is committed behind them: rows that are sent twice are counted
//! once.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use arb_runtime::progress::{PartitionProgress, Span};
use arb_runtime::telemetry::{Counter, Gauge, Histogram, kafka, list, seconds, took};
use arb_schemas::time::Micros;

use crate::counts::Counts;
use crate::table::Table;

struct Meters {
    records: Counter,
    rows: [Counter; Table::ALL.len()],
    batches: Counter,
    retries: Counter,
    expired: Counter,
    in_doubt: Counter,
    refused: Counter,
    lost: Counter,
    insert_seconds: Histogram,
    partitions: Gauge,
    paused: Gauge,
    held: Gauge,
    age: Gauge,
    /// Of each partition that was ever owned.
    lags: Mutex<BTreeMap<(&'static str, i32), Lag>>,
}

/// In records, and in event time.
type Lag = (Gauge, Gauge);

static METERS: LazyLock<Meters> = LazyLock::new(|| Meters {
    records: list::SINK_RECORDS.counter(&[]),
    rows: Table::ALL.map(|table| list::SINK_ROWS.counter(&[table.name()])),
    batches: list::SINK_BATCHES.counter(&[]),
    retries: list::SINK_RETRIES.counter(&[]),
    expired: list::SINK_EXPIRED.counter(&[]),
    in_doubt: list::SINK_IN_DOUBT.counter(&[]),
    refused: list::SINK_REFUSED.counter(&[]),
    lost: list::SINK_LOST.counter(&[]),
    insert_seconds: list::SINK_INSERT_SECONDS.histogram(&[]),
    partitions: list::SINK_PARTITIONS.gauge(&[]),
    paused: list::SINK_PAUSED.gauge(&[]),
    held: list::SINK_HELD.gauge(&[]),
    age: list::SINK_AGE.gauge(&[]),
    lags: Mutex::default(),
});

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    LazyLock::force(&METERS);
    kafka::begin_feed();
}

/// Reports what was processed since the start, and what is held now.
pub fn counted(counts: &Counts, held: Held) {
    METERS.records.absolute(counts.records);
    for (table, counter) in Table::ALL.into_iter().zip(&METERS.rows) {
        counter.absolute(counts.rows.of(table));
    }
    METERS.batches.absolute(counts.batches);
    METERS.retries.absolute(counts.retries);
    METERS.expired.absolute(counts.expired);
    METERS.in_doubt.absolute(counts.in_doubt);
    METERS.refused.absolute(counts.refused);
    METERS.lost.absolute(counts.lost);
    METERS.partitions.set(held.partitions as f64);
    METERS.paused.set(held.paused as f64);
    METERS.held.set(held.bytes as f64);
}

/// What a sink holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// Partitions that it owns.
    pub partitions: usize,
    /// Those that it does not read for now.
    pub paused: usize,
    /// Bytes of records in memory.
    pub bytes: usize,
}

/// An attempt to insert a batch has ended.
pub fn insert_took(time: Duration) {
    METERS.insert_seconds.record(took(time));
}

/// Reports how long the loop has made no step.
pub fn silent(silence: Option<Duration>) {
    METERS.age.set(silence.map_or(0.0, took));
}

/// Reports the lag of the owned partitions of a topic, at a moment of UTC; `ends` are their end offsets, as
/// far as they are known.
pub fn inspect(
    topic: &'static str,
    places: &BTreeMap<i32, PartitionProgress>,
    ends: &BTreeMap<i32, Span>,
    now: Micros,
) {
    let mut lags = METERS.lags.lock().unwrap_or_else(PoisonError::into_inner);
    let gone = |name: &str, id: &i32| name == topic && !places.contains_key(id);
    // A partition that was owned once is no longer owned here.
    for (_, (records, event_time)) in lags.iter().filter(|((name, id), _)| gone(name, id)) {
        records.set(0.0);
        event_time.set(0.0);
    }
    for (id, place) in places {
        let (records, event_time) = lags.entry((topic, *id)).or_insert_with(|| {
            let id = id.to_string();
            (list::SINK_LAG_RECORDS.gauge(&[topic, &id]), list::SINK_EVENT_TIME_LAG.gauge(&[topic, &id]))
        });
        if let Some(lag) = ends.get(id).map(|end| end.lag(place.next)) {
            records.set(lag as f64);
        }
        if let Some(latest) = place.watermark {
            event_time.set(seconds(latest, now));
        }
    }
}
