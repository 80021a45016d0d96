//! What the steps since the last commit change, as data that is written down.
//!
//! It never changes the engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_model::Name;

use crate::learning::Refresh;
use crate::market::{Line, Market, Names, Symbol};
use crate::quotes::Moves;
use crate::state::{EventState, MarketState, Parts, Saved, SavedLine, SavedMoves, Suspended};
use crate::time::PushedUpdates;
use crate::venues::SourceLink;

use super::engine::Engine;

impl Engine {
    /// What the steps since the last commit change, each thing once, in an order that depends on them alone.
    #[must_use]
    pub fn changes(&self) -> Vec<Saved> {
        let (state, draft, names) = (self.state(), self.draft(), self.names());
        let mut changes = Vec::new();
        for (id, now) in draft.events.sorted() {
            event_changes((None, id), state.events.get(id), now, names, &mut changes);
        }
        for (source, events) in by_name(draft.private.iter().map(|(source, events)| (*source, events)), names)
        {
            let known = names.known(&source).and_then(|source| state.private.get(&source));
            for (id, now) in events.sorted() {
                let was = known.and_then(|known| known.get(id));
                event_changes((Some(&source), id), was, now, names, &mut changes);
            }
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
        for (source, now) in by_name(draft.pushes.iter().map(|(source, now)| (*source, now)), names) {
            push_changes(
                &source,
                names.known(&source).and_then(|at| state.pushes.get(&at)),
                now,
                &mut changes,
            );
        }
        let suspended = |(subject, is_suspended): (&Suspended, &bool)| Saved::Suspension {
            name: Arc::clone(names.name(subject.name)),
            is_book: subject.is_book,
            is_suspended: *is_suspended,
        };
        let is_other = |(subject, now): &(&Suspended, &bool)| state.suspended.contains(subject) != **now;
        let mut suspended: Vec<_> = draft.suspended.iter().filter(is_other).map(suspended).collect();
        suspended.sort_by_key(|saved| format!("{saved:?}"));
        changes.extend(suspended);
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
}

/// The updates of a pushed source that are remembered now and were not, and those that are no more.
fn push_changes(
    source: &Arc<str>,
    was: Option<&PushedUpdates>,
    now: &PushedUpdates,
    changes: &mut Vec<Saved>,
) {
    let nothing = PushedUpdates::default();
    let was = was.unwrap_or(&nothing);
    changes.extend(now.without(was).map(|(sequence, update)| Saved::Push {
        source: Arc::clone(source),
        sequence,
        update: Arc::clone(update),
    }));
    let gone = was.without(now).filter(|(sequence, _)| !now.has(*sequence));
    changes.extend(gone.map(|(sequence, _)| Saved::PushGone { source: Arc::clone(source), sequence }));
}

/// Whose event it is, if that is a private source, and its id.
type EventPlace<'a> = (Option<&'a Arc<str>>, &'a Arc<str>);

/// What is another of an event than it was: heads, lines, moves, and what of them is gone.
fn event_changes(
    (private, id): EventPlace<'_>,
    was: Option<&EventState>,
    now: &EventState,
    names: &Names,
    changes: &mut Vec<Saved>,
) {
    let is_other_event = was.is_none_or(|was| was.info != now.info);
    for market in &now.markets {
        let was = was.and_then(|was| was.market(market.market));
        let head =
            |state: &MarketState| (state.main_line, Arc::clone(&state.links), Arc::clone(&state.drawn));
        let is_same = |was: &Arc<MarketState>| head(was) == head(market);
        if is_other_event || !was.is_some_and(is_same) {
            let (event, main_line) = (Arc::clone(&now.info), market.main_line);
            let links = links_by_name(&market.links, names);
            let drawn = by_name(market.drawn.iter().map(|book| (*book, ())), names).map(|(book, ())| book);
            let drawn = drawn.collect();
            let (private, market) = (private.cloned(), market.market);
            changes.push(Saved::Head { private, event, market, main_line, links, drawn });
        }
        if was.is_none_or(|was| !Arc::ptr_eq(was, market)) {
            line_changes((private, id), was, market, names, changes);
            move_changes((private, id), was, market, names, changes);
        }
    }
    let gone = was.into_iter().flat_map(|was| &was.markets);
    for was in gone.filter(|was| now.market(was.market).is_none()) {
        let (event, market) = (Arc::clone(id), was.market);
        changes.push(Saved::HeadGone { private: private.cloned(), event, market });
        let lines = Parts::of(was).lines().into_iter();
        changes.extend(lines.map(|line| line_gone((private, id), market, line)));
        let nothing = Moves::default();
        let pieces = was.moves.gone_in(&nothing);
        changes.extend(pieces.map(|piece| moves_gone((private, id), market, piece)));
    }
}

/// Where bets can be placed, by the names of the books.
fn links_by_name(links: &[SourceLink], names: &Names) -> Vec<(Arc<str>, Name)> {
    by_name(links.iter().map(|link| (link.book, link.link.clone())), names).collect()
}

/// The lines of a market that are others than they were, and those that are gone.
fn line_changes(
    (private, id): EventPlace<'_>,
    was: Option<&Arc<MarketState>>,
    now: &MarketState,
    names: &Names,
    changes: &mut Vec<Saved>,
) {
    let (was, now, market) = (was.map(|was| Parts::of(was)), Parts::of(now), now.market);
    let lines = now.lines();
    for line in &lines {
        let part = now.on(*line);
        if was.as_ref().is_none_or(|was| was.on(*line) != part) {
            changes.push(Saved::Line(Box::new(SavedLine::new((private, id, market), &part, names))));
        }
    }
    let mut gone = was.map_or_else(Vec::new, |was| was.lines());
    gone.retain(|line| lines.binary_search(line).is_err());
    changes.extend(gone.into_iter().map(|line| line_gone((private, id), market, line)));
}

/// The pieces of a market's moves that are others than they were, and those of which nothing is left.
fn move_changes(
    (private, id): EventPlace<'_>,
    was: Option<&Arc<MarketState>>,
    now: &MarketState,
    names: &Names,
    changes: &mut Vec<Saved>,
) {
    let nothing = Moves::default();
    let (was, market) = (was.map_or(&nothing, |was| &was.moves), now.market);
    for piece in now.moves.changed_since(was) {
        changes.push(Saved::Moves(Box::new(SavedMoves::new((private, id, market), piece, names))));
    }
    changes.extend(was.gone_in(&now.moves).map(|piece| moves_gone((private, id), market, piece)));
}

fn line_gone((private, id): EventPlace<'_>, market: Market, line: Option<Line>) -> Saved {
    Saved::LineGone { private: private.cloned(), event: Arc::clone(id), market, line }
}

fn moves_gone((private, id): EventPlace<'_>, market: Market, piece: i64) -> Saved {
    Saved::MovesGone { private: private.cloned(), event: Arc::clone(id), market, piece }
}

/// Names instead of symbols: symbols depend on the order in which names arrive, which differs in a restored
/// engine.
fn by_name<T>(
    things: impl Iterator<Item = (Symbol, T)>,
    names: &Names,
) -> impl Iterator<Item = (Arc<str>, T)> {
    let mut things: Vec<_> = things.map(|(symbol, thing)| (Arc::clone(names.name(symbol)), thing)).collect();
    things.sort_by(|(a, _), (b, _)| a.cmp(b));
    things.into_iter()
}
