//! Parts of the input that the engine left out or did not accept, as faults.
//!
//! It never keeps the input.

use arb_engine::Step;
use arb_engine::caps::LeftOut;
use arb_model::{Event, Faults};

/// Counts what the engine had no room for.
pub fn count_left_out(faults: &mut Faults, left_out: &LeftOut) {
    for (cap, count) in left_out.iter() {
        let (field, problem) = cap.fault();
        faults.count_many(field, problem, count.into());
    }
}

/// Counts the ticks that the engine did not accept.
pub fn count_step(faults: &mut Faults, step: Step) {
    if step.future_ticks > 0 {
        faults.count_many("last_seen_at", "in the future", step.future_ticks.into());
    }
}

/// Counts a frame whose prices were put by names, of which nothing was left out.
pub fn count_swapped(faults: &mut Faults, step: Step) {
    if step.are_sides_swapped {
        let (field, problem) = Event::SIDES_SWAPPED;
        faults.count(field, problem);
    }
}
