//! The prices of private sources: kept beside the public ones, each source's in a table of its own.
//!
//! Quotes are all that is kept: no window, signal or movement is computed of them, no time is taken from them, nothing is learnt. It never
//! changes anything that is read without the name of the source.

use std::sync::Arc;

use crate::Micros;
use crate::caps::{Cap, LeftOut, PRIVATE_EVENTS};
use crate::input::{Coverage, Frame, PollEnd};
use crate::learning::Samples;
use crate::market::{Market, Symbol};
use crate::quotes::{self, MergeContext, Merged, Moment, Observation, SourceUpdate};
use crate::state::{EventState, MarketState};
use crate::time::Disposition;

use super::engine::{Engine, Step};
use super::market_update::{self, drawn_after};
use super::pass_time;

impl Engine {
    /// Takes in the time of a private source, by which no other time moves; returns whether its record counts.
    pub(super) fn hear_private(&mut self, source: Symbol, time: Micros) -> bool {
        let overlay = self.draft.over(&self.state);
        let (mut now, mut clock) = (overlay.clock(), overlay.source(source));
        let is_believed = now.believes(time);
        if is_believed && clock.observe(time) {
            self.draft.put_source(source, clock);
        }
        is_believed
    }

    /// Merges the ticks of a private frame that is taken in.
    pub(super) fn merge_private(&mut self, source: Symbol, frame: &Frame<'_>) -> Step {
        let was = self.draft.take_private(source, frame.event.id, &self.state);
        if was.is_none() && !self.has_room_for_event(source, frame.received_at) {
            return Step::refused(Cap::PrivateEvents);
        }
        let (mut seen, mut left_out) = (std::mem::take(&mut self.scratch), LeftOut::default());
        let mut update = self.update(source, frame.received_at, &Coverage::nothing());
        let (info, markets) = was.map_or_else(|| (None, vec![]), |was| (Some(was.info), was.markets));
        let future_ticks = self.observe(frame, &markets, &mut update, &mut seen, &mut left_out);
        let known = info.filter(|info| frame.event.is_known_as(info));
        let info = known.unwrap_or_else(|| Arc::new(frame.event.to_info()));
        let update_market = |(market, old, seen): market_update::MarketPair<'_>| {
            let merging = self.merging(market, &update, info.commence_time.0, &info.league);
            merged(old, seen, &merging)
        };
        let markets = market_update::markets_of(markets, &seen).map(update_market).collect();
        self.draft.put_private(source, EventState::new(info, markets));
        self.scratch = seen;
        Step { future_ticks, left_out, ..Step::just(Disposition::Applied) }
    }

    /// Whether a private source may have one event more: those that are over by its own time make room, where no public source tells the time.
    fn has_room_for_event(&mut self, source: Symbol, now: Micros) -> bool {
        let count = |engine: &Self| engine.draft.over(&engine.state).private_events(source).len();
        if count(self) >= PRIVATE_EVENTS {
            self.remove_private(source, |event| pass_time::is_over(event, now));
        }
        count(self) < PRIVATE_EVENTS
    }

    fn merging<'a>(
        &'a self,
        market: Market,
        update: &'a SourceUpdate,
        commence_time: Micros,
        league: &'a str,
    ) -> MergeContext<'a> {
        let watermark = self.draft.over(&self.state).clock().watermark;
        let moment = Moment { watermark, commence_time, expected: &self.expected };
        MergeContext { market, update, moment, pricing: self.pricing(league) }
    }

    /// All prices of a private source are withdrawn: what an operator publishes where he takes its grant back, or gives it to everybody.
    pub(super) fn end_private_poll(&mut self, source: Symbol, end: &PollEnd<'_>) -> Step {
        if !self.hear_private(source, end.received_at) {
            return Step::just(Disposition::Ahead);
        }
        self.remove_private(source, |_| true);
        Step::just(Disposition::Applied)
    }

    /// Removes the events of private sources that are over at a watermark.
    pub(super) fn end_private_events(&mut self, watermark: Micros) {
        for source in self.draft.over(&self.state).private_sources() {
            self.remove_private(source, |event| pass_time::is_over(event, watermark));
        }
    }

    fn remove_private(&mut self, source: Symbol, is_gone: impl Fn(&EventState) -> bool) {
        let events = self.draft.over(&self.state).private_events(source).into_iter();
        let gone: Vec<_> =
            events.filter(|event| is_gone(event)).map(|event| Arc::clone(&event.info)).collect();
        for info in gone {
            self.draft.put_private(source, EventState::new(info, vec![]));
        }
    }
}

/// A market of a private source after an update.
fn merged(
    old: Option<Arc<MarketState>>,
    seen: &[Observation],
    merging: &MergeContext<'_>,
) -> Arc<MarketState> {
    let old = old.unwrap_or_else(|| Arc::new(MarketState::empty(merging.market, None)));
    if seen.is_empty() {
        return old;
    }
    let (mut samples, mut moves) = (Samples::default(), Vec::new());
    let table = (old.quotes.clone(), old.summary);
    let Merged { table: quotes, summary, .. } = quotes::merge(table, seen, merging, &mut samples, &mut moves);
    let drawn = drawn_after(&old.drawn, &quotes, merging);
    Arc::new(MarketState { quotes, summary, drawn, ..MarketState::empty(merging.market, None) })
}
