//! What clauses are about: topics of two kinds, of a match that is played and of one that is not played as planned.
//!
//! It never knows what a book states.

use super::level::Level;

/// What a clause is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Whether extra time counts, or the regular time alone.
    Periods,
    /// What a level result does to bets on the winner.
    Level,
    /// What a line does that is hit.
    Push,
    /// What a match needs that is ended early and whose result counts, as a game of baseball in the rain.
    Shortened,
    /// What a side that gives up does.
    Retirement,
    /// Until when bets stand on a match that begins late.
    Postponed,
    /// What happens to bets on a match that is played elsewhere.
    Moved,
    /// What happens to bets when somebody named does not begin, as a pitcher.
    Starters,
    /// What happens to bets on a match that is begun and not ended.
    Abandoned,
    /// What a bet pays that is settled without a result.
    Void,
}

impl Topic {
    /// All of them: first those of a match that is played.
    pub const ALL: [Self; 10] = [
        Self::Periods,
        Self::Level,
        Self::Push,
        Self::Shortened,
        Self::Retirement,
        Self::Postponed,
        Self::Moved,
        Self::Starters,
        Self::Abandoned,
        Self::Void,
    ];
    /// How many of them are of a match that is played.
    pub(super) const PLAYED: usize = 5;

    /// Its name.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Periods => "periods",
            Self::Level => "level",
            Self::Push => "push",
            Self::Shortened => "shortened",
            Self::Retirement => "retirement",
            Self::Postponed => "postponed",
            Self::Moved => "moved",
            Self::Starters => "starters",
            Self::Abandoned => "abandoned",
            Self::Void => "void",
        }
    }

    /// What it is about, in words.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Periods => "extra time",
            Self::Level => "a level result",
            Self::Push => "a line that is hit",
            Self::Shortened => "a match that is ended early",
            Self::Retirement => "a side that gives up",
            Self::Postponed => "a match that begins late",
            Self::Moved => "a match that is moved",
            Self::Starters => "who has to begin",
            Self::Abandoned => "a match that is not ended",
            Self::Void => "what a void bet pays",
        }
    }

    /// Whether it decides what a match pays that is played.
    #[must_use]
    pub fn is_of_played(self) -> bool {
        (self as usize) < Self::PLAYED
    }
}

/// What [`Topic::Periods`] says where extra time counts.
pub const EXTRA_TIME_COUNTS: &str = "extra_time";

/// The words of which a topic's clause is one, where it has a list of them.
#[must_use]
pub fn words_of(topic: Topic) -> Option<Vec<&'static str>> {
    match topic {
        Topic::Periods => Some(vec![EXTRA_TIME_COUNTS, "regular_time"]),
        Topic::Level => Some(Level::ALL.map(Level::key).into()),
        Topic::Push => Some(vec!["refunded", "none"]),
        Topic::Void => Some(vec!["refund", "half", "fair_price"]),
        _ => None,
    }
}
