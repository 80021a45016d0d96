//! Processing: the records of the tick topic become windows on the board and events on the feed.
//!
//! - [`pump`]: the loop of read, process, write, in transactions.
//! - [`batch`]: when a transaction ends.
//!
//! It never decides what an arb is: that is the engine's.

pub mod batch;
pub mod pump;
