//! The life of an arb window: opened, updated, refreshed, closed.
//!
//! One pair of (what was, what is) after each frame, every pair written out. It never compares prices: what is
//! an arb is said by `best`.
//!
//! An update is a transition when a leg, its price or what is proven changes. What can be staked changes with each limit, so a
//! leg's limit that is another is a refresh, as a confirmed time is: the board is written and the feed is not. One that leaves no
//! stakes that pay, or brings them back, changes what is proven (`stakeable`), and is a transition when it changes `verified`.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::Micros;
use crate::best::Arb;
use crate::caps::LeftOut;
use crate::catalogue::{Line, Market, Outcome, Policy, Side};
use crate::effect::{WindowChange, Closed, Effect, EventInfo, CloseReason, WindowId};
use crate::entry::{self, Judged};
use crate::input::Coordinate;
use crate::margins::{Margins, Proven};
use crate::quotes::{Samples, Moment, Quote, QuoteStatus};
use crate::stale;
use crate::survival::follow::{self, Followed};
use crate::survival::{Life, Survival};
use crate::venues::PricingContext;
use crate::verify::{Flag, Verification};

/// An open window as the state keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    pub(crate) line: Option<Line>,
    pub(crate) id: WindowId,
    pub(crate) opened_at: Micros,
    pub(crate) sequence: i64,
    pub(crate) legs: Vec<Quote>,
    /// Of which of three outcomes its legs are a back and a lay.
    pub(crate) pair: Option<Outcome>,
    pub(crate) verification: Verification,
    /// Until when every leg is fresh, should none be confirmed again.
    pub(crate) fresh_until: Micros,
    /// What was ever proven of it.
    pub(crate) history: WindowHistory,
    pub(crate) in_play: bool,
    pub(crate) margin_open: f64,
    pub(crate) margin_peak: f64,
    pub(crate) margin: f64,
    /// How long it has lived.
    pub(crate) life: Life,
}

/// What was proven of a window at any time of its life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WindowHistory {
    /// Its legs were on offer at one moment.
    pub simultaneous: bool,
    /// All flags held.
    pub verified: bool,
}

impl WindowHistory {
    fn and(self, now: Verification) -> Self {
        Self {
            simultaneous: self.simultaneous || now.holds(Flag::Simultaneous),
            verified: self.verified || now.is_verified(),
        }
    }
}

impl Window {
    /// An arb that is looked at and not followed: the open window that it is, else one that is as old as its youngest price.
    pub(crate) fn standing(arb: &Arb<'_>, judged: &Judged<'_>, open: &[Self], context: &MarketContext<'_>) -> Self {
        let bet = |leg: &Quote| (leg.key, leg.price);
        let legs: Vec<_> = arb.legs.iter().copied().copied().collect();
        let is_this = |window: &&Self| window.legs.iter().map(bet).eq(legs.iter().map(bet));
        let known = open.iter().find(is_this);
        let since = legs.iter().map(|leg| leg.span_start).max().unwrap_or(context.step.now);
        let (in_play, margin) = (in_play(context), judged.margin);
        let life = || Followed { legs: &legs, in_play, margin }.begin(context);
        Self {
            line: legs.first().and_then(|leg| leg.key.line),
            id: known.map_or_else(|| standing_id(&legs, context), |window| window.id),
            opened_at: known.map_or(since, |window| window.opened_at),
            sequence: known.map_or(0, |window| window.sequence),
            pair: arb.pair,
            verification: judged.verification,
            fresh_until: judged.fresh_until,
            history: known.map_or(WindowHistory::default(), |window| window.history).and(judged.verification),
            in_play,
            margin_open: known.map_or(margin, |window| window.margin_open),
            margin_peak: known.map_or(margin, |window| window.margin_peak.max(margin)),
            margin,
            life: known.map_or_else(life, |window| window.life),
            legs,
        }
    }

    /// After which watermark it is fresh no longer; `None` when it was not when it was last looked at.
    pub(crate) fn ages_after(&self) -> Option<Micros> {
        self.verification.holds(Flag::Fresh).then_some(self.fresh_until)
    }
}

/// What happens to an event, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepContext<'a> {
    pub(crate) at: Coordinate<'a>,
    /// The latest word of any source.
    pub(crate) now: Micros,
    /// It happens because time passes, before the record itself is looked at.
    pub(crate) by_time: bool,
    /// The source says it as it happens: it is no poll.
    pub(crate) is_push: bool,
    pub(crate) moment: Moment<'a>,
    pub(crate) event: &'a Arc<EventInfo>,
    pub(crate) event_changed: bool,
    pub(crate) margins: &'a Margins,
    pub(crate) pricing: PricingContext<'a>,
    /// How long windows live.
    pub(crate) survival: Survival<'a>,
}

/// What a transition needs to know beside the prices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarketContext<'a> {
    pub(crate) step: &'a StepContext<'a>,
    pub(crate) market: Market,
    /// Its quotes before.
    pub(crate) was: &'a [Quote],
}

/// Where transitions go, and the counter that numbers them.
#[derive(Debug)]
pub(crate) struct Effects<'a> {
    pub(crate) sequence: i64,
    pub(crate) out: &'a mut Vec<Effect>,
    /// What is learnt on the way.
    pub(crate) samples: Samples,
    /// What there was no room for.
    pub(crate) left_out: LeftOut,
}

impl Effects<'_> {
    /// Adds what is to be published.
    pub(crate) fn push(&mut self, effect: Effect) {
        self.out.push(effect);
    }

    /// The number of the next event on the feed.
    pub(crate) fn next(&mut self) -> i64 {
        self.sequence += 1;
        self.sequence
    }
}

/// The window of a line after a frame: `was` before it, `arb` in it, `quotes` of the line after it.
pub(crate) fn advance(
    was: Option<Window>,
    arb: Option<&Arb<'_>>,
    quotes: &[Quote],
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Option<Window> {
    match (was, arb) {
        (None, None) => None,
        (None, Some(arb)) => Some(open(arb, quotes, context, effects)),
        (Some(window), None) => {
            close_for(&window, quotes, context, effects);
            None
        }
        (Some(window), Some(arb)) if lost_by_time(&window, quotes).is_some() => {
            close_for(&window, quotes, context, effects);
            Some(open(arb, quotes, context, effects))
        }
        (Some(window), Some(arb)) if is_another(&window, arb, context.step.pricing.policy) => {
            close(&window, CloseReason::Superseded, context, effects);
            Some(open(arb, quotes, context, effects))
        }
        (Some(window), Some(arb)) => Some(update(&window, arb, quotes, context, effects)),
    }
}

/// A window's key is the set of its legs' bets; the raw policy's is the line alone.
fn is_another(window: &Window, arb: &Arb<'_>, policy: Policy) -> bool {
    policy == Policy::Board && (window.legs.len(), window.pair) != (arb.legs.len(), arb.pair)
}

/// What a leg of a set that is no pair covers: laying one of two outcomes is backing the other.
fn covered(leg: &Quote) -> Outcome {
    match (leg.key.side, leg.key.outcome) {
        (Side::Lay, Outcome::Home) => Outcome::Away,
        (Side::Lay, Outcome::Away) => Outcome::Home,
        (Side::Lay, Outcome::Over) => Outcome::Under,
        (Side::Lay, Outcome::Under) => Outcome::Over,
        (_, outcome) => outcome,
    }
}

fn open(arb: &Arb<'_>, quotes: &[Quote], context: &MarketContext<'_>, effects: &mut Effects<'_>) -> Window {
    let judged = Judged::of(arb, quotes, context);
    let margin = judged.margin;
    let history = WindowHistory::default().and(judged.verification);
    let legs: Vec<_> = arb.legs.iter().copied().copied().collect();
    let followed = Followed { legs: &legs, in_play: in_play(context), margin };
    let window = Window {
        line: arb.legs.first().and_then(|leg| leg.key.line),
        id: window_id(arb, context),
        opened_at: context.step.now,
        sequence: effects.next(),
        pair: arb.pair,
        verification: judged.verification,
        fresh_until: judged.fresh_until,
        history,
        in_play: followed.in_play,
        margin_open: margin,
        margin_peak: margin,
        margin,
        life: followed.begin(context),
        legs,
    };
    learn(WindowHistory::default(), &window, effects);
    let entry = entry::of(&window, &judged, context);
    effects.push(Effect::Transition(WindowChange::Opened, entry));
    window
}

fn update(
    was: &Window,
    arb: &Arb<'_>,
    quotes: &[Quote],
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Window {
    let judged = Judged::of(arb, quotes, context);
    let now = Window {
        legs: arb.legs.iter().copied().copied().collect(),
        pair: arb.pair,
        verification: judged.verification,
        fresh_until: judged.fresh_until,
        history: was.history.and(judged.verification),
        in_play: in_play(context),
        margin_peak: was.margin_peak.max(judged.margin),
        margin: judged.margin,
        ..was.clone()
    };
    learn(was.history, &now, effects);
    let is_transition = is_transition(was, &now);
    let now = Window { life: follow::continue_life(was, &now, is_transition, context, effects), ..now };
    if is_transition {
        let window = Window { sequence: effects.next(), ..now };
        effects.push(Effect::Transition(WindowChange::Updated, entry::of(&window, &judged, context)));
        return window;
    }
    let shown = |leg: &Quote| (leg.span_start, leg.span_end, leg.price_moved_at, leg.limit);
    let same_shown = was.legs.iter().map(shown).eq(now.legs.iter().map(shown));
    if !same_shown || was.verification != now.verification || context.step.event_changed {
        effects.push(Effect::Refreshed(entry::of(&now, &judged, context)));
    }
    now
}

/// Whether a window has changed in what its takers act on.
fn is_transition(was: &Window, now: &Window) -> bool {
    let bet = |leg: &Quote| (leg.key, leg.price);
    let proof = |window: &Window| {
        (window.verification.holds(Flag::Simultaneous), window.verification.is_verified(), window.in_play)
    };
    !was.legs.iter().map(bet).eq(now.legs.iter().map(bet)) || proof(was) != proof(now)
}

/// A window teaches which margins are plausible when it is proven for the first time.
fn learn(was: WindowHistory, now: &Window, effects: &mut Effects<'_>) {
    if now.history.simultaneous && !was.simultaneous {
        effects.samples.margins.push(Proven::new(now.margin, now.in_play));
    }
}

/// Closes a window for what became of its legs.
fn close_for(window: &Window, quotes: &[Quote], context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    let (reason, leg) = why_closed(window, quotes);
    close(window, reason, context, effects);
    if let (CloseReason::Stale, Some(leg)) = (reason, leg) {
        stale::alert_arb(window, leg, context.step, effects);
    }
}

/// Closes a window whatever its legs are.
pub(crate) fn close(window: &Window, reason: CloseReason, context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    let closed = Closed {
        id: window.id,
        event: Arc::clone(context.step.event),
        market: context.market,
        line: window.line,
        reason,
        opened_at: window.opened_at,
        closed_at: context.step.now,
        margin_open: window.margin_open,
        margin_peak: window.margin_peak,
        margin_close: window.margin,
        history: window.history,
        sequence: effects.next(),
    };
    effects.push(Effect::Closed(Box::new(closed)));
    follow::end(window, reason, context, effects);
}

/// The first that holds: a leg is gone, a leg is suspended, time took a leg, the prices moved; and that leg.
fn why_closed<'a>(window: &Window, quotes: &'a [Quote]) -> (CloseReason, Option<&'a Quote>) {
    let now: Vec<_> = legs_now(window, quotes).collect();
    if now.iter().any(Option::is_none) {
        (CloseReason::Withdrawn, None)
    } else if now.iter().flatten().any(|quote| quote.standing == QuoteStatus::Suspended) {
        (CloseReason::Suspended, None)
    } else {
        match lost_by_time(window, quotes) {
            Some(leg) if leg.standing == QuoteStatus::Stale => (CloseReason::Stale, Some(leg)),
            Some(leg) => (CloseReason::EventStarted, Some(leg)),
            None => (CloseReason::PriceMoved, None),
        }
    }
}

/// The first leg that is stale, else the first that is from before the start.
fn lost_by_time<'a>(window: &Window, quotes: &'a [Quote]) -> Option<&'a Quote> {
    let find = |standing| legs_now(window, quotes).flatten().find(|quote| quote.standing == standing);
    // While nothing of a line is lost, as nearly always, one look at the line says so.
    let is_lost = |quote: &Quote| matches!(quote.standing, QuoteStatus::Stale | QuoteStatus::Started);
    if !quotes.iter().any(is_lost) {
        return None;
    }
    find(QuoteStatus::Stale).or_else(|| find(QuoteStatus::Started))
}

fn legs_now<'a>(window: &Window, quotes: &'a [Quote]) -> impl Iterator<Item = Option<&'a Quote>> {
    window.legs.iter().map(|leg| quotes.iter().find(|quote| quote.key == leg.key))
}

/// By the watermark, as are the prices from before the start; the raw policy has none.
pub(crate) fn in_play(context: &MarketContext<'_>) -> bool {
    match context.step.pricing.policy {
        Policy::Board => context.step.moment.has_begun(),
        Policy::Raw => context.step.now >= context.step.event.commence_time,
    }
}

/// The id of bets that no window was opened for: as long as they are the same, so is it.
fn standing_id(legs: &[Quote], context: &MarketContext<'_>) -> WindowId {
    let mut hash = Sha256::new();
    hash.update(format!("standing/{}/{}/", context.step.event.id, context.market.key()));
    for Quote { key, .. } in legs {
        let (side, book) = (key.side.key(), context.step.pricing.names.name(key.book));
        hash.update(format!("{:?}/{}/{side}/{book};", key.line, key.outcome.key()));
    }
    WindowId(first_16(hash))
}

/// The first 16 bytes of SHA-256 over the window's key and the coordinates of the record that opens it.
fn window_id(arb: &Arb<'_>, context: &MarketContext<'_>) -> WindowId {
    let Coordinate { topic, partition, offset } = context.step.at;
    let market = context.market;
    let line = arb.legs.first().and_then(|leg| leg.key.line).map(|line| line.to_string()).unwrap_or_default();
    let mut hash = Sha256::new();
    // One record can open a window by the time that it brings, and another of the same key by what it says.
    if context.step.by_time {
        hash.update("time/");
    }
    hash.update(format!("surebet/{topic}/{partition}/{offset}/{}/", context.step.event.id));
    for leg in &arb.legs {
        let (family, period) = (market.family.key(), market.period.key());
        let outcome = match (arb.pair, leg.key.side) {
            (Some(outcome), Side::Lay) => format!("not_{}", outcome.key()),
            _ => covered(leg).key().to_owned(),
        };
        hash.update(format!("{family}/{period}/{line}/{outcome};"));
    }
    WindowId(first_16(hash))
}

/// The bytes of an id, by what it is unique to.
pub(crate) fn first_16(hash: Sha256) -> [u8; 16] {
    let mut id = [0; 16];
    id.copy_from_slice(&hash.finalize()[..16]);
    id
}
