//! What can be seen of an engine from outside, beside its effects.
//!
//! It never changes anything.

use std::sync::Arc;

use crate::Micros;
use crate::engine::Engine;
use crate::input::Bet;
use crate::names::Symbol;
use crate::quotes::QuoteView;
use crate::survival::{Cell, Kind, Stage};

/// What a partition holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Size {
    pub events: usize,
    pub markets: usize,
    pub quotes: usize,
    pub windows: usize,
}

impl Engine {
    /// The quote of a bet at a book, as of the last step.
    #[must_use]
    pub fn quote(&self, event: &str, bet: &Bet, book: &str) -> Option<QuoteView> {
        let key = bet.key(self.names.known(book)?);
        let market = self.draft.over(&self.state).event(event)?.market(bet.market())?;
        let found = market.quotes.binary_search_by(|quote| quote.key.cmp(&key)).ok()?;
        Some(market.quotes[found].view())
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
        for market in self.state.events.values().flat_map(|event| &event.markets) {
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

    /// What windows of a stage and a kind have lived, and how many died, as of the last step.
    #[must_use]
    pub fn lived(&self, stage: Stage, kind: Kind) -> Cell {
        self.draft.over(&self.state).lives().sum(stage, kind)
    }

    /// The largest margin that is plausible in a phase, by what is committed.
    #[must_use]
    pub fn margin_limit(&self, in_play: bool) -> f64 {
        self.state.margins.limit(in_play)
    }

    /// Up to when everything has been said, as of the last commit; `None` before any time is known.
    #[must_use]
    pub fn watermark(&self) -> Option<Micros> {
        Some(self.state.clock.watermark).filter(|watermark| *watermark != Micros::MIN)
    }
}
