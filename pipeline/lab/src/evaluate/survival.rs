//! Survival: at each leg's first refresh after its window opened, is the price still there, or better?
//!
//! A prediction must not use what was known when it was made, so a refresh counts only if the source saw the
//! price after the poll at which the window opened. It is counted by the gap to that refresh, because a
//! refresh fifteen minutes later proves little.

use std::collections::BTreeMap;

use arb_engine::Engine;
use arb_engine::market::{Bet, Side};
use arb_engine::odds::Price;
use arb_model::{BoardEntry, CONFIRMATION_GAPS};
use arb_schemas::time::{Micros, SECOND};

/// How many ranges of gaps there are.
pub(super) const GAPS: usize = CONFIRMATION_GAPS.len() + 1;

/// The range of a gap.
pub(super) fn gap_of(gap: Micros) -> usize {
    CONFIRMATION_GAPS.iter().position(|seconds| gap <= seconds * SECOND).unwrap_or(GAPS - 1)
}

/// The upper end of a range, in words.
pub(super) fn gap_label(range: usize) -> String {
    CONFIRMATION_GAPS.get(range).map_or("longer".to_owned(), |seconds| format!("{} min", seconds / 60))
}

/// What a leg is counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The event had begun.
    pub in_play: bool,
    /// The window was proven simultaneous at opening.
    pub simultaneous: bool,
    /// Index of the gap.
    pub gap: usize,
}

/// Legs, and those of them whose price was still there or better.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survival(pub BTreeMap<Cell, (u64, u64)>);

/// Legs that wait for their refresh.
#[derive(Debug, Default)]
pub(super) struct Verdicts(Vec<Verdict>);

#[derive(Debug)]
struct Verdict {
    event: String,
    bet: Bet,
    book: String,
    price: Price,
    at: Micros,
    in_play: bool,
    simultaneous: bool,
}

impl Verdicts {
    /// Adds the legs of a window that has just opened.
    pub(super) fn add(&mut self, entry: &BoardEntry) {
        let Some(market) = entry.market() else { return };
        let line = entry.line.map(|line| line.0);
        self.0.extend(entry.legs.iter().filter_map(|leg| {
            Some(Verdict {
                event: entry.event.id.to_string(),
                bet: Bet::new(market, leg.outcome.known()?, Side::Back, line)?,
                book: leg.book.to_string(),
                price: leg.price,
                at: entry.opened_at.0,
                in_play: entry.in_play,
                simultaneous: entry.simultaneous,
            })
        }));
    }

    /// Settles the legs that a poll answered: a quote that is gone by it, or was seen since the verdict.
    pub(super) fn inspect(&mut self, engine: &Engine, now: Micros, survival: &mut Survival) {
        self.0.retain(|verdict| {
            let (seen_at, stands) = match engine.quote(&verdict.event, &verdict.bet, &verdict.book) {
                None => (now, false),
                Some(quote) if quote.last_seen_at > verdict.at => {
                    (quote.last_seen_at, quote.price >= verdict.price)
                }
                Some(_) => return true,
            };
            survival.count(verdict, seen_at - verdict.at, stands);
            false
        });
    }
}

impl Survival {
    fn count(&mut self, verdict: &Verdict, gap: Micros, stands: bool) {
        let cell = Cell { in_play: verdict.in_play, simultaneous: verdict.simultaneous, gap: gap_of(gap) };
        let (legs, standing) = self.0.entry(cell).or_default();
        *legs += 1;
        *standing += u64::from(stands);
    }

    /// (legs, still standing) over all cells that are asked for.
    #[must_use]
    pub fn sum(&self, wanted: impl Fn(&Cell) -> bool) -> (u64, u64) {
        let cells = self.0.iter().filter(|(cell, _)| wanted(cell));
        cells.fold((0, 0), |sum, (_, (legs, standing))| (sum.0 + legs, sum.1 + standing))
    }
}
