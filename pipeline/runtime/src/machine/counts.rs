//! What went through a machine's pump, counted once it is committed.
//!
//! It never counts what was aborted: the same records come again.

use super::Tally;
use crate::dead_letters::Reason;

/// Counts since the start, or of one transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts<T> {
    /// Records read.
    pub records: u64,
    /// Transactions committed.
    pub commits: u64,
    /// Transactions aborted, their records read again.
    pub aborts: u64,
    /// Commits whose outcome was not known at first.
    pub unknown: u64,
    /// Partitions restored.
    pub restored: u64,
    /// Dead letters, by reason.
    pub letters: [u64; Reason::ALL.len()],
    /// What the machine counts.
    pub tally: T,
}

impl<T: Tally> Counts<T> {
    /// Adds the counts of a transaction.
    pub(crate) fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.commits += other.commits;
        self.aborts += other.aborts;
        self.unknown += other.unknown;
        self.restored += other.restored;
        self.letters.iter_mut().zip(&other.letters).for_each(|(to, from)| *to += from);
        self.tally.add(&other.tally);
    }
}

impl<T> Counts<T> {
    /// Dead letters.
    #[must_use]
    pub fn dead(&self) -> u64 {
        self.letters.iter().sum()
    }
}
