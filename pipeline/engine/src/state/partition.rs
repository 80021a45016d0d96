//! Everything that is remembered of a partition.
//!
//! It decides nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::learning::survival::Cells;
use crate::learning::{Margins, Refresh};
use crate::market::Symbol;
use crate::time::{Clock, PushedUpdates, SourceClock};

use super::event_table::EventTable;

/// What an operator shuts: a book, or else a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Suspended {
    pub(crate) is_book: bool,
    pub(crate) name: Symbol,
}

/// Everything that is remembered of a partition.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) events: EventTable,
    /// The prices of each private source, beside the public ones: quotes alone, of which nothing public is computed.
    pub(crate) private: BTreeMap<Symbol, EventTable>,
    pub(crate) sources: BTreeMap<Symbol, SourceClock>,
    /// The updates that are remembered of pushed sources.
    pub(crate) pushes: BTreeMap<Symbol, PushedUpdates>,
    /// What an operator has shut.
    pub(crate) suspended: BTreeSet<Suspended>,
    /// By event, sorted by name; events that have none are not in it.
    pub(crate) stale_books: BTreeMap<Arc<str>, Vec<Symbol>>,
    /// By symbol.
    pub(crate) books: Vec<Refresh>,
    pub(crate) margins: Margins,
    pub(crate) survival: Cells,
    pub(crate) clock: Clock,
    pub(crate) sequence: i64,
}

impl State {
    /// The events of a private source, or the public ones.
    pub(crate) fn table_mut(&mut self, private: Option<Symbol>) -> &mut EventTable {
        match private {
            Some(source) => self.private.entry(source).or_default(),
            None => &mut self.events,
        }
    }

    /// Notes that an operator has shut a source or a book, or opened it again.
    pub(crate) fn put_suspended(&mut self, subject: Suspended, is_suspended: bool) {
        if is_suspended {
            self.suspended.insert(subject);
        } else {
            self.suspended.remove(&subject);
        }
    }

    /// A book's samples.
    pub(crate) fn book(&self, book: Symbol) -> Refresh {
        self.books.get(book.index()).cloned().unwrap_or_default()
    }

    pub(crate) fn book_mut(&mut self, book: Symbol) -> &mut Refresh {
        if self.books.len() <= book.index() {
            self.books.resize_with(book.index() + 1, Refresh::default);
        }
        &mut self.books[book.index()]
    }
}
