//! How a book settles: which period counts, and what a level result does to bets on the winner.
//!
//! It never pays out a bet.

use std::sync::Arc;

use crate::market::Period;

use super::evidence::Evidence;

/// What a level result does to bets on the winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It is a separate outcome, the draw: bets on a side lose.
    Outcome,
    /// Stakes come back.
    Refunded,
    /// Half the stake wins at its price, half is lost.
    DeadHeat,
    /// It cannot happen: play continues until there is a winner.
    Impossible,
}

impl Level {
    /// Every combination of what it may do to each of several bets.
    pub(crate) fn combined(bets: impl IntoIterator<Item = Vec<Self>>) -> Vec<Vec<Self>> {
        bets.into_iter().fold(vec![Vec::new()], |ways, levels| {
            let with = |way: &Vec<Self>| {
                levels.iter().map(|level| [&way[..], &[*level]].concat()).collect::<Vec<_>>()
            };
            ways.iter().flat_map(with).collect()
        })
    }
}

/// How bets are settled: which period counts, what a level result does, when a bet is valid. Two books settle
/// alike exactly when the names are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Its name.
    pub group: Arc<str>,
    /// What a level result does to bets on the winner where no draw is offered.
    pub level: Level,
    /// The same for some sports or leagues: `aussierules`, `aussierules_afl`.
    pub levels: Vec<(Arc<str>, Level)>,
    /// What they say, as far as it matters here.
    pub says: Arc<str>,
    /// Where they are stated.
    pub evidence: Evidence,
}

impl Rules {
    /// Rules by which a level result does the same in every league, and that nothing is stated about.
    #[must_use]
    pub fn new(group: &str, level: Level) -> Self {
        let says = Arc::from("");
        Self { group: group.into(), level, levels: Vec::new(), says, evidence: Evidence::default() }
    }

    /// What a level result does in a league; the longest key that fits it holds. A part of a match is not played on until it
    /// has a winner.
    #[must_use]
    pub fn level(&self, league: &str, period: Period) -> Level {
        let fitting = self.levels.iter().filter(|(key, _)| is_within(league, key));
        let level = fitting.max_by_key(|(key, _)| key.len()).map_or(self.level, |(_, level)| *level);
        if level == Level::Impossible && period != Period::FullTime { self.level } else { level }
    }
}

/// Whether a league is this one, or one of this sport.
pub(super) fn is_within(league: &str, wanted: &str) -> bool {
    league.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Level results end as draws, but in basketball they cannot, and in one league of it they refund.
    fn rules() -> Rules {
        let level = |key: &str, level| (Arc::from(key), level);
        let levels = vec![level("basketball", Level::Impossible), level("basketball_nba", Level::Refunded)];
        Rules { levels, ..Rules::new("g", Level::Outcome) }
    }

    #[test]
    fn the_longest_key_that_fits_a_league_holds() {
        let of = |league: &str| rules().level(league, Period::FullTime);
        assert_eq!(of("basketball_wnba"), Level::Impossible);
        assert_eq!(of("basketball_nba"), Level::Refunded);
        assert_eq!(of("basketball_nba_preseason"), Level::Refunded);
        assert_eq!(
            (of("basketballs"), of("soccer_epl"), of("")),
            (Level::Outcome, Level::Outcome, Level::Outcome)
        );
        let mut backwards = rules();
        backwards.levels.reverse();
        assert_eq!(backwards.level("basketball_nba", Period::FullTime), Level::Refunded, "in any order");
    }

    #[test]
    fn a_part_of_a_match_can_be_level_whatever_the_whole_can() {
        let of = |league: &str, period| rules().level(league, period);
        assert_eq!(of("basketball_wnba", Period::H1), Level::Outcome, "play ends after a half");
        assert_eq!(of("basketball_nba", Period::H1), Level::Refunded, "a rule that names what happens holds");
    }

    #[test]
    fn a_key_is_a_league_or_the_beginning_of_one() {
        for (league, wanted, is) in [
            ("soccer_epl", "soccer", true),
            ("soccer_epl", "soccer_epl", true),
            ("soccer_epl", "soccer_e", false),
            ("soccer", "soccer_epl", false),
            ("xsoccer", "soccer", false),
        ] {
            assert_eq!(is_within(league, wanted), is, "{league} {wanted}");
        }
    }
}
