//! The telemetry of the sink: records read, and rows in ClickHouse.
//!
//! Rows are counted when the group's offset is committed behind them: rows that are sent twice are counted
//! once.

use std::time::Duration;

use arb_runtime::telemetry::{kafka, list, took};

use crate::counts::Counts;
use crate::table::Table;

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    list::SINK_ROWS.begin_each(Table::ALL.iter().map(|table| table.name()));
    kafka::begin_feed();
}

/// Reports what was processed since the start, and what is held now.
pub fn counted(counts: &Counts, held: Held) {
    let Counts { records, batches, retries, expired, in_doubt, refused, lost, .. } = *counts;
    let counted = [
        (list::SINK_RECORDS, records),
        (list::SINK_BATCHES, batches),
        (list::SINK_RETRIES, retries),
        (list::SINK_EXPIRED, expired),
        (list::SINK_IN_DOUBT, in_doubt),
        (list::SINK_REFUSED, refused),
        (list::SINK_LOST, lost),
    ];
    for (metric, count) in counted {
        metric.counter(&[]).absolute(count);
    }
    for table in Table::ALL {
        list::SINK_ROWS.counter(&[table.name()]).absolute(counts.rows.of(table));
    }
    list::SINK_PARTITIONS.set(held.partitions as f64);
    list::SINK_PAUSED.set(held.paused as f64);
    list::SINK_HELD.set(held.bytes as f64);
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
    list::SINK_INSERT_SECONDS.record(took(time));
}

/// Reports how long the loop has made no step.
pub fn silent(silence: Option<Duration>) {
    list::SINK_AGE.set(silence.map_or(0.0, took));
}
