//! What an engine remembers, as data that can be written down and put back.
//!
//! [`Engine::changes`] says what the steps since the last commit would change, one [`Saved`] for each thing that
//! changes alone: a market of an event, a source, the counter. Putting the last [`Saved`] of each into a new engine
//! makes the same engine. It knows no wire format and decides nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Micros;
use crate::catalogue::{Line, Market, Outcome, Side};
use crate::clock::Clock;
use crate::effect::{EventInfo, WindowId};
use crate::engine::Engine;
use crate::movement::Move;
use crate::names::{Names, Symbol};
use crate::odds::Price;
use crate::quotes::{Gist, Key, Quote, Standing};
use crate::refresh::Refresh;
use crate::source::SourceClock;
use crate::state::{EventState, MarketState};
use crate::window::Window;

/// One thing that is remembered.
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    /// A market of an event.
    Market(SavedMarket),
    /// A market of an event is no more.
    MarketGone {
        /// The event's id.
        event: Arc<str>,
        /// The market.
        market: Market,
    },
    /// How far a source has come.
    Source {
        /// Which.
        source: Arc<str>,
        /// Where it is.
        clock: SourceClock,
    },
    /// A source has long been silent.
    SourceGone {
        /// Which.
        source: Arc<str>,
    },
    /// How long a book takes to confirm its prices.
    Book {
        /// Which.
        book: Arc<str>,
        /// What is known of it.
        refresh: Refresh,
    },
    /// A book has long been silent.
    BookGone {
        /// Which.
        book: Arc<str>,
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
    pub simultaneous: bool,
    pub in_play: bool,
    pub margin_open: f64,
    pub margin_peak: f64,
    pub margin: f64,
}

impl Engine {
    /// What the steps since the last commit change, each thing once, in an order that depends on them alone.
    #[must_use]
    pub fn changes(&self) -> Vec<Saved> {
        let (state, draft, names) = (self.state(), self.draft(), self.names());
        let mut changes = Vec::new();
        for (id, now) in &draft.events {
            let was = state.events.get(id).map_or(&[][..], |event| &event.markets);
            let kept = |market: &Arc<MarketState>| was.iter().any(|was| Arc::ptr_eq(was, market));
            let touched = now.markets.iter().filter(|market| !kept(market));
            changes.extend(touched.map(|market| Saved::Market(SavedMarket::new(now, market, names))));
            let gone = was.iter().filter(|was| now.market(was.market).is_none());
            changes.extend(gone.map(|was| Saved::MarketGone { event: Arc::clone(id), market: was.market }));
        }
        let stale_books = draft.stale_books.iter().filter(|(event, now)| {
            state.stale_books.get(*event).map_or(&[][..], Vec::as_slice) != now.as_slice()
        });
        changes.extend(stale_books.map(|(event, books)| Saved::StaleBooks {
            event: Arc::clone(event),
            books: books.iter().map(|book| Arc::clone(names.name(*book))).collect(),
        }));
        changes.extend(by_name(draft.sources.iter().map(|(source, clock)| (*source, *clock)), names).map(
            |(source, clock)| match clock {
                Some(clock) => Saved::Source { source, clock },
                None => Saved::SourceGone { source },
            },
        ));
        changes.extend(by_name(self.books_sampled().into_iter(), names).map(|(book, refresh)| {
            if refresh == Refresh::default() {
                Saved::BookGone { book }
            } else {
                Saved::Book { book, refresh }
            }
        }));
        changes.extend(draft.clock.filter(|clock| *clock != state.clock).map(Saved::Clock));
        if let Some(sequence) = draft.sequence.filter(|sequence| *sequence != state.sequence) {
            changes.push(Saved::Sequence(sequence));
        }
        changes
    }

    /// The books that the steps since the last commit sampled or looked at.
    fn books_sampled(&self) -> BTreeMap<Symbol, Refresh> {
        let mut books = self.draft().books.clone();
        for sample in self.samples() {
            let book = books.entry(sample.book).or_insert_with(|| self.state().book(sample.book));
            book.add(sample.bucket, sample.at);
        }
        books
    }

    /// Puts back one thing that an engine remembered; `None` when a window's legs are not among the quotes.
    #[must_use]
    pub fn restore(&mut self, saved: Saved) -> Option<()> {
        let (state, names) = self.parts();
        match saved {
            Saved::Market(saved) => {
                let market = Arc::new(saved.to_state(names)?);
                let id = Arc::clone(&saved.event.id);
                let new = || EventState::new(Arc::clone(&saved.event), Vec::new());
                let event = state.events.entry(id).or_insert_with(new);
                event.markets.retain(|other| other.market != market.market);
                event.markets.push(market);
                event.markets.sort_by_key(|market| market.market);
            }
            Saved::MarketGone { event: id, market } => {
                if let Some(event) = state.events.get_mut(&id) {
                    event.markets.retain(|other| other.market != market);
                }
                state.events.retain(|_, event| !event.markets.is_empty());
            }
            Saved::Source { source, clock } => {
                state.sources.insert(names.symbol(&source), clock);
            }
            Saved::SourceGone { source } => drop(state.sources.remove(&names.symbol(&source))),
            Saved::Book { book, refresh } => self.put_book(&book, refresh),
            Saved::BookGone { book } => self.put_book(&book, Refresh::default()),
            Saved::StaleBooks { event, books } if books.is_empty() => drop(state.stale_books.remove(&event)),
            Saved::StaleBooks { event, books } => {
                let books = books.iter().map(|book| names.symbol(book)).collect();
                state.stale_books.insert(event, books);
            }
            Saved::Clock(clock) => state.clock = clock,
            Saved::Sequence(sequence) => state.sequence = sequence,
        }
        Some(())
    }

    fn put_book(&mut self, book: &str, refresh: Refresh) {
        let (state, names) = self.parts();
        *state.book_mut(names.symbol(book)) = refresh;
        // All of them each time: a restore has a few hundred books.
        self.expect_what_is_known();
    }
}

/// Things by name: symbols depend on who was named first, and a restored engine heard them in another order.
fn by_name<T>(
    things: impl Iterator<Item = (Symbol, T)>,
    names: &Names,
) -> impl Iterator<Item = (Arc<str>, T)> {
    let mut things: Vec<_> = things.map(|(symbol, thing)| (Arc::clone(names.name(symbol)), thing)).collect();
    things.sort_by(|(a, _), (b, _)| a.cmp(b));
    things.into_iter()
}

impl SavedMarket {
    fn new(event: &EventState, state: &MarketState, names: &Names) -> Self {
        let mut table: Vec<_> = state.quotes.iter().collect();
        // As above.
        let order = |quote: &Quote| (quote.key.line, quote.key.outcome, quote.key.side);
        let book = |quote: &Quote| names.name(quote.key.book);
        table.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| book(a).cmp(book(b))));
        let quotes = table.iter().map(|quote| SavedQuote::new(quote, names)).collect();
        let windows = state.windows.iter().map(|window| SavedWindow::new(window, &table)).collect();
        let mut moves: Vec<_> = state.moves.iter().map(|moved| SavedMove::new(moved, names)).collect();
        moves.sort_by(|a, b| (a.line, a.outcome, &a.book).cmp(&(b.line, b.outcome, &b.book)));
        let (event, main_line) = (Arc::clone(&event.info), state.main_line);
        Self { event, market: state.market, quotes, windows, moves, main_line }
    }

    fn to_state(&self, names: &mut Names) -> Option<MarketState> {
        let mut quotes: Vec<_> = self.quotes.iter().map(|saved| saved.to_quote(names)).collect();
        let windows = self.windows.iter().map(|saved| saved.to_window(&quotes)).collect::<Option<_>>()?;
        // By symbols, which are this engine's own.
        quotes.sort_by_key(|quote| quote.key);
        let moves = self.moves.iter().map(|saved| saved.to_move(names)).collect();
        let gist = Gist::of(&quotes, Micros::MAX);
        Some(MarketState { market: self.market, quotes, windows, moves, main_line: self.main_line, gist })
    }
}

impl SavedMove {
    fn new(moved: &Move, names: &Names) -> Self {
        let Key { line, outcome, book, .. } = moved.key;
        let book = Arc::clone(names.name(book));
        Self { line, outcome, book, at: moved.at, from: moved.from, to: moved.to }
    }

    fn to_move(&self, names: &mut Names) -> Move {
        let Self { line, outcome, at, from, to, .. } = *self;
        let key = Key { line, outcome, side: Side::Back, book: names.symbol(&self.book) };
        Move { key, at, from, to }
    }
}

impl SavedQuote {
    fn new(quote: &Quote, names: &Names) -> Self {
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

    fn to_quote(&self, names: &mut Names) -> Quote {
        let Self { line, outcome, side, .. } = *self;
        Quote {
            key: Key { line, outcome, side, book: names.symbol(&self.book) },
            source: names.symbol(&self.source),
            price: self.price,
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
            simultaneous: window.simultaneous,
            in_play: window.in_play,
            margin_open: window.margin_open,
            margin_peak: window.margin_peak,
            margin: window.margin,
        }
    }

    fn to_window(&self, quotes: &[Quote]) -> Option<Window> {
        let legs = self.legs.iter().map(|place| quotes.get(*place).copied()).collect::<Option<_>>()?;
        Some(Window {
            id: self.id,
            line: self.line,
            opened_at: self.opened_at,
            sequence: self.sequence,
            legs,
            simultaneous: self.simultaneous,
            in_play: self.in_play,
            margin_open: self.margin_open,
            margin_peak: self.margin_peak,
            margin: self.margin,
        })
    }
}
