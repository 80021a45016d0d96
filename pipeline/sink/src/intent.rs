//! What the sink writes beside an offset: of which topic it is, what is about to be inserted, and the mark of the last record
//! before it, by which doubles are known (`feed_mark`).
//!
//! The intent is committed before the first row of its range is sent, so that the next owner knows which rows
//! may exist. It is short, whatever its content. It decides nothing. Offsets that were set back by hand have
//! no note, so no mark: a duplicate right behind such an offset is not recognised.

use arb_runtime::feed_mark::FeedMark;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::table::{Table, Tally};

/// The version that is written, and read.
const VERSION: u32 = 3;

/// What lies beside an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The topic's id, in hexadecimal: an offset of a recreated topic is another record.
    pub topic_id: String,
    /// The mark of the last record before the offset, where it has one.
    pub mark: Option<FeedMark>,
    /// What is about to be inserted; nothing when all before the offset is there and no more is under way.
    pub intent: Option<Intent>,
}

/// Rows that may be there or not: those of the records from one offset to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The committed offset: that of the first record, or of what precedes it.
    pub first: i64,
    /// Of the last record.
    pub last: i64,
    /// How many rows these records make.
    pub rows: Tally,
}

/// Why a note cannot be acted upon.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoteError {
    /// Written by another version.
    #[error(
        "was written by another version of the sink ({0}, this one knows {VERSION}): start that one again, it ends \
         what it began"
    )]
    OtherVersion(u32),
    /// Not written by a sink.
    #[error("is none of the sink's: {0}")]
    NotOurs(String),
}

/// As it is written.
#[derive(Serialize, Deserialize)]
struct Written {
    v: u32,
    topic: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mark: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    intent: Option<WrittenIntent>,
}

#[derive(Serialize, Deserialize)]
struct WrittenIntent {
    first: i64,
    last: i64,
    rows: Vec<(String, u64)>,
}

/// Only what every version will have.
#[derive(Deserialize)]
struct Version {
    v: u32,
}

impl Note {
    /// As it is written.
    #[must_use]
    pub fn format(&self) -> String {
        let intent = self.intent.as_ref().map(|Intent { first, last, rows }| WrittenIntent {
            first: *first,
            last: *last,
            rows: rows.tables().map(|table| (table.name().to_owned(), rows.of(table))).collect(),
        });
        let mark = self.mark.map(|mark| mark.to_string());
        let written = Written { v: VERSION, topic: self.topic_id.clone(), mark, intent };
        // Numbers and names always can be.
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// From what lies beside an offset; `None` when nothing does, as when it was committed by hand.
    ///
    /// ```
    /// use arb_sink::intent::{Intent, Note};
    /// use arb_sink::table::{Table, Tally};
    ///
    /// let mut rows = Tally::default();
    /// rows.count(Table::Ticks, 120);
    /// let intent = Some(Intent { first: 40, last: 59, rows });
    /// let note = Note { topic_id: "0af3".to_owned(), mark: None, intent };
    /// assert_eq!(Note::parse(&note.format())?, Some(note));
    /// assert_eq!(Note::parse("")?, None, "an offset that was set by hand has no note");
    /// # Ok::<(), arb_sink::intent::NoteError>(())
    /// ```
    ///
    /// # Errors
    /// [`NoteError`].
    pub fn parse(text: &str) -> Result<Option<Self>, NoteError> {
        if text.is_empty() {
            return Ok(None);
        }
        let not_ours = |error: serde_json::Error| NoteError::NotOurs(error.to_string());
        let Version { v } = serde_json::from_str(text).map_err(not_ours)?;
        if v != VERSION {
            return Err(NoteError::OtherVersion(v));
        }
        let Written { topic, mark, intent, .. } = serde_json::from_str(text).map_err(not_ours)?;
        let none = |text: &str| NoteError::NotOurs(format!("{text} is no mark"));
        let mark = mark.map(|text| FeedMark::parse(&text).ok_or_else(|| none(&text))).transpose()?;
        let intent = intent.map(Intent::try_from).transpose()?;
        Ok(Some(Self { topic_id: topic, mark, intent }))
    }
}

impl TryFrom<WrittenIntent> for Intent {
    type Error = NoteError;

    fn try_from(written: WrittenIntent) -> Result<Self, NoteError> {
        let WrittenIntent { first, last, rows: named } = written;
        let mut rows = Tally::default();
        for (name, count) in named {
            let unknown = || NoteError::NotOurs(format!("it names the table {name}"));
            rows.count(Table::named(&name).ok_or_else(unknown)?, count);
        }
        if first < 0 || last < first {
            return Err(NoteError::NotOurs(format!("it goes from {first} to {last}")));
        }
        Ok(Self { first, last, rows })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Kafka's own limit of what may lie beside an offset.
    const MAX_NOTE: usize = 4096;

    fn note(id: u128, first: i64, length: i64, rows: [u64; 6]) -> Note {
        let mut tally = Tally::default();
        for (table, rows) in Table::ALL.into_iter().zip(rows) {
            tally.count(table, rows);
        }
        let intent = Some(Intent { first, last: first.saturating_add(length), rows: tally });
        let mark = Some(FeedMark { epoch: length, sequence: first });
        Note { topic_id: format!("{id:032x}"), mark, intent }
    }

    proptest! {
        #[test]
        fn an_intent_is_read_as_it_was_written(
            id: u128, first in 0..=i64::MAX, length in 0..=i64::MAX, rows in prop::array::uniform6(0..=u64::MAX / 8)
        ) {
            let note = note(id, first, length, rows);
            prop_assert!(note.format().len() < MAX_NOTE / 4);
            prop_assert_eq!(Note::parse(&note.format()), Ok(Some(note.clone())));
            let idle = Note { intent: None, mark: None, ..note };
            prop_assert_eq!(Note::parse(&idle.format()), Ok(Some(idle.clone())));
        }

        #[test]
        fn anything_else_is_refused(text in "\\PC{1,60}") {
            prop_assert!(Note::parse(&text).is_err());
        }
    }

    #[test]
    fn versions_and_hands() {
        assert_eq!(Note::parse(""), Ok(None));
        let golden = r#"{"v":3,"topic":"0000000000000000000000000000000a","mark":"2:7","intent":{"first":7,"last":9,"rows":[["ticks",2]]}}"#;
        assert_eq!(note(10, 7, 2, [2, 0, 0, 0, 0, 0]).format(), golden);
        for other in [2, 4] {
            let text = format!(r#"{{"v":{other},"else":[]}}"#);
            assert_eq!(Note::parse(&text), Err(NoteError::OtherVersion(other)));
        }
        for text in [
            "{}",
            r#"{"v":3}"#,
            r#"{"v":3,"topic":"a","mark":"7"}"#,
            r#"{"v":3,"topic":"a","intent":{"first":9,"last":7,"rows":[]}}"#,
            r#"{"v":3,"topic":"a","intent":{"first":7,"last":9,"rows":[["lunch",2]]}}"#,
        ] {
            assert!(matches!(Note::parse(text), Err(NoteError::NotOurs(_))), "{text}");
        }
    }
}
