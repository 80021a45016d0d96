//! A quote as data, with names for symbols.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::market::{Limit, Line, Names, Outcome, QuoteKey, Side, Symbol};
use crate::odds::{OddsFormat, Price};
use crate::quotes::{Quote, QuoteStatus};

/// A quote.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SavedQuote {
    pub outcome: Outcome,
    pub side: Side,
    pub book: Arc<str>,
    pub source: Arc<str>,
    pub price: Price,
    pub limit: Option<Limit>,
    pub status: QuoteStatus,
    pub odds_format: OddsFormat,
    pub span_start: Micros,
    pub span_end: Micros,
    pub price_moved_at: Micros,
    pub received_at: Micros,
}

impl SavedQuote {
    pub(crate) fn new(quote: &Quote, names: &Names) -> Self {
        let name = |symbol: Symbol| Arc::clone(names.name(symbol));
        let (outcome, side, book) = (quote.key.outcome(), quote.key.side(), quote.key.book());
        Self {
            outcome,
            side,
            book: name(book),
            source: name(quote.source),
            price: quote.price,
            limit: quote.limit,
            status: quote.status,
            odds_format: quote.odds_format,
            span_start: quote.span_start,
            span_end: quote.span_end,
            price_moved_at: quote.price_moved_at,
            received_at: quote.received_at,
        }
    }

    pub(crate) fn to_quote(&self, line: Option<Line>, names: &mut Names) -> Quote {
        let Self { outcome, side, .. } = *self;
        Quote {
            key: QuoteKey::new(line, outcome, side, names.symbol(&self.book)),
            source: names.symbol(&self.source),
            price: self.price,
            // What is left of it follows from the table of books.
            effective: self.price,
            limit: self.limit,
            status: self.status,
            odds_format: self.odds_format,
            span_start: self.span_start,
            span_end: self.span_end,
            price_moved_at: self.price_moved_at,
            received_at: self.received_at,
        }
    }
}
