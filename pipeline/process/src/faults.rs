//! Parts of the input that the engine left out or did not accept, as faults.
//!
//! It never keeps the input.

use arb_engine::Step;
use arb_engine::caps::LeftOut;
use arb_model::Faults;

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
