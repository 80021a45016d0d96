//! A stale alert as it is published.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::market::EventInfo;

use super::ids::WindowId;

/// A book or an arb that went stale, or a book that is so no longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// What it is about.
    pub scope: Scope,
    /// The event.
    pub event: Arc<EventInfo>,
    /// Whose prices.
    pub book: Arc<str>,
    /// The latest confirmation; `None` when the book is gone.
    pub last_seen_at: Option<Micros>,
    /// Within which the book confirms 95 of 100 prices.
    pub expected_interval: Micros,
    /// When it was found.
    pub at: Micros,
    /// Of this event on the feed.
    pub sequence: i64,
}

/// What an alert is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A window that closed because of it.
    Arb(WindowId),
    /// A book for an event.
    Book(BookState),
}

/// What became of a book for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookState {
    /// It confirms none of its prices.
    Stale,
    /// It was stale and confirms one again.
    Recovered,
    /// It was stale and quotes the event no longer.
    Gone,
}

impl BookState {
    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Recovered => "recovered",
            Self::Gone => "gone",
        }
    }
}
