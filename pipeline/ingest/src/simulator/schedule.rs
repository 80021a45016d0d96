//! Which match is on offer when.
//!
//! The market has slots. In a slot one match follows the other without end, before and after any moment, so
//! that the matches at a time depend on the seed and the time only. Nothing here knows a price.

use arb_schemas::time::{Micros, SECOND};

use super::maths::{mix, mix_signed, share};
use super::model::Model;
use super::sport::{self, SHORT, SPORTS, Sport};

/// The market moves in steps of this.
pub(super) const STEP: Micros = 10 * SECOND;
/// The rhythm of usual matches, and of short ones, whose results come minutes after they are listed.
const USUAL: Rhythm = Rhythm { round: 300 * SECOND, gap: 600 * SECOND, listed_before: None, unrest: 1.0 };
const QUICK: Rhythm =
    Rhythm { round: 60 * SECOND, gap: 60 * SECOND, listed_before: Some(480.0), unrest: 6.0 };
/// A match lasts between this and the inverse of it, in its sport's time.
const SHORTEST: f64 = 0.9;

/// Times of the matches of a slot.
#[derive(Debug)]
struct Rhythm {
    /// Matches begin at whole multiples of this.
    round: Micros,
    /// From the latest end of a match to the next one.
    gap: Micros,
    /// Before a match begins it is on offer for so many seconds; `None`: as long as the model has it.
    listed_before: Option<f64>,
    /// What is expected of a match before it begins moves so many times as far.
    unrest: f64,
}

/// A place of the market in which one match follows the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    number: usize,
    is_short: bool,
}

impl Slot {
    /// All slots of a market.
    pub(super) fn all(usual: usize, short: usize) -> impl Iterator<Item = Self> {
        let of = |is_short: bool| move |number| Self { number, is_short };
        (0..usual).map(of(false)).chain((0..short).map(of(true)))
    }

    fn rhythm(self) -> &'static Rhythm {
        if self.is_short { &QUICK } else { &USUAL }
    }

    fn sport(self) -> &'static Sport {
        if self.is_short { &SHORT } else { &SPORTS[self.number % SPORTS.len()] }
    }

    /// Short slots have lots of their own, so that they leave the others as they are.
    fn lot(self, seed: u64) -> u64 {
        let lot = mix(seed, self.number as u64);
        if self.is_short { mix(lot, 4) } else { lot }
    }
}

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
    /// What is expected of it before it begins moves so many times as far as the model has it.
    pub(super) unrest: f64,
    /// Until when books have prices of it: of a short one only until it begins.
    offered_until: Micros,
    pub(super) ends_at: Micros,
}

/// A time that is so many seconds long.
#[allow(clippy::cast_possible_truncation)] // Hours.
pub(super) fn micros(seconds: f64) -> Micros {
    (seconds * SECOND as f64) as Micros
}

/// The match of a slot at a time: the one on offer, or else the next one.
pub(super) fn life(seed: u64, slot: Slot, at: Micros, model: &Model) -> Life {
    let (life, next) = life_around(seed, slot, at, model);
    if at < life.ends_at { life } else { life_around(seed, slot, next, model).0 }
}

/// The match whose turn it is at a time, even if it is over by then, and when the next one's turn comes.
fn life_around(seed: u64, slot: Slot, at: Micros, model: &Model) -> (Life, Micros) {
    let (sport, rhythm) = (slot.sport(), slot.rhythm());
    let listed = micros(rhythm.listed_before.unwrap_or(model.listed_before));
    let longest = micros(sport.duration * model.length / SHORTEST);
    let cycle = listed + longest + rhythm.gap;
    // The golden ratio spreads any number of slots evenly over the cycle.
    let even = (slot.number as f64 * 0.618_033_988_749_894_9 + share(mix(seed, u64::MAX))).fract();
    let phase = micros(even * cycle as f64 / SECOND as f64);
    let number = (at - phase).div_euclid(cycle);
    let opens_at = number * cycle + phase;
    let lot = mix_signed(slot.lot(seed), number);
    let starts_at = (opens_at + listed).div_euclid(rhythm.round) * rhythm.round;
    let scale = SHORTEST + (1.0 / SHORTEST - SHORTEST) * share(mix(lot, 1));
    let [home, away] = sport::sides(mix(lot, 2));
    let ends_at = starts_at + micros(sport.duration * model.length * scale);
    let life = Life {
        id: format!("simulated-{lot:016x}"),
        lot,
        sport,
        home,
        away,
        listed_at: opens_at.div_euclid(STEP) * STEP,
        starts_at,
        unrest: rhythm.unrest,
        offered_until: if slot.is_short { starts_at } else { ends_at },
        ends_at,
    };
    (life, opens_at + cycle)
}

/// The matches of a slot that ended after one time and up to another.
pub(super) fn ended(seed: u64, slot: Slot, after: Micros, until: Micros, model: &Model) -> Vec<Life> {
    let mut at = after;
    let turns = std::iter::from_fn(|| {
        let (life, next) = life_around(seed, slot, at, model);
        at = next;
        (life.listed_at <= until).then_some(life)
    });
    turns.filter(|life| after < life.ends_at && life.ends_at <= until).collect()
}

impl Life {
    pub(super) fn is_on_offer(&self, at: Micros) -> bool {
        self.listed_at <= at && at < self.offered_until
    }

    /// The period that is played at a time; `None` before and after the match.
    pub(super) fn period(&self, at: Micros) -> Option<String> {
        let (letter, count) = self.sport.periods;
        let played = at - self.starts_at;
        let number = 1 + played * count / (self.ends_at - self.starts_at).max(1);
        (played >= 0 && at < self.ends_at).then(|| format!("{letter}{number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_follow_one_another_and_hardly_leave_a_gap() {
        let model = Model::default();
        let mut at = -1_000_000 * SECOND;
        let slot = Slot { number: 5, is_short: false };
        let mut last = life(3, slot, at, &model);
        for _ in 0..100 {
            at = last.ends_at;
            let next = life(3, slot, at, &model);
            assert!(next.id != last.id && next.lot != last.lot);
            assert!(
                !last.is_on_offer(at) && next.listed_at < next.starts_at && next.starts_at < next.ends_at
            );
            assert!(next.listed_at - last.ends_at < 3_600 * SECOND && next.listed_at > last.ends_at);
            assert_eq!(next.starts_at % USUAL.round, 0);
            last = next;
        }
    }

    #[test]
    fn a_short_match_is_over_within_minutes_and_is_not_offered_in_play() {
        let model = Model::default();
        for slot in Slot::all(0, 12) {
            let short = life(1, slot, 9_000_000 * SECOND, &model);
            assert!(short.ends_at - short.listed_at < 900 * SECOND && short.starts_at % (60 * SECOND) == 0);
            assert!(short.is_on_offer(short.starts_at - 1) && !short.is_on_offer(short.starts_at));
            assert!(short.listed_at + 300 * SECOND < short.starts_at);
        }
    }

    #[test]
    fn every_match_ends_in_one_stretch_of_time() {
        let model = Model::default();
        let (from, hour) = (7_000_000 * SECOND, 3_600 * SECOND);
        for slot in Slot::all(4, 4) {
            let ids = |after, until| ended(3, slot, after, until, &model).into_iter().map(|life| life.id);
            let whole: Vec<_> = ids(from, from + 100 * hour).collect();
            let parts: Vec<_> =
                (0..100).flat_map(|at| ids(from + at * hour, from + (at + 1) * hour)).collect();
            assert!(whole == parts && whole.len() >= 4, "{whole:?} {parts:?}");
        }
    }
}
