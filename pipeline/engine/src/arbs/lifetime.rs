//! What is recorded of the life of a window at each step.
//!
//! It never opens or closes one.

use std::sync::Arc;

use crate::Micros;
use crate::context::MarketContext;
use crate::effect::{CloseReason, Effects};
use crate::learning::survival::{Cell, End, Life, LifetimeSample, Profile, ProfileInput};
use crate::quotes::Quote;

use super::window::Window;

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

/// When the market was last updated, before the record that is taken in.
fn last_received(context: &MarketContext<'_>) -> Option<Micros> {
    context.was.iter().map(|quote| quote.received_at).max()
}

/// The life of a window that stays open; what was lived of it is recorded.
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

/// Records the end of a window.
pub(crate) fn end(
    window: &Window,
    reason: CloseReason,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) {
    let end = match reason {
        CloseReason::PriceMoved | CloseReason::Withdrawn | CloseReason::Suspended => {
            End::Gone { is_push: context.step.is_push }
        }
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
