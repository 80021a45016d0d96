//! By which rules windows are made, and the outcomes that exhaust each market.
//!
//! A set that is not complete gives no arb. It never looks at a price.

use arb_model::{Family, Market, Outcome};

/// One goal, point or run, as a [`Line`](arb_model::Line).
pub(crate) const WHOLE: arb_model::Line = 1_000;

const TWO_WAY: &[Outcome] = &[Outcome::Home, Outcome::Away];
const THREE_WAY: &[Outcome] = &[Outcome::Home, Outcome::Draw, Outcome::Away];
const OVER_UNDER: &[Outcome] = &[Outcome::Over, Outcome::Under];

/// Sports whose plain `h2h` has a draw for an outcome: there, a set without it is incomplete, not two-way.
const DRAW_SPORTS: [&str; 1] = ["soccer"];

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

/// The outcomes that exhaust a market, in the order of its legs. `draw_offered` is whether any book offers
/// one in it now.
#[must_use]
pub fn outcome_set(market: Market, sport: &str, draw_offered: bool, policy: Policy) -> &'static [Outcome] {
    match market.family {
        Family::H2h3Way => THREE_WAY,
        Family::H2h if draw_offered => THREE_WAY,
        Family::H2h if policy == Policy::Board && DRAW_SPORTS.contains(&sport) => THREE_WAY,
        Family::H2h | Family::DrawNoBet | Family::Spreads => TWO_WAY,
        Family::Totals => OVER_UNDER,
    }
}

#[cfg(test)]
mod tests {
    use arb_model::{Period, Side};

    use super::*;

    #[test]
    fn soccer_needs_its_draw_on_the_board() {
        let market = |key| Market::parse(key).expect(key);
        let set = |sport, draw, policy| outcome_set(market("h2h"), sport, draw, policy).len();
        assert_eq!(set("soccer", false, Policy::Board), 3);
        assert_eq!(set("soccer", false, Policy::Raw), 2);
        assert_eq!(set("baseball", false, Policy::Board), 2);
        assert_eq!(set("boxing", true, Policy::Board), 3);
        assert_eq!(outcome_set(market("h2h_3_way"), "icehockey", false, Policy::Raw).len(), 3);
    }

    const SPORTS: [&str; 3] = ["soccer", "baseball", "americanfootball"];

    fn markets() -> Vec<Market> {
        let of = |period| Family::ALL.map(|family| Market { family, period });
        Period::ALL.into_iter().flat_map(of).collect()
    }

    #[test]
    fn a_set_has_only_outcomes_that_its_market_admits() {
        for market in markets() {
            for sport in SPORTS {
                for (draw_offered, policy) in
                    [(false, Policy::Board), (true, Policy::Board), (false, Policy::Raw), (true, Policy::Raw)]
                {
                    let set = outcome_set(market, sport, draw_offered, policy);
                    assert!(set.iter().all(|outcome| market.admits(*outcome)), "{}", market.key());
                    assert!(set.is_sorted_by(|a, b| a < b), "the order of the legs");
                }
            }
        }
    }

    /// Every outcome that a market admits can be a leg of some set of it, or it could never be bet on.
    #[test]
    fn every_outcome_that_a_market_admits_is_of_some_set() {
        for market in markets() {
            let sets = [true, false].map(|offered| outcome_set(market, "soccer", offered, Policy::Board));
            for outcome in Outcome::ALL {
                let is_in_a_set = sets.iter().any(|set| set.contains(&outcome));
                assert_eq!(market.admits(outcome), is_in_a_set, "{} {}", market.key(), outcome.key());
            }
        }
    }

    #[test]
    fn a_draw_makes_a_plain_winner_three_way_and_nothing_else() {
        for market in markets() {
            let [two, three] =
                [false, true].map(|offered| outcome_set(market, "baseball", offered, Policy::Board).len());
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
