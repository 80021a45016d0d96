//! Odds arithmetic: implied probability of a set, margin, stake shares.
//!
//! It never rounds a price up.
//!
//! Source: `S = sum 1/o_i` over an exhaustive outcome set is its implied probability; backing every outcome
//! with the share `w_i = (1/o_i)/S` returns `1/S` whatever happens (the "Dutch book" of the betting literature).

pub use arb_model::{OddsFormat, Price, PriceError, fixed_point};

/// There is an arb when S is below this: 1 less the noise of the arithmetic.
pub const ARB_BELOW: f64 = 1.0 - 1e-9;

/// `S = sum 1/o_i`, the implied probability of a set.
///
/// ```
/// use arb_engine::odds::{Price, implied_probability, margin, stake_share};
///
/// let prices = ["2.1", "2.2"].map(|odds| Price::from_decimal(odds).unwrap());
/// let sum = implied_probability(&prices);
/// assert!((sum - 0.930_736).abs() < 1e-6, "below 1: an arb");
/// assert!((margin(sum) - 0.074_419).abs() < 1e-6, "7.4 % of the total stake");
/// assert!((stake_share(prices[0], sum) - 0.511_628).abs() < 1e-6);
/// ```
#[must_use]
pub fn implied_probability(prices: &[Price]) -> f64 {
    prices.iter().map(|price| price.implied_probability()).sum()
}

/// `1/S - 1`, the return on the total stake.
#[must_use]
pub fn margin(implied_probability: f64) -> f64 {
    1.0 / implied_probability - 1.0
}

/// `(1/o)/S`, the leg's share of the total stake.
#[must_use]
pub fn stake_share(price: Price, implied_probability: f64) -> f64 {
    price.implied_probability() / implied_probability
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Price {
        Price::from_decimal(text).expect(text)
    }

    fn millionths(millionths: u32) -> Price {
        Price::from_millionths(millionths.into()).unwrap()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn golden_three_way() {
        let prices = ["2.30", "3.50", "4.23"].map(decimal);
        let s = implied_probability(&prices);
        let stakes = prices.map(|price| 100.0 * price.implied_probability());
        assert!(close(stakes[0], 43.4783) && close(stakes[1], 28.5714) && close(stakes[2], 23.6407));
        assert!(close(stakes.iter().sum(), 95.6904) && close(margin(s), 0.0450));
        let shares: f64 = prices.iter().map(|price| stake_share(*price, s)).sum();
        assert!((shares - 1.0).abs() < 1e-12);
    }

    #[test]
    fn plus_and_minus_110_are_no_arb() {
        let s = implied_probability(&[-110, 110].map(|american| Price::from_american(american).unwrap()));
        assert!(s >= ARB_BELOW, "{s}");
    }

    proptest! {
        #[test]
        fn a_worse_price_never_raises_the_margin(
            prices in prop::collection::vec(1_000_002_u32..=1_001_000_000, 2..4), which in 0_usize..2, worse in 1_u32..1_000_000,
        ) {
            let better: Vec<_> = prices.iter().copied().map(millionths).collect();
            let mut lower = better.clone();
            lower[which] = millionths(prices[which].saturating_sub(worse).max(1_000_001));
            prop_assert!(margin(implied_probability(&lower)) <= margin(implied_probability(&better)));
        }

        #[test]
        fn whatever_wins_pays_the_same(prices in prop::collection::vec(1_000_001_u32..=1_001_000_000, 2..4)) {
            let prices: Vec<_> = prices.into_iter().map(millionths).collect();
            let s = implied_probability(&prices);
            for price in prices {
                let pays = stake_share(price, s) * f64::from(price.millionths()) / 1e6;
                prop_assert!((pays - (1.0 + margin(s))).abs() < 1e-9 * pays);
            }
        }
    }

    /// `a/100 + 1` for `+a`, and `100/a + 1` for `-a`, each cut after six digits: worked out by hand.
    #[test]
    fn golden_american_odds() {
        let golden = [
            (100, 2_000_000),
            (-100, 2_000_000),
            (101, 2_010_000),
            (-101, 1_990_099),
            (-102, 1_980_392),
            (150, 2_500_000),
            (-150, 1_666_666),
            (-300, 1_333_333),
            (100_000, 1_001_000_000),
            (-100_000_000, 1_000_001),
        ];
        for (american, millionths) in golden {
            assert_eq!(Price::from_american(american).map(Price::millionths), Ok(millionths), "{american}");
        }
        for (american, error) in [
            (99, PriceError::NotANumber),
            (-99, PriceError::NotANumber),
            (0, PriceError::NotANumber),
            (100_001, PriceError::OutOfRange),
            (-100_000_001, PriceError::OutOfRange),
            (i64::MAX, PriceError::OutOfRange),
            (i64::MIN, PriceError::OutOfRange),
        ] {
            assert_eq!(Price::from_american(american), Err(error), "{american}");
        }
    }

    /// Of three effective prices 2.1, 3.8 and 5.0: S = 1/2.1 + 1/3.8 + 1/5 = 0.476190 + 0.263158 + 0.2 = 0.939348, so the
    /// margin is 6.4568 % and the shares are 0.506937, 0.280149 and 0.212914.
    #[test]
    fn golden_shares() {
        let prices = ["2.1", "3.8", "5"].map(|decimal| Price::from_decimal(decimal).unwrap());
        let s = implied_probability(&prices);
        assert!((s - 0.939_348_370).abs() < 1e-9);
        assert!((margin(s) - 0.064_567_769).abs() < 1e-8);
        for (price, share) in prices.into_iter().zip([0.506_937, 0.280_149, 0.212_914]) {
            assert!((stake_share(price, s) - share).abs() < 1e-6);
        }
    }

    proptest! {
        /// A fixed point number is the number as written, cut toward zero: checked against arithmetic with 128 bits.
        #[test]
        fn a_fixed_point_number_is_cut(
            whole in 0..1_000_000_i64, fraction in "[0-9]{0,12}", exponent in -4..5_i32, is_negative: bool,
        ) {
            let sign = if is_negative { "-" } else { "" };
            let text = format!("{sign}{whole}.{fraction}e{exponent}");
            let digits = i128::from(whole) * 10_i128.pow(u32::try_from(fraction.len()).unwrap())
                + fraction.parse::<i128>().unwrap_or(0);
            let shift = 6 + exponent - i32::try_from(fraction.len()).unwrap();
            let power = 10_i128.pow(shift.unsigned_abs());
            let exact = if shift >= 0 { digits * power } else { digits / power };
            let expected = i64::try_from(if is_negative { -exact } else { exact }).ok();
            prop_assert_eq!(fixed_point(&text, 6), expected, "{}", text);
        }

        /// Better American odds are better prices; and no conversion is above the exact odds.
        #[test]
        fn american_odds_keep_their_order(a in 100..100_000_i64, b in 100..100_000_i64) {
            let price = |american| Price::from_american(american).unwrap();
            prop_assert_eq!(a.cmp(&b), price(a).cmp(&price(b)));
            prop_assert!(a >= b || price(-a) >= price(-b));
            // (p - 1) * a <= 100 in whole millionths.
            let won = i64::from(price(-a).millionths()) - 1_000_000;
            prop_assert!(won * a <= 100_000_000 && (won + 1) * a > 100_000_000);
        }

        /// Scaling all prices of a set by one factor keeps the order of two sets by implied probability.
        #[test]
        fn a_common_factor_keeps_the_order_of_sets(
            a in prop::collection::vec(1_100_000..9_000_000_i64, 3),
            b in prop::collection::vec(1_100_000..9_000_000_i64, 3),
            factor in 2..50_i64,
        ) {
            let s = |prices: &[i64], factor: i64| {
                let price = |millionths: &i64| Price::from_millionths(millionths * factor).unwrap();
                implied_probability(&prices.iter().map(price).collect::<Vec<_>>())
            };
            prop_assume!((s(&a, 1) - s(&b, 1)).abs() > 1e-9);
            prop_assert_eq!(s(&a, 1) < s(&b, 1), s(&a, factor) < s(&b, factor));
        }
    }
}
