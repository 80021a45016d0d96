//! Puts back what an engine remembered, one thing after another: into a new engine, or over what was put back before, so that a
//! reader of the changelog follows the engine that writes it.
//!
//! It never computes what a step would: it takes what is written.

use std::sync::Arc;

use arb_model::Name;

use crate::learning::Refresh;
use crate::learning::survival;
use crate::market::{EventInfo, Line, Market, Symbol};
use crate::signals::Signal;
use crate::state::{EventState, MarketState, Misfit, Saved, SavedLine, SavedMoves, SavedSignal, Suspended};
use crate::venues::SourceLink;

use super::engine::Engine;

impl Engine {
    /// Puts back one thing that an engine remembered.
    ///
    /// # Errors
    /// [`Misfit`] when it does not fit what was put back before.
    pub fn restore(&mut self, saved: Saved) -> Result<(), Misfit> {
        let (state, names) = self.parts();
        match saved {
            Saved::Head { private, event, market, main_line, links, drawn } => {
                let private = private.map(|source| names.symbol(&source));
                let of = |(book, link): (Arc<str>, Name)| SourceLink { book: names.symbol(&book), link };
                let mut links: Vec<_> = links.into_iter().map(of).collect();
                links.sort_unstable_by_key(|link| link.book);
                let mut drawn: Vec<_> = drawn.iter().map(|book| names.symbol(book)).collect();
                drawn.sort_unstable();
                self.put_head((private, &event), (market, main_line), (links.into(), drawn.into()));
            }
            Saved::HeadGone { private, event: id, market } => {
                let events = state.table_mut(private.map(|source| names.symbol(&source)));
                if let Some(event) = events.get_mut(&id) {
                    event.markets.retain(|other| other.market != market);
                    if event.markets.is_empty() {
                        events.remove(&id);
                    }
                }
                state.private.retain(|_, events| !events.is_empty());
            }
            Saved::Line(line) => self.put_line(&line)?,
            Saved::LineGone { private, event: id, market, line } => {
                if let Some(known) = self.market_mut(private.as_deref(), &id, market) {
                    known.remove_line(line);
                }
            }
            Saved::Moves(moves) => self.put_moves(&moves)?,
            Saved::MovesGone { private, event: id, market, piece } => {
                if let Some(known) = self.market_mut(private.as_deref(), &id, market) {
                    known.moves.remove(piece);
                }
            }
            Saved::Source { source, clock } => {
                state.sources.insert(names.symbol(&source), clock);
            }
            Saved::SourceGone { source } => drop(state.sources.remove(&names.symbol(&source))),
            Saved::Push { source, sequence, update } => {
                let pushes = state.pushes.entry(names.symbol(&source)).or_default();
                pushes.put(sequence, (*update).clone());
            }
            Saved::PushGone { source, sequence } => {
                let source = names.symbol(&source);
                state.pushes.entry(source).or_default().remove(sequence);
                state.pushes.retain(|_, pushes| !pushes.is_empty());
            }
            Saved::Suspension { name, is_book, is_suspended } => {
                state.put_suspended(Suspended { is_book, name: names.symbol(&name) }, is_suspended);
            }
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

    fn put_head(
        &mut self,
        (private, info): (Option<Symbol>, &Arc<EventInfo>),
        (market, main_line): (Market, Option<Line>),
        (links, drawn): (Arc<[SourceLink]>, Arc<[Symbol]>),
    ) {
        let new = || EventState::new(Arc::clone(info), Vec::new());
        let (state, _) = self.parts();
        let event = state.table_mut(private).get_or_insert(info.id.shared(), new);
        event.info = Arc::clone(info);
        if let Some(known) = event.markets.iter_mut().find(|known| known.market == market) {
            // Its lines stay: those that have changed are written beside it.
            let known = Arc::make_mut(known);
            (known.main_line, known.links, known.drawn) = (main_line, links, drawn);
            known.is_settled = false;
        } else {
            let state = MarketState { links, drawn, ..MarketState::empty(market, main_line) };
            event.markets.push(Arc::new(state));
            event.markets.sort_by_key(|market| market.market);
        }
    }

    /// A market that is known, public or of a private source.
    fn market_mut(&mut self, private: Option<&str>, event: &str, market: Market) -> Option<&mut MarketState> {
        let (state, names) = self.parts();
        let events = match private {
            Some(source) => state.private.get_mut(&names.known(source)?)?,
            None => &mut state.events,
        };
        let markets = &mut events.get_mut(event)?.markets;
        let known = markets.iter_mut().find(|known| known.market == market)?;
        Some(Arc::make_mut(known))
    }

    fn put_line(&mut self, saved: &SavedLine) -> Result<(), Misfit> {
        let (state, names) = self.parts();
        let private = saved.private.as_deref().map(|source| names.symbol(source));
        let event = state.table_mut(private).get_mut(&saved.event).ok_or(Misfit::Headless)?;
        let info = Arc::clone(&event.info);
        let mut quotes = saved.to_quotes(names);
        self.put_effective(&info.league, &mut quotes);
        let signals = saved.signals.iter().map(|signal| self.signal(signal, &info.league));
        let signals = signals.collect::<Option<_>>().ok_or(Misfit::Betless)?;
        let (state, _) = self.parts();
        let event = state.table_mut(private).get_mut(&saved.event).ok_or(Misfit::Headless)?;
        let market = event.markets.iter_mut().find(|market| market.market == saved.market);
        let market = Arc::make_mut(market.ok_or(Misfit::Headless)?);
        market.remove_line(saved.line);
        saved.put_into(market, quotes, signals).ok_or(Misfit::Leg)
    }

    fn put_moves(&mut self, saved: &SavedMoves) -> Result<(), Misfit> {
        let (_, names) = self.parts();
        let piece = saved.to_piece(names).ok_or(Misfit::Moveless)?;
        let market = self.market_mut(saved.private.as_deref(), &saved.event, saved.market);
        market.ok_or(Misfit::Headless)?.moves.put(piece);
        Ok(())
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
