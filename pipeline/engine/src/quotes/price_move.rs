//! A change of a quote's price, as the merge notes it.
//!
//! It decides nothing.

use crate::Micros;
use crate::market::QuoteKey;
use crate::odds::Price;

/// A change of a back quote's price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) key: QuoteKey,
    /// `received_at` of the frame that brought it.
    pub(crate) at: Micros,
    pub(crate) from: Price,
    pub(crate) to: Price,
    /// It is part of a movement that was reported.
    pub(crate) is_reported: bool,
}
