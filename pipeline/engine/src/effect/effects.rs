//! One thing to publish, and the list to which a step adds them.
//!
//! It decides nothing and knows no wire format.

use std::sync::Arc;

use arb_model::{BoardEntry, CloseSignal, EdgeSignal, FilterValues, LineMovement, StaleAlert};

use crate::Micros;
use crate::caps::LeftOut;
use crate::learning::Samples;
use crate::learning::survival::Ttl;

use super::signal::SignalChange;
use super::window::WindowChange;

/// A change to publish: a transition of a window or signal, a movement, an alert, or progress.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// A window opened or changed: to the feed and to the board.
    Transition(WindowChange, Box<BoardEntry>, Box<Transition>),
    /// Only the times or limits of an entry changed: to the board alone.
    Refreshed(Box<BoardEntry>),
    /// A window closed: to the feed, and a tombstone to the board.
    Closed(Box<CloseSignal>),
    /// A transition of an edge signal: to the feed, unless only its times changed, and to the signals topic;
    /// for a closed one a tombstone to the latter.
    Signal(SignalChange, Box<EdgeSignal>),
    /// A price or a main line moved: to the feed.
    LineMovement(Box<LineMovement>),
    /// A book or an arb went stale, or a book is no longer: to the feed.
    StaleAlert(Box<StaleAlert>),
    /// How far the board has come with a source.
    Contains {
        /// The source.
        source: Arc<str>,
        /// The time of the last whole poll that the board contains; `None` when the source was removed.
        received_at: Option<Micros>,
    },
}

/// What goes with the entry of a transition.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// What the entry's TTL was read from: not published.
    pub ttl: Ttl,
    /// What was shown before, of a window that changed: to the feed.
    pub replaced: Option<FilterValues>,
}

impl Transition {
    pub(crate) fn new(ttl: Ttl, replaced: Option<FilterValues>) -> Box<Self> {
        Box::new(Self { ttl, replaced })
    }
}

/// Where transitions go, and the counter that numbers them.
#[derive(Debug)]
pub(crate) struct Effects<'a> {
    pub(crate) sequence: i64,
    pub(crate) out: &'a mut Vec<Effect>,
    /// What is learnt on the way.
    pub(crate) samples: Samples,
    /// What there was no room for.
    pub(crate) left_out: LeftOut,
}

impl Effects<'_> {
    /// Adds what is to be published.
    pub(crate) fn push(&mut self, effect: Effect) {
        self.out.push(effect);
    }

    /// The number of the next event on the feed.
    pub(crate) fn next(&mut self) -> i64 {
        self.sequence += 1;
        self.sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_the_feed_grow_by_one() {
        let mut out = Vec::new();
        let (samples, left_out) = (Samples::default(), LeftOut::default());
        let mut effects = Effects { sequence: 41, out: &mut out, samples, left_out };
        assert_eq!([effects.next(), effects.next()], [42, 43]);
        effects.push(Effect::Contains { source: "s".into(), received_at: None });
        assert_eq!((effects.sequence, effects.next()), (43, 44));
        assert_eq!(out, [Effect::Contains { source: "s".into(), received_at: None }]);
    }
}
