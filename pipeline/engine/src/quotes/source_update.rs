//! What a source publishes about an event at one time, and for which books and markets that is complete.
//!
//! It never adds a quote: it decides which of those that it does not name it withdraws.

use crate::Micros;
use crate::market::{Market, Symbol};

use super::quote::Quote;

/// Which source publishes, when, and for what the update is complete.
#[derive(Debug, Clone)]
pub(crate) struct SourceUpdate {
    pub(crate) source: Symbol,
    pub(crate) received_at: Micros,
    /// Books for which it is complete; `None` is every book.
    pub(crate) books: Option<Vec<Symbol>>,
    /// Markets for which it is complete; `None` is every market.
    pub(crate) markets: Option<Vec<Market>>,
}

impl SourceUpdate {
    pub(super) fn covers(&self, market: Market) -> bool {
        self.markets.as_ref().is_none_or(|markets| markets.contains(&market))
    }

    /// Whether it withdraws a quote of a market that it does not name.
    pub(crate) fn withdraws(&self, market: Market, quote: &Quote) -> bool {
        self.covers(market) && quote.is_withdrawn_by(self)
    }
}

impl Quote {
    /// Whether an update that does not name the quote withdraws it: only if its source gave it last.
    pub(super) fn is_withdrawn_by(&self, update: &SourceUpdate) -> bool {
        self.source == update.source
            && self.received_at < update.received_at
            && update.books.as_ref().is_none_or(|books| books.contains(&self.key.book))
    }
}

/// Whether an update that names nothing of a market would change its table.
pub(crate) fn any_withdrawn(market: Market, table: &[Quote], update: &SourceUpdate) -> bool {
    update.covers(market) && table.iter().any(|quote| quote.is_withdrawn_by(update))
}
