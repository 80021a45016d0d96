//! The catalogue of markets: families, periods, outcomes, sides. Keys of markets are those of The Odds API.
//!
//! It never looks at a price.

/// Lines are in thousandths.
pub type Line = i32;

keyed! {
    /// The kind of a market.
    pub enum Family: closed {
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
    pub enum Outcome: closed {
        Home = "home",
        Draw = "draw",
        Away = "away",
        Over = "over",
        Under = "under",
    }
}

keyed! {
    /// Side of a bet.
    pub enum Side: closed {
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
    /// The kind of the market.
    pub family: Family,
    /// About which part.
    pub period: Period,
}

impl Market {
    /// From a key such as `totals` or `h2h_h1`; `None` for a market that is not in the catalogue.
    ///
    /// ```
    /// use arb_model::{Market, Outcome};
    ///
    /// let market = Market::parse("totals_h1").unwrap();
    /// assert_eq!(market.key(), "totals_h1");
    /// assert!(market.admits(Outcome::Over) && !market.admits(Outcome::Home));
    /// assert_eq!(Market::parse("corners"), None);
    /// ```
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

    fn markets() -> Vec<Market> {
        let of = |period| Family::ALL.map(|family| Market { family, period });
        Period::ALL.into_iter().flat_map(of).collect()
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
    fn an_invalid_key_is_no_market() {
        for key in
            ["", "_", "h2h_", "_h1", "h2h_h3", "h2h_q5", "h2h_full_time", "H2H", "h2h_h1_h1", "totals h1"]
        {
            assert_eq!(Market::parse(key), None, "{key}");
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
}
