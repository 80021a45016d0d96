//! The records of scans: the request, its markers in the tick topic, its results, and what the processor remembers of it.
//!
//! They carry data and decide nothing.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::time::Micros;

/// A scan that a user asks for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanRequest {
    /// Its id.
    pub id: String,
    /// Whose scan it is.
    pub account: String,
    /// By the clock of the API instance.
    pub requested_at: Micros,
    /// A sport or a league.
    pub sport: Option<String>,
    /// A league.
    pub league: Option<String>,
    /// Empty: all.
    pub event_ids: Vec<String>,
    /// A league, `/`, and the UTC date on which its events start.
    pub event_group: Option<String>,
    /// Families; empty: all.
    pub markets: Vec<String>,
    /// Empty: all.
    pub books: Vec<String>,
    /// A fraction.
    pub min_margin: f64,
    /// Minor units.
    pub total_stake: Option<i64>,
    /// The private source of the account, whose prices are scanned too.
    pub private: Option<String>,
}

/// A source begins to answer a scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScanBegin {
    /// The source.
    pub source: String,
    /// The scan.
    pub request: ScanRequest,
}

/// A source has answered a scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanEnd {
    /// Id of the request.
    pub scan: String,
    /// The source.
    pub source: String,
    /// [`POLLED`], or why it was not polled.
    pub outcome: String,
    /// `received_at` of the poll.
    pub polled_at: Option<Micros>,
    /// What the poll cost at the provider.
    pub credits: i64,
}

/// The outcome of a source that was polled for a scan.
pub const POLLED: &str = "polled";
/// The outcome of a source that has begun and not ended.
pub const PENDING: &str = "pending";
/// The outcome of a source that has quotes of what is scanned and has not begun.
pub const SILENT: &str = "silent";

/// The answer of one partition to a scan; the last one of a partition counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanResult {
    /// Id of the request.
    pub scan: String,
    /// Latest time of any source in the partition.
    pub as_of: Micros,
    /// By source.
    pub sources: Vec<ScanSource>,
    /// By book.
    pub books: Vec<ScanCount>,
    /// By league.
    pub leagues: Vec<ScanCount>,
    /// Events with a quote on offer.
    pub events: i32,
    /// Best first.
    pub arbs: Vec<ScanArb>,
    /// Arbs for which there was no room.
    pub left_out: i32,
}

/// What a source gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ScanSource {
    pub source: String,
    pub outcome: String,
    pub polled_at: Option<Micros>,
    pub credits: i64,
    pub quotes: i32,
    pub asked: i32,
    pub confirmed: i32,
}

/// How many quotes are on offer, from the scan's polls, and of those confirmed by the book after the request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ScanCount {
    pub key: String,
    pub quotes: i32,
    pub asked: i32,
    pub confirmed: i32,
}

/// An arb of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanArb {
    /// A message of `BoardEntry`, so that each of its versions can be read.
    pub entry: Message,
    /// By leg: whether it is from a poll for this scan.
    pub asked: Vec<bool>,
}

/// The bytes of another record, with its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message(pub Vec<u8>);

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(Bytes).map(Self)
    }
}

/// Takes bytes in whichever form the reader has them.
struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<u8>, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = items.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

/// A scan that a partition of the processor remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateScan {
    /// The scan.
    pub request: ScanRequest,
    /// Offset of the first begin marker.
    pub number: i64,
    /// The sources that have begun.
    pub sources: Vec<StateScanSource>,
}

/// Events of a poll whose prices a partition repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateScanRepeats {
    /// The source.
    pub source: String,
    /// Of the poll.
    pub received_at: Micros,
    /// Their ids.
    pub events: Vec<String>,
    /// There are more than are listed.
    pub is_all: bool,
}

/// A source that has begun to answer a scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateScanSource {
    /// The source.
    pub source: String,
    /// Its latest poll before its begin marker.
    pub before: i64,
    /// `None`: it has not ended.
    pub outcome: Option<String>,
    /// `received_at` of the poll for the scan.
    pub polled_at: Option<i64>,
    /// What the poll cost at the provider.
    pub credits: i64,
}
