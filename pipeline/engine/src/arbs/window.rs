//! An open window as the state keeps it.
//!
//! It decides nothing.

use crate::Micros;
use crate::effect::{Basis, Flag, Verification, WindowHistory, WindowId};
use crate::learning::survival::Life;
use crate::market::{Line, Outcome, QuoteKey};
use crate::odds::Price;
use crate::quotes::Quote;

use super::judged::KnownStakes;
use super::standing::Standing;

/// An open window as the state keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    pub(crate) line: Option<Line>,
    pub(crate) id: WindowId,
    pub(crate) opened_at: Micros,
    pub(crate) sequence: i64,
    pub(crate) legs: Vec<Quote>,
    /// Of which of three outcomes its legs are a back and a lay.
    pub(crate) pair: Option<Outcome>,
    /// The bets of a cheaper cover that is not eligible, at their prices, as they were last shown; none where there is no such cover.
    pub(crate) passed_over: Vec<(QuoteKey, Price)>,
    pub(crate) verification: Verification,
    /// Until when every leg is fresh, should none be confirmed again.
    pub(crate) fresh_until: Micros,
    /// What was ever proven of it.
    pub(crate) history: WindowHistory,
    /// Whether its legs stood after it opened, and after it was verified for the first time.
    pub(crate) standing: [Option<Standing<QuoteKey>>; 2],
    pub(crate) in_play: bool,
    pub(crate) margin_open: f64,
    pub(crate) margin_peak: f64,
    pub(crate) margin: f64,
    /// The largest total within limits, in minor units, that was shown since the last transition; `None` when no limit was known at
    /// a time.
    pub(crate) stake_shown: Option<i64>,
    /// How long it has lived.
    pub(crate) life: Life,
    /// By what its flags were last decided; `None` where they are to be decided again.
    pub(crate) basis: Option<Basis>,
    /// What may be put on its legs. Not remembered: it is computed again.
    pub(crate) stakes: KnownStakes,
}

impl Window {
    /// After which watermark it is fresh no longer; `None` when it was not when it was last looked at.
    pub(crate) fn ages_after(&self) -> Option<Micros> {
        self.verification.holds(Flag::Fresh).then_some(self.fresh_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{self, World, price, quote};
    use crate::learning::survival::{EventStage, MarketKind, Profile};
    use crate::venues::Books;

    #[test]
    fn only_a_window_that_is_fresh_grows_old() {
        let world = World::new(Books::default(), 1);
        let profile = Profile { stage: EventStage::Hours, kind: MarketKind::Winner, margin: 0, age: 0 };
        let life = Life::begin(profile, None, 0);
        let legs = vec![quote(world.book("a"), None, Outcome::Home, price("2"))];
        let of = |flags: &[Flag]| {
            let verification = Verification::of(flags.iter().copied());
            Window { verification, fresh_until: 77, ..fixtures::window(legs.clone(), life) }.ages_after()
        };
        assert_eq!(of(&[Flag::Fresh]), Some(77));
        assert_eq!(of(&Flag::ALL), Some(77));
        assert_eq!(of(&[Flag::Simultaneous, Flag::Active]), None, "it is old already");
    }
}
