//! A frame: judged by its source's clock, refused or left out beyond the caps, its ticks put in the order of the tables.
//!
//! It never looks at a price.

use std::sync::Arc;

use crate::Micros;
use crate::caps::LeftOut;
use crate::effect::Effects;
use crate::input::{Coordinate, Coverage, Event, Frame, StatedLink, Tick};
use crate::market::{Market, QuoteKey, Symbol};
use crate::quotes::{self, Observation, SourceUpdate};
use crate::state::MarketState;
use crate::time::Disposition;
use crate::venues::SourceLink;

use super::admission;
use super::engine::{Engine, EventUpdate, Step};
use super::probe::{Probe, StepStage};
use super::regulation;
use super::sides;

/// How far ahead of `received_at` a `last_seen_at` may be before it is refused: 5 s of clock skew.
const FUTURE: Micros = 5_000_000;

impl Engine {
    /// Takes in what a source publishes about an event.
    pub(super) fn frame(
        &mut self,
        at: Coordinate<'_>,
        frame: &Frame<'_>,
        effects: &mut Effects<'_>,
        probe: &mut impl Probe,
    ) -> Step {
        if let Some(cap) = admission::refusal_of_record(frame.source, frame.received_at) {
            return Step::refused(cap);
        }
        if let Some(push) = frame.push {
            return self.push(at, frame, push, effects, probe);
        }
        let source = self.names.symbol(frame.source);
        if !self.receive_time(at, source, frame.received_at, effects) {
            return Step::just(Disposition::Ahead);
        }
        probe.enter(StepStage::Read);
        let mut clock = self.draft.over(&self.state).source(source);
        let disposition = clock.frame(frame.received_at, frame.poll_index);
        if disposition == Disposition::Late {
            return Step::just(disposition);
        }
        self.draft.put_source(source, clock);
        if let Some(cap) = admission::refusal(frame) {
            self.repeat_event(at, source, frame, effects, probe);
            return Step { is_repeat: true, ..Step::refused(cap) };
        }
        if self.is_over(&frame.event) {
            return Step::just(Disposition::Over);
        }
        if frame.poll_index.is_some() && frame.ticks.is_empty() && frame.coverage.is_nothing() {
            // An event whose frame was too long to be published: a poll names it, and has no ticks of it.
            self.repeat_event(at, source, frame, effects, probe);
            return Step { is_repeat: true, ..Step::just(disposition) };
        }
        self.merge_frame(at, source, frame, effects, probe)
    }

    /// Merges the ticks of a frame that is taken in, by the sides under which its event was first known.
    pub(super) fn merge_frame(
        &mut self,
        at: Coordinate<'_>,
        source: Symbol,
        frame: &Frame<'_>,
        effects: &mut Effects<'_>,
        probe: &mut impl Probe,
    ) -> Step {
        let mut seen = std::mem::take(&mut self.scratch);
        let mut update = self.update(source, frame.received_at, &frame.coverage);
        let was = self.draft.take_event(frame.event.id, &self.state);
        let is_swapped = was.as_ref().is_some_and(|was| sides::are_swapped(&was.info, &frame.event));
        let by_names = is_swapped.then(|| sides::swapped(frame));
        let frame = by_names.as_ref().unwrap_or(frame);
        let markets = was.as_ref().map_or(&[][..], |was| &was.markets);
        let future_ticks = self.observe(frame, markets, &mut update, &mut seen, &mut effects.left_out);
        let is_push = frame.poll_index.is_none();
        let event_update =
            EventUpdate { at, event: &frame.event, seen: &seen, update: &update, is_push, is_repeat: false };
        self.apply_update(was, &event_update, effects, probe);
        self.scratch = seen;
        Step { future_ticks, are_sides_swapped: is_swapped, ..Step::just(Disposition::Applied) }
    }

    /// The links of a frame, by market: only of books that are known, which those of its ticks are.
    fn stated_links(&self, frame: &Frame<'_>) -> Vec<(Market, SourceLink)> {
        let link = |stated: &StatedLink<'_>| {
            let book = self.names.known(stated.book)?;
            Some((stated.market, SourceLink { book, link: stated.link.into() }))
        };
        frame.links.iter().filter_map(link).collect()
    }

    /// The event of a frame that is refused or empty counts as named all the same: the earlier quotes of its
    /// source stay, as if they were published again, so that the end of the poll does not withdraw them.
    fn repeat_event(
        &mut self,
        at: Coordinate<'_>,
        source: Symbol,
        frame: &Frame<'_>,
        effects: &mut Effects<'_>,
        probe: &mut impl Probe,
    ) {
        let Some(event) = self.draft.over(&self.state).event(frame.event.id) else { return };
        let info = Arc::clone(&event.info);
        let of = |market: &Arc<MarketState>| {
            quotes::repeated(market.market, &market.quotes, source).collect::<Vec<_>>()
        };
        let seen: Vec<_> = event.markets.iter().flat_map(of).collect();
        if seen.is_empty() {
            return;
        }
        let update = self.update(source, frame.received_at, &Coverage::nothing());
        let event = &Event::of(&info);
        let event_update =
            EventUpdate { at, event, seen: &seen, update: &update, is_push: false, is_repeat: true };
        let was = self.draft.take_event(event.id, &self.state);
        self.apply_update(was, &event_update, effects, probe);
    }

    /// The frame's ticks in the markets that they are of and in the order of the tables, those for which there is room beside the markets of
    /// its event; the number of those that are in the future is returned.
    pub(super) fn observe(
        &mut self,
        frame: &Frame<'_>,
        markets: &[Arc<MarketState>],
        update: &mut SourceUpdate,
        seen: &mut Vec<Observation>,
        left_out: &mut LeftOut,
    ) -> u32 {
        seen.clear();
        let mut future = 0;
        for tick in &frame.ticks {
            if tick.last_seen_at > frame.received_at.saturating_add(FUTURE) {
                future += 1;
            } else {
                seen.push(observation(tick, self.names.symbol(tick.book)));
            }
        }
        self.suspend_seen(update.source, seen);
        update.links = self.stated_links(frame);
        regulation::assign(markets, self.pricing(frame.event.league), seen, update);
        admission::admit(seen, markets, update, &self.names, left_out);
        self.venues.follow(&self.names);
        // Stable: of two ticks for one bet the later stays the later.
        seen.sort_by_key(|seen| (seen.market, seen.key));
        future
    }
}

fn observation(tick: &Tick<'_>, book: Symbol) -> Observation {
    Observation {
        market: tick.bet.market(),
        key: QuoteKey::of(&tick.bet, book),
        price: tick.price,
        limit: tick.limit,
        suspended: tick.suspended,
        odds_format: tick.odds_format,
        last_seen_at: tick.last_seen_at,
        price_moved_at: tick.price_moved_at,
    }
}
