//! A source or a book that an operator has shut: no price of it can be bet on, from the record on that says so until another one opens it.
//!
//! Its prices are kept and confirmed as ever, as suspended ones, so that windows close as by any suspension. It never looks at a price, and opens
//! nothing by itself: the next frame of the source does.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::effect::Effects;
use crate::input::{Coordinate, Coverage, Event, Suspension};
use crate::market::Symbol;
use crate::quotes::{Observation, Quote};
use crate::state::{EventState, Suspended};
use crate::time::Disposition;

use super::admission;
use super::engine::{Engine, EventUpdate, Step};
use super::probe::Probe;

impl Engine {
    /// Takes in that a source or a book is shut, or opened again.
    pub(super) fn suspension(
        &mut self,
        at: Coordinate<'_>,
        suspension: &Suspension<'_>,
        effects: &mut Effects<'_>,
        probe: &mut impl Probe,
    ) -> Step {
        if admission::is_too_long(suspension.name) {
            return Step::refused(crate::caps::Cap::NameBytes);
        }
        let Suspension { is_book, is_suspended, .. } = *suspension;
        let subject = Suspended { is_book, name: self.names.symbol(suspension.name) };
        self.venues.follow(&self.names);
        self.draft.put_suspended(subject, is_suspended);
        if is_suspended {
            let overlay = self.draft.over(&self.state);
            for id in overlay.event_ids() {
                self.suspend_event(at, &id, subject, effects, probe);
            }
        }
        Step::just(Disposition::Applied)
    }

    /// Suspends the quotes of an event that a subject has, as if each source published them again as suspended.
    fn suspend_event(
        &mut self,
        at: Coordinate<'_>,
        id: &str,
        subject: Suspended,
        effects: &mut Effects<'_>,
        probe: &mut impl Probe,
    ) {
        let Some(event) = self.draft.over(&self.state).event(id) else { return };
        let info = Arc::clone(&event.info);
        let sources: BTreeSet<Symbol> = quotes_of(event, subject).map(|(quote, _)| quote.source).collect();
        let mut sources: Vec<_> = sources.into_iter().collect();
        // The numbers of names depend on what came before a restart; what is published does not.
        sources.sort_unstable_by_key(|source| self.names.place(*source));
        for source in sources {
            let Some(was) = self.draft.take_event(id, &self.state) else { return };
            let of_source = quotes_of(&was, subject).filter(|(quote, _)| quote.source == source);
            let seen: Vec<_> = of_source.map(|(_, seen)| Observation { suspended: true, ..seen }).collect();
            let received_at = self.draft.over(&self.state).source(source).latest();
            let update = self.update(source, received_at, &Coverage::nothing());
            let event = &Event::of(&info);
            let event_update =
                EventUpdate { at, event, seen: &seen, update: &update, is_push: false, is_repeat: true };
            self.apply_update(Some(was), &event_update, effects, probe);
        }
    }

    /// Marks what is seen of a source or a book that is shut as suspended.
    pub(super) fn suspend_seen(&self, source: Symbol, seen: &mut [Observation]) {
        if !self.draft.over(&self.state).has_shut() {
            return;
        }
        for seen in seen {
            seen.suspended |= self.is_shut(source, seen.key.book());
        }
    }

    /// Whether an operator has shut the source or the book of a price.
    pub(super) fn is_shut(&self, source: Symbol, book: Symbol) -> bool {
        let overlay = self.draft.over(&self.state);
        overlay.is_shut(Suspended { is_book: false, name: source })
            || overlay.is_shut(Suspended { is_book: true, name: book })
    }

    /// Whether an operator has shut a source, or a book, by its name.
    #[must_use]
    pub fn is_suspended(&self, name: &str, is_book: bool) -> bool {
        let name = self.names.known(name);
        name.is_some_and(|name| self.draft.over(&self.state).is_shut(Suspended { is_book, name }))
    }
}

/// The quotes of an event that are of a source or a book, each also as it was seen last, in the order of the tables.
fn quotes_of(event: &EventState, subject: Suspended) -> impl Iterator<Item = (&Quote, Observation)> {
    let is_of = move |quote: &&Quote| {
        let of = if subject.is_book { quote.key.book() } else { quote.source };
        of == subject.name
    };
    event.markets.iter().flat_map(move |market| {
        market.quotes.iter().filter(is_of).map(|quote| (quote, quote.as_seen(market.market)))
    })
}
