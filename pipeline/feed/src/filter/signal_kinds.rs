//! The filter by kind of edge signal, on the list and on streams alike.
//!
//! It never changes the content of a signal, only whether it is shown.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::parameter::{Parameter, Values};

/// What signals there are.
const KINDS: [&str; 6] = ["value", "low_hold", "middle", "steam", "stale_price", "odds_drop"];

/// Its parameter.
pub const KIND: &Parameter<SignalKinds> = &Parameter::new(
    "kind",
    "Kinds of signals.",
    Values::List("Some of value, low_hold, middle, steam, stale_price, odds_drop, with commas between."),
    |_, text| SignalKinds::parse(text),
)
.component("signal_kind")
.because("must be some of value, low_hold, middle, steam, stale_price, odds_drop, with commas between");

/// Some of the kinds; all of them unless some are named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SignalKinds(Option<BTreeSet<String>>);

impl SignalKinds {
    /// From keys with commas between them.
    fn parse(text: &str) -> Option<Self> {
        let known = |kind: &str| KINDS.contains(&kind).then(|| kind.to_owned());
        text.split(',').map(known).collect::<Option<_>>().map(|kinds| Self(Some(kinds)))
    }

    /// Whether signals of a kind are shown.
    #[must_use]
    pub fn include(&self, kind: &str) -> bool {
        self.0.as_ref().is_none_or(|kinds| kinds.contains(kind))
    }

    /// Bytes of the names in it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.iter().flatten().map(String::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_every_kind() {
        let reason = KIND.parse("x").unwrap_err().reason;
        assert!(KINDS.iter().all(|kind| reason.contains(kind)), "{reason}");
    }

    #[test]
    fn all_are_shown_unless_some_are_named() {
        let some = SignalKinds::parse("steam,value").unwrap();
        assert_eq!(["value", "steam", "middle"].map(|kind| some.include(kind)), [true, true, false]);
        assert!(KINDS.iter().all(|kind| SignalKinds::default().include(kind)));
        assert_eq!((some.bytes(), SignalKinds::default().bytes()), (10, 0));
    }
}
