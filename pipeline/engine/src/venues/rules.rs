//! How a book settles: which period counts, and what a level result does to bets on the winner.
//!
//! It never pays out a bet.

use std::sync::Arc;

use crate::market::Period;

/// What a level result does to bets on the winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It is an outcome of its own, the draw: bets on a side lose.
    Outcome,
    /// Stakes come back.
    Refunded,
    /// Half the stake wins at its price, half is lost.
    DeadHeat,
    /// It cannot happen: play goes on until there is a winner.
    Impossible,
}

/// How bets are settled: which period counts, what a level result does, when a bet stands. Two books settle alike exactly
/// when the names are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Its name.
    pub group: Arc<str>,
    /// What a level result does to bets on the winner where no draw is offered.
    pub level: Level,
    /// The same for some sports or leagues: `aussierules`, `aussierules_afl`.
    pub levels: Vec<(Arc<str>, Level)>,
}

impl Rules {
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
