//! What the passing of time brings, before the record that brought it is looked at.
//!
//! When the watermark comes to another whole second, every event that is due is looked at, in the order of their ids: prices
//! go stale or are from before the start, windows close, events end, prices have moved. In between nothing is done, so that
//! the cost is bounded by the seconds and not by the records; and nothing of events of which time can change nothing yet
//! (`due`), so that it is bounded by what happens and not by how many there are. It never runs under the raw policy.

use std::sync::Arc;

use arb_model::source::is_private;

use crate::Micros;
use crate::arbs::{self, Window};
use crate::context::StepContext;
use crate::effect::{CloseReason, Effect, Effects};
use crate::input::Coordinate;
use crate::learning::{Refresh, Samples};
use crate::market::{Policy, Symbol};
use crate::movement::Hops;
use crate::signals;
use crate::state::{EventState, MarketState};
use crate::time::{PushedUpdates, expiry, is_history};

use super::engine::Engine;
use super::market_update;
use super::stale_books;
use super::timers;

impl Engine {
    /// Takes in a record's time, and what that it passes brings; returns whether the record counts.
    pub(super) fn receive_time(
        &mut self,
        at: Coordinate<'_>,
        source: Symbol,
        time: Micros,
        effects: &mut Effects<'_>,
    ) -> bool {
        if self.policy == Policy::Raw {
            return true;
        }
        let overlay = self.draft.over(&self.state);
        let (was, mut clock) = (overlay.clock(), overlay.source(source));
        if time <= clock.heard_at() && was.leap.is_none() {
            // Of a poll all but the first frame: no time passes.
            return true;
        }
        let mut now = was;
        let is_believed = now.believes(time);
        if is_believed && clock.observe(time) {
            self.draft.put_source(source, clock);
            let others = self.draft.over(&self.state).sources();
            let others = others.filter(|(source, _)| !self.names.is_pushed(*source));
            let heard = others.map(|(_, source)| source.heard_at());
            if self.names.is_pushed(source) {
                now.advance_pushed(time, heard);
            } else {
                now.advance(time, heard);
            }
        }
        if now != was {
            self.draft.put_clock(now);
        }
        if now.second() > was.second() {
            self.pass_time(at, Hops::passed(was.watermark, now.watermark), effects);
        }
        is_believed
    }

    fn pass_time(&mut self, at: Coordinate<'_>, hops: Hops, effects: &mut Effects<'_>) {
        self.count_samples(&mut effects.samples);
        self.remove_expired(effects);
        self.end_private_events(self.draft.over(&self.state).clock().watermark);
        let looks_at_all = self.expected.take_stricter();
        let overlay = self.draft.over(&self.state);
        let until = if looks_at_all { Micros::MAX } else { overlay.clock().watermark };
        let looks = overlay.due(until).into_iter();
        let passed: Vec<_> = looks.filter_map(|event| self.pass_time_of(at, event, hops, effects)).collect();
        for Passed { id, event, stale_books } in passed {
            if let Some(event) = event {
                self.draft.put_event(event);
            }
            if let Some(books) = stale_books {
                self.draft.put_stale_books(&id, books);
            }
        }
    }

    /// Counts the samples since the last second, and sets what is expected from now on.
    pub(super) fn count_samples(&mut self, samples: &mut Samples) {
        for sample in samples.refresh.drain(..) {
            self.draft.book(sample.book, &self.state).add(sample.bucket, sample.at);
        }
        for book in self.names.symbols() {
            let refresh = self.draft.over(&self.state).book(book);
            let interval = refresh.learnt_interval();
            if interval != refresh.interval() {
                self.draft.book(book, &self.state).learn_interval();
                self.expected.set(book.index(), interval);
            }
        }
    }

    /// Removes sources and books of which no record can be in the topic any more.
    fn remove_expired(&mut self, effects: &mut Effects<'_>) {
        let watermark = self.draft.over(&self.state).clock().watermark;
        let sources = self.draft.over(&self.state).sources();
        let silent = sources.filter(|(_, source)| is_history(source.heard_at(), watermark));
        let mut silent: Vec<_> =
            silent.map(|(source, _)| (Arc::clone(self.names.name(source)), source)).collect();
        // The numbers of names depend on what came before a restart; what is published does not.
        silent.sort_unstable();
        for (name, source) in silent {
            self.draft.forget_source(source);
            self.draft.put_pushes(source, PushedUpdates::default());
            if !is_private(&name) {
                effects.push(Effect::Contains { source: name, received_at: None });
            }
        }
        for book in self.names.symbols() {
            let refresh = self.draft.over(&self.state).book(book);
            if !refresh.counts().is_empty() && is_history(refresh.sampled_at(), watermark) {
                *self.draft.book(book, &self.state) = Refresh::default();
                self.expected.set(book.index(), None);
            }
        }
    }

    /// What becomes of an event; `None` when it is as it was.
    fn pass_time_of(
        &self,
        at: Coordinate<'_>,
        event: &EventState,
        hops: Hops,
        effects: &mut Effects<'_>,
    ) -> Option<Passed> {
        let info = &event.info;
        let step = StepContext { by_time: true, ..self.step_context(at, Micros::MIN, info, false) };
        let were_stale = self.draft.over(&self.state).stale_books(&info.id);
        let (markets, stale_books) = if is_over(event, step.moment.watermark) {
            end(event, were_stale, &step, effects);
            (Some(Vec::new()), Some(Vec::new()))
        } else {
            pass(event, were_stale, hops, &step, effects)
        };
        let has_stale_books = !stale_books.as_deref().unwrap_or(were_stale).is_empty();
        let due =
            timers::after_inspection(markets.as_ref().unwrap_or(&event.markets), has_stale_books, &step);
        event.due.set(due);
        let is_as_it_was = markets.is_none() && stale_books.is_none();
        let event = markets.map(|markets| EventState::new(Arc::clone(info), markets).due_at(due));
        (!is_as_it_was).then(|| Passed { id: Arc::clone(info.id.shared()), event, stale_books })
    }
}

/// What an event has become; `None` is what it was.
struct Passed {
    id: Arc<str>,
    event: Option<EventState>,
    stale_books: Option<Vec<Symbol>>,
}

pub(super) fn is_over(event: &EventState, watermark: Micros) -> bool {
    let mut quotes = event.markets.iter().flat_map(|market| &market.quotes).peekable();
    // That a draw was listed is remembered until the end, whatever is listed later.
    let is_only_drawn = quotes.peek().is_none() && event.has_drawn();
    expiry::is_over(&event.info.sport, event.info.commence_time.0, watermark)
        || (!is_only_drawn && quotes.all(|quote| expiry::is_expired(quote.received_at, watermark)))
}

/// Ends an event: it leaves the state with all that it has.
fn end(event: &EventState, stale_books: &[Symbol], step: &StepContext<'_>, effects: &mut Effects<'_>) {
    for market in &event.markets {
        let context = market.context(step);
        let close = |window: &Window| arbs::close(window, CloseReason::EventEnded, &context, effects);
        market.windows.iter().for_each(close);
        signals::end(&market.signals, &context, effects);
    }
    stale_books::end(stale_books, step, effects);
}

/// The markets and the stale books of an event that is not over, where they are not what they were.
fn pass(
    event: &EventState,
    stale_books: &[Symbol],
    hops: Hops,
    step: &StepContext<'_>,
    effects: &mut Effects<'_>,
) -> (Option<Vec<Arc<MarketState>>>, Option<Vec<Symbol>>) {
    let mut changed: Option<Vec<_>> = None;
    for (index, state) in event.markets.iter().enumerate() {
        let context = state.context(step);
        if let Some(now) = market_update::pass_time(state, hops, &context, effects) {
            changed.get_or_insert_with(|| event.markets.clone())[index] = now;
        }
    }
    let markets = changed.as_ref().unwrap_or(&event.markets);
    let books = stale_books::is_due(stale_books, markets, &step.moment)
        .then(|| stale_books::check(stale_books, markets, step, effects))
        .filter(|books| books != stale_books);
    (changed, books)
}

#[cfg(test)]
mod tests {
    use crate::effect::Effect;
    use crate::input::{Coverage, Event, Frame, Heartbeat, Input, Tick};
    use crate::market::{Bet, Market, Outcome, Side};
    use crate::odds::{OddsFormat, Price};

    use super::*;

    const SECOND: Micros = 1_000_000;
    /// The engine's delay: what is clock at a second is looked at so much later.
    const DELAY: Micros = 5 * SECOND;
    const START: Micros = 3_600 * SECOND;

    fn step(engine: &mut Engine, input: &Input<'_>) -> Vec<Effect> {
        let mut effects = Vec::new();
        let at = Coordinate { topic: "t", partition: 0, offset: 0 };
        engine.step(at, input, &mut effects);
        engine.commit();
        effects
    }

    fn beat(engine: &mut Engine, at: Micros) -> Vec<Effect> {
        step(engine, &Input::Heartbeat(Heartbeat { source: "s", at }))
    }

    /// One price on a total of an event.
    fn send(engine: &mut Engine, id: &str, price: i64, at: Micros) {
        let bet = Bet::new(Market::parse("totals").unwrap(), Outcome::Over, Side::Back, Some(2_500)).unwrap();
        let price = Price::from_millionths(price).unwrap();
        let (limit, suspended, price_moved_at) = (None, false, None);
        let odds_format = OddsFormat::Unknown;
        let tick =
            Tick { book: "b", bet, price, odds_format, limit, suspended, last_seen_at: at, price_moved_at };
        let event = Event { id, sport: "soccer", league: "l", home: "h", away: "a", commence_time: START };
        let frame = Frame {
            source: "s",
            received_at: at,
            poll_index: None,
            event,
            coverage: Coverage { books: Some(vec![]), markets: Some(vec![]) },
            ticks: vec![tick],
            links: vec![],
            push: None,
        };
        step(engine, &Input::Frame(frame));
    }

    /// When an event is looked at, in seconds.
    fn looked_at(engine: &Engine, id: &str) -> Option<Micros> {
        let due = engine.state().events.get(id).unwrap().due.get();
        (due != Micros::MIN).then_some(due / SECOND)
    }

    #[test]
    fn an_event_is_looked_at_when_time_can_change_it() {
        let mut engine = Engine::new(Policy::Board);
        send(&mut engine, "e", 2_000_000, DELAY + 101 * SECOND);
        assert_eq!(looked_at(&engine, "e"), Some(110), "its main line, at the next hop");
        for second in 102..110 {
            beat(&mut engine, DELAY + second * SECOND);
            assert_eq!(looked_at(&engine, "e"), Some(110), "{second}");
        }
        beat(&mut engine, DELAY + 110 * SECOND);
        assert_eq!(looked_at(&engine, "e"), Some(300), "the sample of its consensus");
        beat(&mut engine, DELAY + 300 * SECOND);
        // Half an hour after it was seen, as of a book that is not known yet.
        assert_eq!(looked_at(&engine, "e"), Some(5 + 101 + 1_800));
        send(&mut engine, "e", 2_010_000, DELAY + 311 * SECOND);
        beat(&mut engine, DELAY + 320 * SECOND);
        assert_eq!(looked_at(&engine, "e"), Some(330), "the move is in the next window too");
        beat(&mut engine, DELAY + 380 * SECOND);
        assert_eq!(looked_at(&engine, "e"), Some(600), "and in none any more");
        beat(&mut engine, DELAY + 600 * SECOND);
        assert_eq!(looked_at(&engine, "e"), Some(5 + 311 + 1_800));
        send(&mut engine, "e", 2_010_000, DELAY + 3_590 * SECOND);
        beat(&mut engine, DELAY + 3_599 * SECOND);
        beat(&mut engine, DELAY + 3_600 * SECOND);
        assert_eq!(
            looked_at(&engine, "e"),
            None,
            "a price from before the start is watched until it is confirmed"
        );
    }

    #[test]
    fn a_stricter_book_makes_all_due() {
        let mut engine = Engine::new(Policy::Board);
        send(&mut engine, "quiet", 2_000_000, DELAY + SECOND);
        // The book turns out to confirm every two seconds.
        let alerts = (1..100).flat_map(|second| {
            send(&mut engine, "loud", 2_000_000, DELAY + 2 * second * SECOND);
            beat(&mut engine, DELAY + (2 * second + 1) * SECOND)
        });
        assert!(alerts.count() == 0);
        let stale = (0..10).flat_map(|second| {
            send(&mut engine, "loud", 2_000_000, DELAY + (200 + 2 * second) * SECOND);
            beat(&mut engine, DELAY + (201 + 2 * second) * SECOND)
        });
        let events: Vec<_> = stale
            .filter_map(|effect| match effect {
                Effect::StaleAlert(alert) => Some(alert.event.id.to_string()),
                _ => None,
            })
            .collect();
        assert_eq!(events, ["quiet"]);
    }
}
