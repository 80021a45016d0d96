//! Which match is on offer when.
//!
//! The market has slots. In a slot one match follows the other without end, before and after any moment, so
//! that the matches at a time depend on the seed and the time only. Nothing here knows a price.

use arb_schemas::time::{Micros, SECOND};

use super::maths::{mix, mix_signed, share};
use super::model::Model;
use super::sport::{self, SPORTS, Sport};

/// The market moves in steps of this.
pub(super) const STEP: Micros = 10 * SECOND;
/// Matches begin at whole multiples of this.
const ROUND: Micros = 300 * SECOND;
/// From the latest end of a match to the next match of its slot.
const GAP: Micros = 600 * SECOND;
/// A match lasts between this and the inverse of it, in its sport's time.
const SHORTEST: f64 = 0.9;

/// One match: its time, number and teams.
#[derive(Debug)]
pub(super) struct Life {
    pub(super) id: String,
    /// Its lot: all that happens in it is drawn from this.
    pub(super) lot: u64,
    pub(super) sport: &'static Sport,
    pub(super) home: String,
    pub(super) away: String,
    pub(super) listed_at: Micros,
    pub(super) starts_at: Micros,
    pub(super) ends_at: Micros,
}

/// A time that is so many seconds long.
#[allow(clippy::cast_possible_truncation)] // Hours.
pub(super) fn micros(seconds: f64) -> Micros {
    (seconds * SECOND as f64) as Micros
}

/// The match of a slot at a time: the one on offer, or else the next one.
pub(super) fn life(seed: u64, slot: usize, at: Micros, model: &Model) -> Life {
    let (life, next) = life_around(seed, slot, at, model);
    if at < life.ends_at { life } else { life_around(seed, slot, next, model).0 }
}

/// The match whose turn it is at a time, even if it is over by then, and when the next one's turn comes.
fn life_around(seed: u64, slot: usize, at: Micros, model: &Model) -> (Life, Micros) {
    let sport = &SPORTS[slot % SPORTS.len()];
    let (listed, longest) = (micros(model.listed_before), micros(sport.duration * model.length / SHORTEST));
    let cycle = listed + longest + GAP;
    let slot_lot = mix(seed, slot as u64);
    // The golden ratio spreads any number of slots evenly over the cycle.
    let even = (slot as f64 * 0.618_033_988_749_894_9 + share(mix(seed, u64::MAX))).fract();
    let phase = micros(even * cycle as f64 / SECOND as f64);
    let number = (at - phase).div_euclid(cycle);
    let opens_at = number * cycle + phase;
    let lot = mix_signed(slot_lot, number);
    let starts_at = (opens_at + listed).div_euclid(ROUND) * ROUND;
    let scale = SHORTEST + (1.0 / SHORTEST - SHORTEST) * share(mix(lot, 1));
    let [home, away] = sport::sides(mix(lot, 2));
    let life = Life {
        id: format!("simulated-{lot:016x}"),
        lot,
        sport,
        home,
        away,
        listed_at: opens_at.div_euclid(STEP) * STEP,
        starts_at,
        ends_at: starts_at + micros(sport.duration * model.length * scale),
    };
    (life, opens_at + cycle)
}

impl Life {
    pub(super) fn is_on_offer(&self, at: Micros) -> bool {
        self.listed_at <= at && at < self.ends_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_follow_one_another_and_hardly_leave_a_gap() {
        let model = Model::default();
        let mut at = -1_000_000 * SECOND;
        let mut last = life(3, 5, at, &model);
        for _ in 0..100 {
            at = last.ends_at;
            let next = life(3, 5, at, &model);
            assert!(next.id != last.id && next.lot != last.lot);
            assert!(
                !last.is_on_offer(at) && next.listed_at < next.starts_at && next.starts_at < next.ends_at
            );
            assert!(next.listed_at - last.ends_at < 3_600 * SECOND && next.listed_at > last.ends_at);
            assert_eq!(next.starts_at % ROUND, 0);
            last = next;
        }
    }
}
