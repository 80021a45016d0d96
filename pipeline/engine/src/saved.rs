//! What an engine remembers, as data that can be written down and put back.
//!
//! [`Engine::changes`] says what the steps since the last commit would change, one [`Saved`] for each thing that
//! changes alone: a line of a market, a market's head, a source, the counter. Putting the last [`Saved`] of each into a new
//! engine, heads before lines, makes the same engine. It knows no wire format and decides nothing.

mod line;
mod parts;
mod signal;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::catalogue::{Line, Market};
use crate::clock::Clock;
use crate::effect::EventInfo;
use crate::engine::Engine;
use crate::margins::Margins;
use crate::names::{Names, Symbol};
use crate::refresh::Refresh;
use crate::signals::Signal;
use crate::source::SourceClock;
use crate::state::{EventState, MarketState};
use crate::survival::{self, Cell, Profile};

pub use line::{SavedLine, SavedMove, SavedQuote, SavedWindow};
pub use signal::{SavedBet, SavedConsensus, SavedSignal};

use parts::Parts;

/// One thing that is remembered.
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    /// A market of an event, but for its lines.
    Head {
        /// The event.
        event: Arc<EventInfo>,
        /// The market.
        market: Market,
        /// Its main line when that was last looked at.
        main_line: Option<Line>,
    },
    /// A market of an event is no more.
    HeadGone {
        /// The event's id.
        event: Arc<str>,
        /// The market.
        market: Market,
    },
    /// A line of a market.
    Line(Box<SavedLine>),
    /// Of a line nothing is left.
    LineGone {
        /// The event's id.
        event: Arc<str>,
        /// The market.
        market: Market,
        /// The line.
        line: Option<Line>,
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
    /// The margins of proven windows.
    Margins(Box<Margins>),
    /// How long windows of a kind live.
    Survival {
        /// Their sport.
        sport: Arc<str>,
        /// What else they have in common.
        profile: Profile,
        /// Their deaths, and the time that they lived.
        cell: Cell,
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

/// Why something that was remembered cannot be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// A line of a market that has no head.
    Headless,
    /// A window with a leg that is not among its line's quotes.
    Leg,
    /// A signal without bets.
    Betless,
}

impl Misfit {
    /// In words, after an article.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Headless => "line of a market without a head",
            Self::Leg => "window with a leg that its line does not have",
            Self::Betless => "signal without bets",
        }
    }
}

impl Engine {
    /// What the steps since the last commit change, each thing once, in an order that depends on them alone.
    #[must_use]
    pub fn changes(&self) -> Vec<Saved> {
        let (state, draft, names) = (self.state(), self.draft(), self.names());
        let mut changes = Vec::new();
        for (id, now) in &draft.events {
            event_changes(id, state.events.get(id), now, names, &mut changes);
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
        changes.extend(
            draft
                .margins
                .filter(|margins| *margins != state.margins)
                .map(|margins| Saved::Margins(Box::new(margins))),
        );
        changes.extend(self.lives_changed());
        changes.extend(draft.clock.filter(|clock| *clock != state.clock).map(Saved::Clock));
        if let Some(sequence) = draft.sequence.filter(|sequence| *sequence != state.sequence) {
            changes.push(Saved::Sequence(sequence));
        }
        changes
    }

    /// The finest cells of survival that the steps since the last commit changed; the others are their sums.
    fn lives_changed(&self) -> impl Iterator<Item = Saved> {
        let known = &self.state().survival;
        let changed = self.draft().survival.iter().filter(|(key, cell)| known.get(key) != Some(cell));
        changed.filter_map(|(key, cell)| {
            let (sport, profile) = key.finest()?;
            Some(Saved::Survival { sport: Arc::clone(sport), profile, cell: *cell })
        })
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

    /// Puts back one thing that an engine remembered.
    ///
    /// # Errors
    /// [`Misfit`] when it does not fit what was put back before.
    pub fn restore(&mut self, saved: Saved) -> Result<(), Misfit> {
        let (state, names) = self.parts();
        match saved {
            Saved::Head { event, market, main_line } => self.put_head(&event, market, main_line),
            Saved::HeadGone { event: id, market } => {
                if let Some(event) = state.events.get_mut(&id) {
                    event.markets.retain(|other| other.market != market);
                }
                state.events.retain(|_, event| !event.markets.is_empty());
            }
            Saved::Line(line) => self.put_line(&line)?,
            // Nothing of a line is there before it is put.
            Saved::LineGone { .. } => {}
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
            Saved::Margins(margins) => state.margins = *margins,
            Saved::Survival { sport, profile, cell } => {
                survival::put(&mut state.survival, &sport, profile, cell);
            }
            Saved::Clock(clock) => state.clock = clock,
            Saved::Sequence(sequence) => state.sequence = sequence,
        }
        Ok(())
    }

    fn put_head(&mut self, info: &Arc<EventInfo>, market: Market, main_line: Option<Line>) {
        let new = || EventState::new(Arc::clone(info), Vec::new());
        let (state, _) = self.parts();
        let event = state.events.entry(Arc::clone(&info.id)).or_insert_with(new);
        event.markets.retain(|other| other.market != market);
        event.markets.push(Arc::new(MarketState::empty(market, main_line)));
        event.markets.sort_by_key(|market| market.market);
    }

    fn put_line(&mut self, saved: &SavedLine) -> Result<(), Misfit> {
        let event = self.state().events.get(&saved.event).ok_or(Misfit::Headless)?;
        let info = Arc::clone(&event.info);
        let mut quotes = saved.to_quotes(self.parts().1);
        self.put_effective(&info.league, &mut quotes);
        let signals = saved.signals.iter().map(|signal| self.signal(signal, &info.league));
        let signals = signals.collect::<Option<_>>().ok_or(Misfit::Betless)?;
        let (state, names) = self.parts();
        let event = state.events.get_mut(&saved.event).ok_or(Misfit::Headless)?;
        let market = event.markets.iter_mut().find(|market| market.market == saved.market);
        let market = Arc::make_mut(market.ok_or(Misfit::Headless)?);
        saved.put_into(market, quotes, signals, names).ok_or(Misfit::Leg)
    }

    fn signal(&mut self, saved: &SavedSignal, league: &str) -> Option<Signal> {
        let (_, names) = self.parts();
        let mut bets: Vec<_> = saved.bets.iter().map(|bet| bet.to_quote(names)).collect();
        self.put_effective(league, &mut bets);
        saved.to_signal(bets, self.names())
    }

    fn put_book(&mut self, book: &str, refresh: Refresh) {
        let (state, names) = self.parts();
        *state.book_mut(names.symbol(book)) = refresh;
        // All of them each time: a restore has a few hundred books.
        self.expect_what_is_known();
    }
}

/// What is another of an event than it was: heads, lines, and what of them is gone.
fn event_changes(
    id: &Arc<str>,
    was: Option<&EventState>,
    now: &EventState,
    names: &Names,
    changes: &mut Vec<Saved>,
) {
    let is_other_event = was.is_none_or(|was| was.info != now.info);
    for market in &now.markets {
        let was = was.and_then(|was| was.market(market.market));
        if is_other_event || was.is_none_or(|was| was.main_line != market.main_line) {
            let (event, main_line) = (Arc::clone(&now.info), market.main_line);
            changes.push(Saved::Head { event, market: market.market, main_line });
        }
        if was.is_none_or(|was| !Arc::ptr_eq(was, market)) {
            line_changes(id, was, market, names, changes);
        }
    }
    let gone = was.into_iter().flat_map(|was| &was.markets);
    for was in gone.filter(|was| now.market(was.market).is_none()) {
        let (event, market) = (Arc::clone(id), was.market);
        changes.push(Saved::HeadGone { event, market });
        let lines = Parts::of(was).lines().into_iter();
        changes.extend(lines.map(|line| Saved::LineGone { event: Arc::clone(id), market, line }));
    }
}

/// The lines of a market that are others than they were, and those that are gone.
fn line_changes(
    id: &Arc<str>,
    was: Option<&Arc<MarketState>>,
    now: &MarketState,
    names: &Names,
    changes: &mut Vec<Saved>,
) {
    let (was, now, market) = (was.map(|was| Parts::of(was)), Parts::of(now), now.market);
    let (were, lines) = (was.as_ref().map_or_else(Vec::new, Parts::lines), now.lines());
    for line in &lines {
        let part = now.on(*line);
        if was.as_ref().is_none_or(|was| was.on(*line) != part) {
            changes.push(Saved::Line(Box::new(SavedLine::new(id, market, &part, names))));
        }
    }
    let gone = were.into_iter().filter(|line| lines.binary_search(line).is_err());
    changes.extend(gone.map(|line| Saved::LineGone { event: Arc::clone(id), market, line }));
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
