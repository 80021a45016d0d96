//! What can be seen of an engine from outside, beside its effects.
//!
//! It never changes anything.

use std::fmt;
use std::sync::Arc;

use crate::Micros;
use crate::learning::survival::{Cell, EventStage, MarketKind};
use crate::market::{Bet, Line, Market, Outcome, QuoteKey, Side, Symbol};
use crate::odds::Price;
use crate::quotes::{Quote, QuoteStatus, QuoteView};

use super::engine::Engine;

/// What a partition holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Size {
    pub events: usize,
    pub markets: usize,
    pub quotes: usize,
    pub windows: usize,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { events, markets, quotes, windows } = self;
        write!(f, "{events} events, {markets} markets, {quotes} quotes, {windows} windows")
    }
}

/// A back price on offer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Offered {
    pub outcome: Outcome,
    pub book: Arc<str>,
    pub price: Price,
    /// After fees.
    pub effective_price: Price,
}

impl Engine {
    /// The quote of a bet at a book, as of the last step.
    #[must_use]
    pub fn quote(&self, event: &str, bet: &Bet, book: &str) -> Option<QuoteView> {
        let key = QuoteKey::of(bet, self.names.known(book)?);
        let market = self.draft.over(&self.state).event(event)?.market(bet.market())?;
        let found = market.quotes.binary_search_by(|quote| quote.key.cmp(&key)).ok()?;
        Some(market.quotes[found].view())
    }

    /// The back quotes on offer of a line, by outcome and book, as of the last step.
    #[must_use]
    pub fn offers(&self, event: &str, market: Market, line: Option<Line>) -> Vec<Offered> {
        let state = self.draft.over(&self.state).event(event).and_then(|event| event.market(market));
        let quotes = state.map_or(&[][..], |state| &state.quotes);
        let is_offered = |quote: &&Quote| {
            quote.key.line() == line && quote.key.side() == Side::Back && quote.status == QuoteStatus::OnOffer
        };
        let mut offers: Vec<_> = quotes.iter().filter(is_offered).map(|quote| self.offered(quote)).collect();
        offers.sort_by(|a, b| (a.outcome, &a.book).cmp(&(b.outcome, &b.book)));
        offers
    }

    fn offered(&self, quote: &Quote) -> Offered {
        let book = Arc::clone(self.names.name(quote.key.book()));
        let (price, effective_price) = (quote.price, quote.effective);
        Offered { outcome: quote.key.outcome(), book, price, effective_price }
    }

    /// The number of the last transition, as of the last step.
    #[must_use]
    pub fn sequence(&self) -> i64 {
        self.draft.over(&self.state).sequence()
    }

    /// What the committed state holds.
    #[must_use]
    pub fn size(&self) -> Size {
        let mut size = Size { events: self.state.events.len(), ..Size::default() };
        for market in self.state.events.unsorted().flat_map(|(_, event)| &event.markets) {
            size.markets += 1;
            size.quotes += market.quotes.len();
            size.windows += market.windows.len();
        }
        size
    }

    /// The books whose prices were confirmed and that are not in the table, by name.
    #[must_use]
    pub fn unknown_books(&self) -> Vec<Arc<str>> {
        let is_sampled = |symbol: &Symbol| !self.state.book(*symbol).counts().is_empty();
        let unknown = self.names.symbols().filter(is_sampled).filter(|symbol| !self.venues.is_known(*symbol));
        let mut books: Vec<_> = unknown.map(|symbol| Arc::clone(self.names.name(symbol))).collect();
        books.sort_unstable();
        books
    }

    /// The observed time and the ends of windows of a stage and a kind, as of the last step.
    #[must_use]
    pub fn lived(&self, stage: EventStage, kind: MarketKind) -> Cell {
        self.draft.over(&self.state).survival().sum(stage, kind)
    }

    /// The largest margin that is plausible in a phase, by what is committed.
    #[must_use]
    pub fn margin_limit(&self, in_play: bool) -> f64 {
        self.state.margins.limit(in_play)
    }

    /// Up to when everything has been received, as of the last commit; `None` before any time is known.
    #[must_use]
    pub fn watermark(&self) -> Option<Micros> {
        Some(self.state.clock.watermark).filter(|watermark| *watermark != Micros::MIN)
    }
}
