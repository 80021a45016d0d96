//! What went through a machine's pump, counted once it is committed.
//!
//! It never counts what was aborted: the same records come again.

use std::fmt;

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
    /// Timers whose own time and the broker's are far apart, and timers that are a step that does not count yet.
    pub doubted: [u64; 2],
    /// What the machine counts.
    pub tally: T,
}

/// What is not 0, as `name=value`, and the machine's own counts after it.
impl<T: fmt::Display> fmt::Display for Counts<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "records={} commits={}", self.records, self.commits)?;
        let rare = [("aborts", self.aborts), ("unknown", self.unknown), ("restored", self.restored)];
        let letters = Reason::ALL.map(|reason| (reason.key(), self.letters[reason as usize]));
        for (name, count) in rare.into_iter().chain(letters).filter(|(_, count)| *count > 0) {
            write!(f, " {name}={count}")?;
        }
        write!(f, " {}", self.tally)
    }
}

impl<T: Tally> Counts<T> {
    /// Adds the counts of a transaction, or of another worker.
    pub fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.commits += other.commits;
        self.aborts += other.aborts;
        self.unknown += other.unknown;
        self.restored += other.restored;
        self.letters.iter_mut().zip(&other.letters).for_each(|(to, from)| *to += from);
        self.doubted.iter_mut().zip(&other.doubted).for_each(|(to, from)| *to += from);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_as_names_and_values() {
        let mut counts = Counts { records: 9, commits: 2, aborts: 1, tally: "frames=8", ..Counts::default() };
        counts.letters[Reason::ALL[0] as usize] = 3;
        let letters = Reason::ALL[0].key();
        assert_eq!(counts.to_string(), format!("records=9 commits=2 aborts=1 {letters}=3 frames=8"));
    }
}
