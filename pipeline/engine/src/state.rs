//! What the engine remembers of a partition, and the draft of what it is about to remember.
//!
//! A [`Draft`] lies over a [`State`] until the transaction that publishes its effects has committed: applying it
//! is `commit`, dropping it `abort`. The unit of copying is a market. It never decides anything about odds.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Micros;
use crate::catalogue::{Line, Market};
use crate::clock::Clock;
use crate::effect::EventInfo;
use crate::margins::Margins;
use crate::movement::Move;
use crate::names::Symbol;
use crate::quotes::{QuoteSummary, Quote};
use crate::refresh::Refresh;
use crate::signals::{ConsensusSample, Signal};
use crate::source::SourceClock;
use crate::survival::{self, Cells, LifetimeSample, Survival};
use crate::window::Window;

/// One market of one event: its quotes, sorted by key, its open windows, sorted by line, the moves of prices that
/// can still be part of a line movement, and the main line when it was last looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MarketState {
    pub(crate) market: Market,
    pub(crate) quotes: Vec<Quote>,
    pub(crate) windows: Vec<Window>,
    /// Of each quote in their order.
    pub(crate) moves: Vec<Move>,
    pub(crate) main_line: Option<Line>,
    /// Open signals, sorted by subject.
    pub(crate) signals: Vec<Signal>,
    /// What books agreed on of late, by line, outcome and time.
    pub(crate) consensus: Vec<ConsensusSample>,
    /// What follows from the quotes, so that most markets are passed over when time passes.
    pub(crate) summary: QuoteSummary,
}

/// One event. Markets without a quote or a window are not kept, nor events without a market.
#[derive(Debug, Clone)]
pub(crate) struct EventState {
    pub(crate) info: Arc<EventInfo>,
    pub(crate) markets: Vec<Arc<MarketState>>,
    /// Before this watermark time changes nothing of it (`due`). Not remembered: a note that spares looks.
    pub(crate) due: Cell<Micros>,
}

/// Everything that is remembered of a partition.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) events: BTreeMap<Arc<str>, EventState>,
    pub(crate) sources: BTreeMap<Symbol, SourceClock>,
    /// By event, sorted by name; events that have none are not in it.
    pub(crate) stale_books: BTreeMap<Arc<str>, Vec<Symbol>>,
    /// By symbol.
    pub(crate) books: Vec<Refresh>,
    pub(crate) margins: Margins,
    pub(crate) survival: Cells,
    pub(crate) clock: Clock,
    pub(crate) sequence: i64,
}

/// What has changed since the last commit.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) events: BTreeMap<Arc<str>, EventState>,
    /// `None` is forgotten.
    pub(crate) sources: BTreeMap<Symbol, Option<SourceClock>>,
    pub(crate) stale_books: BTreeMap<Arc<str>, Vec<Symbol>>,
    /// Those that were looked at or forgotten; without the samples since.
    pub(crate) books: BTreeMap<Symbol, Refresh>,
    pub(crate) margins: Option<Margins>,
    pub(crate) survival: Cells,
    pub(crate) clock: Option<Clock>,
    pub(crate) sequence: Option<i64>,
}

/// A state with a draft over it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overlay<'a> {
    state: &'a State,
    draft: &'a Draft,
}

impl Draft {
    /// The state as this draft would make it.
    pub(crate) fn over<'a>(&'a self, state: &'a State) -> Overlay<'a> {
        Overlay { state, draft: self }
    }

    pub(crate) fn put_event(&mut self, event: EventState) {
        self.events.insert(Arc::clone(&event.info.id), event);
    }

    pub(crate) fn put_source(&mut self, source: Symbol, clock: SourceClock) {
        self.sources.insert(source, Some(clock));
    }

    pub(crate) fn forget_source(&mut self, source: Symbol) {
        self.sources.insert(source, None);
    }

    pub(crate) fn put_stale_books(&mut self, event: &Arc<str>, books: Vec<Symbol>) {
        self.stale_books.insert(Arc::clone(event), books);
    }

    pub(crate) fn put_clock(&mut self, clock: Clock) {
        self.clock = Some(clock);
    }

    /// A book's samples, to be changed.
    pub(crate) fn book(&mut self, book: Symbol, state: &State) -> &mut Refresh {
        self.books.entry(book).or_insert_with(|| state.book(book))
    }

    /// The proven margins, to be changed.
    pub(crate) fn margins(&mut self, state: &State) -> &mut Margins {
        self.margins.get_or_insert(state.margins)
    }

    /// Counts what a window's life has taught.
    pub(crate) fn record_lifetime(&mut self, sample: &LifetimeSample, state: &State) {
        survival::record(&mut self.survival, &state.survival, sample);
    }

    pub(crate) fn put_sequence(&mut self, sequence: i64) {
        self.sequence = Some(sequence);
    }

    /// Makes the draft the state.
    pub(crate) fn apply(self, state: &mut State) {
        for (id, event) in self.events {
            if event.markets.is_empty() {
                state.events.remove(&id);
            } else {
                state.events.insert(id, event);
            }
        }
        for (source, clock) in self.sources {
            match clock {
                Some(clock) => drop(state.sources.insert(source, clock)),
                None => drop(state.sources.remove(&source)),
            }
        }
        for (event, books) in self.stale_books {
            if books.is_empty() {
                state.stale_books.remove(&event);
            } else {
                state.stale_books.insert(event, books);
            }
        }
        for (book, refresh) in self.books {
            *state.book_mut(book) = refresh;
        }
        state.margins = self.margins.unwrap_or(state.margins);
        state.survival.extend(self.survival);
        state.clock = self.clock.unwrap_or(state.clock);
        state.sequence = self.sequence.unwrap_or(state.sequence);
    }
}

impl<'a> Overlay<'a> {
    pub(crate) fn event(&self, id: &str) -> Option<&'a EventState> {
        self.draft.events.get(id).or_else(|| self.state.events.get(id))
    }

    /// The ids of all events, in order, each once.
    pub(crate) fn event_ids(&self) -> Vec<Arc<str>> {
        let mut ids: Vec<_> = self.state.events.keys().chain(self.draft.events.keys()).cloned().collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The events that are due at a watermark, in the order of their ids.
    pub(crate) fn due(&self, watermark: Micros) -> Vec<&'a EventState> {
        let is_due = |event: &&EventState| event.due.get() <= watermark && !event.markets.is_empty();
        let is_known = |id: &Arc<str>| !self.draft.events.contains_key(id);
        let known = self.state.events.iter().filter(|(id, event)| is_due(event) && is_known(id));
        let drafted = self.draft.events.iter().filter(|(_, event)| is_due(event));
        let mut due: Vec<_> = known.chain(drafted).collect();
        // Two runs that are in order: a merge.
        due.sort_by_key(|(id, _)| *id);
        due.into_iter().map(|(_, event)| event).collect()
    }

    pub(crate) fn source(&self, source: Symbol) -> SourceClock {
        let drafted = self.draft.sources.get(&source);
        let known = drafted.copied().unwrap_or_else(|| self.state.sources.get(&source).copied());
        known.unwrap_or_default()
    }

    /// All sources that are known.
    pub(crate) fn sources(self) -> impl Iterator<Item = (Symbol, SourceClock)> + use<'a> {
        let drafted = self.draft.sources.iter().filter_map(|(source, clock)| Some((*source, (*clock)?)));
        let is_other = move |source: &Symbol| !self.draft.sources.contains_key(source);
        let others = self.state.sources.iter().filter(move |(source, _)| is_other(source));
        drafted.chain(others.map(|(source, clock)| (*source, *clock)))
    }

    pub(crate) fn book(&self, book: Symbol) -> &'a Refresh {
        let unknown = &Refresh::UNKNOWN;
        let known = self.draft.books.get(&book);
        known.or_else(|| self.state.books.get(book.index())).unwrap_or(unknown)
    }

    pub(crate) fn stale_books(&self, event: &str) -> &'a [Symbol] {
        if self.draft.stale_books.is_empty() && self.state.stale_books.is_empty() {
            return &[];
        }
        let drafted = self.draft.stale_books.get(event);
        drafted.or_else(|| self.state.stale_books.get(event)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn margins(&self) -> &'a Margins {
        self.draft.margins.as_ref().unwrap_or(&self.state.margins)
    }

    /// How long windows live.
    pub(crate) fn survival(&self) -> Survival<'a> {
        Survival { drafted: &self.draft.survival, known: &self.state.survival }
    }

    pub(crate) fn clock(&self) -> Clock {
        self.draft.clock.unwrap_or(self.state.clock)
    }

    pub(crate) fn sequence(&self) -> i64 {
        self.draft.sequence.unwrap_or(self.state.sequence)
    }
}

impl State {
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

impl MarketState {
    /// One that has no line yet.
    pub(crate) fn empty(market: Market, main_line: Option<Line>) -> Self {
        let (quotes, windows, moves, signals, consensus) = (vec![], vec![], vec![], vec![], vec![]);
        let summary = QuoteSummary::of(&quotes, Micros::MAX);
        Self { market, quotes, windows, moves, main_line, signals, consensus, summary }
    }
}

impl EventState {
    /// One that is looked at when time passes next.
    pub(crate) fn new(info: Arc<EventInfo>, markets: Vec<Arc<MarketState>>) -> Self {
        Self { info, markets, due: Cell::new(Micros::MIN) }
    }

    /// The same, which need not be looked at before.
    pub(crate) fn due_at(self, watermark: Micros) -> Self {
        self.due.set(watermark);
        self
    }

    pub(crate) fn market(&self, market: Market) -> Option<&Arc<MarketState>> {
        self.markets.iter().find(|state| state.market == market)
    }
}
