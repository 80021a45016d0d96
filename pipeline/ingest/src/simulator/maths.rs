//! Chance and curves, in arithmetic that every machine does alike.
//!
//! Only `+ - * /` and square roots, which IEEE 754 fixes to the bit: a library's `exp` and `ln` differ
//! between machines, and the same seed must give the same market everywhere. Nothing here knows a price.

use fastrand::Rng;

/// `exp(x)`: powers of two for the whole part, a polynomial for the rest (relative error below 1e-9).
pub(super) fn exp(x: f64) -> f64 {
    let x = x.clamp(-600.0, 600.0);
    let whole = (x * std::f64::consts::LOG2_E).round();
    let rest = x - whole * std::f64::consts::LN_2;
    let series = (1..=9).rev().fold(1.0, |sum, term| 1.0 + sum * rest / f64::from(term));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Between -866 and 866, as clamped.
    let power = f64::from_bits(((whole as i64 + 1023) as u64) << 52);
    series * power
}

/// `ln(x)` of a number above 0: its exponent, and the series of artanh for its digits.
fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    #[allow(clippy::cast_possible_wrap)] // Eleven bits.
    let exponent = (bits >> 52) as i64 - 1023;
    let digits = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    let ratio = (digits - 1.0) / (digits + 1.0);
    let square = ratio * ratio;
    let series = (0..16).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    2.0 * ratio * series + exponent as f64 * std::f64::consts::LN_2
}

/// The chance that a standard normal number is below `z`, by the logistic curve that lies closest to it.
pub(super) fn below(z: f64) -> f64 {
    1.0 / (1.0 + exp(-1.702 * z))
}

/// A number of mean 0 and deviation 1, nearly normal, never beyond 3.5.
pub(super) fn gauss(rng: &mut Rng) -> f64 {
    (rng.f64() + rng.f64() + rng.f64() + rng.f64() - 2.0) * 1.732_050_807_568_877_2
}

/// How many steps until what comes once in `mean` steps comes again; at least one.
pub(super) fn wait(rng: &mut Rng, mean: f64) -> i64 {
    let steps = -ln(1.0 - rng.f64()) * mean;
    // What never comes comes after more steps than any market has.
    #[allow(clippy::cast_possible_truncation)]
    if steps < 1e12 { (steps as i64).max(0) + 1 } else { 1_000_000_000_000 }
}

/// A number that looks drawn by lot, for a pair of numbers.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.rotate_left(32) ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The same, of a pair with a number that may be below 0.
pub(super) fn mix_signed(a: u64, b: i64) -> u64 {
    mix(a, b.cast_unsigned())
}

/// A lot as a share of 1.
pub(super) fn share(lot: u64) -> f64 {
    (lot >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_agree_with_a_library() {
        for x in [-30.0, -2.5, -0.1, 0.0, 0.7, 1.0, 12.3] {
            assert!((exp(x) / f64::exp(x) - 1.0).abs() < 1e-9, "{x}");
        }
        for x in [1e-9, 0.2, 0.9999, 1.0, 3.0, 1e9] {
            assert!((ln(x) - f64::ln(x)).abs() < 1e-9, "{x}");
        }
        assert!((below(0.0) - 0.5).abs() < 1e-12 && (below(1.0) - 0.841).abs() < 0.01);
    }

    #[test]
    fn waits_have_their_mean_and_normal_numbers_their_deviation() {
        let mut rng = Rng::with_seed(1);
        let waits: i64 = (0..100_000).map(|_| wait(&mut rng, 50.0)).sum();
        assert!((waits as f64 / 1e5 - 50.5).abs() < 1.0, "{waits}");
        let squares: f64 = (0..100_000).map(|_| gauss(&mut rng).powi(2)).sum();
        assert!((squares / 1e5 - 1.0).abs() < 0.02, "{squares}");
        assert_eq!(wait(&mut rng, f64::INFINITY), 1_000_000_000_000);
    }

    #[test]
    fn lots_of_neighbours_have_nothing_in_common() {
        let shares: f64 = (0..10_000).map(|at| share(mix_signed(7, at - 5_000))).sum();
        assert!((shares / 1e4 - 0.5).abs() < 0.02, "{shares}");
        assert_ne!(mix(1, 2), mix(2, 1));
    }
}
