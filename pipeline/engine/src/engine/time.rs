//! What the passing of time brings, before the record that brought it is looked at.
//!
//! When the watermark comes to another whole second, every event is looked at, in the order of their ids: prices go
//! stale or are from before the start, windows close, events end, prices have moved. In between nothing is done, so that
//! the cost is bounded by the seconds and not by the records. It never runs under the raw policy.

use std::sync::Arc;

use crate::Micros;
use crate::catalogue::Policy;
use crate::clock;
use crate::effect::Reason;
use crate::engine::Engine;
use crate::input::Coordinate;
use crate::market;
use crate::movement::Hops;
use crate::names::Symbol;
use crate::over;
use crate::quotes::Learnt;
use crate::refresh::Refresh;
use crate::stale;
use crate::state::{EventState, MarketState};
use crate::window::{self, Context, Outbox, Scene, Window};

impl Engine {
    /// Takes in a record's time, and what that it passes brings; returns whether the record counts.
    pub(super) fn hear(
        &mut self,
        at: Coordinate<'_>,
        source: Symbol,
        time: Micros,
        outbox: &mut Outbox<'_>,
    ) -> bool {
        if self.policy == Policy::Raw {
            return true;
        }
        let overlay = self.draft.over(&self.state);
        let (was, mut heard) = (overlay.clock(), overlay.source(source));
        if time <= heard.heard_at() && was.leap.is_none() {
            // Of a poll all but the first frame: no time passes.
            return true;
        }
        let mut now = was;
        let is_believed = now.believes(time);
        if is_believed && heard.hear(time) {
            self.draft.put_source(source, heard);
            let sources = self.draft.over(&self.state).sources();
            now.advance(time, sources.map(|(_, source)| source.heard_at()));
        }
        if now != was {
            self.draft.put_clock(now);
        }
        if now.second() > was.second() {
            self.pass_time(at, Hops::passed(was.watermark, now.watermark), outbox);
        }
        is_believed
    }

    fn pass_time(&mut self, at: Coordinate<'_>, hops: Hops, outbox: &mut Outbox<'_>) {
        self.look_at_books(&mut outbox.learnt);
        self.forget();
        for event in self.draft.over(&self.state).event_ids() {
            self.pass_time_of(at, &event, hops, outbox);
        }
    }

    /// Counts the samples since the last look, and says what is expected from now on.
    fn look_at_books(&mut self, learnt: &mut Learnt) {
        for sample in learnt.samples.drain(..) {
            self.draft.book(sample.book, &self.state).add(sample.bucket, sample.at);
        }
        for book in self.names.symbols() {
            let refresh = self.draft.over(&self.state).book(book);
            let interval = refresh.learnt_interval();
            if interval != refresh.interval() {
                self.draft.book(book, &self.state).look();
                self.expected.set(book.index(), interval);
            }
        }
    }

    /// Forgets sources and books of which no record can be in the topic any more.
    fn forget(&mut self) {
        let watermark = self.draft.over(&self.state).clock().watermark;
        let sources = self.draft.over(&self.state).sources();
        let silent = sources.filter(|(_, source)| clock::is_history(source.heard_at(), watermark));
        for (source, _) in silent.collect::<Vec<_>>() {
            self.draft.forget_source(source);
        }
        for book in self.names.symbols() {
            let refresh = self.draft.over(&self.state).book(book);
            if !refresh.counts().is_empty() && clock::is_history(refresh.sampled_at(), watermark) {
                *self.draft.book(book, &self.state) = Refresh::default();
                self.expected.set(book.index(), None);
            }
        }
    }

    fn pass_time_of(&mut self, at: Coordinate<'_>, id: &Arc<str>, hops: Hops, outbox: &mut Outbox<'_>) {
        let overlay = self.draft.over(&self.state);
        let Some(event) = overlay.event(id).filter(|event| !event.markets.is_empty()) else { return };
        let info = Arc::clone(&event.info);
        let scene = Scene { by_time: true, ..self.scene(at, Micros::MIN, &info, false) };
        let stale_books = overlay.stale_books(id);
        let passed = if is_over(event, scene.moment.watermark) {
            end(event, stale_books, &scene, outbox);
            Passed { markets: Some(Vec::new()), stale_books: Some(Vec::new()) }
        } else {
            pass(event, stale_books, hops, &scene, outbox)
        };
        if let Some(markets) = passed.markets {
            self.draft.put_event(EventState { info, markets });
        }
        if let Some(books) = passed.stale_books {
            self.draft.put_stale_books(id, books);
        }
    }
}

/// What an event has become; `None` is what it was.
struct Passed {
    markets: Option<Vec<Arc<MarketState>>>,
    stale_books: Option<Vec<Symbol>>,
}

fn is_over(event: &EventState, watermark: Micros) -> bool {
    let mut quotes = event.markets.iter().flat_map(|market| &market.quotes);
    over::is_over(&event.info.sport, event.info.commence_time, watermark)
        || quotes.all(|quote| over::is_forgotten(quote.received_at, watermark))
}

/// Ends an event: it leaves the state with all that it has.
fn end(event: &EventState, stale_books: &[Symbol], scene: &Scene<'_>, outbox: &mut Outbox<'_>) {
    for market in &event.markets {
        let context = Context { scene, market: market.market };
        let close = |window: &Window| window::close(window, Reason::EventEnded, &context, outbox);
        market.windows.iter().for_each(close);
    }
    stale::end(stale_books, scene, outbox);
}

fn pass(
    event: &EventState,
    stale_books: &[Symbol],
    hops: Hops,
    scene: &Scene<'_>,
    outbox: &mut Outbox<'_>,
) -> Passed {
    let mut changed: Option<Vec<_>> = None;
    for (index, state) in event.markets.iter().enumerate() {
        let context = Context { scene, market: state.market };
        if let Some(now) = market::pass_time(state, hops, &context, outbox) {
            changed.get_or_insert_with(|| event.markets.clone())[index] = now;
        }
    }
    let markets = changed.as_ref().unwrap_or(&event.markets);
    let books = stale::is_due(stale_books, markets, &scene.moment)
        .then(|| stale::check(stale_books, markets, scene, outbox))
        .filter(|books| books != stale_books);
    Passed { markets: changed, stale_books: books }
}
