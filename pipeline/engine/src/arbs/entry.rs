//! An open window as an entry of the board: judged, staked, and with its warnings.
//!
//! It never changes a window, and decides nothing that a window's life depends on.

use std::sync::Arc;

use crate::Micros;
use crate::context::MarketContext;
use crate::effect::{Entry, EntryLeg, Warning};
use crate::market::Side;
use crate::quotes::Quote;
use crate::venues::currency;

use super::best::Arb;
use super::judged::{Judged, Staked, book, limit};
use super::stakes;
use super::window::Window;

/// The entry of a window as it was judged.
pub(crate) fn entry_of(window: &Window, judged: &Judged<'_>, context: &MarketContext<'_>) -> Box<Entry> {
    let (arb, staked) = (judged.arb, &judged.staked);
    let legs: Vec<_> =
        arb.legs.iter().enumerate().map(|(at, leg)| entry_leg(leg, at, judged, context)).collect();
    let books_of_legs: Vec<_> = legs.iter().map(|leg| &*leg.book).collect();
    let doubts = judged.findings.failed_checks(&books_of_legs);
    let margin_rounded = staked.margin_rounded();
    let ttl = context.step.survival.ttl(&context.step.event.sport, &window.life, context.step.now);
    let placeable = ttl.survives(PLACING);
    Box::new(Entry {
        id: window.id,
        event: Arc::clone(context.step.event),
        in_play: window.in_play,
        market: context.market,
        line: window.line,
        implied_probability: arb.implied_probability,
        margin: window.margin,
        margin_worst: staked.margin_worst,
        margin_rounded,
        total_stake_max: staked.total_max,
        currency: currency(arb.legs.iter().map(|leg| book(leg, context))).map(Into::into),
        legs,
        verification: window.verification,
        doubts,
        warnings: warnings(arb, staked),
        ttl,
        placeable,
        score: margin_rounded.unwrap_or(0.0).max(0.0) * placeable,
        opened_at: window.opened_at,
        updated_at: context.step.now,
        sequence: window.sequence,
    })
}

fn entry_leg(leg: &Quote, at: usize, judged: &Judged<'_>, context: &MarketContext<'_>) -> EntryLeg {
    let venue = context.step.pricing.venues.venue(leg.key.book);
    let stake = judged.staked.rounded.as_ref().and_then(|rounded| rounded.stakes.get(at));
    EntryLeg {
        outcome: leg.key.outcome,
        side: leg.key.side,
        book: Arc::clone(&venue.key),
        operator: venue.operator().into(),
        price: leg.price,
        effective_price: leg.effective,
        implied_probability: leg.effective.implied_probability(),
        stake_share: judged.staked.shares[at],
        stake: stake.map(|stake| stake.placed),
        liability: stake
            .filter(|_| leg.key.side == Side::Lay)
            .and_then(|stake| stakes::liability(stake.placed, leg.price)),
        limit: limit(leg),
        price_moved_at: leg.price_moved_at,
        last_seen_at: leg.span_end,
    }
}

/// What a taker must know.
fn warnings(arb: &Arb<'_>, staked: &Staked) -> Vec<Warning> {
    let push = (staked.margin_worst.abs() < NOISE).then_some(Warning::PushPossible);
    let half =
        arb.legs.iter().any(|leg| leg.key.line.is_some_and(is_quarter)).then_some(Warning::HalfPushPossible);
    let unknown = arb.legs.iter().any(|leg| leg.limit.is_none()).then_some(Warning::LimitUnknown);
    push.into_iter().chain(half).chain(unknown).collect()
}

/// Whether a bet at this line is two of half the stake, at the lines beside it: one of them is a whole one, on which stakes come
/// back.
fn is_quarter(line: i32) -> bool {
    line.rem_euclid(500) == 250
}

/// How long it takes to place all legs: two minutes.
const PLACING: Micros = 120_000_000;

/// A return that is none, but for the noise of the arithmetic.
const NOISE: f64 = 1e-12;
