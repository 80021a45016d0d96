//! What the settlement machine counts, and how much it holds.

use std::fmt;

use arb_runtime::machine::Tally;

/// How much a partition holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// Picks that wait for a result.
    pub open: usize,
    /// Picks that were graded and can be graded again.
    pub graded: usize,
    /// Arb windows that can be graded.
    pub windows: usize,
    /// Events whose newest report is known.
    pub results: usize,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { open, graded, windows, results } = self;
        write!(f, "open={open} graded={graded} windows={windows} results={results}")
    }
}

/// Counts of committed transactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SettleCounts {
    /// Picks that were published.
    pub picks: u64,
    /// Candidates, windows and reports that were taken in before, or are older than what is known.
    pub repeated: u64,
    /// Reports on events that say something new.
    pub results: u64,
    /// Gradings of picks.
    pub gradings: u64,
    /// Of these, those of picks that had been graded before.
    pub corrections: u64,
    /// Arb windows that were taken in.
    pub windows: u64,
    /// Gradings of windows.
    pub window_gradings: u64,
    /// Of these, those of windows that had been graded before.
    pub window_corrections: u64,
    /// Closing prices that were taken in.
    pub closings: u64,
    /// Later offers that were taken in.
    pub offers: u64,
}

impl Tally for SettleCounts {
    fn add(&mut self, other: &Self) {
        self.picks += other.picks;
        self.repeated += other.repeated;
        self.results += other.results;
        self.gradings += other.gradings;
        self.corrections += other.corrections;
        self.windows += other.windows;
        self.window_gradings += other.window_gradings;
        self.window_corrections += other.window_corrections;
        self.closings += other.closings;
        self.offers += other.offers;
    }
}

impl fmt::Display for SettleCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { picks, repeated, results, gradings, corrections, closings, offers, .. } = self;
        let Self { windows, window_gradings, window_corrections, .. } = self;
        write!(f, "picks={picks} repeated={repeated} results={results} gradings={gradings} ")?;
        write!(f, "corrections={corrections} closings={closings} offers={offers} windows={windows} ")?;
        write!(f, "window_gradings={window_gradings} window_corrections={window_corrections}")
    }
}
