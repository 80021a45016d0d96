//! What a partition knows of its events, their odds and its books, as of the last commit: for readers outside.
//!
//! It computes nothing but counts and the latest of times, and never changes anything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::Micros;
use crate::market::{EventInfo, Limit, Line, Market, Outcome, Side, Symbol};
use crate::odds::Price;
use crate::quotes::{Quote, QuoteStatus};
use crate::state::EventState;

use super::engine::Engine;

/// An event of which there are prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEvent {
    /// What it is.
    pub info: Arc<EventInfo>,
    /// It had begun, by the partition's time.
    pub in_play: bool,
    /// Its markets, in their order.
    pub markets: Vec<Market>,
    /// How many books have a price of it on offer.
    pub books: usize,
    /// Its open windows.
    pub windows: usize,
    /// When a price of it was last confirmed.
    pub last_seen_at: Micros,
}

/// A quote of an event, with names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedQuote {
    /// The market.
    pub market: Market,
    /// Its line.
    pub line: Option<Line>,
    /// What is bet on.
    pub outcome: Outcome,
    /// For it or against it.
    pub side: Side,
    /// The book.
    pub book: Arc<str>,
    /// The price.
    pub price: Price,
    /// After the fees of the book.
    pub effective_price: Price,
    /// The most that the book takes, where that is stated.
    pub limit: Option<Limit>,
    /// Whether it can be bet on.
    pub status: QuoteStatus,
    /// When the price last changed.
    pub price_moved_at: Micros,
    /// When its source last confirmed it.
    pub last_seen_at: Micros,
}

/// A book that this partition has had prices of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedBook {
    /// Its key.
    pub book: Arc<str>,
    /// Within which it confirms 95 of 100 prices; `None` while that is not learnt.
    pub expected_interval: Option<Micros>,
    /// After how long without a confirmation a price of it is stale.
    pub stale_after: Micros,
    /// When one of its prices was last confirmed; `None` while it has none.
    pub last_seen_at: Option<Micros>,
    /// Its prices that can be bet on.
    pub on_offer: usize,
    /// The events for which it is stale.
    pub stale_events: usize,
    /// The sources of its prices.
    pub sources: BTreeSet<Arc<str>>,
}

impl Engine {
    /// The events, by id.
    #[must_use]
    pub fn listed_events(&self) -> Vec<ListedEvent> {
        self.state.events.sorted().into_iter().map(|(_, event)| self.listed_event(event)).collect()
    }

    /// An event, and its quotes by market, line, outcome, side and book; `None` of an event that is not known.
    #[must_use]
    pub fn odds_of(&self, event: &str) -> Option<(ListedEvent, Vec<ListedQuote>)> {
        let event = self.state.events.get(event)?;
        let listed = |market| move |quote| self.listed_quote(market, quote);
        let of = event.markets.iter().flat_map(|state| state.quotes.iter().map(listed(state.market)));
        let mut quotes: Vec<_> = of.collect();
        let order = |quote: &ListedQuote| (quote.market, quote.line, quote.outcome, quote.side);
        quotes.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| a.book.cmp(&b.book)));
        Some((self.listed_event(event), quotes))
    }

    /// Whether a price of a book, or a name like its key, was ever received.
    #[must_use]
    pub fn has_book(&self, book: &str) -> bool {
        self.names.known(book).is_some()
    }

    /// The books, by key.
    #[must_use]
    pub fn listed_books(&self) -> Vec<ListedBook> {
        let mut books = BTreeMap::new();
        for quote in self.state.events.unsorted().flat_map(|(_, event)| quotes(event)) {
            let (last_seen_at, on_offer, sources) =
                books.entry(quote.key.book).or_insert((Micros::MIN, 0, BTreeSet::new()));
            *last_seen_at = quote.span_end.max(*last_seen_at);
            *on_offer += usize::from(quote.status == QuoteStatus::OnOffer);
            sources.insert(quote.source);
        }
        let learnt = self.names.symbols().filter(|book| !self.state.book(*book).counts().is_empty());
        let known: BTreeSet<_> = books.keys().copied().chain(learnt).collect();
        let listed = |book: Symbol| {
            let seen = books.get(&book);
            let sources = seen.into_iter().flat_map(|(_, _, sources)| sources);
            ListedBook {
                book: Arc::clone(self.names.name(book)),
                expected_interval: self.state.book(book).interval(),
                stale_after: self.expected.allowed(book.index()),
                last_seen_at: seen.map(|(at, ..)| *at),
                on_offer: seen.map_or(0, |(_, count, _)| *count),
                stale_events: self.state.stale_books.values().filter(|books| books.contains(&book)).count(),
                sources: sources.map(|source| Arc::clone(self.names.name(*source))).collect(),
            }
        };
        let mut listed: Vec<_> = known.into_iter().map(listed).collect();
        listed.sort_by(|a, b| a.book.cmp(&b.book));
        listed
    }

    fn listed_event(&self, event: &EventState) -> ListedEvent {
        let on_offer = quotes(event).filter(|quote| quote.status == QuoteStatus::OnOffer);
        let books: BTreeSet<_> = on_offer.map(|quote| quote.key.book).collect();
        ListedEvent {
            info: Arc::clone(&event.info),
            in_play: event.info.commence_time.0 <= self.state.clock.watermark,
            markets: event.markets.iter().map(|market| market.market).collect(),
            books: books.len(),
            windows: event.markets.iter().map(|market| market.windows.len()).sum(),
            last_seen_at: quotes(event).map(|quote| quote.span_end).max().unwrap_or(Micros::MIN),
        }
    }

    pub(super) fn listed_quote(&self, market: Market, quote: &Quote) -> ListedQuote {
        ListedQuote {
            market,
            line: quote.key.line,
            outcome: quote.key.outcome,
            side: quote.key.side,
            book: Arc::clone(self.names.name(quote.key.book)),
            price: quote.price,
            effective_price: quote.effective,
            limit: quote.limit,
            status: quote.status,
            price_moved_at: quote.price_moved_at,
            last_seen_at: quote.span_end,
        }
    }
}

fn quotes(event: &EventState) -> impl Iterator<Item = &Quote> {
    event.markets.iter().flat_map(|market| &market.quotes)
}
