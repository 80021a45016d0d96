//! The life of an arb window: opened, updated, refreshed, closed.
//!
//! One pair of (what was, what is) after each frame, every pair written out. It never compares prices: what is
//! an arb is said by `best`.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::Micros;
use crate::best::Arb;
use crate::catalogue::{Line, Market, Outcome, Policy, Push};
use crate::effect::{Change, Closed, Effect, Entry, EntryLeg, EventInfo, Reason, Warning, WindowId};
use crate::input::Coordinate;
use crate::names::Names;
use crate::odds;
use crate::quotes::Quote;

/// An open window as the state keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    pub(crate) line: Option<Line>,
    pub(crate) id: WindowId,
    pub(crate) opened_at: Micros,
    pub(crate) sequence: i64,
    pub(crate) legs: Vec<Quote>,
    pub(crate) simultaneous: bool,
    pub(crate) in_play: bool,
    pub(crate) margin_open: f64,
    pub(crate) margin_peak: f64,
    pub(crate) margin: f64,
}

/// What a transition needs to know beside the prices.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) at: Coordinate<'a>,
    pub(crate) now: Micros,
    pub(crate) event: &'a Arc<EventInfo>,
    pub(crate) event_changed: bool,
    pub(crate) market: Market,
    pub(crate) policy: Policy,
    pub(crate) names: &'a Names,
}

/// Where transitions go, and the counter that numbers them.
#[derive(Debug)]
pub(crate) struct Outbox<'a> {
    pub(crate) sequence: i64,
    pub(crate) effects: &'a mut Vec<Effect>,
}

impl Outbox<'_> {
    fn next(&mut self) -> i64 {
        self.sequence += 1;
        self.sequence
    }
}

/// The window of a line after a frame: `was` before it, `arb` in it, `quotes` of the line after it.
pub(crate) fn advance(
    was: Option<Window>,
    arb: Option<&Arb<'_>>,
    quotes: &[Quote],
    context: &Context<'_>,
    outbox: &mut Outbox<'_>,
) -> Option<Window> {
    match (was, arb) {
        (None, None) => None,
        (None, Some(arb)) => Some(open(arb, context, outbox)),
        (Some(window), None) => {
            close(&window, why_closed(&window, quotes), context, outbox);
            None
        }
        (Some(window), Some(arb)) if is_another(&window, arb, context.policy) => {
            close(&window, Reason::Superseded, context, outbox);
            Some(open(arb, context, outbox))
        }
        (Some(window), Some(arb)) => Some(update(&window, arb, context, outbox)),
    }
}

/// A window's key is the set of its legs' bets; the raw policy's is the line alone.
fn is_another(window: &Window, arb: &Arb<'_>, policy: Policy) -> bool {
    policy == Policy::Board && window.legs.len() != arb.legs.len()
}

fn open(arb: &Arb<'_>, context: &Context<'_>, outbox: &mut Outbox<'_>) -> Window {
    let margin = odds::margin(arb.implied_probability);
    let window = Window {
        line: arb.legs.first().and_then(|leg| leg.key.line),
        id: window_id(arb, context),
        opened_at: context.now,
        sequence: outbox.next(),
        legs: arb.legs.iter().copied().copied().collect(),
        simultaneous: arb.simultaneous,
        in_play: in_play(context),
        margin_open: margin,
        margin_peak: margin,
        margin,
    };
    let entry = entry(&window, arb, context);
    outbox.effects.push(Effect::Transition(Change::Opened, entry));
    window
}

fn update(window: &Window, arb: &Arb<'_>, context: &Context<'_>, outbox: &mut Outbox<'_>) -> Window {
    let same_bets = same(&window.legs, arb, |a, b| (a.key, a.price) == (b.key, b.price));
    let same_times = same(&window.legs, arb, |a, b| {
        (a.span_start, a.span_end, a.price_moved_at) == (b.span_start, b.span_end, b.price_moved_at)
    });
    let is_transition =
        !same_bets || window.simultaneous != arb.simultaneous || window.in_play != in_play(context);
    let margin = odds::margin(arb.implied_probability);
    let window = Window {
        sequence: if is_transition { outbox.next() } else { window.sequence },
        legs: arb.legs.iter().copied().copied().collect(),
        simultaneous: arb.simultaneous,
        in_play: in_play(context),
        margin_peak: window.margin_peak.max(margin),
        margin,
        ..window.clone()
    };
    if is_transition {
        outbox.effects.push(Effect::Transition(Change::Updated, entry(&window, arb, context)));
    } else if !same_times || context.event_changed {
        outbox.effects.push(Effect::Refreshed(entry(&window, arb, context)));
    }
    window
}

fn close(window: &Window, reason: Reason, context: &Context<'_>, outbox: &mut Outbox<'_>) {
    let closed = Closed {
        id: window.id,
        event: Arc::clone(context.event),
        market: context.market,
        line: window.line,
        reason,
        opened_at: window.opened_at,
        closed_at: context.now,
        margin_open: window.margin_open,
        margin_peak: window.margin_peak,
        margin_close: window.margin,
        sequence: outbox.next(),
    };
    outbox.effects.push(Effect::Closed(Box::new(closed)));
}

/// The first that holds: a leg is gone, a leg is suspended, the prices moved.
fn why_closed(window: &Window, quotes: &[Quote]) -> Reason {
    let now: Vec<_> =
        window.legs.iter().map(|leg| quotes.iter().find(|quote| quote.key == leg.key)).collect();
    if now.iter().any(Option::is_none) {
        Reason::Withdrawn
    } else if now.iter().flatten().any(|quote| quote.suspended) {
        Reason::Suspended
    } else {
        Reason::PriceMoved
    }
}

fn same(legs: &[Quote], arb: &Arb<'_>, alike: impl Fn(&Quote, &Quote) -> bool) -> bool {
    legs.len() == arb.legs.len() && legs.iter().zip(&arb.legs).all(|(a, b)| alike(a, b))
}

fn in_play(context: &Context<'_>) -> bool {
    context.now >= context.event.commence_time
}

/// The first 16 bytes of SHA-256 over the window's key and the coordinates of the record that opens it.
fn window_id(arb: &Arb<'_>, context: &Context<'_>) -> WindowId {
    let Coordinate { topic, partition, offset } = context.at;
    let market = context.market;
    let mut hash = Sha256::new();
    hash.update(format!("surebet/{topic}/{partition}/{offset}/{}/", context.event.id));
    for leg in &arb.legs {
        let outcome: Outcome = leg.key.outcome;
        let line = leg.key.line.map(|line| line.to_string()).unwrap_or_default();
        hash.update(format!("{}/{}/{line}/{};", market.family.key(), market.period.key(), outcome.key()));
    }
    let mut id = [0; 16];
    id.copy_from_slice(&hash.finalize()[..16]);
    WindowId(id)
}

fn entry(window: &Window, arb: &Arb<'_>, context: &Context<'_>) -> Box<Entry> {
    let push = context.market.push(window.line);
    let margin_worst = odds::margin_worst(window.margin, push);
    Box::new(Entry {
        id: window.id,
        event: Arc::clone(context.event),
        in_play: window.in_play,
        market: context.market,
        line: window.line,
        implied_probability: arb.implied_probability,
        margin: window.margin,
        margin_worst,
        legs: window.legs.iter().map(|leg| entry_leg(leg, arb, context.names)).collect(),
        simultaneous: window.simultaneous,
        warnings: if push == Push::Whole { vec![Warning::PushPossible] } else { Vec::new() },
        score: margin_worst,
        opened_at: window.opened_at,
        updated_at: context.now,
        sequence: window.sequence,
    })
}

fn entry_leg(leg: &Quote, arb: &Arb<'_>, names: &Names) -> EntryLeg {
    EntryLeg {
        outcome: leg.key.outcome,
        book: Arc::clone(names.name(leg.key.book)),
        price: leg.price,
        implied_probability: leg.price.implied_probability(),
        stake_share: odds::stake_share(leg.price, arb.implied_probability),
        price_moved_at: leg.price_moved_at,
        last_seen_at: leg.span_end,
    }
}
