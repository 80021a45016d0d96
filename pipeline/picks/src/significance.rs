//! How probable luck alone is: one-sided p-values, and Holm's correction for many trials.
//!
//! It never chooses which trials count: who calls it passes all of them.
//!
//! Sources: Abramowitz and Stegun 1964, 7.1.26; Holm 1979, "A simple sequentially rejective multiple test procedure".

/// A result at or below this probability is distinguished from luck.
pub const LEVEL: f64 = 0.05;

/// The probability that a standard normal variable is at least this; within 1e-7.
#[must_use]
pub fn upper_tail(t: f64) -> f64 {
    let x = t.abs() / std::f64::consts::SQRT_2;
    let u = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [0.254_829_592, -0.284_496_736, 1.421_413_741, -1.453_152_027, 1.061_405_429];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * u);
    let half = 0.5 * sum * (-x * x).exp();
    if t >= 0.0 { half } else { 1.0 - half }
}

/// p-values corrected for their number, in the order that they were passed in.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<_> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut corrected = vec![0.0; p.len()];
    let mut highest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        highest = highest.max(p[index] * (p.len() - rank) as f64).min(1.0);
        corrected[index] = highest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_the_tables() {
        for (t, p) in
            [(0.0, 0.5), (1.644_853_6, 0.05), (1.959_964, 0.025), (-1.0, 0.841_344_7), (3.0, 0.001_349_9)]
        {
            assert!((upper_tail(t) - p).abs() < 2e-7, "{t}: {}", upper_tail(t));
        }
    }

    #[test]
    fn holm_is_the_worked_example() {
        // Sorted 0.01, 0.03, 0.04: times 3, 2, 1 = 0.03, 0.06, 0.04, and never below the one before.
        let corrected = holm(&[0.04, 0.01, 0.03]);
        for (ours, theirs) in corrected.iter().zip([0.06, 0.03, 0.06]) {
            assert!((ours - theirs).abs() < 1e-12, "{corrected:?}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
