//! Processing: the records of the tick topic become windows on the board and events on the feed.
//!
//! - [`pump`]: the loop of read, process, write, in transactions; [`error`]: why it stops.
//! - `partition` and `restore`: the state of one partition, and where it comes from.
//! - [`log`]: what the pump needs of Kafka, and nothing more.
//! - [`batch`]: when a transaction ends.
//! - [`dead_letters`]: what could not be taken in.
//! - [`counts`]: what went through it.
//!
//! It never decides what an arb is: that is the engine's.

pub mod batch;
pub mod counts;
pub mod dead_letters;
pub mod error;
pub mod log;
mod partition;
pub mod pump;
mod restore;
