//! What a partition knows of its events, their odds and its books, as of the last commit: for readers outside.
//!
//! A reader that needs one market of an event, or one fact of it, asks for that alone. It computes nothing but counts and the latest of
//! times, and never changes anything.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use arb_model::source::{is_pushed, of_private_book};
use foldhash::quality::FixedState;

use crate::Micros;
use crate::arbs::{self, BetsOf};
use crate::market::{EventInfo, Limit, Line, Market, Outcome, Side, Symbol};
use crate::odds::Price;
use crate::quotes::{Quote, QuoteStatus, by_line};
use crate::state::{EventState, MarketState};

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
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
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
    /// Who runs the book.
    pub operator: Arc<str>,
    /// The book is in the table: of any other no opinion counts.
    pub is_of_table: bool,
    /// A draw takes a bet on a side at the book: it is sold as an outcome.
    pub is_draw_sold: bool,
    /// A window may have it for a leg: the rules of its book are known, and its price is plausible against the other operators.
    pub is_eligible: bool,
    /// It was confirmed within the interval of its book.
    pub is_fresh: bool,
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
    /// An operator has shut it, or every source that has a price of it.
    pub is_suspended: bool,
}

impl Engine {
    /// The events, by id: for the owner of a private source with its prices.
    #[must_use]
    pub fn listed_events(&self, private: Option<&str>) -> Vec<ListedEvent> {
        // One that is kept for a draw that was listed has no prices.
        let events =
            self.events_for(self.viewer(private)).filter(|seen| quotes(&seen.event).next().is_some());
        events.map(|seen| self.listed_event(&seen.event)).collect()
    }

    /// An event, and its quotes by market, line, outcome, side and book, for the owner of a private source with its prices; `None` of an event
    /// that is not known.
    #[must_use]
    pub fn odds_of(&self, event: &str, private: Option<&str>) -> Option<(ListedEvent, Vec<ListedQuote>)> {
        let seen = self.event_for(self.viewer(private), event)?;
        let event = Some(&*seen.event).filter(|event| quotes(event).next().is_some())?;
        // Markets are in their order.
        let quotes = event.markets.iter().flat_map(|market| self.listed_market(event, market));
        Some((self.listed_event(event), quotes.collect()))
    }

    /// The quotes of one market of an event by line, outcome, side and book; none of a market that is not known.
    #[must_use]
    pub fn odds_of_market(&self, event: &str, market: Market) -> Vec<ListedQuote> {
        let known = self.state.events.get(event).and_then(|event| Some((event, event.market(market)?)));
        known.map_or_else(Vec::new, |(event, market)| self.listed_market(event, market).collect())
    }

    /// A number of what can be bet on in a market: it stays the same while only the times of its quotes and their limits change, and is another one,
    /// but for one chance in 2^64, after any other change. It is compared with numbers of this engine alone. `None` of a market that is not known.
    #[must_use]
    pub fn fingerprint_of_market(&self, event: &str, market: Market) -> Option<u64> {
        let quotes = &self.state.events.get(event)?.market(market)?.quotes;
        let mut hasher = FixedState::default().build_hasher();
        for Quote { key, price, effective, status, .. } in quotes {
            key.hash(&mut hasher);
            // One number of both: most of a look at a market that has not changed is spent here.
            hasher.write_u64((u64::from(price.millionths()) << 32) | u64::from(effective.millionths()));
            hasher.write_u8(*status as u8);
        }
        Some(hasher.finish())
    }

    /// What an event is that has not begun, by the partition's time; `None` of one that has, or that is not known.
    #[must_use]
    pub fn upcoming(&self, event: &str) -> Option<&Arc<EventInfo>> {
        let event = self.state.events.get(event)?;
        (!self.is_in_play(event)).then_some(&event.info)
    }

    /// When a price of an event was last confirmed; `None` of an event without prices.
    #[must_use]
    pub fn last_seen_at(&self, event: &str) -> Option<Micros> {
        last_seen_at(self.state.events.get(event)?)
    }

    /// Whether a public price of a book, or a name like its key, was ever received.
    #[must_use]
    pub fn has_book(&self, book: &str) -> bool {
        !is_pushed(book) && of_private_book(book).is_none() && self.names.known(book).is_some()
    }

    /// The books, by key: for the owner of a private source with its own.
    #[must_use]
    pub fn listed_books(&self, private: Option<&str>) -> Vec<ListedBook> {
        let mut books = BTreeMap::new();
        let seen: Vec<_> = self.events_for(self.viewer(private)).collect();
        for quote in seen.iter().flat_map(|seen| quotes(&seen.event)) {
            let (last_seen_at, on_offer, sources) =
                books.entry(quote.key.book()).or_insert((Micros::MIN, 0, BTreeSet::new()));
            *last_seen_at = quote.span_end.max(*last_seen_at);
            *on_offer += usize::from(quote.status == QuoteStatus::OnOffer);
            sources.insert(quote.source);
        }
        let learnt = self.names.symbols().filter(|book| !self.state.book(*book).counts().is_empty());
        let shut = self.names.symbols().filter(|book| self.is_suspended(self.names.name(*book), true));
        let shut = shut.filter(|book| of_private_book(self.names.name(*book)).is_none());
        let known: BTreeSet<_> = books.keys().copied().chain(learnt).chain(shut).collect();
        let listed = |book: Symbol| {
            let seen = books.get(&book);
            let sources = || seen.into_iter().flat_map(|(_, _, sources)| sources);
            let mut is_shut = sources().map(|source| self.is_shut(*source, book)).peekable();
            let is_suspended = self.is_suspended(self.names.name(book), true)
                || (is_shut.peek().is_some() && is_shut.all(|is_shut| is_shut));
            ListedBook {
                is_suspended,
                book: Arc::clone(self.names.name(book)),
                expected_interval: self.state.book(book).interval(),
                stale_after: self.expected.allowed(book.index()),
                last_seen_at: seen.map(|(at, ..)| *at),
                on_offer: seen.map_or(0, |(_, count, _)| *count),
                stale_events: self.state.stale_books.values().filter(|books| books.contains(&book)).count(),
                sources: sources().map(|source| Arc::clone(self.names.name(*source))).collect(),
            }
        };
        let mut listed: Vec<_> = known.into_iter().map(listed).collect();
        listed.sort_by(|a, b| a.book.cmp(&b.book));
        listed
    }

    fn listed_event(&self, event: &EventState) -> ListedEvent {
        let on_offer = quotes(event).filter(|quote| quote.status == QuoteStatus::OnOffer);
        let books: BTreeSet<_> = on_offer.map(|quote| quote.key.book()).collect();
        let priced = event.markets.iter().filter(|market| !market.quotes.is_empty());
        ListedEvent {
            info: Arc::clone(&event.info),
            in_play: self.is_in_play(event),
            markets: priced.map(|market| market.market).collect(),
            books: books.len(),
            windows: event.markets.iter().map(|market| market.windows.len()).sum(),
            last_seen_at: last_seen_at(event).unwrap_or(Micros::MIN),
        }
    }

    fn is_in_play(&self, event: &EventState) -> bool {
        event.info.commence_time.0 <= self.state.clock.watermark
    }

    /// The quotes of a market, which are sorted by key, in the order of their books' names.
    fn listed_market<'a>(
        &'a self,
        event: &'a EventState,
        market: &'a MarketState,
    ) -> impl Iterator<Item = ListedQuote> + 'a {
        let bets = BetsOf::market(self.pricing(&event.info.league), market.market, &market.drawn);
        let on_line = |line: &'a [Quote]| line.iter().map(move |quote| (line, quote));
        let mut quotes: Vec<_> = by_line(&market.quotes).flat_map(on_line).collect();
        let bet = |quote: &Quote| (quote.key.line(), quote.key.outcome(), quote.key.side());
        for quotes in quotes.chunk_by_mut(|a, b| bet(a.1) == bet(b.1)) {
            quotes.sort_unstable_by_key(|(_, quote)| self.names.place(quote.key.book()));
        }
        quotes.into_iter().map(move |(line, quote)| self.listed_quote(bets, line, quote))
    }

    /// A quote among those of its line.
    pub(super) fn listed_quote(&self, bets: BetsOf<'_>, line: &[Quote], quote: &Quote) -> ListedQuote {
        let book = quote.key.book();
        let age = self.state.clock.now.saturating_sub(quote.span_end);
        ListedQuote {
            operator: self.venues.venue(book).shared_operator(),
            is_of_table: self.venues.is_known(book),
            is_draw_sold: bets.is_draw_sold(book),
            is_eligible: arbs::is_eligible(quote, line, bets),
            is_fresh: age <= self.expected.interval(book.index()),
            market: bets.market,
            line: quote.key.line(),
            outcome: quote.key.outcome(),
            side: quote.key.side(),
            book: Arc::clone(self.names.name(quote.key.book())),
            price: quote.price,
            effective_price: quote.effective,
            limit: quote.limit,
            status: quote.status,
            price_moved_at: quote.price_moved_at,
            last_seen_at: quote.span_end,
        }
    }
}

fn last_seen_at(event: &EventState) -> Option<Micros> {
    quotes(event).map(|quote| quote.span_end).max()
}

fn quotes(event: &EventState) -> impl Iterator<Item = &Quote> {
    event.markets.iter().flat_map(|market| &market.quotes)
}
