//! The statistics of a partition, from its own records: intervals between confirmations, verified margins,
//! lifetimes of windows.
//!
//! Counts are integers, so that a replay learns the same. Nothing here looks at a price.

mod margins;
mod refresh;
mod samples;
mod sketch;
pub mod survival;

pub use margins::Margins;
pub(crate) use margins::Proven;
pub(crate) use refresh::Expected;
pub use refresh::Refresh;
pub(crate) use samples::{RefreshSample, Samples};
