//! A line movement as it is published.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::market::{EventInfo, Line, Market, Outcome};
use crate::odds::Price;

/// A price or a main line that moved within a hopping window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    /// The event.
    pub event: Arc<EventInfo>,
    /// Market.
    pub market: Market,
    /// Line; of a main line the new one.
    pub line: Option<Line>,
    /// What moved.
    pub what: Moved,
    /// Start of the window, which is in it.
    pub window_start: Micros,
    /// Its end, which is not.
    pub window_end: Micros,
    /// Of this event on the feed.
    pub sequence: i64,
}

/// What moved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Moved {
    /// A back price.
    Price { outcome: Outcome, book: Arc<str>, from: Price, to: Price },
    /// The line that most books quote.
    MainLine { from: Line },
}
