//! One partition of the engine: `step` drafts, `commit` applies, `abort` drops.
//!
//! A record's time is taken in first. A frame is then judged by its source's clock, merged market by market, and only
//! then evaluated: tick by tick one would see withdrawn quotes as live ones. It never publishes anything itself.

use std::sync::Arc;

use arb_model::source::{is_private, is_pushed};

use crate::Micros;
use crate::arbs::stakes::DEFAULT_TOTAL;
use crate::caps::{Cap, LeftOut};
use crate::context::{Arrival, MarketContext, StepContext};
use crate::effect::{Effect, Effects};
use crate::input::{Coordinate, Coverage, Event, Heartbeat, Input, PollEnd};
use crate::learning::{Expected, RefreshSample, Samples};
use crate::market::{EventInfo, Names, Period, Policy, Symbol};
use crate::odds::LineChances;
use crate::quotes::{self, Moment, Observation, Quote, SourceUpdate};
use crate::state::{Draft, EventState, MarketState, State};
use crate::time::{Disposition, expiry};
use crate::venues::{Books, Draws, PricingContext, Venues};

use super::admission;
use super::market_update;
use super::probe::{Probe, StepStage};
use super::regulation;
use super::stale_books;
use super::timers;

/// What became of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Whether it counted.
    pub disposition: Disposition,
    /// Ticks left out because their `last_seen_at` lies in the future.
    pub future_ticks: u32,
    /// It named home and away the other way round than the event is known: its prices were put by names.
    pub are_sides_swapped: bool,
    /// What there was no room for.
    pub left_out: LeftOut,
    /// It brought no price: earlier ones of its source stay, as if it repeated them.
    pub is_repeat: bool,
}

impl Step {
    pub(super) fn just(disposition: Disposition) -> Self {
        let (future_ticks, are_sides_swapped, left_out) = (0, false, LeftOut::default());
        Self { disposition, future_ticks, are_sides_swapped, left_out, is_repeat: false }
    }

    pub(super) fn refused(cap: Cap) -> Self {
        Self { left_out: LeftOut::one(cap), ..Self::just(Disposition::Refused) }
    }
}

/// The engine of one partition.
#[derive(Debug)]
pub struct Engine {
    pub(super) policy: Policy,
    pub(super) names: Names,
    pub(super) venues: Venues,
    pub(super) state: State,
    pub(super) draft: Draft,
    /// Samples since the last commit that are not counted yet.
    pub(super) samples: Samples,
    /// What the state and the draft expect of books, where a merge finds it fast.
    pub(super) expected: Expected,
    pub(super) scratch: Vec<Observation>,
    /// Chances that were computed before.
    pub(super) chances: LineChances,
}

impl Engine {
    /// An engine with an empty state and no table of books: no book has a fee, rules or a currency.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self::with_books(policy, Arc::default())
    }

    /// An engine with an empty state and these books.
    #[must_use]
    pub fn with_books(policy: Policy, books: Arc<Books>) -> Self {
        Self {
            policy,
            names: Names::default(),
            venues: Venues::new(books),
            state: State::default(),
            draft: Draft::default(),
            samples: Samples::default(),
            expected: Expected::default(),
            scratch: Vec::new(),
            chances: LineChances::default(),
        }
    }

    /// Takes in one record and appends what is to be published. The memory of it is a draft.
    pub fn step(&mut self, at: Coordinate<'_>, input: &Input<'_>, out: &mut Vec<Effect>) -> Step {
        self.step_probed(at, input, out, &mut ())
    }

    /// [`Self::step`] with a probe that measures its stages.
    pub fn step_probed(
        &mut self,
        at: Coordinate<'_>,
        input: &Input<'_>,
        out: &mut Vec<Effect>,
        probe: &mut impl Probe,
    ) -> Step {
        probe.enter(StepStage::Time);
        let sequence = self.draft.over(&self.state).sequence();
        let (samples, left_out) = (std::mem::take(&mut self.samples), LeftOut::default());
        let mut effects = Effects { sequence, out, samples, left_out };
        let mut step = match input {
            Input::Frame(frame) => self.frame(at, frame, &mut effects, probe),
            Input::PollEnd(end) => self.poll_end(at, end, &mut effects, probe),
            Input::Heartbeat(beat) => self.heartbeat(at, beat, &mut effects),
            Input::Suspension(suspension) => self.suspension(at, suspension, &mut effects, probe),
        };
        effects.left_out.iter().for_each(|(cap, count)| step.left_out.add(cap, count as usize));
        self.draft.put_sequence(effects.sequence);
        self.samples = effects.samples;
        for proven in self.samples.margins.drain(..) {
            self.draft.margins(&self.state).add(proven);
        }
        for sample in self.samples.lifetimes.drain(..) {
            self.draft.record_lifetime(&sample, &self.state);
        }
        probe.enter(StepStage::Idle);
        step
    }

    /// Makes all steps since the last commit part of the state.
    pub fn commit(&mut self) {
        self.draft.apply(&mut self.state);
        for sample in self.samples.refresh.drain(..) {
            self.state.book_mut(sample.book).add(sample.bucket, sample.at);
        }
    }

    /// Drops all steps since the last commit.
    pub fn abort(&mut self) {
        self.draft = Draft::default();
        self.samples.refresh.clear();
        self.expect_what_is_known();
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Samples since the last commit that are not counted yet.
    pub(crate) fn samples(&self) -> &[RefreshSample] {
        &self.samples.refresh
    }

    /// Sets what is expected of books to what the committed state has.
    pub(crate) fn expect_what_is_known(&mut self) {
        self.expected = Expected::default();
        for (book, refresh) in self.state.books.iter().enumerate() {
            self.expected.set(book, refresh.interval());
        }
    }

    /// What a restored thing is put into.
    pub(crate) fn parts(&mut self) -> (&mut State, &mut Names) {
        (&mut self.state, &mut self.names)
    }

    /// What restored quotes are worth by this engine's table of books.
    pub(crate) fn put_effective(&mut self, league: &str, quotes: &mut [Quote]) {
        self.venues.follow(&self.names);
        let pricing = self.pricing(league);
        for quote in quotes {
            quote.effective = pricing.effective(quote.key, quote.price, quote.odds_format, quote.received_at);
        }
    }

    /// How an event of a league is looked at.
    pub(crate) fn pricing<'a>(&'a self, league: &'a str) -> PricingContext<'a> {
        let (names, venues, total_stake) = (&self.names, &self.venues, DEFAULT_TOTAL);
        let draws = Draws::of(league, Period::FullTime);
        PricingContext { policy: self.policy, league, draws, names, venues, total_stake }
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn expected(&self) -> &Expected {
        &self.expected
    }

    /// The rules for its windows.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    fn poll_end(
        &mut self,
        at: Coordinate<'_>,
        end: &PollEnd<'_>,
        effects: &mut Effects<'_>,
        probe: &mut impl Probe,
    ) -> Step {
        if let Some(cap) = admission::refusal_of_record(end.source, end.received_at) {
            return Step::refused(cap);
        }
        let source = self.names.symbol(end.source);
        if is_private(end.source) {
            return self.end_private_poll(source, end);
        }
        if !self.receive_time(at, source, end.received_at, effects) {
            return Step::just(Disposition::Ahead);
        }
        probe.enter(StepStage::Read);
        let mut clock = self.draft.over(&self.state).source(source);
        // Of clients it is an operator who says that all of it is withdrawn, by the order of the log: his clock may be behind theirs.
        let after_pushes = is_pushed(end.source).then(|| clock.latest().saturating_add(1));
        let received_at = end.received_at.max(after_pushes.unwrap_or(Micros::MIN));
        let disposition = clock.poll_end(received_at, end.frames);
        if disposition != Disposition::Late {
            self.draft.put_source(source, clock);
        }
        if disposition == Disposition::Applied {
            if self.policy == Policy::Raw {
                // Where time brings nothing, a poll brings a look at what is learnt.
                self.count_samples(&mut effects.samples);
            }
            let update = self.update(source, received_at, &end.coverage);
            for event in self.withdrawn_from(end.league, &update) {
                let event = &Event::of(&event);
                let was = self.draft.take_event(event.id, &self.state);
                let of_event = was.as_ref().and_then(|was| regulation::of_event(&was.markets, &update));
                let update = of_event.as_ref().unwrap_or(&update);
                let event_update =
                    EventUpdate { at, event, seen: &[], update, is_push: false, is_repeat: false };
                self.apply_update(was, &event_update, effects, probe);
            }
            let source = Arc::clone(self.names.name(source));
            effects.push(Effect::Contains { source, received_at: Some(received_at) });
        }
        Step::just(disposition)
    }

    fn heartbeat(&mut self, at: Coordinate<'_>, beat: &Heartbeat<'_>, effects: &mut Effects<'_>) -> Step {
        if let Some(cap) = admission::refusal_of_record(beat.source, beat.at) {
            return Step::refused(cap);
        }
        let source = self.names.symbol(beat.source);
        let counts = self.receive_time(at, source, beat.at, effects);
        Step::just(if counts { Disposition::Applied } else { Disposition::Ahead })
    }

    /// Whether time has ended an event that a frame is about: it would come and go with each frame.
    pub(super) fn is_over(&self, event: &Event<'_>) -> bool {
        let watermark = self.draft.over(&self.state).clock().watermark;
        expiry::is_over(event.sport, event.commence_time, watermark)
    }

    /// The events of a league from which an update that names none of them withdraws a quote.
    pub(super) fn withdrawn_from(&self, league: Option<&str>, update: &SourceUpdate) -> Vec<Arc<EventInfo>> {
        let overlay = self.draft.over(&self.state);
        let events = overlay.event_ids().into_iter().filter_map(|id| overlay.event(&id));
        let is_of_league = |event: &&EventState| league.is_none_or(|league| *league == *event.info.league);
        let loses = |event: &&EventState| {
            let of_event = regulation::of_event(&event.markets, update);
            let update = of_event.as_ref().unwrap_or(update);
            let loses = |state: &Arc<MarketState>| quotes::any_withdrawn(state.market, &state.quotes, update);
            event.markets.iter().any(loses)
        };
        events.filter(is_of_league).filter(loses).map(|event| Arc::clone(&event.info)).collect()
    }

    pub(super) fn update(
        &self,
        source: Symbol,
        received_at: Micros,
        coverage: &Coverage<'_>,
    ) -> SourceUpdate {
        let known = |books: &Vec<&str>| books.iter().filter_map(|book| self.names.known(book)).collect();
        let books = coverage.books.as_ref().map(known);
        let (markets, links, drawn) = (coverage.markets.clone(), Vec::new(), Vec::new());
        SourceUpdate { source, received_at, books, markets, links, drawn }
    }

    /// The context of an update of an event.
    pub(super) fn step_context<'a>(
        &'a self,
        at: Coordinate<'a>,
        received_at: Micros,
        event: &'a Arc<EventInfo>,
        event_changed: bool,
    ) -> StepContext<'a> {
        let clock = self.draft.over(&self.state).clock();
        let (watermark, commence_time) = (clock.watermark, event.commence_time.0);
        let moment = Moment { watermark, commence_time, expected: &self.expected };
        // Of several sources one may lag: its update comes when the others are already later.
        let (now, by_time, pricing) = (clock.now.max(received_at), false, self.pricing(&event.league));
        let overlay = self.draft.over(&self.state);
        let (margins, survival) = (overlay.margins(), overlay.survival());
        StepContext {
            at,
            now,
            by_time,
            arrival: Arrival::Polled,
            moment,
            event,
            event_changed,
            margins,
            pricing,
            survival,
            chances: &self.chances,
        }
    }

    /// Drafts an event after an update, and what became of its windows; `was` was taken out of the draft.
    pub(super) fn apply_update(
        &mut self,
        was: Option<EventState>,
        event_update: &EventUpdate<'_>,
        effects: &mut Effects<'_>,
        probe: &mut impl Probe,
    ) {
        let EventUpdate { at, event, seen, update, is_push, is_repeat } = *event_update;
        let (was, info) = was.map_or_else(|| (Vec::new(), None), |was| (was.markets, Some(was.info)));
        let known = info.filter(|info| event.is_known_as(info));
        let (info, event_changed) =
            known.map_or_else(|| (Arc::new(event.to_info()), true), |info| (info, false));
        let step = self.step_context(at, update.received_at, &info, event_changed);
        // What is only repeated confirms nothing.
        let arrival = match (is_push, self.names.is_pushed(update.source)) {
            (_, true) => Arrival::PushedByClient,
            (true, false) => Arrival::Pushed,
            (false, false) => Arrival::Polled,
        };
        let step = StepContext { arrival, by_time: is_repeat, ..step };
        let mut markets = Vec::with_capacity(was.len());
        for (market, old, seen) in market_update::markets_of(was, seen) {
            let last_received = old.as_ref().and_then(|old| old.summary.last_received());
            // What these are after the update is known by then.
            let (has_new_links, drawn) = (false, &[][..]);
            let context =
                MarketContext { step: &step, market, last_received, links: &[], has_new_links, drawn };
            markets.extend(market_update::update_market(old, seen, update, &context, effects, probe));
        }
        let were_stale = self.draft.over(&self.state).stale_books(&info.id);
        let stale_books = stale_books::after(were_stale, &markets, &step, effects);
        let due = timers::after_frame(&markets, !stale_books.is_empty(), &step);
        if !were_stale.is_empty() {
            self.draft.put_stale_books(info.id.shared(), stale_books);
        }
        self.draft.put_event(EventState::new(info, markets).due_at(due));
    }
}

/// An update of one event.
pub(super) struct EventUpdate<'a> {
    pub(super) at: Coordinate<'a>,
    pub(super) event: &'a Event<'a>,
    /// Sorted by market and key.
    pub(super) seen: &'a [Observation],
    pub(super) update: &'a SourceUpdate,
    /// The source pushes it as it happens: it is no poll.
    pub(super) is_push: bool,
    /// It is not in the record: it was published before.
    pub(super) is_repeat: bool,
}
