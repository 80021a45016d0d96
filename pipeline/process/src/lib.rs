//! Processing: the records of the tick topic become windows on the board and events on the feed.
//!
//! - [`pump`]: the loop of read, process, write, in transactions; [`error`]: why it stops.
//! - `partition` and `restore`: the state of one partition, and where it comes from.
//! - [`codec`]: records as engine inputs, effects as records; [`faults`]: what was wrong with the input.
//! - [`books`]: the file of books, as the engine's table.
//! - [`counts`]: what went through it; [`telemetry`]: what it reports.
//!
//! It never decides what an arb is: that is the engine's. It knows Kafka only as the log of `arb_runtime`.

pub mod books;
pub mod codec;
pub mod counts;
pub mod error;
pub mod faults;
mod partition;
pub mod pump;
mod restore;
pub mod telemetry;
