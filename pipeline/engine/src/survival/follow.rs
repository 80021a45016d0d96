//! Windows as survival follows them: what each step of their life teaches.
//!
//! It never opens or closes one.

use std::sync::Arc;

use crate::Micros;
use crate::effect::CloseReason;
use crate::quotes::Quote;
use crate::window::{MarketContext, Effects, Window};

use super::LifetimeSample;
use super::cell::Cell;
use super::life::{End, Life};
use super::verdict::{Profile, ProfileInput};

/// A window as survival follows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Followed<'a> {
    pub(crate) legs: &'a [Quote],
    pub(crate) in_play: bool,
    pub(crate) margin: f64,
}

impl Followed<'_> {
    /// The life of a window that is followed from now on.
    pub(crate) fn begin(&self, context: &MarketContext<'_>) -> Life {
        let now = context.step.now;
        let oldest = self.legs.iter().map(|leg| now - leg.span_end).max();
        let profile = Profile::of(&ProfileInput {
            market: context.market,
            in_play: self.in_play,
            start: context.step.event.commence_time.saturating_sub(now),
            margin: self.margin,
            oldest: oldest.unwrap_or(0),
        });
        Life::begin(profile, last_received(context).map(|received_at| now - received_at), now)
    }
}

/// When the market was last heard of, before what is said now.
fn last_received(context: &MarketContext<'_>) -> Option<Micros> {
    context.was.iter().map(|quote| quote.received_at).max()
}

/// The life of a window that goes on, and what that teaches.
pub(crate) fn continue_life(
    was: &Window,
    now: &Window,
    is_transition: bool,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Life {
    let (mut life, at) = (was.life, context.step.now);
    // Time alone confirms nothing.
    if !context.step.by_time
        && let Some(cell) = life.confirm(at, is_transition)
    {
        record(&life, cell, context, effects);
    }
    if was.in_play == now.in_play {
        return life;
    }
    record(&life, life.end(at, End::Lost), context, effects);
    Followed { legs: &now.legs, in_play: now.in_play, margin: now.margin }.begin(context)
}

/// What the end of a window teaches.
pub(crate) fn end(window: &Window, reason: CloseReason, context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    let end = match reason {
        CloseReason::PriceMoved | CloseReason::Withdrawn | CloseReason::Suspended => End::Gone { is_push: context.step.is_push },
        CloseReason::Stale => End::Gone { is_push: false },
        // These say nothing of the prices.
        CloseReason::EventStarted | CloseReason::EventEnded | CloseReason::Superseded => End::Lost,
    };
    record(&window.life, window.life.end(context.step.now, end), context, effects);
}

fn record(life: &Life, cell: Cell, context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    if cell != Cell::default() {
        let sport = Arc::clone(&context.step.event.sport);
        effects.samples.lifetimes.push(LifetimeSample { sport, profile: life.profile, cell });
    }
}
