//! Where a page ended: the place of its last entry and the page's filters, opaque to callers.
//!
//! Bound to the order and the filters, not to a snapshot: the next page begins after that place in the list of that
//! moment. It never carries a page of one filter, or of one list, into another.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A place, and what the page was filtered by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cursor<P, F> {
    pub(crate) after: P,
    pub(crate) filter: F,
}

impl<P: Serialize + DeserializeOwned, F: Serialize + DeserializeOwned> Cursor<P, F> {
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
    use crate::filter::Sport;
    use crate::listed::Listed;
    use crate::view::tests::{entry, signal};

    #[test]
    fn what_was_never_given_out_is_no_place() {
        for text in ["", "bm9uc2Vuc2U", "%%%", "W10"] {
            assert_eq!(Cursor::<String, Sport>::decode(text), None, "{text}");
        }
    }

    #[test]
    fn a_place_in_one_list_is_none_in_another() {
        let (arb, signal) = (entry("a", 0.02), signal("a", 7));
        let of_arbs = Cursor { after: arb.place(), filter: Sport::default() }.encode();
        let of_signals = Cursor { after: signal.place(), filter: Sport::default() }.encode();
        assert!(Cursor::<crate::signals::Place, Sport>::decode(&of_arbs).is_none());
        assert!(Cursor::<crate::board::Rank, Sport>::decode(&of_signals).is_none());
    }
}
