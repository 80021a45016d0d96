//! The life of an arb window: opened, updated, refreshed, closed.
//!
//! One pair of (what was, what is) after each frame, every pair written out. It never compares prices: what is
//! an arb is computed by `best`.
//!
//! An update is a transition when a leg, its price or what is proven changes. What can be staked changes with each limit, so a
//! leg's limit that is another is a refresh, as a confirmed time is: the board is written and the feed is not. One that leaves no
//! stakes that pay, or brings them back, changes what is proven (`stakeable`), and is a transition when it changes `verified`.

use arb_model::{Points, Seconds, Time};

use crate::context::{MarketContext, StepContext};
use crate::effect::{
    AlertScope, BookState, CloseReason, CloseSignal, Effect, Effects, Flag, StaleAlert, WindowChange,
    WindowHistory,
};
use crate::learning::Proven;
use crate::market::Policy;
use crate::quotes::{Quote, QuoteStatus};

use super::best::Arb;
use super::entry::entry_of;
use super::judged::Judged;
use super::lifetime::{self, Followed};
use super::window::Window;
use super::window_id::window_id;

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

fn open(arb: &Arb<'_>, quotes: &[Quote], context: &MarketContext<'_>, effects: &mut Effects<'_>) -> Window {
    let judged = Judged::of(arb, quotes, context);
    let margin = judged.margin;
    let history = WindowHistory::default().and(judged.verification);
    let legs: Vec<_> = arb.legs.iter().copied().copied().collect();
    let followed = Followed { legs: &legs, in_play: context.in_play(), margin };
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
    let (entry, ttl) = entry_of(&window, &judged, context);
    effects.push(Effect::Transition(WindowChange::Opened, entry, ttl));
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
        in_play: context.in_play(),
        margin_peak: was.margin_peak.max(judged.margin),
        margin: judged.margin,
        ..was.clone()
    };
    learn(was.history, &now, effects);
    let is_transition = is_transition(was, &now);
    let now = Window { life: lifetime::continue_life(was, &now, is_transition, context, effects), ..now };
    if is_transition {
        let window = Window { sequence: effects.next(), ..now };
        let (entry, ttl) = entry_of(&window, &judged, context);
        effects.push(Effect::Transition(WindowChange::Updated, entry, ttl));
        return window;
    }
    let shown = |leg: &Quote| (leg.span_start, leg.span_end, leg.price_moved_at, leg.limit);
    let same_shown = was.legs.iter().map(shown).eq(now.legs.iter().map(shown));
    if !same_shown || was.verification != now.verification || context.step.event_changed {
        effects.push(Effect::Refreshed(entry_of(&now, &judged, context).0));
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
        alert_stale(window, leg, context.step, effects);
    }
}

/// Closes a window whatever its legs are.
pub(crate) fn close(
    window: &Window,
    reason: CloseReason,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) {
    let event = context.step.event;
    let closed = CloseSignal {
        id: window.id.to_string(),
        event_id: event.id.clone(),
        reason: reason.into(),
        opened_at: Time(window.opened_at),
        closed_at: Time(context.step.now),
        margin_open: window.margin_open,
        margin_peak: window.margin_peak,
        margin_close: window.margin,
        sequence: effects.next(),
        sport: event.sport.clone(),
        league: event.league.clone(),
        market: context.market.family.into(),
        period: context.market.period.into(),
        line: window.line.map(Points),
        simultaneous_ever: Some(window.history.simultaneous),
        verified_ever: Some(window.history.verified),
    };
    effects.push(Effect::Closed(Box::new(closed)));
    lifetime::end(window, reason, context, effects);
}

/// The first that holds: a leg is gone, a leg is suspended, time took a leg, the prices moved; and that leg.
fn why_closed<'a>(window: &Window, quotes: &'a [Quote]) -> (CloseReason, Option<&'a Quote>) {
    let now: Vec<_> = legs_now(window, quotes).collect();
    if now.iter().any(Option::is_none) {
        (CloseReason::Withdrawn, None)
    } else if now.iter().flatten().any(|quote| quote.status == QuoteStatus::Suspended) {
        (CloseReason::Suspended, None)
    } else {
        match lost_by_time(window, quotes) {
            Some(leg) if leg.status == QuoteStatus::Stale => (CloseReason::Stale, Some(leg)),
            Some(leg) => (CloseReason::EventStarted, Some(leg)),
            None => (CloseReason::PriceMoved, None),
        }
    }
}

/// The first leg that is stale, else the first that is from before the start.
fn lost_by_time<'a>(window: &Window, quotes: &'a [Quote]) -> Option<&'a Quote> {
    let find = |status| legs_now(window, quotes).flatten().find(|quote| quote.status == status);
    // While nothing of a line is lost, as nearly always, one look at the line shows it.
    let is_lost = |quote: &Quote| matches!(quote.status, QuoteStatus::Stale | QuoteStatus::Started);
    if !quotes.iter().any(is_lost) {
        return None;
    }
    find(QuoteStatus::Stale).or_else(|| find(QuoteStatus::Started))
}

fn legs_now<'a>(window: &Window, quotes: &'a [Quote]) -> impl Iterator<Item = Option<&'a Quote>> {
    window.legs.iter().map(|leg| quotes.iter().find(|quote| quote.key == leg.key))
}

/// Says that a window closed because of a stale leg.
fn alert_stale(window: &Window, leg: &Quote, step: &StepContext<'_>, effects: &mut Effects<'_>) {
    let alert = StaleAlert {
        scope: AlertScope::Arb.into(),
        state: BookState::Stale.into(),
        event: (**step.event).clone(),
        book: step.pricing.names.name(leg.key.book).into(),
        arb_id: Some(window.id.to_string()),
        last_seen_at: Some(Time(leg.span_end)),
        expected_interval: Seconds(step.moment.expected.interval(leg.key.book.index())),
        at: Time(step.now),
        sequence: effects.next(),
    };
    effects.push(Effect::StaleAlert(Box::new(alert)));
}
