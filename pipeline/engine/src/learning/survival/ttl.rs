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
    use proptest::prelude::*;

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
    fn a_window_past_the_steepest_hazard_has_longer() {
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

    fn hazards() -> impl Strategy<Value = Hazard> {
        prop::array::uniform11(-5.0..-1.0_f64)
            .prop_map(|logs| logs.map(|log| exp(log * std::f64::consts::LN_10)))
    }

    proptest! {
        /// A tenth is gone before half are, and half before nine tenths; by each of them the share that it names is alive.
        #[test]
        fn quantiles_are_ordered_and_are_what_survives(
            hazard in hazards(), pace in 435..5_078_i64, age in 0..40_000 * SECOND,
        ) {
            let ttl = Ttl::new(hazard, pace, age);
            prop_assert!(ttl.p10 <= ttl.median && ttl.median <= ttl.p90 && ttl.p90 <= CEILING);
            for (time, alive) in [(ttl.p10, 0.9), (ttl.median, 0.5), (ttl.p90, 0.1)] {
                let survives = ttl.survives(time);
                // Beyond the ceiling nothing is foretold; a time is rounded to a microsecond of at most 5 paced ones.
                prop_assert!(time == CEILING || (survives - alive).abs() < 1e-5, "{} {}", survives, alive);
            }
        }

        /// The survival function begins at 1 and never grows.
        #[test]
        fn survival_never_grows(hazard in hazards(), age in 0..40_000 * SECOND, a in 0..CEILING, b in 0..CEILING) {
            let ttl = Ttl::new(hazard, 1_000, age);
            prop_assert!((ttl.survives(0) - 1.0).abs() < 1e-12);
            prop_assert!(ttl.survives(a.max(b)) <= ttl.survives(a.min(b)));
            prop_assert!((0.0..=1.0).contains(&ttl.survives(a)));
        }

        /// To live for two spans is to live for the first, and then for the second as a window that is so much older.
        #[test]
        fn survival_over_two_spans_is_the_product_of_both(
            hazard in hazards(), age in 0..40_000 * SECOND, a in 0..20_000 * SECOND, b in 0..20_000 * SECOND,
        ) {
            let (young, older) = (Ttl::new(hazard, 1_000, age), Ttl::new(hazard, 1_000, age + a));
            prop_assert!((young.survives(a + b) - young.survives(a) * older.survives(b)).abs() < 1e-9);
        }

        /// A higher hazard at every age leaves less time.
        #[test]
        fn a_higher_hazard_leaves_less(hazard in hazards(), factor in 1.0..20.0_f64, age in 0..40_000 * SECOND) {
            let (low, high) = (Ttl::new(hazard, 1_000, age), Ttl::new(hazard.map(|it| it * factor), 1_000, age));
            prop_assert!(high.p10 <= low.p10 && high.median <= low.median && high.p90 <= low.p90);
            prop_assert!(high.survives(600 * SECOND) <= low.survives(600 * SECOND));
        }
    }

    /// A hazard of one in 1,000 s up to the age of 15 s and one in 100 s from there on. The median of a new
    /// window has ln 2 = 0.693147 of hazard: 0.015 by 15 s and the rest in 67.8147 s: 82.8147 s in all.
    #[test]
    fn a_golden_median_over_two_pieces() {
        let mut hazard = [1.0 / 100.0; PIECES];
        hazard[0] = 1.0 / 1_000.0;
        let ttl = Ttl::new(hazard, 1_000, 0);
        assert!((ttl.median - 82_814_718).abs() <= 1, "{}", ttl.median);
        // At twice the pace its age of 5 s is 10 s: 5 s of 0.005, then 68.8147 s, 73.8147 s in half the time.
        let paced = Ttl::new(hazard, 2_000, 5 * SECOND);
        assert!((paced.median - 36_907_359).abs() <= 1, "{}", paced.median);
    }
}
