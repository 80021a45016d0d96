//! A frame that a client pushed: taken in once by its sequence, as of an event that is known.
//!
//! It never moves the time of other sources, and nothing is learnt from it.

use std::collections::BTreeSet;
use std::sync::Arc;

use arb_model::source::{is_private, is_pushed};

use crate::Micros;
use crate::caps::Cap;
use crate::effect::Effects;
use crate::input::{Coordinate, Coverage, Event, Frame, Push, Tick};
use crate::market::{EventInfo, Symbol};
use crate::state::EventState;
use crate::time::{Digest, Disposition, PushedUpdate};

use super::admission;
use super::engine::{Engine, Step};
use super::probe::{Probe, StepStage};
use super::sides;

impl Engine {
    /// Takes in what a client pushed about an event.
    pub(super) fn push(
        &mut self,
        at: Coordinate<'_>,
        frame: &Frame<'_>,
        push: Push,
        effects: &mut Effects<'_>,
        probe: &mut impl Probe,
    ) -> Step {
        if !is_pushed(frame.source) {
            return Step::refused(Cap::NameBytes);
        }
        let source = self.names.symbol(frame.source);
        let private = is_private(frame.source).then_some(source);
        let counts = match private {
            Some(source) => self.hear_private(source, frame.received_at),
            None => self.receive_time(at, source, frame.received_at, effects),
        };
        if !counts {
            return Step::just(Disposition::Ahead);
        }
        probe.enter(StepStage::Read);
        if let Some(cap) = admission::refusal(frame) {
            return Step::refused(cap);
        }
        let by_names = self.pushed_by_names(private, frame, push);
        let frame = by_names.as_ref().unwrap_or(frame);
        let Some(info) = self.pushed_event(private, frame, push) else {
            return Step::just(Disposition::UnknownEvent);
        };
        let event = Event::of(&info);
        if self.is_over(&event) {
            return Step::just(Disposition::Over);
        }
        let disposition = self.judge_push(source, frame, push);
        if disposition != Disposition::Applied {
            return Step::just(disposition);
        }
        let overtaken = self.draft.over(&self.state).pushes(source).overtaken(push.sequence);
        let received_at = self.pass_push(source, frame.received_at);
        let frame = &Frame {
            source: frame.source,
            received_at,
            poll_index: None,
            event,
            coverage: Coverage::nothing(),
            ticks: ticks(frame, &overtaken, received_at),
            // Where a bet can be placed is what sources state, not what clients do.
            links: Vec::new(),
            push: Some(push),
        };
        let step = if let Some(source) = private {
            self.merge_private(source, frame)
        } else {
            let samples = effects.samples.refresh.len();
            let step = self.merge_frame(at, source, frame, effects, probe);
            effects.samples.refresh.truncate(samples);
            step
        };
        Step { are_sides_swapped: by_names.is_some(), ..step }
    }

    /// A frame that names the sides of a known event the other way round, with its prices by names; `None` of any other.
    fn pushed_by_names<'a>(
        &self,
        private: Option<Symbol>,
        frame: &Frame<'a>,
        push: Push,
    ) -> Option<Frame<'a>> {
        let known = self.pushed_to(private, frame.event.id).filter(|_| push.names_event)?;
        sides::are_swapped(&known.info, &frame.event).then(|| sides::swapped(frame))
    }

    /// The event of a pushed frame: as the client names it, where it may, else as it is known.
    fn pushed_event(&self, private: Option<Symbol>, frame: &Frame<'_>, push: Push) -> Option<Arc<EventInfo>> {
        if push.names_event {
            return Some(Arc::new(frame.event.to_info()));
        }
        self.pushed_to(private, frame.event.id).map(|event| Arc::clone(&event.info))
    }

    /// The event that an id names to a source: the public one, and else that of a private source.
    fn pushed_to(&self, private: Option<Symbol>, id: &str) -> Option<&EventState> {
        let overlay = self.draft.over(&self.state);
        let public = overlay.event(id).filter(|event| !event.markets.is_empty());
        public.or_else(|| overlay.private(private?, id))
    }

    /// Whether an update is taken in, which is remembered.
    fn judge_push(&mut self, source: Symbol, frame: &Frame<'_>, push: Push) -> Disposition {
        let mut updates = self.draft.over(&self.state).pushes(source);
        let update = update_of(frame, push);
        let disposition = updates.judge(push.sequence, update.digest);
        if disposition == Disposition::Applied {
            updates.put(push.sequence, update);
            self.draft.put_pushes(source, updates);
        }
        disposition
    }

    /// The time of an update: that of the instance which received it, or that of the source's latest where another instance's
    /// clock is ahead of it, so that the log's order and the sequences decide.
    fn pass_push(&mut self, source: Symbol, received_at: Micros) -> Micros {
        let mut clock = self.draft.over(&self.state).source(source);
        let received_at = received_at.max(clock.latest());
        clock.frame(received_at, None);
        self.draft.put_source(source, clock);
        received_at
    }
}

/// The ticks of a pushed frame, seen when it was received, without those whose bets a later update gave.
fn ticks<'a>(frame: &Frame<'a>, overtaken: &BTreeSet<i64>, received_at: Micros) -> Vec<Tick<'a>> {
    let is_latest = |tick: &&Tick<'a>| !overtaken.contains(&bet(frame.event.id, tick).end());
    let at = |tick: &Tick<'a>| Tick { last_seen_at: received_at, price_moved_at: None, ..*tick };
    frame.ticks.iter().filter(is_latest).map(at).collect()
}

/// What is remembered of an update. The order of its ticks is nothing.
fn update_of(frame: &Frame<'_>, push: Push) -> PushedUpdate {
    let mut bets: Vec<_> = frame.ticks.iter().map(|tick| bet(frame.event.id, tick).end()).collect();
    let mut offered: Vec<_> = frame.ticks.iter().map(|tick| offered(frame.event.id, tick)).collect();
    bets.sort_unstable();
    bets.dedup();
    offered.sort_unstable();
    let Event { id, sport, league, home, away, commence_time } = frame.event;
    let event = if push.names_event { [id, sport, league, home, away] } else { [id, "", "", "", ""] };
    let start = if push.names_event { commence_time } else { 0 };
    let digest = event.into_iter().fold(Digest::new(), Digest::text).number(start);
    PushedUpdate { digest: offered.into_iter().fold(digest, Digest::number).end(), bets }
}

/// The bet of a tick, of one event at one book.
fn bet(event: &str, tick: &Tick<'_>) -> Digest {
    let bet = tick.bet;
    let line = bet.line().map_or(i64::MIN, i64::from);
    let digest = Digest::new().text(event).text(tick.book).text(&bet.market().key());
    digest.text(bet.outcome().key()).text(bet.side().key()).number(line)
}

fn offered(event: &str, tick: &Tick<'_>) -> i64 {
    let limit = tick.limit.map_or(-1, crate::market::Limit::minor);
    bet(event, tick).number(tick.price.millionths().into()).number(limit).number(tick.suspended.into()).end()
}
