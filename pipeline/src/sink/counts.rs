//! What went through a sink, counted when it has happened.
//!
//! It decides nothing.

use super::table::Tally;

/// Counts since the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records read.
    pub records: u64,
    /// Rows that the tables have acknowledged, those among them that were there already.
    pub rows: Tally,
    /// Batches whose rows are all there.
    pub batches: u64,
    /// Attempts that failed and are made again.
    pub retries: u64,
    /// Batches of which rows could be there before they were sent.
    pub in_doubt: u64,
    /// Commits that the group did not take at once.
    pub refused: u64,
    /// Partitions taken.
    pub taken: u64,
    /// Offsets at most whose records were gone before they were inserted.
    pub lost: u64,
}
