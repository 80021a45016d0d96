//! What is recorded of the life of a window at each step.
//!
//! It never opens or closes one.

use std::sync::Arc;

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
            start: context.step.event.commence_time.0.saturating_sub(now),
            margin: self.margin,
            oldest: oldest.unwrap_or(0),
        });
        Life::begin(profile, context.last_received.map(|received_at| now - received_at), now)
    }
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
    let teaches = is_taught_by(&was.legs, context) && is_taught_by(&now.legs, context);
    // Time alone confirms nothing, and what a client pushes confirms nothing of the other legs.
    if !context.step.by_time
        && context.step.arrival.teaches()
        && let Some(cell) = life.confirm(at, is_transition)
        && teaches
    {
        record(&life, cell, context, effects);
    }
    if was.in_play == now.in_play {
        return life;
    }
    if teaches {
        record(&life, life.end(at, End::Lost), context, effects);
    }
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
            End::Gone { is_push: context.step.arrival.is_push() }
        }
        CloseReason::Stale => End::Gone { is_push: false },
        // These closes carry no information about the prices.
        CloseReason::EventStarted | CloseReason::EventEnded | CloseReason::Superseded => End::Lost,
    };
    if is_taught_by(&window.legs, context) {
        record(&window.life, window.life.end(context.step.now, end), context, effects);
    }
}

/// Whether others are judged by a window of these legs: no client pushed one of them, or what is taken in.
pub(super) fn is_taught_by(legs: &[Quote], context: &MarketContext<'_>) -> bool {
    let names = context.step.pricing.names;
    context.step.arrival.teaches() && !legs.iter().any(|leg| names.is_pushed(leg.source))
}

fn record(life: &Life, cell: Cell, context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    if cell != Cell::default() {
        let sport = Arc::clone(context.step.event.sport.shared());
        effects.samples.lifetimes.push(LifetimeSample { sport, profile: life.profile, cell });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Micros;
    use crate::caps::LeftOut;
    use crate::context::StepContext;
    use crate::fixtures::{self, START, World, context, price, quote};
    use crate::learning::Samples;
    use crate::learning::survival::EventStage;
    use crate::market::Outcome;
    use crate::venues::Books;

    const SECOND: Micros = 1_000_000;
    /// A day before the start.
    const OPENED: Micros = START - 86_400 * SECOND;

    fn window(world: &World) -> Window {
        let step = world.step(0, OPENED);
        let legs = vec![quote(world.book("a"), None, Outcome::Home, price("2.1"))];
        let life = Followed { legs: &legs, in_play: false, margin: 0.02 }.begin(&context(&step, "h2h"));
        fixtures::window(legs, life)
    }

    /// What is recorded of a window in a step so many seconds after it opened: deaths of its cells, in the order of the records.
    fn recorded(
        world: &World,
        seconds: i64,
        change: impl Fn(&mut StepContext<'_>),
        record: impl Fn(&MarketContext<'_>, &mut Effects<'_>),
    ) -> Vec<(EventStage, i64)> {
        let mut step = world.step(1, OPENED + seconds * SECOND);
        change(&mut step);
        let mut out = Vec::new();
        let (samples, left_out) = (Samples::default(), LeftOut::default());
        let mut effects = Effects { sequence: 0, out: &mut out, samples, left_out };
        record(&context(&step, "h2h"), &mut effects);
        effects.samples.lifetimes.iter().map(|sample| (sample.profile.stage, sample.cell.deaths())).collect()
    }

    #[test]
    fn only_what_took_the_prices_is_a_death() {
        let world = World::new(Books::default(), 1);
        let window = window(&world);
        let deaths = |reason| {
            let ended =
                recorded(&world, 300, |_| (), |context, effects| end(&window, reason, context, effects));
            ended.iter().map(|(_, deaths)| deaths).sum::<i64>()
        };
        let of = CloseReason::ALL.map(|reason| (reason.key(), deaths(reason)));
        let golden = [
            ("price_moved", 1),
            ("withdrawn", 1),
            ("suspended", 1),
            ("stale", 1),
            ("event_started", 0),
            ("event_ended", 0),
            ("superseded", 0),
        ];
        assert_eq!(of, golden);
    }

    #[test]
    fn a_confirmation_is_recorded_once_a_minute_and_time_alone_confirms_nothing() {
        let world = World::new(Books::default(), 1);
        let was = window(&world);
        let count = |seconds, by_time, is_transition| {
            let set = |step: &mut StepContext<'_>| step.by_time = by_time;
            let go_on = |context: &MarketContext<'_>, effects: &mut Effects<'_>| {
                continue_life(&was, &was, is_transition, context, effects);
            };
            recorded(&world, seconds, set, go_on).len()
        };
        assert_eq!((count(59, false, false), count(60, false, false)), (0, 1));
        assert_eq!((count(30, false, true), count(600, true, true)), (1, 0));
    }

    #[test]
    fn a_window_that_goes_in_play_begins_another_life() {
        let world = World::new(Books::default(), 1);
        let was = window(&world);
        let now = Window { in_play: true, ..was.clone() };
        let stages = recorded(
            &world,
            300,
            |_| (),
            |context, effects| {
                let life = continue_life(&was, &now, true, context, effects);
                assert_eq!((life.profile.stage, life.since), (EventStage::InPlay, context.step.now));
            },
        );
        assert_eq!(stages, [(EventStage::Days, 0)], "what was lived before is recorded, and no death");
    }
}
