//! How a window changes and closes.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::market::{EventInfo, Line, Market};

use super::ids::WindowId;
use super::verification::{Flag, Verification};

/// A window that closed.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// Its id.
    pub id: WindowId,
    /// Its event.
    pub event: Arc<EventInfo>,
    /// Market.
    pub market: Market,
    /// Line.
    pub line: Option<Line>,
    /// Why.
    pub reason: CloseReason,
    /// When it opened.
    pub opened_at: Micros,
    /// When it closed.
    pub closed_at: Micros,
    /// Margin at opening.
    pub margin_open: f64,
    /// Largest margin.
    pub margin_peak: f64,
    /// Last margin while open.
    pub margin_close: f64,
    /// What was proven of it while open.
    pub history: WindowHistory,
    /// Of this transition.
    pub sequence: i64,
}

/// How a window changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowChange {
    /// It is new.
    Opened,
    /// A leg's book or price, its proof of simultaneity, or its being in play.
    Updated,
}

/// Why a window closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// The prices no longer make an arb.
    PriceMoved,
    /// A leg's quote was withdrawn.
    Withdrawn,
    /// A leg's book takes no bets.
    Suspended,
    /// A leg's book has not confirmed its price for longer than it ever takes.
    Stale,
    /// The event has begun, and a leg's price is from before.
    EventStarted,
    /// The event is over.
    EventEnded,
    /// The market turned out to have another set of outcomes.
    Superseded,
}

impl CloseReason {
    /// All of them, in the order in which they are declared.
    pub const ALL: [Self; 7] = [
        Self::PriceMoved,
        Self::Withdrawn,
        Self::Suspended,
        Self::Stale,
        Self::EventStarted,
        Self::EventEnded,
        Self::Superseded,
    ];

    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::PriceMoved => "price_moved",
            Self::Withdrawn => "withdrawn",
            Self::Suspended => "suspended",
            Self::Stale => "stale",
            Self::EventStarted => "event_started",
            Self::EventEnded => "event_ended",
            Self::Superseded => "superseded",
        }
    }
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
    fn what_was_proven_once_stays_in_the_history() {
        let [nothing, simultaneous, all] = [
            Verification::default(),
            Verification::of([Flag::Simultaneous].into_iter()),
            Verification::of(Flag::ALL.into_iter()),
        ];
        let history = |proofs: &[Verification]| {
            let history = proofs.iter().fold(WindowHistory::default(), |history, proof| history.and(*proof));
            (history.simultaneous, history.verified)
        };
        assert_eq!(history(&[nothing]), (false, false));
        assert_eq!(history(&[nothing, simultaneous, nothing]), (true, false));
        assert_eq!(history(&[all, nothing, simultaneous]), (true, true));
    }

    #[test]
    fn every_reason_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> =
            CloseReason::ALL.iter().map(|reason| reason.key()).collect();
        assert_eq!(names.len(), CloseReason::ALL.len());
    }
}
