//! The draft of what is about to be remembered.
//!
//! A [`Draft`] lies over a [`State`] until the transaction that publishes its effects has committed: applying it is `commit`,
//! dropping it `abort`. It never decides anything about odds.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::Micros;
use crate::learning::survival::{self, Cells, LifetimeSample, Survival};
use crate::learning::{Margins, Refresh};
use crate::market::Symbol;
use crate::time::{Clock, PushedUpdates, SourceClock};

use super::event_state::EventState;
use super::event_table::EventTable;
use super::partition::{State, Suspended};

/// What has changed since the last commit.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) events: EventTable,
    /// By private source.
    pub(crate) private: BTreeMap<Symbol, EventTable>,
    /// `None` is removed. In no order, so that the table keeps its memory: whatever is listed is sorted by name first.
    pub(crate) sources: HashMap<Symbol, Option<SourceClock>, RandomState>,
    pub(crate) pushes: BTreeMap<Symbol, PushedUpdates>,
    /// Whether it is shut.
    pub(crate) suspended: BTreeMap<Suspended, bool>,
    pub(crate) stale_books: BTreeMap<Arc<str>, Vec<Symbol>>,
    /// The events that were read or removed; without the samples since.
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

    /// An event to be changed and put back: out of the draft, or a copy of the state's.
    pub(crate) fn take_event(&mut self, id: &str, state: &State) -> Option<EventState> {
        self.events.take(id).or_else(|| state.events.get(id).cloned())
    }

    pub(crate) fn put_event(&mut self, event: EventState) {
        self.events.insert(event);
    }

    /// An event of a private source, to be changed and put back.
    pub(crate) fn take_private(&mut self, source: Symbol, id: &str, state: &State) -> Option<EventState> {
        let drafted = self.private.get_mut(&source).and_then(|events| events.take(id));
        let known = || state.private.get(&source)?.get(id).cloned();
        drafted.or_else(known).filter(|event| !event.markets.is_empty())
    }

    pub(crate) fn put_private(&mut self, source: Symbol, event: EventState) {
        self.private.entry(source).or_default().insert(event);
    }

    pub(crate) fn put_source(&mut self, source: Symbol, clock: SourceClock) {
        self.sources.insert(source, Some(clock));
    }

    pub(crate) fn forget_source(&mut self, source: Symbol) {
        self.sources.insert(source, None);
    }

    /// What is remembered of a pushed source; nothing removes it.
    pub(crate) fn put_pushes(&mut self, source: Symbol, pushes: PushedUpdates) {
        self.pushes.insert(source, pushes);
    }

    pub(crate) fn put_suspended(&mut self, subject: Suspended, is_suspended: bool) {
        self.suspended.insert(subject, is_suspended);
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

    /// Counts what was lived of a window.
    pub(crate) fn record_lifetime(&mut self, sample: &LifetimeSample, state: &State) {
        survival::record(&mut self.survival, &state.survival, sample);
    }

    pub(crate) fn put_sequence(&mut self, sequence: i64) {
        self.sequence = Some(sequence);
    }

    /// Makes the draft the state, and begins another.
    pub(crate) fn apply(&mut self, state: &mut State) {
        state.events.apply(&mut self.events);
        for (source, mut events) in mem::take(&mut self.private) {
            state.private.entry(source).or_default().apply(&mut events);
        }
        state.private.retain(|_, events| !events.is_empty());
        for (source, clock) in self.sources.drain() {
            match clock {
                Some(clock) => drop(state.sources.insert(source, clock)),
                None => drop(state.sources.remove(&source)),
            }
        }
        for (source, pushes) in mem::take(&mut self.pushes) {
            if pushes.is_empty() {
                state.pushes.remove(&source);
            } else {
                state.pushes.insert(source, pushes);
            }
        }
        for (subject, is_suspended) in mem::take(&mut self.suspended) {
            state.put_suspended(subject, is_suspended);
        }
        for (event, books) in mem::take(&mut self.stale_books) {
            if books.is_empty() {
                state.stale_books.remove(&event);
            } else {
                state.stale_books.insert(event, books);
            }
        }
        for (book, refresh) in mem::take(&mut self.books) {
            *state.book_mut(book) = refresh;
        }
        state.margins = self.margins.take().unwrap_or(state.margins);
        state.survival.extend(mem::take(&mut self.survival));
        state.clock = self.clock.take().unwrap_or(state.clock);
        state.sequence = self.sequence.take().unwrap_or(state.sequence);
    }
}

impl<'a> Overlay<'a> {
    pub(crate) fn event(&self, id: &str) -> Option<&'a EventState> {
        self.draft.events.get(id).or_else(|| self.state.events.get(id))
    }

    /// An event of a private source.
    pub(crate) fn private(&self, source: Symbol, id: &str) -> Option<&'a EventState> {
        let drafted = self.draft.private.get(&source).and_then(|events| events.get(id));
        let known = || self.state.private.get(&source)?.get(id);
        drafted.or_else(known).filter(|event| !event.markets.is_empty())
    }

    /// The events of a private source, in the order of their ids.
    pub(crate) fn private_events(&self, source: Symbol) -> Vec<&'a EventState> {
        let tables = [self.state.private.get(&source), self.draft.private.get(&source)];
        let ids = tables.into_iter().flatten().flat_map(EventTable::unsorted).map(|(id, _)| id);
        let ids: BTreeSet<_> = ids.collect();
        ids.into_iter().filter_map(|id| self.private(source, id)).collect()
    }

    /// The private sources that have prices, or had some before the draft.
    pub(crate) fn private_sources(&self) -> BTreeSet<Symbol> {
        self.state.private.keys().chain(self.draft.private.keys()).copied().collect()
    }

    /// The ids of all events, in order, each once.
    pub(crate) fn event_ids(&self) -> Vec<Arc<str>> {
        let others = self.draft.events.unsorted().filter(|(id, _)| !self.state.events.contains(id));
        let mut ids: Vec<_> =
            self.state.events.unsorted().chain(others).map(|(id, _)| Arc::clone(id)).collect();
        ids.sort_unstable();
        ids
    }

    /// The events that are due at a watermark, in the order of their ids.
    pub(crate) fn due(&self, watermark: Micros) -> Vec<&'a EventState> {
        let is_due = |event: &&EventState| event.due.get() <= watermark && !event.markets.is_empty();
        let is_known = |id: &Arc<str>| !self.draft.events.contains(id);
        let known = self.state.events.unsorted().filter(|(id, event)| is_due(event) && is_known(id));
        let drafted = self.draft.events.unsorted().filter(|(_, event)| is_due(event));
        let mut due: Vec<_> = known.chain(drafted).collect();
        due.sort_unstable_by_key(|(id, _)| *id);
        due.into_iter().map(|(_, event)| event).collect()
    }

    pub(crate) fn source(&self, source: Symbol) -> SourceClock {
        let drafted = self.draft.sources.get(&source);
        let known = drafted.copied().unwrap_or_else(|| self.state.sources.get(&source).copied());
        known.unwrap_or_default()
    }

    /// What is remembered of a pushed source.
    pub(crate) fn pushes(&self, source: Symbol) -> PushedUpdates {
        let drafted = self.draft.pushes.get(&source);
        drafted.or_else(|| self.state.pushes.get(&source)).cloned().unwrap_or_default()
    }

    /// All sources that are known, in any order.
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

    /// Whether an operator has shut a source, or a book.
    pub(crate) fn is_shut(&self, subject: Suspended) -> bool {
        let drafted = self.draft.suspended.get(&subject).copied();
        drafted.unwrap_or_else(|| self.state.suspended.contains(&subject))
    }

    /// Whether an operator has shut anything.
    pub(crate) fn has_shut(&self) -> bool {
        !self.state.suspended.is_empty() || !self.draft.suspended.is_empty()
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use arb_model::{Name, Time};

    use super::*;
    use crate::fixtures::{market, price, quote, symbols};
    use crate::learning::survival::{Cell, EventStage, MarketKind, Profile};
    use crate::market::{EventInfo, Names, Outcome};
    use crate::state::MarketState;

    /// One change of a draft: what it changes, of which of three, and to what.
    type Change = (u8, usize, u8);

    const IDS: [&str; 3] = ["e", "f", "g"];

    fn event(id: &str, quotes: u8) -> EventState {
        let [sport, league, home, away] = ["s", "l", "H", "A"].map(Name::from);
        let info = EventInfo { id: id.into(), sport, league, home, away, commence_time: Time(0) };
        let mut state = MarketState::empty(market("h2h"), None);
        let books = symbols(&mut Names::default(), quotes);
        state.quotes = books.iter().map(|book| quote(*book, None, Outcome::Home, price("2"))).collect();
        // An event without a market is gone.
        let markets = if quotes == 0 { vec![] } else { vec![Arc::new(state)] };
        EventState::new(Arc::new(info), markets)
    }

    fn change(draft: &mut Draft, state: &State, (what, of, to): Change) {
        let symbol = symbols(&mut Names::default(), 3)[of];
        let id: Arc<str> = IDS[of].into();
        let at = Micros::from(to);
        match what % 8 {
            0 => draft.put_event(event(&id, to % 3)),
            1 => draft.put_source(symbol, SourceClock::at(at, at, None)),
            2 => draft.forget_source(symbol),
            3 => draft.put_stale_books(&id, symbols(&mut Names::default(), to % 3)),
            4 => draft.put_clock(Clock { now: at, ..Clock::default() }),
            5 => draft.book(symbol, state).add(to % 60, at),
            6 => {
                let profile =
                    Profile { stage: EventStage::Hours, kind: MarketKind::Total, margin: 0, age: to % 3 };
                let cell = Cell::lived(0, 1_000_000 * at);
                draft.record_lifetime(&LifetimeSample { sport: id, profile, cell }, state);
            }
            _ => draft.put_sequence(i64::from(to)),
        }
    }

    /// All that an overlay answers.
    fn seen(overlay: Overlay<'_>) -> String {
        let symbols = symbols(&mut Names::default(), 3);
        let quotes = |id: &str| {
            let event = overlay.event(id).filter(|event| !event.markets.is_empty())?;
            Some(event.markets[0].quotes.len())
        };
        let mut sources: Vec<_> = overlay.sources().collect();
        sources.sort_by_key(|(source, _)| *source);
        let books: Vec<_> = symbols.iter().map(|book| overlay.book(*book).counts()).collect();
        let stale: Vec<_> = IDS.iter().map(|id| overlay.stale_books(id)).collect();
        let lived: Vec<_> =
            MarketKind::ALL.iter().map(|kind| overlay.survival().sum(EventStage::Hours, *kind)).collect();
        let alone: Vec<_> = symbols.iter().map(|source| overlay.source(*source)).collect();
        let of_time = (overlay.clock(), overlay.sequence(), overlay.margins().counts(false));
        format!("{:?} {sources:?} {alone:?} {books:?} {stale:?} {lived:?} {of_time:?}", IDS.map(quotes))
    }

    proptest! {
        /// What a draft shows is what its state becomes, and dropping it leaves the state as it was.
        #[test]
        fn a_draft_shows_what_applying_it_makes(
            drafts in prop::collection::vec(prop::collection::vec((any::<u8>(), 0..3_usize, any::<u8>()), 0..12), 1..5),
        ) {
            let mut state = State::default();
            for changes in drafts {
                let before = seen(Draft::default().over(&state));
                let mut draft = Draft::default();
                for one in changes {
                    change(&mut draft, &state, one);
                }
                prop_assert_eq!(seen(Draft::default().over(&state)), before);
                let drafted = seen(draft.over(&state));
                draft.apply(&mut state);
                prop_assert_eq!(seen(Draft::default().over(&state)), drafted);
            }
        }
    }
}
