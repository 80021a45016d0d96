//! Whether windows could be taken: did all legs of a window stand at their first confirmation after a verdict?
//!
//! A verdict is that a window opened, or that it was verified for the first time. `verified` contains `simultaneous`, so no verified
//! window is a phantom, by definition; this share can be low. What a flag used is never its answer: a confirmation counts only where the
//! source saw the price after the record of the verdict. A leg stands when its price is there or better. The gap of a window is
//! that of the leg that was confirmed last.

use std::collections::{BTreeMap, BTreeSet};

use arb_engine::Engine;
use arb_engine::market::{Bet, Side};
use arb_engine::odds::Price;
use arb_model::{BoardEntry, Leg};
use arb_schemas::time::Micros;

use super::survival::gap_of;

/// What a window is counted by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StandingCell {
    /// The league.
    pub league: String,
    /// The event had begun at the verdict.
    pub in_play: bool,
    /// The verdict was that it is verified, not that it opened.
    pub verified: bool,
    /// Index of the gap.
    pub gap: usize,
}

/// Windows that were answered, and those of them whose legs all stood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing(pub BTreeMap<StandingCell, (u64, u64)>);

/// Windows that wait for their legs' confirmations.
#[derive(Debug, Default)]
pub(super) struct WaitingWindows {
    waiting: Vec<WaitingWindow>,
    /// The ids of those that have been verified.
    verified: BTreeSet<String>,
}

#[derive(Debug)]
struct WaitingWindow {
    event: String,
    cell: StandingCell,
    at: Micros,
    /// Those that are not confirmed yet.
    legs: Vec<WaitingLeg>,
    gap: Micros,
    stands: bool,
}

#[derive(Debug)]
struct WaitingLeg {
    bet: Bet,
    book: String,
    price: Price,
}

impl WaitingLeg {
    fn of(entry: &BoardEntry, leg: &Leg) -> Option<Self> {
        let (outcome, side) = (leg.outcome.known()?, leg.side.known()?);
        let bet = Bet::new(entry.market()?, outcome, side, entry.line.map(|line| line.0))?;
        Some(Self { bet, book: leg.book.to_string(), price: leg.price })
    }

    fn stands_at(&self, price: Price) -> bool {
        if self.bet.side() == Side::Lay { price <= self.price } else { price >= self.price }
    }
}

impl WaitingWindows {
    /// Takes in a transition of a window: that it opened, or changed.
    pub(super) fn add(&mut self, entry: &BoardEntry, has_opened: bool) {
        let is_new = entry.verified && self.verified.insert(entry.id.clone());
        let verdicts = [has_opened.then_some(false), is_new.then_some(true)];
        let legs = || entry.legs.iter().map(|leg| WaitingLeg::of(entry, leg)).collect::<Option<Vec<_>>>();
        for verified in verdicts.into_iter().flatten() {
            let Some(legs) = legs() else { return };
            let (league, in_play) = (entry.event.league.to_string(), entry.in_play);
            let cell = StandingCell { league, in_play, verified, gap: 0 };
            let (event, at) = (entry.event.id.to_string(), entry.updated_at.0);
            self.waiting.push(WaitingWindow { event, cell, at, legs, gap: 0, stands: true });
        }
    }

    /// Settles what a poll answered: a quote that is gone by it, or was seen since the verdict.
    pub(super) fn inspect(&mut self, engine: &Engine, now: Micros, standing: &mut Standing) {
        self.waiting.retain_mut(|window| {
            let WaitingWindow { event, at, legs, gap, stands, .. } = window;
            legs.retain(|leg| {
                let (seen_at, is_there) = match engine.quote(event, &leg.bet, &leg.book) {
                    None => (now, false),
                    Some(quote) if quote.last_seen_at > *at => {
                        (quote.last_seen_at, leg.stands_at(quote.price))
                    }
                    Some(_) => return true,
                };
                (*gap, *stands) = ((*gap).max(seen_at - *at), *stands && is_there);
                false
            });
            if !window.legs.is_empty() {
                return true;
            }
            let cell = StandingCell { gap: gap_of(window.gap), ..window.cell.clone() };
            let (windows, stood) = standing.0.entry(cell).or_default();
            (*windows, *stood) = (*windows + 1, *stood + u64::from(window.stands));
            false
        });
    }
}

impl Standing {
    /// (windows, those whose legs all stood) over all cells that are asked for.
    #[must_use]
    pub fn sum(&self, wanted: impl Fn(&StandingCell) -> bool) -> (u64, u64) {
        let cells = self.0.iter().filter(|(cell, _)| wanted(cell));
        cells.fold((0, 0), |sum, (_, (windows, stood))| (sum.0 + windows, sum.1 + stood))
    }

    /// The leagues, in order.
    pub(super) fn leagues(&self) -> BTreeSet<&str> {
        self.0.keys().map(|cell| &*cell.league).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arb_engine::market::Policy;
    use arb_schemas::records::Outcome;
    use arb_schemas::time::SECOND;

    use super::super::fixtures::{Polls, offer, poll};
    use super::super::{Evaluation, Run};

    const BOTH: [Outcome; 2] = [Outcome::Home, Outcome::Away];

    /// (windows, stood) of all and of verified ones over polls a minute apart of `draftkings` and `fanduel` at these prices of home and away, in
    /// thousandths, beside two books that agree.
    fn standing(polls: &[(i64, i64)]) -> [(u64, u64); 2] {
        let others = ["betmgm", "betrivers"].map(|book| offer(book, &BOTH.map(|outcome| (outcome, 1_900))));
        let of = |(at, (home, away)): (i64, &(i64, i64))| {
            let books = [("draftkings", (BOTH[0], *home)), ("fanduel", (BOTH[1], *away))];
            let best =
                books.into_iter().filter(|(_, (_, price))| *price > 0).map(|(book, bet)| offer(book, &[bet]));
            poll(at * 60 * SECOND, "baseball", 86_400 * SECOND, best.chain(others.clone()).collect())
        };
        let mut evaluation = Evaluation::default();
        let books = Arc::new(arb_process::books::shipped().unwrap());
        let mut polls = Polls::new((1..).zip(polls).map(of));
        Run::new(&mut evaluation, &books, Policy::Board).play(&mut polls, None);
        [false, true].map(|verified| evaluation.standing.sum(|cell| cell.verified == verified))
    }

    #[test]
    fn a_window_stands_when_all_its_legs_do_at_their_next_confirmation() {
        assert_eq!(standing(&[(2_050, 2_050), (2_050, 2_060)]), [(1, 1), (1, 1)], "there, or better");
        assert_eq!(standing(&[(2_050, 2_050), (2_050, 2_000)]), [(1, 0), (1, 0)], "one is worse");
        assert_eq!(standing(&[(2_050, 2_050), (2_050, 0)]), [(1, 0), (1, 0)], "one is gone");
        assert_eq!(standing(&[(2_050, 2_050)]), [(0, 0), (0, 0)], "nothing has answered");
        assert_eq!(standing(&[(1_950, 1_950), (1_950, 1_950)]), [(0, 0), (0, 0)], "no window");
    }
}
