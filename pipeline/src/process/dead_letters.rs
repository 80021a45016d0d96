//! Dead letters: records that could not be taken in, or not whole, put aside with the reason.
//!
//! Key and value stay as they are, byte for byte, so that the record can be sent again; what is said about it is in
//! headers. It never decides what is wrong with a record.

use arb_schemas::topics::{DEAD_TICKS, ODDS_TICKS};

use super::log::Record;
use crate::records::Output;

/// Names of the headers.
pub mod header {
    /// Why: a [`super::Reason`]'s key.
    pub const REASON: &str = "arb-reason";
    /// What exactly.
    pub const ERROR: &str = "arb-error";
    /// Where it stood.
    pub const TOPIC: &str = "arb-topic";
    /// In which partition.
    pub const PARTITION: &str = "arb-partition";
    /// At which offset.
    pub const OFFSET: &str = "arb-offset";
}

/// Why a record is put aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Nothing of it could be taken in.
    Unreadable,
    /// Some of its ticks could not be: unknown markets, impossible prices, times in the future.
    PartlyLeftOut,
    /// Its time is far beyond everybody else's.
    Ahead,
}

impl Reason {
    /// Its name in the header.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::PartlyLeftOut => "partly-left-out",
            Self::Ahead => "ahead",
        }
    }
}

/// A record as a dead letter.
pub(super) fn output(record: &Record, reason: Reason, error: &str) -> Output {
    Output {
        topic: DEAD_TICKS.name,
        partition: record.partition,
        key: record.key.clone(),
        value: record.value.clone(),
        headers: vec![
            (header::REASON, reason.key().to_owned()),
            (header::ERROR, error.to_owned()),
            (header::TOPIC, ODDS_TICKS.name.to_owned()),
            (header::PARTITION, record.partition.to_string()),
            (header::OFFSET, record.offset.to_string()),
        ],
    }
}
