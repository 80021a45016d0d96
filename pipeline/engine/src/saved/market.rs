//! A market as data: its quotes, windows and moves, with names for symbols.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::catalogue::{Line, Market, Outcome, Side};
use crate::effect::{EventInfo, WindowId};
use crate::movement::Move;
use crate::names::{Names, Symbol};
use crate::odds::Price;
use crate::quotes::{Gist, Key, Quote, Standing};
use crate::signals::Signal;
use crate::state::{EventState, MarketState};
use crate::survival::{Life, follow};
use crate::verify::Verification;
use crate::window::{Ever, Window};

use super::signal::{SavedConsensus, SavedSignal};

/// A market of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedMarket {
    /// The event.
    pub event: Arc<EventInfo>,
    /// The market.
    pub market: Market,
    /// Its quotes, by line, outcome, side and book.
    pub quotes: Vec<SavedQuote>,
    /// Its open windows, sorted by line.
    pub windows: Vec<SavedWindow>,
    /// What its prices moved by of late, by line, outcome and book, those of one in their order.
    pub moves: Vec<SavedMove>,
    /// Its main line when that was last looked at.
    pub main_line: Option<Line>,
    /// Its open signals, in the order in which they are told.
    pub signals: Vec<SavedSignal>,
    /// What its books agreed on of late, by line, outcome and time.
    pub consensus: Vec<SavedConsensus>,
}

/// A change of a back price.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SavedMove {
    pub line: Option<Line>,
    pub outcome: Outcome,
    pub book: Arc<str>,
    pub at: Micros,
    pub from: Price,
    pub to: Price,
    pub told: bool,
}

/// A quote.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SavedQuote {
    pub line: Option<Line>,
    pub outcome: Outcome,
    pub side: Side,
    pub book: Arc<str>,
    pub source: Arc<str>,
    pub price: Price,
    pub standing: Standing,
    pub span_start: Micros,
    pub span_end: Micros,
    pub price_moved_at: Micros,
    pub received_at: Micros,
}

/// An open window.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct SavedWindow {
    pub id: WindowId,
    pub line: Option<Line>,
    pub opened_at: Micros,
    pub sequence: i64,
    /// Positions among the market's quotes.
    pub legs: Vec<usize>,
    /// Its legs are a back and a lay of one of three outcomes.
    pub is_pair: bool,
    pub verification: Verification,
    pub fresh_until: Micros,
    pub ever: Ever,
    pub in_play: bool,
    pub margin_open: f64,
    pub margin_peak: f64,
    pub margin: f64,
    /// `None` of one that was written before lives were followed.
    pub life: Option<Life>,
}

impl SavedMarket {
    pub(super) fn new(event: &EventState, state: &MarketState, names: &Names) -> Self {
        let mut table: Vec<_> = state.quotes.iter().collect();
        // By name, as all that is written down.
        let order = |quote: &Quote| (quote.key.line, quote.key.outcome, quote.key.side);
        let book = |quote: &Quote| names.name(quote.key.book);
        table.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| book(a).cmp(book(b))));
        let quotes = table.iter().map(|quote| SavedQuote::new(quote, names)).collect();
        let windows = state.windows.iter().map(|window| SavedWindow::new(window, &table)).collect();
        let mut moves: Vec<_> = state.moves.iter().map(|moved| SavedMove::new(moved, names)).collect();
        moves.sort_by(|a, b| (a.line, a.outcome, &a.book).cmp(&(b.line, b.outcome, &b.book)));
        let signals = state.signals.iter().map(|signal| SavedSignal::new(signal, names)).collect();
        let consensus = state.consensus.iter().map(SavedConsensus::new).collect();
        let (event, main_line) = (Arc::clone(&event.info), state.main_line);
        Self { event, market: state.market, quotes, windows, moves, main_line, signals, consensus }
    }

    pub(super) fn to_state(
        &self,
        mut quotes: Vec<Quote>,
        moves: Vec<Move>,
        signals: Vec<Signal>,
    ) -> Option<MarketState> {
        let windows =
            self.windows.iter().map(|saved| saved.to_window(&quotes, self)).collect::<Option<_>>()?;
        // By symbols, which are this engine's own.
        quotes.sort_by_key(|quote| quote.key);
        let gist = Gist::of(&quotes, Micros::MAX);
        let consensus = self.consensus.iter().map(SavedConsensus::to_sample).collect();
        let (market, main_line) = (self.market, self.main_line);
        Some(MarketState { market, quotes, windows, moves, main_line, signals, consensus, gist })
    }
}

impl SavedMove {
    fn new(moved: &Move, names: &Names) -> Self {
        let Key { line, outcome, book, .. } = moved.key;
        let book = Arc::clone(names.name(book));
        Self { line, outcome, book, at: moved.at, from: moved.from, to: moved.to, told: moved.told }
    }

    pub(super) fn to_move(&self, names: &mut Names) -> Move {
        let Self { line, outcome, at, from, to, told, .. } = *self;
        let key = Key { line, outcome, side: Side::Back, book: names.symbol(&self.book) };
        Move { key, at, from, to, told }
    }
}

impl SavedQuote {
    pub(super) fn new(quote: &Quote, names: &Names) -> Self {
        let name = |symbol: Symbol| Arc::clone(names.name(symbol));
        let Key { line, outcome, side, book } = quote.key;
        Self {
            line,
            outcome,
            side,
            book: name(book),
            source: name(quote.source),
            price: quote.price,
            standing: quote.standing,
            span_start: quote.span_start,
            span_end: quote.span_end,
            price_moved_at: quote.price_moved_at,
            received_at: quote.received_at,
        }
    }

    pub(super) fn to_quote(&self, names: &mut Names) -> Quote {
        let Self { line, outcome, side, .. } = *self;
        Quote {
            key: Key { line, outcome, side, book: names.symbol(&self.book) },
            source: names.symbol(&self.source),
            price: self.price,
            // What is left of it follows from the table of books.
            effective: self.price,
            standing: self.standing,
            span_start: self.span_start,
            span_end: self.span_end,
            price_moved_at: self.price_moved_at,
            received_at: self.received_at,
        }
    }
}

impl SavedWindow {
    fn new(window: &Window, quotes: &[&Quote]) -> Self {
        let place = |leg: &Quote| quotes.iter().position(|quote| quote.key == leg.key);
        Self {
            id: window.id,
            line: window.line,
            opened_at: window.opened_at,
            sequence: window.sequence,
            legs: window.legs.iter().filter_map(place).collect(),
            is_pair: window.pair.is_some(),
            verification: window.verification,
            fresh_until: window.fresh_until,
            ever: window.ever,
            in_play: window.in_play,
            margin_open: window.margin_open,
            margin_peak: window.margin_peak,
            margin: window.margin,
            life: Some(window.life),
        }
    }

    fn to_window(&self, quotes: &[Quote], market: &SavedMarket) -> Option<Window> {
        let legs = self.legs.iter().map(|place| quotes.get(*place).copied()).collect::<Option<Vec<_>>>()?;
        Some(Window {
            id: self.id,
            line: self.line,
            opened_at: self.opened_at,
            sequence: self.sequence,
            pair: legs.first().filter(|_| self.is_pair).map(|leg| leg.key.outcome),
            legs,
            verification: self.verification,
            fresh_until: self.fresh_until,
            ever: self.ever,
            in_play: self.in_play,
            margin_open: self.margin_open,
            margin_peak: self.margin_peak,
            margin: self.margin,
            life: self.life.unwrap_or_else(|| follow::unfollowed(self, market)),
        })
    }
}
