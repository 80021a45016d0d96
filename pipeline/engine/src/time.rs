//! The partition's time, the order of what a source publishes, and when an event is over.
//!
//! Nothing here reads a clock or looks at a price: time is what records carry.

mod clock;
pub(crate) mod expiry;
mod pushes;
mod source_clock;

pub use clock::Clock;
pub(crate) use clock::is_history;
pub use expiry::played_within;
pub(crate) use pushes::{Digest, PushedUpdates};
pub use pushes::{PushedUpdate, REMEMBERED_PUSHES};
pub use source_clock::{Disposition, SourceClock};
