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
use crate::quotes::{Learnt, Moment, Quote, Standing};
use crate::stale;

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

/// What happens to an event, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) at: Coordinate<'a>,
    /// The latest word of any source.
    pub(crate) now: Micros,
    /// It happens because time passes, before the record itself is looked at.
    pub(crate) by_time: bool,
    pub(crate) moment: Moment<'a>,
    pub(crate) event: &'a Arc<EventInfo>,
    pub(crate) event_changed: bool,
    pub(crate) policy: Policy,
    pub(crate) names: &'a Names,
}

/// What a transition needs to know beside the prices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) market: Market,
}

/// Where transitions go, and the counter that numbers them.
#[derive(Debug)]
pub(crate) struct Outbox<'a> {
    pub(crate) sequence: i64,
    pub(crate) effects: &'a mut Vec<Effect>,
    /// What is learnt on the way.
    pub(crate) learnt: Learnt,
}

impl Outbox<'_> {
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
    context: &Context<'_>,
    outbox: &mut Outbox<'_>,
) -> Option<Window> {
    match (was, arb) {
        (None, None) => None,
        (None, Some(arb)) => Some(open(arb, context, outbox)),
        (Some(window), None) => {
            close_for(&window, quotes, context, outbox);
            None
        }
        (Some(window), Some(arb)) if lost_by_time(&window, quotes).is_some() => {
            close_for(&window, quotes, context, outbox);
            Some(open(arb, context, outbox))
        }
        (Some(window), Some(arb)) if is_another(&window, arb, context.scene.policy) => {
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
        opened_at: context.scene.now,
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
    } else if !same_times || context.scene.event_changed {
        outbox.effects.push(Effect::Refreshed(entry(&window, arb, context)));
    }
    window
}

/// Closes a window for what became of its legs.
fn close_for(window: &Window, quotes: &[Quote], context: &Context<'_>, outbox: &mut Outbox<'_>) {
    let (reason, leg) = why_closed(window, quotes);
    close(window, reason, context, outbox);
    if let (Reason::Stale, Some(leg)) = (reason, leg) {
        stale::alert_arb(window, leg, context.scene, outbox);
    }
}

/// Closes a window whatever its legs are.
pub(crate) fn close(window: &Window, reason: Reason, context: &Context<'_>, outbox: &mut Outbox<'_>) {
    let closed = Closed {
        id: window.id,
        event: Arc::clone(context.scene.event),
        market: context.market,
        line: window.line,
        reason,
        opened_at: window.opened_at,
        closed_at: context.scene.now,
        margin_open: window.margin_open,
        margin_peak: window.margin_peak,
        margin_close: window.margin,
        sequence: outbox.next(),
    };
    outbox.effects.push(Effect::Closed(Box::new(closed)));
}

/// The first that holds: a leg is gone, a leg is suspended, time took a leg, the prices moved; and that leg.
fn why_closed<'a>(window: &Window, quotes: &'a [Quote]) -> (Reason, Option<&'a Quote>) {
    let now: Vec<_> = legs_now(window, quotes).collect();
    if now.iter().any(Option::is_none) {
        (Reason::Withdrawn, None)
    } else if now.iter().flatten().any(|quote| quote.standing == Standing::Suspended) {
        (Reason::Suspended, None)
    } else {
        match lost_by_time(window, quotes) {
            Some(leg) if leg.standing == Standing::Stale => (Reason::Stale, Some(leg)),
            Some(leg) => (Reason::EventStarted, Some(leg)),
            None => (Reason::PriceMoved, None),
        }
    }
}

/// The first leg that is stale, else the first that is from before the start.
fn lost_by_time<'a>(window: &Window, quotes: &'a [Quote]) -> Option<&'a Quote> {
    let find = |standing| legs_now(window, quotes).flatten().find(|quote| quote.standing == standing);
    // While nothing of a line is lost, as nearly always, one look at the line says so.
    let is_lost = |quote: &Quote| matches!(quote.standing, Standing::Stale | Standing::Started);
    if !quotes.iter().any(is_lost) {
        return None;
    }
    find(Standing::Stale).or_else(|| find(Standing::Started))
}

fn legs_now<'a>(window: &Window, quotes: &'a [Quote]) -> impl Iterator<Item = Option<&'a Quote>> {
    window.legs.iter().map(|leg| quotes.iter().find(|quote| quote.key == leg.key))
}

fn same(legs: &[Quote], arb: &Arb<'_>, alike: impl Fn(&Quote, &Quote) -> bool) -> bool {
    legs.len() == arb.legs.len() && legs.iter().zip(&arb.legs).all(|(a, b)| alike(a, b))
}

/// By the watermark, as are the prices from before the start; the raw policy has none.
fn in_play(context: &Context<'_>) -> bool {
    match context.scene.policy {
        Policy::Board => context.scene.moment.has_begun(),
        Policy::Raw => context.scene.now >= context.scene.event.commence_time,
    }
}

/// The first 16 bytes of SHA-256 over the window's key and the coordinates of the record that opens it.
fn window_id(arb: &Arb<'_>, context: &Context<'_>) -> WindowId {
    let Coordinate { topic, partition, offset } = context.scene.at;
    let market = context.market;
    let mut hash = Sha256::new();
    // One record can open a window by the time that it brings, and another of the same key by what it says.
    if context.scene.by_time {
        hash.update("time/");
    }
    hash.update(format!("surebet/{topic}/{partition}/{offset}/{}/", context.scene.event.id));
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
        event: Arc::clone(context.scene.event),
        in_play: window.in_play,
        market: context.market,
        line: window.line,
        implied_probability: arb.implied_probability,
        margin: window.margin,
        margin_worst,
        legs: window.legs.iter().map(|leg| entry_leg(leg, arb, context.scene.names)).collect(),
        simultaneous: window.simultaneous,
        warnings: if push == Push::Whole { vec![Warning::PushPossible] } else { Vec::new() },
        score: margin_worst,
        opened_at: window.opened_at,
        updated_at: context.scene.now,
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
