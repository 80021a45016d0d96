//! The prior from recordings: the hazards by stage and kind from which a partition that has seen nothing begins.
//!
//! All windows of a stage lean on one guess of the phase, each kind on its stage. What it makes is the table of `prior`;
//! it never reads that.

use super::cell::{Cell, Hazard, PIECES};
use super::profile::{EventStage, MarketKind};

/// Deaths a second from which everything is learnt: half are gone in 10 minutes in play, in 21 before.
const GUESS: [f64; 2] = [1.0 / 900.0, 1.0 / 1_800.0];
/// The weight of the guess, and of the stage, in deaths.
const WEIGHTS: [f64; 2] = [5.0, 10.0];

/// The prior's hazards by stage and kind, in their order, from what was lived in each.
#[must_use]
pub fn prior(survival: impl Fn(EventStage, MarketKind) -> Cell) -> [[Hazard; 3]; 4] {
    EventStage::ALL.map(|stage| {
        let all = MarketKind::ALL.iter().fold(Cell::default(), |sum, kind| sum.plus(&survival(stage, *kind)));
        let guess = GUESS[usize::from(stage != EventStage::InPlay)];
        let common = all.shrunk(&[guess; PIECES], WEIGHTS[0]);
        MarketKind::ALL.map(|kind| survival(stage, kind).shrunk(&common, WEIGHTS[1]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_leans_on_its_stage_and_a_stage_on_the_guess() {
        let ten = (0..10).fold(Cell::default(), |sum, _| sum.plus(&Cell::died(0, 0)));
        let of = |stage, kind| {
            if (stage, kind) == (EventStage::Days, MarketKind::Total) { ten } else { Cell::default() }
        };
        let [in_play, _, days, _] = prior(of);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-15;
        assert!(in_play.iter().flatten().all(|hazard| near(*hazard, 1.0 / 900.0)));
        // (10 + 5) / (5 * 1800), then (10 + 10) / (10 / that); no end later.
        assert!(near(days[0][0], 15.0 / 9_000.0) && near(days[2][0], 2.0 * 15.0 / 9_000.0));
        assert!(near(days[2][1], 1.0 / 1_800.0));
    }
}
