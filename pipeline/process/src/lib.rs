//! Processing: the records of the tick topic become windows on the board and events on the feed.
//!
//! - [`machine`]: the odds machine, which `arb_runtime::pump` runs.
//! - [`codec`]: records as engine inputs, effects as records; [`faults`]: what was wrong with the input.
//! - [`replica`]: the state of a partition as a reader of its changelog has it.
//! - `scans`: answers to scans, from the quotes between their markers.
//! - [`books`]: the file of books, as the engine's table.
//! - [`counts`]: what went through it; [`telemetry`]: what it reports.
//!
//! It never decides what an arb is: that is the engine's. It never sees a log: that is the runtime's.

pub mod books;
pub mod codec;
pub mod counts;
pub mod faults;
pub mod machine;
pub mod replica;
mod scans;
pub mod telemetry;
