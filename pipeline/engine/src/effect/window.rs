//! How a window changes, what was proven of it, and by what its flags were decided.
//!
//! It decides nothing.

use arb_model::{Flag, Verification};

use crate::Micros;

/// How a window changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowChange {
    /// It is new.
    Opened,
    /// A leg's book or price, its proof of simultaneity, or its being in play.
    Updated,
}

impl WindowChange {
    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Updated => "updated",
        }
    }
}

/// By what the flags of a window were last decided, beside the quotes of its line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Basis {
    /// When they were.
    pub at: Micros,
    /// The largest margin that was plausible.
    pub margin_limit: f64,
    /// Of each leg, within which its book confirmed 95 of 100 prices.
    pub expected: Vec<Micros>,
}

/// What was proven of a window at any time of its life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WindowHistory {
    /// Its legs were on offer at one moment.
    pub simultaneous: bool,
    /// All flags held.
    pub verified: bool,
}

impl WindowHistory {
    pub(crate) fn and(self, now: Verification) -> Self {
        Self {
            simultaneous: self.simultaneous || now.holds(Flag::Simultaneous),
            verified: self.verified || now.is_verified(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_verified_once_stays_so_in_its_history() {
        let [nothing, simultaneous, all] =
            [Verification::default(), Verification::of([Flag::Simultaneous]), Verification::of(Flag::ALL)];
        let history = |proofs: &[Verification]| {
            let history = proofs.iter().fold(WindowHistory::default(), |history, proof| history.and(*proof));
            (history.simultaneous, history.verified)
        };
        assert_eq!(history(&[nothing]), (false, false));
        assert_eq!(history(&[nothing, simultaneous, nothing]), (true, false));
        assert_eq!(history(&[all, nothing, simultaneous]), (true, true));
    }
}
