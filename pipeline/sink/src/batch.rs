//! A batch: records of one partition, as they came, until there are enough for an insert.
//!
//! Records are kept as bytes, which are a tenth of their rows, and become rows where they are sent. It never
//! calls a server, and depends only on the records and its limits.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use arb_runtime::feed_mark::FeedMark;
use arb_schemas::time::{Micros, month};

use super::intent::Intent;
use super::record::Kept;
use super::rows::DecodedRecord;
use super::table::{Table, Tally};

/// The largest batch.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Rows.
    pub rows: u64,
    /// Bytes in memory.
    pub bytes: usize,
    /// Time since the first record.
    pub interval: Duration,
}

/// An insert into more parts of a table than this is refused by its server (100), so that hostile times cannot fill it.
const MONTHS: usize = 50;

/// Records of a partition that follow each other.
#[derive(Debug)]
pub struct Batch {
    /// The offset at which it begins, which need not be a record's.
    first: i64,
    /// Of the last record that was taken.
    last: Option<i64>,
    /// The mark of the last record before it, and of the last one in it: the same where it has none with a mark.
    marks: (Option<FeedMark>, Option<FeedMark>),
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    tally: Tally,
    months: Months,
    latest: Option<Micros>,
    started: Option<Instant>,
}

/// A record that has rows.
#[derive(Debug, Clone, Copy)]
struct Entry {
    offset: i64,
    table: Table,
    start: usize,
    value: usize,
    end: usize,
}

/// The months that rows lie in.
#[derive(Debug, Default)]
struct Months {
    all: BTreeSet<Micros>,
    /// The one of the latest record: most have the same.
    current: std::ops::Range<Micros>,
}

impl Months {
    fn note(&mut self, at: Micros) {
        if !self.current.contains(&at)
            && let Some((first, next)) = month(at)
        {
            self.current = first..next;
            self.all.insert(first);
        }
    }
}

impl Batch {
    /// A batch that begins at an offset; `before` is the mark of the last record before that, as far as it is
    /// known.
    #[must_use]
    pub fn new(first: i64, before: Option<FeedMark>) -> Self {
        Self {
            first,
            last: None,
            marks: (before, before),
            bytes: Vec::new(),
            entries: Vec::new(),
            tally: Tally::default(),
            months: Months::default(),
            latest: None,
            started: None,
        }
    }

    /// Notes the mark of the next record; `false` when it is a double, of which nothing may be made.
    pub fn admit(&mut self, mark: Option<FeedMark>) -> bool {
        let is_double = mark.is_some_and(|mark| mark.is_double(self.marks.1));
        if !is_double {
            self.marks.1 = mark.or(self.marks.1);
        }
        !is_double
    }

    /// Takes a record and what was made of it.
    pub fn take(&mut self, record: Kept<'_>, made: &DecodedRecord<'_>, now: Instant) {
        self.last = Some(record.offset);
        self.started.get_or_insert(now);
        let Some((table, rows)) = made.rows() else { return };
        self.tally.count(table, rows);
        if let Some(at) = made.time() {
            self.months.note(at);
            self.latest = self.latest.max(Some(at));
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record.key);
        let value = self.bytes.len();
        self.bytes.extend_from_slice(record.value);
        self.entries.push(Entry { offset: record.offset, table, start, value, end: self.bytes.len() });
    }

    /// Whether it takes no more.
    #[must_use]
    pub fn is_full(&self, limits: &Limits) -> bool {
        self.tally.total() >= limits.rows || self.bytes() >= limits.bytes || self.months.all.len() >= MONTHS
    }

    /// Whether its time is over.
    #[must_use]
    pub fn is_due(&self, limits: &Limits, now: Instant) -> bool {
        self.started.is_some_and(|started| now.duration_since(started) >= limits.interval)
    }

    /// The offset at which it begins.
    #[must_use]
    pub fn first(&self) -> i64 {
        self.first
    }

    /// Offset of the last record that was taken.
    #[must_use]
    pub fn last(&self) -> Option<i64> {
        self.last
    }

    /// The offset after it.
    #[must_use]
    pub fn next(&self) -> i64 {
        self.last.map_or(self.first, |last| last + 1)
    }

    /// The mark of the last record before it.
    #[must_use]
    pub fn mark_before(&self) -> Option<FeedMark> {
        self.marks.0
    }

    /// The mark of the last record up to its end.
    #[must_use]
    pub fn mark(&self) -> Option<FeedMark> {
        self.marks.1
    }

    /// Its rows.
    #[must_use]
    pub fn rows(&self) -> &Tally {
        &self.tally
    }

    /// The latest time of its rows.
    #[must_use]
    pub fn latest(&self) -> Option<Micros> {
        self.latest
    }

    /// What it holds in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<Entry>()
    }

    /// The intent that is committed before its rows are sent.
    #[must_use]
    pub fn intent(&self) -> Intent {
        Intent { first: self.first, last: self.last.unwrap_or(self.first), rows: self.tally }
    }

    /// Its records that have rows in a table.
    pub fn records(&self, table: Table) -> impl Iterator<Item = Kept<'_>> + Send {
        let entries = self.entries.iter().filter(move |entry| entry.table == table);
        entries.map(|entry| Kept {
            offset: entry.offset,
            key: &self.bytes[entry.start..entry.value],
            value: &self.bytes[entry.value..entry.end],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { rows: 3, bytes: 1_000, interval: Duration::from_secs(1) };

    fn kept(offset: i64) -> Kept<'static> {
        Kept { offset, key: b"key", value: b"value" }
    }

    fn rejected() -> DecodedRecord<'static> {
        DecodedRecord::Rejected("none".to_owned())
    }

    #[test]
    fn it_keeps_records_with_rows_and_counts_them() {
        let (mut batch, now) = (Batch::new(5, None), Instant::now());
        assert_eq!((batch.next(), batch.last()), (5, None));
        batch.take(kept(7), &rejected(), now);
        batch.take(kept(8), &DecodedRecord::Nothing, now);
        let intent = batch.intent();
        assert_eq!((intent.first, intent.last, batch.next()), (5, 8, 9));
        assert_eq!((intent.rows.of(Table::Rejected), intent.rows.total()), (1, 1));
        assert_eq!(batch.records(Table::Rejected).collect::<Vec<_>>(), [kept(7)]);
        assert_eq!(batch.records(Table::Ticks).count(), 0);
    }

    #[test]
    fn it_has_the_marks_at_both_of_its_ends() {
        let mark = |sequence| Some(FeedMark { epoch: 1, sequence });
        let mut batch = Batch::new(5, mark(3));
        assert_eq!((batch.mark_before(), batch.mark()), (mark(3), mark(3)));
        assert_eq!(
            [mark(3), None, mark(4), mark(2), mark(5)].map(|mark| batch.admit(mark)),
            [false, true, true, false, true]
        );
        assert_eq!((batch.mark_before(), batch.mark()), (mark(3), mark(5)));
    }

    #[test]
    fn a_batch_is_full_by_rows_by_bytes_and_due_by_time() {
        let (mut batch, now) = (Batch::new(0, None), Instant::now());
        assert!(!batch.is_due(&LIMITS, now + LIMITS.interval), "nothing waits");
        for offset in 0..3 {
            assert!(!batch.is_full(&LIMITS));
            batch.take(kept(offset), &rejected(), now);
        }
        assert!(batch.is_full(&LIMITS));
        let small = 3 * ("keyvalue".len() + size_of::<Entry>());
        assert_eq!(batch.bytes(), small, "what is known of a small record is more than the record");
        assert!(batch.is_full(&Limits { rows: 100, bytes: small, ..LIMITS }));
        assert!(!batch.is_full(&Limits { rows: 100, bytes: small + 1, ..LIMITS }));
        assert!(!batch.is_full(&Limits { rows: 100, ..LIMITS }));
        assert!(!batch.is_due(&LIMITS, now) && batch.is_due(&LIMITS, now + LIMITS.interval));
    }

    #[test]
    fn a_batch_is_full_before_a_table_refuses_its_months() {
        let mut months = Months::default();
        for day in 0..(50 * 31) {
            months.note(day * 86_400_000_000);
        }
        assert_eq!(months.all.len(), 51, "fifty months of 31 days are more of ours");
        months.note(0);
        months.note(i64::MAX);
        assert_eq!(months.all.len(), 51);
    }
}
