//! Readers of committed records that share nothing with a group: each reads from positions of its own.
//!
//! - `following`: the topics that a process follows, by one client; `table`, `feed` and `tail` are read by it.
//! - `reader`: what is read once, by a client of its own; `changelog`, `snapshot` and `end_probe` are read by it; `ends`: the ends of a
//!   topic, polled for lag.
//! - `dead_letter_queue`: the dead letters, by both. `first_ends`: whether what was there at first has been read.
//!
//! They never skip a record, and never write one.

mod changelog;
mod dead_letter_queue;
mod end_probe;
mod ends;
mod feed;
mod first_ends;
mod following;
mod reader;
mod snapshot;
mod table;
mod tail;

pub use dead_letter_queue::{Letter, LetterEvent, Letters, NewLetters};
pub use end_probe::EndProbe;
pub use ends::Ends;
pub use feed::{Feed, FeedEvent, settle};
pub use snapshot::{Kept, snapshot};
pub use table::{Table, TableEvent};
pub use tail::Tail;

pub(crate) use changelog::Changelog;
pub(crate) use feed::mark;
