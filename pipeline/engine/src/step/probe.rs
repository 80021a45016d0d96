//! Measures where the time of a step goes.
//!
//! The engine has no clock and never gets one from here: a probe is notified when a stage begins, and may
//! read a clock itself.

/// The measured parts of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepStage {
    /// What the passing of time brings.
    Time,
    /// Judging the order, resolving names, sorting ticks.
    Read,
    /// Merging them into the tables of quotes.
    Merge,
    /// Finding the best prices.
    Evaluate,
    /// Windows: flags, stakes, lifetimes, entries.
    Judge,
    /// What became of signals.
    Signals,
    /// Between steps.
    Idle,
}

impl StepStage {
    /// All of them, in the order in which a frame passes.
    pub const ALL: [Self; 7] =
        [Self::Time, Self::Read, Self::Merge, Self::Evaluate, Self::Judge, Self::Signals, Self::Idle];
}

/// Called at the start of each [`StepStage`]. The engine has no clock; a probe may.
pub trait Probe {
    /// The stage that begins.
    fn enter(&mut self, stage: StepStage);
}

impl Probe for () {
    fn enter(&mut self, _: StepStage) {}
}
