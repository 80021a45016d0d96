//! The records of scans: the request, its markers in the tick topic, its results, and what the processor remembers of it.
//!
//! They carry data and decide nothing.

use arb_model::described::{Described, Shape};
use arb_model::record;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::time::Micros;

record! {
    /// A scan that a user asks for: the sources that poll what it covers poll at once.
    pub struct ScanRequest {
        /// Its id.
        pub id: String,
        /// Whose scan it is.
        pub account: String,
        /// When it was asked for, by the clock of the API instance.
        pub requested_at: Micros,
        /// A sport or a league.
        pub sport: Option<String>,
        /// A league.
        pub league: Option<String>,
        /// Events; empty: all.
        pub event_ids: Vec<String>,
        /// A league, `/`, and the UTC date on which its events start.
        pub event_group: Option<String>,
        /// Families; empty: all.
        pub markets: Vec<String>,
        /// Book keys; empty: all.
        pub books: Vec<String>,
        /// The least margin, a fraction.
        pub min_margin: f64,
        /// Total stake, in minor units.
        pub total_stake: Option<i64>,
        /// The private source of the account, whose prices are scanned too.
        pub private: Option<String>,
    }
}

record! {
    /// A source begins to answer a scan: in every partition, before the first frame of what it polls for it.
    pub struct ScanBegin {
        /// The source.
        pub source: String,
        /// The scan.
        pub request: ScanRequest,
    }
}

record! {
    /// A source has answered a scan: in every partition, after the end of what it polled for it.
    #[derive(Eq)]
    pub struct ScanEnd {
        /// Id of the request.
        pub scan: String,
        /// The source.
        pub source: String,
        /// `polled`, or why it was not: `polled_recently`, `recording`, `not_covered`, `credits`, `scan_cap`, `back_off`,
        /// `failed`.
        pub outcome: String,
        /// `received_at` of the poll, which with the source identifies its frames.
        pub polled_at: Option<Micros>,
        /// What the poll cost at the provider; a poll that several scans share is stated with each.
        pub credits: i64,
    }
}

/// The outcome of a source that was polled for a scan.
pub const POLLED: &str = "polled";
/// The outcome of a source that has begun and not ended.
pub const PENDING: &str = "pending";
/// The outcome of a source that has quotes of what is scanned and has not begun.
pub const SILENT: &str = "silent";

record! {
    /// The answer of one partition to a scan as of the end marker of a source; the last one of a partition counts.
    #[derive(Eq)]
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
}

record! {
    /// What a source gave.
    #[derive(Eq)]
    pub struct ScanSource {
        /// The source.
        pub source: String,
        /// That of `ScanEnd`; `pending`: it has begun and not ended; `silent`: it has quotes of what is scanned and has
        /// not begun.
        pub outcome: String,
        /// `received_at` of the poll.
        pub polled_at: Option<Micros>,
        /// What the poll cost at the provider.
        pub credits: i64,
        /// Quotes on offer, of what is scanned.
        pub quotes: i32,
        /// Of those: from the poll for this scan.
        pub asked: i32,
        /// Of the asked: last confirmed by the book after the request.
        pub confirmed: i32,
    }
}

record! {
    /// How many quotes are on offer, from the scan's polls, and of those confirmed by the book after the request.
    #[derive(Eq)]
    pub struct ScanCount {
        /// The book or the league.
        pub key: String,
        /// Quotes on offer, of what is scanned.
        pub quotes: i32,
        /// Of those: from the poll for this scan.
        pub asked: i32,
        /// Of the asked: last confirmed by the book after the request.
        pub confirmed: i32,
    }
}

record! {
    /// An arb of a scan.
    #[derive(Eq)]
    pub struct ScanArb {
        /// A message of `BoardEntry`, with its header, so that each of its versions can be read.
        pub entry: Message,
        /// By leg: whether it is from a poll for this scan.
        pub asked: Vec<bool>,
    }
}

/// The bytes of another record, with its header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message(pub Vec<u8>);

impl Described for Message {
    const SHAPE: Shape = Shape::Bytes;
}

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

record! {
    /// A scan that a partition of the processor remembers.
    pub struct StateScan {
        /// The scan.
        pub request: ScanRequest,
        /// Offset of the first begin marker: the oldest are forgotten first.
        pub number: i64,
        /// The sources that have begun.
        pub sources: Vec<StateScanSource>,
    }
}

record! {
    /// Events of a poll whose prices a partition repeated, because the poll named them without prices that could be taken
    /// in. Written while a scan waits for the source.
    #[derive(Eq)]
    pub struct StateScanRepeats {
        /// The source.
        pub source: String,
        /// Of the poll, in microseconds since the epoch: the latest that has any.
        pub received_at: i64,
        /// Their ids.
        pub events: Vec<String>,
        /// There are more than are listed: none of the poll's prices counts as asked for.
        pub is_all: bool,
    }
}

record! {
    /// A source that has begun to answer a scan.
    #[derive(Eq)]
    pub struct StateScanSource {
        /// The source.
        pub source: String,
        /// Its latest poll before its begin marker, in microseconds since the epoch: later ones count.
        pub before: i64,
        /// As in `ScanEnd`; `None`: it has not ended.
        pub outcome: Option<String>,
        /// `received_at` of the poll for the scan, in microseconds since the epoch.
        pub polled_at: Option<i64>,
        /// What the poll cost at the provider.
        pub credits: i64,
    }
}
