//! A card: the prices of one book for one match, as American odds, and since when the feed has them.
//!
//! What a book keeps is laid on in proportion; prices fall on the grid of numbers that books write, to the book's
//! advantage. It never changes by itself.

use arb_schemas::records::{Outcome, Side};
use arb_schemas::time::Micros;

use super::desk::View;

/// Shortest and longest price, as an implied probability.
const LIMITS: (f64, f64) = (0.004, 0.985);

/// Odds of a heavy favourite.
const HEAVY: i32 = -500;

/// Prices in American odds, lines in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) seen_at: Micros,
    /// Home, away, draw; no draw is 0.
    pub(super) winner: [i32; 3],
    /// The same laid; 0 where nothing is laid.
    pub(super) laid: [i32; 3],
    /// The home side's handicap, home, away.
    pub(super) spread: (i32, [i32; 2]),
    /// The line, over, under.
    pub(super) total: (i32, [i32; 2]),
}

impl Card {
    /// `lays` at an exchange: its backers' prices exceed fair ones by as much as its layers' fall below.
    pub(super) fn new(view: &View, keeps: f64, lays: bool, seen_at: Micros) -> Self {
        let both = |(line, share): (i32, f64)| (line, [american(share, keeps), american(1.0 - share, keeps)]);
        let winner = view.winner.map(|share| if share > 0.0 { american(share, keeps) } else { 0 });
        let laid = view.winner.map(|share| if lays && share > 0.0 { american(share, -keeps) } else { 0 });
        Self { seen_at, winner, laid, spread: both(view.spread), total: both(view.total) }
    }

    /// The favourite's odds without their minus; for a heavy favourite the error would be obvious.
    pub(super) fn with_wrong_sign(mut self) -> Self {
        if let Some(favourite) = self.winner.iter_mut().min()
            && *favourite > HEAVY
        {
            *favourite = favourite.abs();
        }
        self
    }

    pub(super) fn without_draw(mut self) -> Self {
        self.winner[2] = 0;
        self.laid[2] = 0;
        self
    }
}

/// One price: the bet, American odds, and its line as the feed writes it for this outcome.
pub(super) type Priced = (Outcome, i32, Option<i32>);

/// A market of a card.
pub(super) struct Offered {
    /// Its family's key.
    pub(super) market: &'static str,
    /// Whether its outcomes are backed or laid.
    pub(super) side: Side,
    pub(super) prices: Vec<Priced>,
}

impl Offered {
    /// Its key as the feed writes it.
    pub(super) fn key(&self) -> String {
        let suffix = if self.side == Side::Lay { "_lay" } else { "" };
        format!("{}{suffix}", self.market)
    }
}

impl Card {
    /// Its markets, each with its prices; `spreads` only where they are offered.
    pub(super) fn markets(&self, has_spreads: bool) -> impl Iterator<Item = Offered> {
        let (winner, laid) = (winner(self.winner), winner(self.laid));
        let ((handicap, [home, away]), (line, [over, under])) = (self.spread, self.total);
        let spread = vec![(Outcome::Home, home, Some(handicap)), (Outcome::Away, away, Some(-handicap))];
        let total = vec![(Outcome::Over, over, Some(line)), (Outcome::Under, under, Some(line))];
        let back = |market, prices| Offered { market, side: Side::Back, prices };
        let lay = (!laid.is_empty()).then_some(Offered { market: "h2h", side: Side::Lay, prices: laid });
        let spreads = has_spreads.then(|| back("spreads", spread));
        [back("h2h", winner)].into_iter().chain(lay).chain(spreads).chain([back("totals", total)])
    }
}

/// The prices of a winner that there are.
fn winner(odds: [i32; 3]) -> Vec<Priced> {
    let outcomes = [Outcome::Home, Outcome::Away, Outcome::Draw].into_iter().zip(odds);
    outcomes.filter(|(_, odds)| *odds != 0).map(|(outcome, odds)| (outcome, odds, None)).collect()
}

/// American odds for a probability.
fn american(share: f64, keeps: f64) -> i32 {
    let implied = (share * (1.0 + keeps)).clamp(LIMITS.0, LIMITS.1);
    #[allow(clippy::cast_possible_truncation)] // Between -6,567 and 24,900.
    if implied > 0.5 {
        -on_grid((100.0 * implied / (1.0 - implied)).ceil() as i32, 1)
    } else {
        on_grid((100.0 * (1.0 - implied) / implied).floor() as i32, 0)
    }
}

/// The numbers that are written: every one to 200, then in fives, from 1,000 in hundreds.
fn on_grid(odds: i32, up: i32) -> i32 {
    let grid = match odds {
        ..200 => 1,
        200..1_000 => 5,
        _ => 100,
    };
    ((odds + up * (grid - 1)) / grid * grid).max(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_numbers_that_books_write_and_never_give_away() {
        assert_eq!([0.5, 0.25, 0.79, 0.02].map(|share| american(share, 0.0)), [100, 300, -380, 4_900]);
        assert_eq!([0.5, 0.238, 0.762].map(|share| american(share, 0.05)), [-111, 300, -405]);
        for thousandths in 1..1_000 {
            let share = f64::from(thousandths) / 1e3;
            let implied = match american(share, 0.04) {
                odds @ 100.. => 100.0 / f64::from(odds + 100),
                odds => f64::from(-odds) / f64::from(100 - odds),
            };
            assert!(implied >= (share * 1.04).clamp(LIMITS.0, LIMITS.1) - 1e-9, "{share}");
        }
    }
}
