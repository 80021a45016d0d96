//! What the books of a market agreed on from a time on, as the state keeps it.
//!
//! It decides nothing.

use crate::Micros;
use crate::market::{Line, Outcome};

/// What was agreed on from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConsensusSample {
    pub(crate) line: Option<Line>,
    pub(crate) outcome: Outcome,
    pub(crate) at: Micros,
    /// Median implied probability, in millionths.
    pub(crate) probability: u32,
}
