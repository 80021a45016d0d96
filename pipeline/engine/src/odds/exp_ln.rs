//! `exp` and `ln` that every machine computes alike.
//!
//! Only `+ - * /`, which IEEE 754 fixes to the bit: those of a library differ between machines in the last
//! digit, and a replay must compute the same everywhere. (The simulated market has separate, coarser ones:
//! its feeds depend on their bits.) It never receives anything but finite numbers.

use std::f64::consts::LOG2_E;

/// ln 2 in two parts, of which the first has few enough digits that a whole multiple of it is exact.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// `exp(x)`, for x between -700 and 700; beyond that, what it is there.
pub(crate) fn exp(x: f64) -> f64 {
    let x = x.clamp(-700.0, 700.0);
    let whole = (x * LOG2_E).round();
    let rest = (x - whole * LN_2[0]) - whole * LN_2[1];
    let series = (1..=14).rev().fold(1.0, |sum, term| 1.0 + sum * rest / f64::from(term));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Between -1010 and 1010, as clamped.
    let power = f64::from_bits(((whole as i64 + 1023) as u64) << 52);
    series * power
}

/// `ln(x)` of a normal number above 0: its exponent, and the series of artanh for its digits.
pub(crate) fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    #[allow(clippy::cast_possible_wrap)] // Eleven bits.
    let exponent = (bits >> 52) as i64 - 1023;
    let digits = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    // Digits around 1, so that the logarithm of a number close to 1 stays accurate.
    let (digits, exponent) = if digits > 1.5 { (digits / 2.0, exponent + 1) } else { (digits, exponent) };
    let ratio = (digits - 1.0) / (digits + 1.0);
    let square = ratio * ratio;
    let series = (0..14).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    let exponent = exponent as f64;
    exponent * LN_2[0] + (2.0 * ratio * series + exponent * LN_2[1])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn golden_values() {
        assert!((exp(1.0) - std::f64::consts::E).abs() < 1e-15 && (exp(0.0) - 1.0).abs() < 1e-300);
        assert!((ln(2.0) - std::f64::consts::LN_2).abs() < 1e-16 && ln(1.0).abs() < 1e-300);
        assert!((ln(1.0 - 1e-9) + 1e-9).abs() < 1e-16);
    }

    proptest! {
        #[test]
        fn they_agree_with_the_library_up_to_the_last_digits(x in -600.0_f64..600.0, y in 1e-300_f64..1e300) {
            prop_assert!((exp(x) / x.exp() - 1.0).abs() < 1e-13, "{x}");
            prop_assert!((ln(y) - y.ln()).abs() <= 4e-16 * y.ln().abs() + 1e-16, "{y}");
        }

        #[test]
        fn exp_and_ln_are_inverse(x in -1.0_f64..1.0) {
            prop_assert!((ln(exp(x)) - x).abs() < 1e-15);
        }
    }
}
