//! Marks of feed records, and the one rule by which every reader of the feed drops what it has had.
//!
//! A processor numbers what it writes to a partition of the feed: 1, 2, 3, and so on, in the header
//! [`SEQUENCE`] together with the epoch of the counter. Kafka can lose the markers that end an aborted
//! transaction; the next commit of the same producer then makes its records visible beside those of the
//! transaction that repeated the work, so a log reads 1 2 3 | 1 2 3 4 5. A record at or below the last number
//! of its partition and epoch is a duplicate. A new epoch means that the counter was restarted, because the
//! state was discarded: its records are new, whatever their numbers. Epochs are only compared for equality,
//! so that a machine whose clock is behind does not stop a feed. Dead letters are deduplicated by the same
//! rule; their number is the offset of the record that they came from.
//!
//! Records of the aborted transaction are always before those that are written again. So a reader that starts
//! anywhere delivers the rest complete and in order without knowing what came before; a reader that resumes
//! from a stored position stores the last mark with it. The first record wins: its repetition is the same
//! only if the same program with the same table of books and policy writes it.
//!
//! What it does not recognise: a record without a mark (the processor alone writes marks), a duplicate right
//! behind a position that was set by hand without a mark, and duplicates of a partition's very first
//! transaction, whose repetition may have taken a new epoch. It never calls Kafka and never reads a value.

use std::collections::BTreeMap;
use std::fmt;

/// The header of a feed record: its [`FeedMark`] as text, `EPOCH:SEQUENCE`.
pub const SEQUENCE: &str = "arb-sequence";
/// The header of a dead letter: the epoch only. The offset of its record has a separate header.
pub const EPOCH: &str = "arb-epoch";

/// The number of a record within its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FeedMark {
    /// When the partition's counter was started, in milliseconds since 1970; 0 where that is not known.
    pub epoch: i64,
    /// The record's number: of a feed record its sequence, of a dead letter the offset of its source record.
    pub sequence: i64,
}

impl FeedMark {
    /// From the text of a header; `None` when it is no mark.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (epoch, sequence) = text.split_once(':')?;
        Some(Self { epoch: number(epoch)?, sequence: number(sequence)? })
    }

    /// Whether a record with this mark has been had by a reader whose last record of the partition has the mark `last`.
    #[must_use]
    pub fn is_double(self, last: Option<Self>) -> bool {
        last.is_some_and(|last| self.epoch == last.epoch && self.sequence <= last.sequence)
    }
}

/// As [`FeedMark::parse`] reads it.
impl fmt::Display for FeedMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.epoch, self.sequence)
    }
}

/// Decimal digits alone, so that a mark has one text.
fn number(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text && number >= 0).then_some(number)
}

/// The mark of the last record that a reader has had, by partition.
///
/// ```
/// use arb_runtime::feed_mark::{FeedMark, FeedMarks};
///
/// let mut marks = FeedMarks::default();
/// let mark = |sequence| Some(FeedMark { epoch: 7, sequence });
/// assert!(marks.admit(0, mark(1)) && marks.admit(0, mark(2)));
/// assert!(!marks.admit(0, mark(1)), "a duplicate");
/// assert!(marks.admit(1, mark(1)), "each partition has its own sequence");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedMarks(BTreeMap<i32, FeedMark>);

impl FeedMarks {
    /// The mark of the last record of a partition.
    #[must_use]
    pub fn get(&self, partition: i32) -> Option<FeedMark> {
        self.0.get(&partition).copied()
    }

    /// Notes the next record of a partition; `false` when it is a double, which is to be dropped.
    pub fn admit(&mut self, partition: i32, mark: Option<FeedMark>) -> bool {
        let Some(mark) = mark else { return true };
        let is_new = !mark.is_double(self.get(partition));
        if is_new {
            self.0.insert(partition, mark);
        }
        is_new
    }
}

impl FromIterator<(i32, FeedMark)> for FeedMarks {
    fn from_iter<I: IntoIterator<Item = (i32, FeedMark)>>(marks: I) -> Self {
        Self(marks.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mark(epoch: i64, sequence: i64) -> FeedMark {
        FeedMark { epoch, sequence }
    }

    /// What a reader delivers of a partition's log.
    fn delivered(log: &[Option<FeedMark>], last: Option<FeedMark>) -> Vec<Option<FeedMark>> {
        let mut marks: FeedMarks = last.map(|last| (0, last)).into_iter().collect();
        log.iter().copied().filter(|mark| marks.admit(0, *mark)).collect()
    }

    /// A log by epochs, each a list of attempts: the number of records that it wrote, and whether it was
    /// committed. An attempt that was not, and whose markers were lost, is followed by one that begins with
    /// the same record.
    fn log(epochs: &[Vec<(u8, bool)>]) -> Vec<Option<FeedMark>> {
        let mut log = Vec::new();
        for (epoch, attempts) in (1..).zip(epochs) {
            let mut done = 0;
            for (records, is_committed) in attempts {
                let end = done + i64::from(*records);
                log.extend((done + 1..=end).map(|sequence| Some(mark(epoch, sequence))));
                done = if *is_committed { end } else { done };
            }
        }
        log
    }

    /// The content of an undisturbed log from a record on: each epoch's numbers, without a gap, up to the
    /// highest.
    fn undisturbed(rest: &[Option<FeedMark>]) -> Vec<Option<FeedMark>> {
        let marks: Vec<_> = rest.iter().flatten().collect();
        let by_epoch = marks.chunk_by(|a, b| a.epoch == b.epoch);
        let numbers = by_epoch.flat_map(|of| {
            let last = of.iter().map(|mark| mark.sequence).max().unwrap();
            (of[0].sequence..=last).map(|sequence| Some(mark(of[0].epoch, sequence)))
        });
        numbers.collect()
    }

    fn attempts() -> impl Strategy<Value = Vec<Vec<(u8, bool)>>> {
        prop::collection::vec(prop::collection::vec((0..6_u8, any::<bool>()), 0..8), 0..4)
    }

    proptest! {
        #[test]
        fn from_any_start_each_record_is_delivered_once_and_in_order(epochs in attempts(), start in 0..60_usize) {
            let log = log(&epochs);
            let rest = &log[start.min(log.len())..];
            prop_assert_eq!(delivered(rest, None), undisturbed(rest));
        }

        #[test]
        fn a_reader_that_comes_back_with_its_last_mark_goes_on(
            epochs in attempts(), start in 0..60_usize, stop in 0..60_usize,
        ) {
            let log = log(&epochs);
            let start = start.min(log.len());
            let stop = stop.clamp(start, log.len());
            let mut got = delivered(&log[start..stop], None);
            // What it had dropped before it went had changed no mark.
            let last = got.last().copied().flatten();
            got.extend(delivered(&log[stop..], last));
            prop_assert_eq!(got, delivered(&log[start..], None));
        }

        #[test]
        fn a_mark_is_its_text(epoch in 0..=i64::MAX, sequence in 0..=i64::MAX) {
            let mark = mark(epoch, sequence);
            prop_assert_eq!(FeedMark::parse(&mark.to_string()), Some(mark));
        }
    }

    #[test]
    fn records_of_a_lost_marker_are_delivered_once() {
        let log = log(&[vec![(3, false), (5, true)]]);
        assert_eq!(log.len(), 8);
        assert_eq!(delivered(&log, None), (1..=5).map(|n| Some(mark(1, n))).collect::<Vec<_>>());
    }

    #[test]
    fn a_new_epoch_begins_anew_even_when_the_clock_was_set_back() {
        let log = [(9, 1), (9, 2), (3, 1), (3, 2), (3, 2)].map(|(epoch, n)| Some(mark(epoch, n)));
        assert_eq!(delivered(&log, None), log[..4]);
    }

    #[test]
    fn a_record_without_a_mark_is_no_double_and_forgets_none() {
        let log = [None, Some(mark(1, 2)), None, Some(mark(1, 1)), Some(mark(1, 3))];
        assert_eq!(delivered(&log, None), [log[0], log[1], log[2], log[4]]);
        assert_eq!(delivered(&log, Some(mark(1, 9))), [None, None]);
    }

    #[test]
    fn partitions_know_nothing_of_each_other() {
        let mut marks = FeedMarks::default();
        assert!(marks.admit(0, Some(mark(1, 5))) && marks.admit(1, Some(mark(1, 5))));
        assert!(!marks.admit(1, Some(mark(1, 4))) && marks.get(2).is_none());
    }

    #[test]
    fn other_text_is_no_mark() {
        for text in ["", "1", "1:", ":1", "1:2:3", "-1:2", "1:+2", "01:2", " 1:2", "1:9223372036854775808"] {
            assert_eq!(FeedMark::parse(text), None, "{text}");
        }
    }
}
