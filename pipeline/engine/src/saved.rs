//! What an engine remembers, as data that can be written down and put back.
//!
//! [`Engine::changes`] says what the steps since the last commit would change, one [`Saved`] for each thing that
//! changes alone: a market of an event, a source, the counter. Putting the last [`Saved`] of each into a new engine
//! makes the same engine. It knows no wire format and decides nothing.

mod market;
mod signal;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::catalogue::Market;
use crate::clock::Clock;
use crate::engine::Engine;
use crate::margins::Margins;
use crate::names::{Names, Symbol};
use crate::refresh::Refresh;
use crate::signals::Signal;
use crate::source::SourceClock;
use crate::state::{EventState, MarketState};
use crate::survival::{self, Cell, Profile};

pub use market::{SavedMarket, SavedMove, SavedQuote, SavedWindow};
pub use signal::{SavedConsensus, SavedSignal};

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

    /// Puts back one thing that an engine remembered; `None` when a window's legs are not among the quotes.
    #[must_use]
    pub fn restore(&mut self, saved: Saved) -> Option<()> {
        let (state, names) = self.parts();
        match saved {
            Saved::Market(saved) => self.put_market(&saved)?,
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
            Saved::Margins(margins) => state.margins = *margins,
            Saved::Survival { sport, profile, cell } => {
                survival::put(&mut state.survival, &sport, profile, cell);
            }
            Saved::Clock(clock) => state.clock = clock,
            Saved::Sequence(sequence) => state.sequence = sequence,
        }
        Some(())
    }

    fn put_market(&mut self, saved: &SavedMarket) -> Option<()> {
        let (_, names) = self.parts();
        let mut quotes: Vec<_> = saved.quotes.iter().map(|saved| saved.to_quote(names)).collect();
        let moves = saved.moves.iter().map(|saved| saved.to_move(names)).collect();
        self.put_effective(&saved.event.league, &mut quotes);
        let signals = saved.signals.iter().map(|signal| self.signal(signal, &saved.event.league));
        let signals = signals.collect::<Option<_>>()?;
        let market = Arc::new(saved.to_state(quotes, moves, signals)?);
        let new = || EventState::new(Arc::clone(&saved.event), Vec::new());
        let (state, _) = self.parts();
        let event = state.events.entry(Arc::clone(&saved.event.id)).or_insert_with(new);
        event.markets.retain(|other| other.market != market.market);
        event.markets.push(market);
        event.markets.sort_by_key(|market| market.market);
        Some(())
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

/// Things by name: symbols depend on who was named first, and a restored engine heard them in another order.
fn by_name<T>(
    things: impl Iterator<Item = (Symbol, T)>,
    names: &Names,
) -> impl Iterator<Item = (Arc<str>, T)> {
    let mut things: Vec<_> = things.map(|(symbol, thing)| (Arc::clone(names.name(symbol)), thing)).collect();
    things.sort_by(|(a, _), (b, _)| a.cmp(b));
    things.into_iter()
}
