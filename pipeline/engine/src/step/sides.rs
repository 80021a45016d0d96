//! A frame that names home and away the other way round than its event is known: its prices by names.
//!
//! An event keeps the sides under which it was first known, so that no price moves because a source changes their order. It never
//! guesses: other names than the two that are known are another pair of sides.

use crate::input::{Event, Frame, Tick};
use crate::market::EventInfo;

/// Whether an input names the sides of a known event the other way round.
pub(super) fn are_swapped(known: &EventInfo, event: &Event<'_>) -> bool {
    EventInfo::are_swapped((&known.home, &known.away), (event.home, event.away))
}

/// The frame with its sides the other way round, each price on the same name as before.
pub(super) fn swapped<'a>(frame: &Frame<'a>) -> Frame<'a> {
    let Event { home, away, .. } = frame.event;
    let tick = |tick: &Tick<'a>| Some(Tick { bet: tick.bet.with_sides_swapped()?, ..*tick });
    let ticks = frame.ticks.iter().filter_map(tick).collect();
    Frame { event: Event { home: away, away: home, ..frame.event }, ticks, ..frame.clone() }
}
