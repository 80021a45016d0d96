//! Fail points: places where a test has the process killed or frozen.
//!
//! They are a feature of this crate, `fail-points`: without it none can be armed and passing one does
//! nothing. The shipped binary is built without it, which `tests/it/tidy.rs` checks. It never decides what
//! happens there: the test that arms it does.

#[cfg(feature = "fail-points")]
mod armed;

#[cfg(feature = "fail-points")]
pub use armed::{FailPoints, Passage};

/// A place in the life of a transaction, or of a batch of the sink's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Before the next event is asked for.
    Poll,
    /// Before a record is processed.
    Process,
    /// Before a record is written.
    Produce,
    /// When everything is written, before the offsets are sent.
    Offsets,
    /// When the offsets are sent, before the commit.
    Commit,
    /// When the commit has been acknowledged, before it is applied.
    Committed,
    /// Before the sink's next event is asked for.
    Gather,
    /// Before the intent is committed to the group.
    Intend,
    /// When the group has taken it, before any row is sent.
    Intended,
    /// Before a row is written.
    Row,
    /// When a table has acknowledged its rows.
    Inserted,
    /// Before the group's offset is committed after all rows of a batch are there.
    Settle,
    /// When it has taken that.
    Settled,
}

#[cfg(not(feature = "fail-points"))]
pub use NoFailPoints as FailPoints;

/// Without the feature: nothing.
#[cfg(not(feature = "fail-points"))]
#[derive(Debug, Clone, Default)]
pub struct NoFailPoints(());

#[cfg(not(feature = "fail-points"))]
#[allow(clippy::unused_self, reason = "the feature gives it a state")]
impl NoFailPoints {
    /// Whether the transaction of this number is to be aborted.
    #[must_use]
    pub fn aborts(&self, _transaction: u64) -> bool {
        false
    }

    /// A point is passed.
    #[inline]
    pub fn pass(&self, _point: Point) {}
}
