//! The offset from which a partition is read, and what to do about rows that may exist already.
//!
//! Pure: the facts from Kafka and ClickHouse are passed in, and the answer is one of a few cases. ClickHouse
//! decides about rows, Kafka about records, and the group's offsets only where neither contradicts them.

use std::collections::HashSet;

use arb_kafka::Committed;
use arb_runtime::feed_mark::FeedMark;
use arb_runtime::progress::Span;
use thiserror::Error;

use super::intent::{Note, NoteError};
use super::table::Tally;

/// From where a partition is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resume {
    /// Offset of the first record.
    pub at: i64,
    /// The mark of the last record before it, if the note has one.
    pub mark: Option<FeedMark>,
    /// A range whose intent was left: it must be read as one batch, and its rows may be there.
    pub doubt: Option<Doubt>,
    /// Rows of records below this offset may exist, or have existed, beyond the tables' newest: no note
    /// proves that they are new, and a server silently refuses rows under a name that it knows.
    pub unsure_below: i64,
    /// The largest number of offsets that are gone, whose rows can no longer be built.
    pub lost: i64,
    /// The offset is one of a topic that is no more: this one is read from its beginning.
    pub is_new_topic: bool,
}

/// The range of an intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubt {
    /// As in the intent, also where the first records are gone.
    pub first: i64,
    /// Of the last record.
    pub last: i64,
    /// The number of rows that the earlier owner built from its records.
    pub rows: Tally,
}

/// Why a partition cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The note.
    #[error("what the group has committed beside offset {offset} {error}")]
    Note {
        /// The offset beside which it is committed.
        offset: i64,
        /// What is wrong with it.
        error: NoteError,
    },
    /// Kafka has lost the end of the log, and will give its offsets to other records.
    #[error(
        "the group has committed offset {committed} and the log ends at {end}: Kafka has lost records that were \
         inserted, and rows of new records would have their places; recreate the topic, or commit offset {end} for \
         the group by hand to leave out as many records"
    )]
    Truncated {
        /// The state of the group.
        committed: i64,
        /// The state of the log.
        end: i64,
    },
}

/// Decides from where a partition is read.
///
/// # Errors
/// [`Refusal`], which the operator must resolve.
pub fn resume(committed: Option<&Committed>, span: Span, topic_id: &str) -> Result<Resume, Refusal> {
    let unsure_below = span.next;
    let from_the_first =
        Resume { at: span.first, mark: None, doubt: None, unsure_below, lost: 0, is_new_topic: false };
    // There was never an owner, or so long ago that Kafka has deleted its offset: the tables decide whether
    // rows exist.
    let Some(Committed { offset, metadata }) = committed else { return Ok(from_the_first) };
    let offset = *offset;
    let note = Note::parse(metadata).map_err(|error| Refusal::Note { offset, error })?;
    let (mark, intent, unsure_below) = match note {
        Some(note) if note.topic_id != topic_id => {
            return Ok(Resume { is_new_topic: true, ..from_the_first });
        }
        Some(note) => (note.mark, note.intent, i64::MIN),
        // Set by hand.
        None => (None, None, unsure_below),
    };
    let needed = intent.as_ref().map_or(offset, |intent| intent.last + 1);
    if needed > span.next {
        return Err(Refusal::Truncated { committed: needed, end: span.next });
    }
    let doubt = intent.filter(|intent| intent.last >= span.first);
    Ok(Resume {
        at: offset.max(span.first),
        mark,
        doubt: doubt.map(|intent| Doubt { first: intent.first, last: intent.last, rows: intent.rows }),
        unsure_below,
        lost: lost(offset, span),
        is_new_topic: false,
    })
}

/// The largest number of offsets that are gone without rows.
fn lost(committed: i64, span: Span) -> i64 {
    // After the last record of a transaction comes its marker, which no reader sees, so the committed offset
    // is the marker's. When everything has been deleted, and only this offset was after it, it was no record:
    // a record would be followed by its marker. (One that was pushed would not: it is in no transaction.)
    let is_empty = span.first == span.next;
    match (span.first - committed).max(0) {
        1 if is_empty => 0,
        lost => lost,
    }
}

/// The place of a row: its record's offset, and its number within it.
pub type Place = (u64, u32);

/// What a table has of the rows of a batch, and how often some were sent since it was first asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The places of rows that are there.
    pub there: HashSet<Place>,
    /// What was missing each time that rows were sent, by name.
    pub sent: Vec<u64>,
}

/// A table's answer about a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Rows.
    pub rows: u64,
    /// Places of rows, each counted once.
    pub places: u64,
}

/// What is to be done about the rows of a batch in one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// None are there.
    InsertAll,
    /// Some are there.
    InsertMissing,
    /// All are there.
    Complete,
    /// There are more than there can be.
    TooMany,
}

/// Compares what a table has with the rows that the records make.
///
/// ```
/// use arb_sink::recovery::{Found, Verdict, verdict};
///
/// assert_eq!(verdict(5, Found { rows: 0, places: 0 }), Verdict::InsertAll);
/// assert_eq!(verdict(5, Found { rows: 3, places: 3 }), Verdict::InsertMissing);
/// assert_eq!(verdict(5, Found { rows: 5, places: 5 }), Verdict::Complete);
/// assert_eq!(verdict(5, Found { rows: 5, places: 4 }), Verdict::TooMany, "one row is there twice");
/// ```
#[must_use]
pub fn verdict(made: u64, found: Found) -> Verdict {
    match found {
        Found { rows, places } if rows != places || rows > made => Verdict::TooMany,
        Found { rows: 0, .. } if made > 0 => Verdict::InsertAll,
        Found { rows, .. } if rows == made => Verdict::Complete,
        Found { .. } => Verdict::InsertMissing,
    }
}

#[cfg(test)]
mod tests {

    use super::super::intent::Intent;
    use super::super::table::Table;
    use super::*;

    const SPAN: Span = Span { first: 100, next: 200 };
    const MARK: FeedMark = FeedMark { epoch: 4, sequence: 30 };

    fn at(offset: i64, note: Option<&Note>) -> Committed {
        Committed { offset, metadata: note.map(Note::format).unwrap_or_default() }
    }

    fn five() -> Tally {
        let mut rows = Tally::default();
        rows.count(Table::Ticks, 5);
        rows
    }

    fn note(topic: &str, range: Option<(i64, i64)>) -> Note {
        let intent = range.map(|(first, last)| Intent { first, last, rows: five() });
        Note { topic_id: topic.to_owned(), mark: Some(MARK), intent }
    }

    #[test]
    fn a_partition_is_read_from_where_it_was_left() {
        let unmarked =
            Resume { at: 150, mark: None, doubt: None, unsure_below: i64::MIN, lost: 0, is_new_topic: false };
        let plain = Resume { mark: Some(MARK), ..unmarked };
        let resumed = |offset, note: Option<&Note>| resume(Some(&at(offset, note)), SPAN, "a");
        let first = resume(None, SPAN, "a");
        assert_eq!(first, Ok(Resume { at: 100, unsure_below: 200, ..unmarked }));
        assert_eq!(resumed(150, None), Ok(Resume { unsure_below: 200, ..unmarked }), "committed by hand");
        assert_eq!(resumed(150, Some(&note("a", None))), Ok(plain));
        assert_eq!(resumed(200, Some(&note("a", None))), Ok(Resume { at: 200, ..plain }), "all is read");
        let doubt = Some(Doubt { first: 150, last: 170, rows: five() });
        assert_eq!(resumed(150, Some(&note("a", Some((150, 170))))), Ok(Resume { doubt, ..plain }));
    }

    #[test]
    fn a_log_that_was_cut_below_the_position_is_reported() {
        let resumed = |offset, note: &Note| resume(Some(&at(offset, Some(note))), SPAN, "a").unwrap();
        let gone = resumed(40, &note("a", None));
        assert_eq!((gone.at, gone.lost, gone.doubt), (100, 60, None));
        let gone = resumed(40, &note("a", Some((40, 70))));
        assert_eq!((gone.at, gone.lost, gone.doubt), (100, 60, None), "the whole range is gone");
        let part = resumed(90, &note("a", Some((90, 110))));
        assert_eq!((part.at, part.lost), (100, 10));
        assert_eq!(part.doubt, Some(Doubt { first: 90, last: 110, rows: five() }));
    }

    #[test]
    fn a_marker_that_is_gone_is_no_loss() {
        let lost = |offset, span| resume(Some(&at(offset, Some(&note("a", None)))), span, "a").unwrap().lost;
        let empty = Span { first: 100, next: 100 };
        assert_eq!(lost(99, empty), 0, "the marker of the last transaction");
        assert_eq!(lost(98, empty), 2, "a record and its marker");
        assert_eq!(lost(99, SPAN), 1, "it may have been one of a transaction whose rest is there");
        assert_eq!(lost(100, empty), 0);
    }

    #[test]
    fn a_recreated_topic_is_read_from_its_beginning() {
        let other = note("b", Some((150, 170)));
        let resumed = resume(Some(&at(150, Some(&other))), SPAN, "a").unwrap();
        assert_eq!((resumed.at, resumed.is_new_topic, resumed.doubt, resumed.mark), (100, true, None, None));
        assert!(resume(Some(&at(1_500, Some(&other))), SPAN, "a").is_ok(), "also one that was longer");
    }

    #[test]
    fn an_unknown_outcome_is_refused() {
        let refused = |offset, note: &Note| resume(Some(&at(offset, Some(note))), SPAN, "a").unwrap_err();
        assert_eq!(refused(201, &note("a", None)), Refusal::Truncated { committed: 201, end: 200 });
        let cut = refused(190, &note("a", Some((190, 200))));
        assert_eq!(cut, Refusal::Truncated { committed: 201, end: 200 });
        let newer = Committed { offset: 150, metadata: r#"{"v":9}"#.to_owned() };
        let error = NoteError::OtherVersion(9);
        assert_eq!(resume(Some(&newer), SPAN, "a"), Err(Refusal::Note { offset: 150, error }));
    }

    #[test]
    fn every_count_has_its_verdict() {
        let decide = |made, rows, places| verdict(made, Found { rows, places });
        assert_eq!(decide(5, 0, 0), Verdict::InsertAll);
        assert_eq!(decide(5, 3, 3), Verdict::InsertMissing);
        assert_eq!(decide(5, 5, 5), Verdict::Complete);
        assert_eq!(decide(5, 5, 4), Verdict::TooMany, "one twice hides that one is missing");
        assert_eq!(decide(5, 6, 6), Verdict::TooMany);
        assert_eq!(decide(0, 0, 0), Verdict::Complete);
        assert_eq!(decide(0, 1, 1), Verdict::TooMany);
    }
}
