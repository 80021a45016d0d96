//! The board: the open windows, ranked.
//!
//! It never ranks by anything but the values that the processor computed for a window.

use std::cmp::Ordering;

use arb_schemas::records::{BoardEntry, Event};
use arb_schemas::time::Micros;
use arb_schemas::topics::{ARBS_BOARD, Topic};
use serde::{Deserialize, Serialize};

use crate::http::problem::Problem;
use crate::lists::listed::{ListFilter, Listed, SortKey};
use crate::lists::sport::Sport;
use crate::view::{EntryView, Ranked};

impl Listed for BoardEntry {
    const TOPIC: Topic = ARBS_BOARD;
    const NAME: &'static str = "arbs";
    const UNREAD: &'static str = "The board is being read; try again.";
    type Key = Rank;
    type Filter = Sport;

    fn id(&self) -> &str {
        &self.id
    }

    fn event(&self) -> &Event {
        &self.event
    }

    fn sequence(&self) -> i64 {
        self.sequence
    }

    fn key(&self) -> Rank {
        Rank { verified: self.verified, score: self.score.to_bits(), id: self.id.clone() }
    }

    fn view(&self, rank: u64, as_of: Option<Micros>) -> impl Serialize {
        Ranked { rank, entry: EntryView::new(self, as_of.unwrap_or(self.updated_at.0)) }
    }
}

impl ListFilter<BoardEntry> for Sport {
    fn take(&mut self, name: &str, value: &str) -> Result<bool, Problem> {
        if name == "sport" {
            *self = Self::parse(value)?;
        }
        Ok(name == "sport")
    }

    fn includes(&self, entry: &BoardEntry) -> bool {
        self.is(&entry.event.sport, &entry.event.league)
    }

    fn sport(&self) -> &Sport {
        self
    }

    fn bytes(&self) -> usize {
        self.len()
    }
}

/// A place in the ranked board.
///
/// The order: verified entries first, then the larger score, and the id, so that it is total.
///
/// The score travels as its bits: as a decimal it would come back a digit off, and a page would begin where
/// the last one had not ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rank {
    verified: bool,
    score: u64,
    id: String,
}

/// Best first.
impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        let larger = |mine, theirs| f64::from_bits(theirs).total_cmp(&f64::from_bits(mine));
        let is_verified = other.verified.cmp(&self.verified);
        is_verified.then(larger(self.score, other.score)).then_with(|| self.id.cmp(&other.id))
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
    use crate::http::paging::Cursor;

    fn place(verified: bool, score: f64, id: &str) -> Rank {
        Rank { verified, score: score.to_bits(), id: id.to_owned() }
    }

    #[test]
    fn the_order_is_total() {
        let ranked =
            [place(true, 0.02, "c"), place(true, 0.0, "a"), place(true, 0.0, "b"), place(false, 0.9, "e")];
        for (index, a) in ranked.iter().enumerate() {
            for (other, b) in ranked.iter().enumerate() {
                assert_eq!(a.cmp(b), index.cmp(&other), "{a:?} {b:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_place_survives_its_journey(a in 1.0..1001.0_f64, b in 1.0..1001.0_f64, id in "[0-9a-f]{32}") {
            let after = place(true, 1.0 / (1.0 / a + 1.0 / b) - 1.0, &id);
            let cursor = Cursor { after, filter: Sport::parse("soccer").unwrap_or_default() };
            let back = Cursor::<Rank, Sport>::decode(&cursor.encode());
            prop_assert_eq!(back.as_ref(), Some(&cursor));
            prop_assert_eq!(back.map(|back| back.after.cmp(&cursor.after)), Some(Ordering::Equal));
        }
    }
}
