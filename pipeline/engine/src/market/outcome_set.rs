//! By which rules windows are made, and the outcomes that exhaust each market.
//!
//! A set that is not complete gives no arb. It never looks at a price.

use arb_model::{Family, Market, Outcome, Period};

use super::names::Symbol;

/// One goal, point or run, as a [`Line`](arb_model::Line).
pub(crate) const WHOLE: arb_model::Line = 1_000;

const TWO_WAY: &[Outcome] = &[Outcome::Home, Outcome::Away];
const THREE_WAY: &[Outcome] = &[Outcome::Home, Outcome::Draw, Outcome::Away];
const OVER_UNDER: &[Outcome] = &[Outcome::Over, Outcome::Under];

/// The rules for windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// What a person can bet on.
    Board,
    /// The plain best-price rule of the evaluation, which takes what is offered for what is possible: `h2h` is
    /// three-way exactly when a draw is offered, and a window's key is its market and line alone.
    Raw,
}

impl Policy {
    /// Its name.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Raw => "raw",
        }
    }
}

/// The winner of a match.
pub(crate) const WINNER: Market = Market { family: Family::H2h, period: Period::FullTime };
/// The result of a match after regulation.
pub(crate) const REGULATION: Market = Market { family: Family::H2h3Way, period: Period::FullTime };

/// The outcomes of a market, and whose bets cover them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutcomeSet<'a> {
    pub(crate) market: Market,
    pub(crate) outcomes: &'static [Outcome],
    /// The books that have listed a draw in it.
    pub(crate) drawn: &'a [Symbol],
    /// A level result is possible and none of them: only bets of books count that settle it so that the other bets cover it.
    pub(crate) is_refunding: bool,
}

impl<'a> OutcomeSet<'a> {
    /// The outcomes of a market that bets of every book cover; `has_draw` is whether the draw is one of them in `h2h`.
    pub(crate) fn new(market: Market, has_draw: bool, drawn: &'a [Symbol]) -> Self {
        Self { market, outcomes: outcome_set(market, has_draw), drawn, is_refunding: false }
    }
}

/// The outcomes that exhaust a market, in the order of its legs. `has_draw` is whether the draw is one of its `h2h`: by policy `raw` where
/// a book offers one now.
#[must_use]
pub fn outcome_set(market: Market, has_draw: bool) -> &'static [Outcome] {
    match market.family {
        Family::H2h3Way => THREE_WAY,
        Family::H2h if has_draw => THREE_WAY,
        Family::H2h | Family::DrawNoBet | Family::Spreads => TWO_WAY,
        Family::Totals => OVER_UNDER,
    }
}

#[cfg(test)]
mod tests {
    use arb_model::Side;

    use super::*;

    fn markets() -> Vec<Market> {
        let of = |period| Family::ALL.map(|family| Market { family, period });
        Period::ALL.into_iter().flat_map(of).collect()
    }

    #[test]
    fn a_set_has_only_outcomes_that_its_market_admits() {
        for (market, has_draw) in markets().into_iter().flat_map(|market| [(market, false), (market, true)]) {
            let set = outcome_set(market, has_draw);
            assert!(set.iter().all(|outcome| market.admits(*outcome)), "{}", market.key());
            assert!(set.is_sorted_by(|a, b| a < b), "the order of the legs");
        }
    }

    /// Every outcome that a market admits can be a leg of some set of it, or it could never be bet on.
    #[test]
    fn every_outcome_that_a_market_admits_is_of_some_set() {
        for market in markets() {
            let sets = [true, false].map(|has_draw| outcome_set(market, has_draw));
            for outcome in Outcome::ALL {
                let is_in_a_set = sets.iter().any(|set| set.contains(&outcome));
                assert_eq!(market.admits(outcome), is_in_a_set, "{} {}", market.key(), outcome.key());
            }
        }
    }

    #[test]
    fn a_draw_makes_a_plain_winner_three_way_and_nothing_else() {
        for market in markets() {
            let [two, three] = [false, true].map(|has_draw| outcome_set(market, has_draw).len());
            assert_eq!(two != three, market.family == Family::H2h, "{}", market.key());
        }
    }

    #[test]
    fn names_in_messages_are_these() {
        assert_eq!(Outcome::ALL.map(Outcome::key), ["home", "draw", "away", "over", "under"]);
        assert_eq!([Side::Back, Side::Lay].map(Side::key), ["back", "lay"]);
        assert_eq!([Policy::Board, Policy::Raw].map(Policy::key), ["board", "raw"]);
        assert_eq!((Period::FullTime.key(), Period::H1.key(), Period::P3.key()), ("full_time", "h1", "p3"));
    }
}
