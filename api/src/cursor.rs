//! Where a page of the board ended: the rank keys of its last entry and the page's filters, opaque to callers.
//!
//! Bound to the order and the filters, not to a snapshot: the next page begins after that place in the board of that
//! moment. It never carries a page of one filter into another.

use std::cmp::Ordering;

use arb_schemas::records::BoardEntry;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::filter::Sport;

/// A place in the ranked board.
///
/// The order: verified entries first, then the larger score, and the id, so that it is total.
///
/// The score travels as its bits: as a decimal it would come back a digit off, and a page would begin where
/// the last one had not ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Place {
    verified: bool,
    score: u64,
    id: String,
}

impl Place {
    /// Of an entry.
    pub(crate) fn of(entry: &BoardEntry) -> Self {
        Self { verified: entry.verified, score: entry.score.to_bits(), id: entry.id.clone() }
    }

    /// Bytes of its id, which may be any that a caller has written.
    pub(crate) fn len(&self) -> usize {
        self.id.len()
    }

    /// Best first.
    pub(crate) fn rank(&self, other: &Self) -> Ordering {
        let larger = |mine, theirs| f64::from_bits(theirs).total_cmp(&f64::from_bits(mine));
        other
            .verified
            .cmp(&self.verified)
            .then(larger(self.score, other.score))
            .then_with(|| self.id.cmp(&other.id))
    }
}

/// A place, and what the page was filtered by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cursor {
    pub(crate) after: Place,
    pub(crate) sport: Sport,
}

impl Cursor {
    /// As a parameter.
    pub(crate) fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// From a parameter; `None` for what was never given out.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        serde_json::from_slice(&bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(verified: bool, score: f64, id: &str) -> Place {
        Place { verified, score: score.to_bits(), id: id.to_owned() }
    }

    #[test]
    fn the_order_is_total() {
        let ranked =
            [place(true, 0.02, "c"), place(true, 0.0, "a"), place(true, 0.0, "b"), place(false, 0.9, "e")];
        for (index, a) in ranked.iter().enumerate() {
            for (other, b) in ranked.iter().enumerate() {
                assert_eq!(a.rank(b), index.cmp(&other), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn what_was_never_given_out_is_no_place() {
        for text in ["", "bm9uc2Vuc2U", "%%%", "W10"] {
            assert_eq!(Cursor::decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_place_survives_its_journey(a in 1.0..1001.0_f64, b in 1.0..1001.0_f64, id in "[0-9a-f]{32}") {
            let after = place(true, 1.0 / (1.0 / a + 1.0 / b) - 1.0, &id);
            let cursor = Cursor { after, sport: Sport::parse("soccer").unwrap_or_default() };
            let back = Cursor::decode(&cursor.encode());
            prop_assert_eq!(back.as_ref(), Some(&cursor));
            prop_assert_eq!(back.map(|back| back.after.rank(&cursor.after)), Some(Ordering::Equal));
        }
    }
}
