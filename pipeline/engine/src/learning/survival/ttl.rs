//! The time that a hazard leaves: quantiles, and the probability of living so long.
//!
//! It never learns.

use arb_model::time::SECOND;

use crate::Micros;
use crate::odds::{exp, ln};

use super::cell::{Hazard, PIECES, ends};
use super::profile::paced;

/// Nothing is foretold for longer: the retention of the tick topic.
const CEILING: Micros = 7 * 86_400 * 1_000_000;

/// How long a window has still to live, as of a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ttl {
    /// Microseconds by which one in ten is gone.
    pub p10: Micros,
    /// Microseconds by which half are gone.
    pub median: Micros,
    /// Microseconds by which nine in ten are gone.
    pub p90: Micros,
    /// Deaths a second of age, by piece of age.
    hazard: Hazard,
    pace: i64,
    /// Paced.
    age: Micros,
}

impl Ttl {
    /// Of a window of an age that is counted at a pace.
    pub(super) fn new(hazard: Hazard, pace: i64, age: Micros) -> Self {
        let age = paced(age, pace);
        let left = |alive: f64| after(&hazard, pace, age, -ln(alive));
        Self { p10: left(0.9), median: left(0.5), p90: left(0.1), hazard, pace, age }
    }

    /// As it is published.
    pub(crate) fn in_seconds(&self) -> arb_model::Ttl {
        let seconds = |micros: Micros| micros as f64 / SECOND as f64;
        let [p10, median, p90] = [self.p10, self.median, self.p90].map(seconds);
        arb_model::Ttl { p10, median, p90 }
    }

    /// The probability that it is alive so many microseconds later.
    #[must_use]
    pub fn survives(&self, time: Micros) -> f64 {
        let end = self.age.saturating_add(paced(time, self.pace));
        let pieces = pieces(&self.hazard, self.age).map(|(from, to, hazard)| {
            let lived = to.min(end).saturating_sub(from).max(0);
            hazard * lived as f64 / 1e6
        });
        exp(-pieces.sum::<f64>())
    }
}

/// What is left of each piece of age: from, to, and its hazard.
fn pieces(hazard: &Hazard, age: Micros) -> impl Iterator<Item = (Micros, Micros, f64)> {
    (0..PIECES).map(move |piece| {
        let (start, end) = ends(piece);
        (start.max(age), end.max(age), hazard[piece])
    })
}

/// After how long so much hazard has been lived through.
fn after(hazard: &Hazard, pace: i64, age: Micros, mut wanted: f64) -> Micros {
    let mut lived = 0.0;
    for (from, to, hazard) in pieces(hazard, age) {
        let seconds = (to - from) as f64 / 1e6;
        if hazard * seconds >= wanted {
            lived += wanted / hazard;
            break;
        }
        wanted -= hazard * seconds;
        lived += seconds;
    }
    let micros = (lived * 1e9 / pace as f64).round();
    // A float beyond the range is its end.
    #[allow(clippy::cast_possible_truncation)]
    let micros = micros as Micros;
    micros.clamp(1, CEILING)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Micros = 1_000_000;

    #[test]
    fn a_constant_hazard_forgets_its_age() {
        let hazard = [1.0 / 1_000.0; PIECES];
        for age in [0, 7, 2_000, 100_000] {
            let ttl = Ttl::new(hazard, 1_000, age * SECOND);
            assert_eq!((ttl.p10, ttl.median, ttl.p90), (105_360_516, 693_147_181, 2_302_585_093));
            assert!((ttl.survives(1_000 * SECOND) - (-1.0_f64).exp()).abs() < 1e-12);
        }
    }

    #[test]
    fn who_has_lived_through_the_worst_has_longer() {
        let mut hazard = [1.0 / 10_000.0; PIECES];
        hazard[..4].fill(1.0 / 100.0);
        let [young, old] = [0, 300].map(|age| Ttl::new(hazard, 1_000, age * SECOND));
        // ln 2 at a hundredth a second, and at a ten-thousandth.
        assert_eq!((young.median, old.median), (69_314_718, 6_931_471_806));
        // All of 300 s: 3; then 0.03 in another 300 s.
        assert!((young.survives(600 * SECOND) - (-3.03_f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn a_pace_is_a_scale_of_time() {
        let mut hazard = [1.0 / 500.0; PIECES];
        hazard[0] = 1.0 / 50.0;
        let [once, twice] =
            [(1_000, 60), (2_000, 30)].map(|(pace, age)| Ttl::new(hazard, pace, age * SECOND));
        assert!((once.median - 2 * twice.median).abs() <= 1);
        assert!((once.survives(400 * SECOND) - twice.survives(200 * SECOND)).abs() < 1e-12);
        let never = Ttl::new([1e-12; PIECES], 1_000, 0);
        assert_eq!((never.p10, never.p90), (CEILING, CEILING));
        assert!(never.survives(Micros::MAX) < 1.0);
    }
}
