//! What a level result does to a bet on the winner.
//!
//! It never pays out a bet.

/// What a level result does to bets on the winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It is a separate outcome, the draw: bets on a side lose.
    Outcome,
    /// Stakes come back.
    Refunded,
    /// Half the stake wins at its price, half is lost: also what a contract of a dollar comes to that pays half of it.
    DeadHeat,
    /// It cannot happen: play continues until there is a winner.
    Impossible,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Outcome, Self::Refunded, Self::DeadHeat, Self::Impossible];

    /// As a clause states it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Outcome => "outcome",
            Self::Refunded => "refunded",
            Self::DeadHeat => "dead_heat",
            Self::Impossible => "impossible",
        }
    }

    /// From what a clause states.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.key() == key)
    }

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
