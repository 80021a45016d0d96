//! Positions: where partitions begin and end, what a group has committed, and whether a client moves between the two.
//!
//! - `asker`: the client by which a process asks; `leaders`: the questions themselves.
//! - `committed`: what a group has committed.
//! - `stall_watch`: a partition that has more to read and is not fetched; `unmoved`: which that is.
//!
//! It never reads a record.

mod asker;
mod committed;
mod leaders;
mod stall_watch;
mod unmoved;

pub use asker::{committed_spans, spans};
pub use committed::Committed;

pub(crate) use asker::Asker;
pub(crate) use committed::{committed, committed_within, to_commit};
pub(crate) use leaders::{LED, is_without_leader};
pub(crate) use stall_watch::StallWatch;
#[cfg(test)]
pub(crate) use stall_watch::assign_again;
