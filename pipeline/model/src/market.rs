//! The catalogue of markets: families, periods, outcomes, sides. Keys of markets are those of The Odds API.
//!
//! It never looks at a price.

/// Lines are in thousandths.
pub type Line = i32;

keyed! {
    /// What a market asks.
    pub enum Family {
        /// Winner; two- or three-way, by sport and by what is offered.
        H2h = "h2h",
        /// Winner, the draw being an outcome.
        H2h3Way = "h2h_3_way",
        /// Winner, stakes returned on a draw.
        DrawNoBet = "draw_no_bet",
        /// Winner after a handicap.
        Spreads = "spreads",
        /// Sum of both sides' scores.
        Totals = "totals",
    }
}

keyed! {
    /// The part of the event that counts.
    #[allow(missing_docs)]
    pub enum Period {
        FullTime = "full_time",
        H1 = "h1",
        H2 = "h2",
        Q1 = "q1",
        Q2 = "q2",
        Q3 = "q3",
        Q4 = "q4",
        P1 = "p1",
        P2 = "p2",
        P3 = "p3",
    }
}

keyed! {
    /// What is bet on.
    #[allow(missing_docs)]
    pub enum Outcome {
        Home = "home",
        Draw = "draw",
        Away = "away",
        Over = "over",
        Under = "under",
    }
}

keyed! {
    /// Side of a bet.
    pub enum Side {
        /// For the outcome.
        Back = "back",
        /// Against it.
        Lay = "lay",
    }
}

impl Family {
    /// Whether its outcomes need a line.
    #[must_use]
    pub fn has_line(self) -> bool {
        matches!(self, Self::Spreads | Self::Totals)
    }

    /// From its key in input, where some families have a second key for further lines.
    fn of_input(key: &str) -> Option<Self> {
        match key {
            "alternate_spreads" => Some(Self::Spreads),
            "alternate_totals" => Some(Self::Totals),
            key => Self::parse(key),
        }
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
        if let Some(family) = Family::of_input(key) {
            return Some(Self { family, period: Period::FullTime });
        }
        let (key, suffix) = key.rsplit_once('_')?;
        Some(Self { family: Family::of_input(key)?, period: Period::parse(suffix)? })
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
            Family::H2h | Family::H2h3Way => {
                matches!(outcome, Outcome::Home | Outcome::Draw | Outcome::Away)
            }
            Family::DrawNoBet | Family::Spreads => matches!(outcome, Outcome::Home | Outcome::Away),
            Family::Totals => matches!(outcome, Outcome::Over | Outcome::Under),
        }
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
        for key in ["", "player_points", "h2h_", "h2h_z9", "_h1", "outrights", "h2h_full_time"] {
            assert_eq!(Market::parse(key), None, "{key}");
        }
        for key in ["h2h", "h2h_3_way_p1", "totals_q4"] {
            assert_eq!(market(key).key(), key);
        }
        for family in Family::ALL {
            for period in Period::ALL {
                let market = Market { family, period };
                assert_eq!(Market::parse(&market.key()), Some(market));
            }
        }
    }
}
