//! What went through the pump, counted once it is committed.
//!
//! It never counts what was aborted: the same records come again.

use arb_engine::Step;
use arb_engine::effect::Effect;
use arb_engine::invariants;
use arb_engine::source::Disposition;

use crate::faults::Faults;

/// Counts since the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records read.
    pub records: u64,
    /// Transactions committed.
    pub commits: u64,
    /// Transactions aborted, their records read again.
    pub aborts: u64,
    /// Commits of which it was not known at first whether they had happened.
    pub unknown: u64,
    /// Partitions restored.
    pub restored: u64,
    /// Records put aside in the dead-letter topic.
    pub dead: u64,
    /// Records that came late.
    pub late: u64,
    /// Polls that lacked frames.
    pub incomplete: u64,
    /// Records from a future that no one else had reached.
    pub ahead: u64,
    /// Frames about events that were over.
    pub over: u64,
    /// Entries that broke an invariant.
    pub violations: u64,
    /// Ticks that were left out.
    pub faults: Faults,
}

impl Counts {
    /// Adds those of a transaction.
    pub(super) fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.commits += other.commits;
        self.aborts += other.aborts;
        self.unknown += other.unknown;
        self.restored += other.restored;
        self.dead += other.dead;
        self.late += other.late;
        self.incomplete += other.incomplete;
        self.ahead += other.ahead;
        self.over += other.over;
        self.violations += other.violations;
        self.faults.add(&other.faults);
    }

    /// Counts what became of a record.
    pub(super) fn step(&mut self, step: Step) {
        match step.disposition {
            Disposition::Applied => {}
            Disposition::Late => self.late += 1,
            Disposition::Incomplete => self.incomplete += 1,
            Disposition::Ahead => self.ahead += 1,
            Disposition::Over => self.over += 1,
        }
    }

    /// Checks an entry that is about to be published.
    pub(super) fn check(&mut self, effect: &Effect) {
        let (Effect::Transition(_, entry) | Effect::Refreshed(entry)) = effect else { return };
        if let Err(violation) = invariants::check_entry(entry) {
            self.violations += 1;
            tracing::error!(?violation, id = %entry.id, "an entry breaks an invariant");
        }
    }
}
