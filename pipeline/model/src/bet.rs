//! A bet that exists.
//!
//! A [`Bet`] that no market has cannot be made. It never looks at a price.

use crate::{Family, Line, Market, Outcome, Side};

/// A bet that exists: its market has this outcome, and a line exactly when the market needs one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bet {
    market: Market,
    outcome: Outcome,
    side: Side,
    line: Option<Line>,
}

impl Bet {
    /// `None` when the market has no such outcome, lacks a line or has none to give.
    ///
    /// ```
    /// use arb_model::{Bet, Market, Outcome, Side};
    ///
    /// let totals = Market::parse("totals").unwrap();
    /// let over = Bet::new(totals, Outcome::Over, Side::Back, Some(2_500)).unwrap();
    /// assert_eq!(over.line(), Some(2_500), "2.5 goals, in thousandths");
    /// assert_eq!(Bet::new(totals, Outcome::Over, Side::Back, None), None, "a total needs a line");
    /// ```
    #[must_use]
    pub fn new(market: Market, outcome: Outcome, side: Side, line: Option<Line>) -> Option<Self> {
        let exists = market.admits(outcome) && market.family.has_line() == line.is_some();
        exists.then_some(Self { market, outcome, side, line })
    }

    /// The same bet where home and away are named the other way round: its outcome is the other side, the line of a spread, which is the home
    /// side's, has the other sign. `None` of a line that has no other sign.
    #[must_use]
    pub fn with_sides_swapped(self) -> Option<Self> {
        let outcome = match self.outcome {
            Outcome::Home => Outcome::Away,
            Outcome::Away => Outcome::Home,
            outcome @ (Outcome::Draw | Outcome::Over | Outcome::Under) => outcome,
        };
        let line = match (self.market.family, self.line) {
            (Family::Spreads, Some(line)) => Some(line.checked_neg()?),
            (_, line) => line,
        };
        Some(Self { outcome, line, ..self })
    }

    /// Its market.
    #[must_use]
    pub fn market(&self) -> Market {
        self.market
    }

    /// What is bet on.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// For it or against it.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Its line, where its market has one.
    #[must_use]
    pub fn line(&self) -> Option<Line> {
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapped_sides_change_winners_and_the_sign_of_a_handicap() {
        let swapped = |key: &str, outcome, line| {
            let bet = Bet::new(Market::parse(key).unwrap(), outcome, Side::Lay, line).unwrap();
            let swapped = bet.with_sides_swapped()?;
            assert_eq!(swapped.with_sides_swapped(), Some(bet));
            assert_eq!((swapped.market(), swapped.side()), (bet.market(), bet.side()));
            Some((swapped.outcome(), swapped.line()))
        };
        assert_eq!(swapped("h2h", Outcome::Home, None), Some((Outcome::Away, None)));
        assert_eq!(swapped("h2h", Outcome::Draw, None), Some((Outcome::Draw, None)));
        assert_eq!(swapped("draw_no_bet", Outcome::Away, None), Some((Outcome::Home, None)));
        assert_eq!(swapped("spreads_h1", Outcome::Home, Some(-3_500)), Some((Outcome::Away, Some(3_500))));
        assert_eq!(swapped("spreads", Outcome::Away, Some(i32::MIN)), None);
        assert_eq!(swapped("totals", Outcome::Over, Some(2_500)), Some((Outcome::Over, Some(2_500))));
    }

    #[test]
    fn a_bet_exists_where_its_market_has_its_outcome_and_its_line() {
        let exists = |key: &str, line| {
            let of = |outcome: &Outcome| {
                Bet::new(Market::parse(key).unwrap(), *outcome, Side::Lay, line).is_some()
            };
            Outcome::ALL.iter().filter(|outcome| of(outcome)).map(|outcome| outcome.key()).collect::<Vec<_>>()
        };
        assert_eq!(exists("h2h", None), ["home", "draw", "away"]);
        assert_eq!(exists("h2h_3_way_h1", None), ["home", "draw", "away"]);
        assert_eq!(exists("draw_no_bet", None), ["home", "away"]);
        assert_eq!(exists("spreads", Some(-1_500)), ["home", "away"]);
        assert_eq!(exists("totals_q1", Some(2_500)), ["over", "under"]);
        for (key, line) in [("h2h", Some(0)), ("draw_no_bet", Some(0)), ("spreads", None), ("totals", None)] {
            assert!(exists(key, line).is_empty(), "{key} {line:?}");
        }
    }

    #[test]
    fn every_bet_that_exists_keeps_what_it_is_made_of() {
        let outcomes = [Outcome::Home, Outcome::Draw, Outcome::Away, Outcome::Over, Outcome::Under];
        for key in ["h2h", "h2h_3_way", "draw_no_bet", "spreads", "totals", "totals_q2"] {
            let market = Market::parse(key).unwrap();
            for outcome in outcomes {
                for side in [Side::Back, Side::Lay] {
                    for line in [None, Some(0), Some(-1_500), Some(i32::MAX)] {
                        let bet = Bet::new(market, outcome, side, line);
                        let exists = market.admits(outcome) && line.is_some() == market.family.has_line();
                        assert_eq!(bet.is_some(), exists, "{key} {outcome:?} {line:?}");
                        let Some(bet) = bet else { continue };
                        assert_eq!(
                            (bet.market(), bet.outcome(), bet.side(), bet.line()),
                            (market, outcome, side, line)
                        );
                    }
                }
            }
        }
    }
}
