//! Odds arithmetic: implied probability of a set, margin, stake shares.
//!
//! It never rounds a price up.
//!
//! Source: `S = sum 1/o_i` over an exhaustive outcome set is its implied probability; backing every outcome
//! with the share `w_i = (1/o_i)/S` returns `1/S` whatever happens (the "Dutch book" of the betting literature).

pub use arb_model::{Price, PriceError, fixed_point};

/// There is an arb when S is below this: 1 less the noise of the arithmetic.
pub const ARB_BELOW: f64 = 1.0 - 1e-9;

/// `S = sum 1/o_i`, the implied probability of a set.
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
}
