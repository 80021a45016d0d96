//! Where the time of a step goes, for whoever measures it.
//!
//! The engine has no clock and never gets one from here: a probe is told that a stage begins, and may look at
//! a clock of its own.

/// The parts of a step, for whoever measures them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Judging the order, resolving names, sorting ticks.
    Read,
    /// Merging them into the tables of quotes.
    Merge,
    /// Finding arbs, and what became of windows.
    Evaluate,
    /// What became of signals.
    Signals,
    /// Between steps.
    Idle,
}

/// Told at the start of each [`Stage`]. The engine has no clock; a probe may.
pub trait Probe {
    /// The stage that begins.
    fn enter(&mut self, stage: Stage);
}

impl Probe for () {
    fn enter(&mut self, _: Stage) {}
}
