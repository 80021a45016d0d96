//! The state of an engine, as data that can be written and restored.
//!
//! One [`Saved`] for each thing that changes independently: a line of a market, a piece of its moves, a market's head, a source,
//! the counter. Restoring the last [`Saved`] of each into a new engine, heads before lines and moves, gives the same
//! engine. It knows no wire format and decides nothing.

use std::sync::Arc;

use arb_model::Name;

use crate::learning::survival::{Cell, Profile};
use crate::learning::{Margins, Refresh};
use crate::market::{EventInfo, Line, Market};
use crate::time::{Clock, PushedUpdate, SourceClock};

use super::saved_line::SavedLine;
use super::saved_moves::SavedMoves;

/// One thing that is remembered.
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    /// A market of an event, but for its lines and moves.
    Head {
        /// The private source whose it is; `None` is public.
        private: Option<Arc<str>>,
        /// The event.
        event: Arc<EventInfo>,
        /// The market.
        market: Market,
        /// Its main line when that was last looked at.
        main_line: Option<Line>,
        /// Where its bets can be placed, as sources state it, by the name of the book.
        links: Vec<(Arc<str>, Name)>,
        /// The books that have listed a draw, by name.
        drawn: Vec<Arc<str>>,
    },
    /// A market of an event is no more.
    HeadGone {
        /// The private source whose it was; `None` is public.
        private: Option<Arc<str>>,
        /// The event's id.
        event: Arc<str>,
        /// The market.
        market: Market,
    },
    /// A line of a market.
    Line(Box<SavedLine>),
    /// Of a line nothing is left.
    LineGone {
        /// The private source whose it was; `None` is public.
        private: Option<Arc<str>>,
        /// The event's id.
        event: Arc<str>,
        /// The market.
        market: Market,
        /// The line.
        line: Option<Line>,
    },
    /// A piece of the moves of a market.
    Moves(Box<SavedMoves>),
    /// Of a piece of moves nothing is left.
    MovesGone {
        /// The private source whose it was; `None` is public.
        private: Option<Arc<str>>,
        /// The event's id.
        event: Arc<str>,
        /// The market.
        market: Market,
        /// Its place among the pieces of the market.
        piece: i64,
    },
    /// How far a source has come.
    Source {
        /// The source.
        source: Arc<str>,
        /// Where it is.
        clock: SourceClock,
    },
    /// A source has long been silent.
    SourceGone {
        /// The source.
        source: Arc<str>,
    },
    /// An update of a pushed source.
    Push {
        /// The source.
        source: Arc<str>,
        /// Its number.
        sequence: i64,
        /// What is remembered of it.
        update: Arc<PushedUpdate>,
    },
    /// An update of a pushed source is not remembered any more.
    PushGone {
        /// The source.
        source: Arc<str>,
        /// Its number.
        sequence: i64,
    },
    /// An operator has shut a source or a book, or opened it again.
    Suspension {
        /// Its name.
        name: Arc<str>,
        /// It is a book.
        is_book: bool,
        /// It is shut.
        is_suspended: bool,
    },
    /// How long a book takes to confirm its prices.
    Book {
        /// The book.
        book: Arc<str>,
        /// What is known of it.
        refresh: Refresh,
    },
    /// A book has long been silent.
    BookGone {
        /// The book.
        book: Arc<str>,
    },
    /// The margins of proven windows.
    Margins(Box<Margins>),
    /// How long windows of a kind live.
    Survival {
        /// Their sport.
        sport: Arc<str>,
        /// What else they have in common.
        profile: Profile,
        /// Their deaths, and the time that they lived.
        cell: Cell,
    },
    /// Which books are stale for an event; none when none is, or the event is over.
    StaleBooks {
        /// The event's id.
        event: Arc<str>,
        /// By name.
        books: Vec<Arc<str>>,
    },
    /// Where the partition's time is.
    Clock(Clock),
    /// The number of the last transition.
    Sequence(i64),
}

/// Why something that was remembered cannot be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// A line, or moves, of a market that has no head.
    Headless,
    /// A window with a leg that is not among its line's quotes.
    Leg,
    /// A signal without bets.
    Betless,
    /// A piece of moves without any.
    Moveless,
}

impl Misfit {
    /// In words, after an article.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Headless => "part of a market without a head",
            Self::Leg => "window with a leg that its line does not have",
            Self::Betless => "signal without bets",
            Self::Moveless => "piece of moves without moves",
        }
    }
}
