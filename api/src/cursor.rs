//! Where a page of the board ended: the rank keys of its last entry, opaque to callers.
//!
//! Bound to the order, not to a snapshot: the next page begins after that place in the board of that moment.

use std::cmp::Ordering;

use arb_schemas::records::BoardEntry;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// A place in the ranked board.
///
/// The order: entries whose legs were on offer at one moment first, then the larger score, the larger margin, and
/// the id, so that it is total.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Place(bool, f64, f64, String);

impl Place {
    /// Of an entry.
    pub(crate) fn of(entry: &BoardEntry) -> Self {
        Self(entry.simultaneous, entry.score, entry.margin, entry.id.clone())
    }

    /// Best first.
    pub(crate) fn rank(&self, other: &Self) -> Ordering {
        let Self(simultaneous, score, margin, id) = self;
        other
            .0
            .cmp(simultaneous)
            .then(other.1.total_cmp(score))
            .then(other.2.total_cmp(margin))
            .then_with(|| id.cmp(&other.3))
    }

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
    use super::*;

    #[test]
    fn the_order_is_total() {
        let place = |simultaneous, score, margin, id: &str| Place(simultaneous, score, margin, id.to_owned());
        let ranked = [
            place(true, 0.02, 0.02, "c"),
            place(true, 0.0, 0.05, "d"),
            place(true, 0.0, 0.01, "a"),
            place(true, 0.0, 0.01, "b"),
            place(false, 0.9, 0.9, "e"),
        ];
        for (index, a) in ranked.iter().enumerate() {
            for (other, b) in ranked.iter().enumerate() {
                assert_eq!(a.rank(b), index.cmp(&other), "{a:?} {b:?}");
            }
            assert_eq!(Place::decode(&a.encode()).as_ref(), Some(a));
        }
        assert_eq!(Place::decode("bm9uc2Vuc2U"), None);
        assert_eq!(Place::decode("%%%"), None);
    }
}
