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
}
