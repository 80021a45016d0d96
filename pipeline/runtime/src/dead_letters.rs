//! Dead letters: records that could not be processed, or not completely, with the reason.
//!
//! Key and value stay byte for byte, so that the record can be sent again; the reason and the origin are in
//! headers. It never decides what is wrong with a record.

use arb_schemas::limits;

use super::log::Record;
use crate::log::Output;

/// Names of the headers.
pub mod header {
    /// Why: a [`super::Reason`]'s key.
    pub const REASON: &str = "arb-reason";
    /// The error text.
    pub const ERROR: &str = "arb-error";
    /// The topic, partition and offset of the record.
    pub const TOPIC: &str = "arb-topic";
    /// In which partition.
    pub const PARTITION: &str = "arb-partition";
    /// At which offset.
    pub const OFFSET: &str = "arb-offset";
    /// The epoch of the partition's state; a reader drops a letter of the same epoch whose offset it has had.
    pub use crate::feed_mark::EPOCH;
}

/// Why a record is dead-lettered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Nothing of it could be taken in.
    Unreadable,
    /// Some of its ticks could not be: unknown markets, impossible prices, times in the future.
    PartlyLeftOut,
    /// Its time is far ahead of all other records.
    Ahead,
    /// It could not be dead-lettered completely either.
    TooLong,
    /// It is beyond a limit of the engine: nothing of it is taken in.
    Refused,
    /// An update that a client pushed and that is not taken in.
    PushRefused,
    /// What it makes of the state, or an output of it, fits no record: a limit is missing.
    DoesNotFit,
}

impl Reason {
    /// All of them, in the order in which they are declared.
    pub const ALL: [Self; 7] = [
        Self::Unreadable,
        Self::PartlyLeftOut,
        Self::Ahead,
        Self::TooLong,
        Self::Refused,
        Self::PushRefused,
        Self::DoesNotFit,
    ];

    /// Its name in the header.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::PartlyLeftOut => "partly-left-out",
            Self::Ahead => "ahead",
            Self::TooLong => "too-long",
            Self::Refused => "refused",
            Self::PushRefused => "push-refused",
            Self::DoesNotFit => "does-not-fit",
        }
    }
}

/// Longest error that a header carries.
const MAX_ERROR: usize = 1024;

/// A record as a dead letter, with the final reason: a record that is too long for any topic is dead-lettered
/// without its value, which stays at its original offset. The topics are that of the record and that of its
/// dead letters.
#[must_use]
pub fn output(
    record: &Record,
    (input, dead_letters): (&'static str, &'static str),
    epoch: i64,
    reason: Reason,
    error: &str,
) -> (Reason, Output) {
    let length = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len);
    let bytes = length(&record.key) + length(&record.value);
    let fits = bytes <= limits::VALUE;
    let (reason, error) = if fits {
        (reason, error.chars().take(MAX_ERROR).collect())
    } else {
        (Reason::TooLong, format!("{bytes} bytes, more than {}", limits::VALUE))
    };
    let output = Output {
        topic: dead_letters,
        partition: record.partition,
        key: record.key.clone().filter(|_| fits),
        value: record.value.clone().filter(|_| fits),
        headers: vec![
            (header::REASON, reason.key().to_owned()),
            (header::ERROR, error),
            (header::TOPIC, input.to_owned()),
            (header::PARTITION, record.partition.to_string()),
            (header::OFFSET, record.offset.to_string()),
            (header::EPOCH, epoch.to_string()),
        ],
    };
    (reason, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPICS: (&str, &str) = ("odds.ticks.v1", "odds.ticks.v1.dlq");

    #[test]
    fn a_value_too_long_for_any_topic_stays_at_its_offset() {
        let record = |bytes| Record {
            partition: 1,
            offset: 7,
            key: Some(b"k".to_vec()),
            value: Some(vec![0; bytes]),
            appended_at: None,
        };
        let (_, letter) = output(&record(1_000_000), TOPICS, 5, Reason::Unreadable, &"x".repeat(9_999));
        assert_eq!(
            (letter.value.map(|value| value.len()), letter.headers[1].1.len()),
            (Some(1_000_000), 1_024)
        );
        let (_, letter) = output(&record(3_000_000), TOPICS, 5, Reason::Unreadable, "not ours");
        assert_eq!((letter.key, letter.value), (None, None));
        let headers: Vec<_> = letter.headers.iter().map(|(_, value)| &**value).collect();
        assert_eq!(headers[0], "too-long");
        assert_eq!(headers[2..], ["odds.ticks.v1", "1", "7", "5"]);
    }
}
