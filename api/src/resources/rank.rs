//! The place of an entry on the board, or in another order of it. It never reads an entry.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::lists::listed::SortKey;

/// A place in the ranked board, or in another order of it.
///
/// The order: what comes first (verified entries), then the larger value (the score), and the id, so that it is total.
///
/// The value travels as its bits: as a decimal it would come back a digit off, and a page would begin where
/// the last one had not ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rank {
    first: bool,
    value: u64,
    id: String,
}

impl Rank {
    /// The place of an entry with a value; what is `first` comes before all else.
    pub(crate) fn new(first: bool, value: f64, id: &str) -> Self {
        Self { first, value: value.to_bits(), id: id.to_owned() }
    }
}

/// Best first.
impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        let larger = |mine, theirs| f64::from_bits(theirs).total_cmp(&f64::from_bits(mine));
        let is_first = other.first.cmp(&self.first);
        is_first.then(larger(self.value, other.value)).then_with(|| self.id.cmp(&other.id))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl SortKey for Rank {
    fn bytes(&self) -> usize {
        self.id.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::of_sport;
    use crate::http::paging::Cursor;
    use crate::resources::board_filter::BoardFilter;

    #[test]
    fn the_order_is_total() {
        let ranked = [(true, 0.02, "c"), (true, 0.0, "a"), (true, 0.0, "b"), (false, 0.9, "e")]
            .map(|(first, value, id)| Rank::new(first, value, id));
        for (index, a) in ranked.iter().enumerate() {
            for (other, b) in ranked.iter().enumerate() {
                assert_eq!(a.cmp(b), index.cmp(&other), "{a:?} {b:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_place_survives_its_journey(a in 1.0..1001.0_f64, b in 1.0..1001.0_f64, id in "[0-9a-f]{32}") {
            let after = Rank::new(true, 1.0 / (1.0 / a + 1.0 / b) - 1.0, &id);
            let cursor = Cursor { after, filter: of_sport("soccer") };
            let back = Cursor::<Rank, BoardFilter>::decode(&cursor.encode());
            prop_assert_eq!(back.as_ref(), Some(&cursor));
            prop_assert_eq!(back.map(|back| back.after.cmp(&cursor.after)), Some(Ordering::Equal));
        }
    }
}
