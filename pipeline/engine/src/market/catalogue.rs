//! The catalogue of markets: families, periods, and the outcomes that exhaust each.
//!
//! A set that is not complete gives no arb. Market keys are those of The Odds API. It never looks at a price.

/// Lines are in thousandths.
pub type Line = i32;
/// One goal, point or run, as a [`Line`].
pub(crate) const WHOLE: Line = 1_000;

/// What a market asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Winner; two- or three-way, by sport and by what is offered.
    H2h,
    /// Winner, the draw being an outcome.
    H2h3Way,
    /// Winner, stakes returned on a draw.
    DrawNoBet,
    /// Winner after a handicap.
    Spreads,
    /// Sum of both sides' scores.
    Totals,
}

/// The part of the event that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Period {
    FullTime,
    H1,
    H2,
    Q1,
    Q2,
    Q3,
    Q4,
    P1,
    P2,
    P3,
}

const FAMILIES: [(&str, Family); 7] = [
    ("h2h", Family::H2h),
    ("h2h_3_way", Family::H2h3Way),
    ("draw_no_bet", Family::DrawNoBet),
    ("spreads", Family::Spreads),
    ("totals", Family::Totals),
    // The same bets on further lines.
    ("alternate_spreads", Family::Spreads),
    ("alternate_totals", Family::Totals),
];

const PERIODS: [(&str, Period); 9] = [
    ("h1", Period::H1),
    ("h2", Period::H2),
    ("q1", Period::Q1),
    ("q2", Period::Q2),
    ("q3", Period::Q3),
    ("q4", Period::Q4),
    ("p1", Period::P1),
    ("p2", Period::P2),
    ("p3", Period::P3),
];

impl Family {
    /// Its key.
    #[must_use]
    pub fn key(self) -> &'static str {
        FAMILIES.iter().find(|(_, family)| *family == self).map_or("", |(key, _)| key)
    }

    /// Whether its outcomes need a line.
    #[must_use]
    pub fn has_line(self) -> bool {
        matches!(self, Self::Spreads | Self::Totals)
    }
}

impl Period {
    /// Its key; `full_time` for the whole event.
    #[must_use]
    pub fn key(self) -> &'static str {
        PERIODS.iter().find(|(_, period)| *period == self).map_or("full_time", |(key, _)| key)
    }
}

/// A family in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Market {
    /// What it asks.
    pub family: Family,
    /// About which part.
    pub period: Period,
}

impl Market {
    /// From a key such as `totals` or `h2h_h1`; `None` for a market that is not in the catalogue.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        let family = |key| FAMILIES.iter().find(|(name, _)| *name == key).map(|(_, family)| *family);
        if let Some(family) = family(key) {
            return Some(Self { family, period: Period::FullTime });
        }
        let (key, suffix) = key.rsplit_once('_')?;
        let period = PERIODS.iter().find(|(name, _)| *name == suffix).map(|(_, period)| *period)?;
        Some(Self { family: family(key)?, period })
    }

    /// Its key, such that [`Self::parse`] gives it back.
    #[must_use]
    pub fn key(self) -> String {
        match self.period {
            Period::FullTime => self.family.key().to_owned(),
            period => format!("{}_{}", self.family.key(), period.key()),
        }
    }

    /// Whether a bet of this kind has this outcome at all.
    #[must_use]
    pub fn admits(self, outcome: Outcome) -> bool {
        match self.family {
            Family::H2h | Family::H2h3Way => THREE_WAY.contains(&outcome),
            Family::DrawNoBet | Family::Spreads => TWO_WAY.contains(&outcome),
            Family::Totals => OVER_UNDER.contains(&outcome),
        }
    }
}

/// What is bet on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Outcome {
    Home,
    Draw,
    Away,
    Over,
    Under,
}

impl Outcome {
    /// Its name in answers.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Draw => "draw",
            Self::Away => "away",
            Self::Over => "over",
            Self::Under => "under",
        }
    }
}

/// Side of a bet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// For the outcome.
    Back,
    /// Against it.
    Lay,
}

impl Side {
    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Back => "back",
            Self::Lay => "lay",
        }
    }
}

const TWO_WAY: &[Outcome] = &[Outcome::Home, Outcome::Away];
const THREE_WAY: &[Outcome] = &[Outcome::Home, Outcome::Draw, Outcome::Away];
const OVER_UNDER: &[Outcome] = &[Outcome::Over, Outcome::Under];

/// Sports whose plain `h2h` has a draw for an outcome: there, a set without it is incomplete, not two-way.
const DRAW_SPORTS: [&str; 1] = ["soccer"];

/// By which rules windows are made.
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
    use super::*;

    fn market(key: &str) -> Market {
        Market::parse(key).expect(key)
    }

    #[test]
    fn keys_are_those_of_the_odds_api() {
        assert_eq!(market("totals"), Market { family: Family::Totals, period: Period::FullTime });
        assert_eq!(market("h2h_3_way_p1"), Market { family: Family::H2h3Way, period: Period::P1 });
        assert_eq!(market("alternate_spreads"), market("spreads"));
        assert_eq!(market("alternate_totals_h1"), market("totals_h1"));
        for key in ["", "player_points", "h2h_", "h2h_z9", "_h1", "outrights"] {
            assert_eq!(Market::parse(key), None, "{key}");
        }
        for key in ["h2h", "h2h_3_way_p1", "totals_q4"] {
            assert_eq!(market(key).key(), key);
        }
        for (key, family) in &FAMILIES[..5] {
            assert_eq!(family.key(), *key);
        }
        assert_eq!((Period::FullTime.key(), Period::Q3.key()), ("full_time", "q3"));
    }

    #[test]
    fn soccer_needs_its_draw_on_the_board() {
        let set = |sport, draw, policy| outcome_set(market("h2h"), sport, draw, policy).len();
        assert_eq!(set("soccer", false, Policy::Board), 3);
        assert_eq!(set("soccer", false, Policy::Raw), 2);
        assert_eq!(set("baseball", false, Policy::Board), 2);
        assert_eq!(set("boxing", true, Policy::Board), 3);
        assert_eq!(outcome_set(market("h2h_3_way"), "icehockey", false, Policy::Raw).len(), 3);
    }

    const OUTCOMES: [Outcome; 5] =
        [Outcome::Home, Outcome::Draw, Outcome::Away, Outcome::Over, Outcome::Under];
    const SPORTS: [&str; 3] = ["soccer", "baseball", "americanfootball"];

    fn markets() -> Vec<Market> {
        let families = [Family::H2h, Family::H2h3Way, Family::DrawNoBet, Family::Spreads, Family::Totals];
        let periods = PERIODS.iter().map(|(_, period)| *period).chain([Period::FullTime]);
        let of = |period| families.map(|family| Market { family, period });
        periods.flat_map(of).collect()
    }

    #[test]
    fn every_market_has_a_key_that_is_read_back() {
        let markets = markets();
        for market in &markets {
            assert_eq!(Market::parse(&market.key()), Some(*market), "{}", market.key());
        }
        let mut keys: Vec<_> = markets.iter().map(|market| market.key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 5 * 10, "no two have one key");
    }

    #[test]
    fn further_lines_are_of_the_same_market() {
        for (alternate, plain) in [
            ("alternate_spreads", "spreads"),
            ("alternate_totals", "totals"),
            ("alternate_totals_h1", "totals_h1"),
            ("alternate_spreads_q3", "spreads_q3"),
        ] {
            assert_eq!(Market::parse(alternate), Market::parse(plain), "{alternate}");
        }
    }

    #[test]
    fn what_is_no_key_is_no_market() {
        for key in
            ["", "_", "h2h_", "_h1", "h2h_h3", "h2h_q5", "h2h_full_time", "H2H", "h2h_h1_h1", "totals h1"]
        {
            assert_eq!(Market::parse(key), None, "{key}");
        }
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
            for outcome in OUTCOMES {
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
    fn only_spreads_and_totals_have_lines() {
        let with_line: Vec<_> = markets()
            .into_iter()
            .filter(|market| market.family.has_line())
            .map(|market| market.family)
            .collect();
        assert_eq!(with_line.len(), 2 * 10);
        assert!(with_line.iter().all(|family| matches!(family, Family::Spreads | Family::Totals)));
    }

    #[test]
    fn names_in_messages_are_these() {
        assert_eq!(OUTCOMES.map(Outcome::key), ["home", "draw", "away", "over", "under"]);
        assert_eq!([Side::Back, Side::Lay].map(Side::key), ["back", "lay"]);
        assert_eq!([Policy::Board, Policy::Raw].map(Policy::key), ["board", "raw"]);
        assert_eq!((Period::FullTime.key(), Period::H1.key(), Period::P3.key()), ("full_time", "h1", "p3"));
    }
}
