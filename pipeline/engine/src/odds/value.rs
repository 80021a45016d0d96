//! Value: what a price is worth against a fair chance, and how much of a bank it is worth.
//!
//! Probabilities and results are fractions (0.02 is 2 % of the stake). It never knows where a probability
//! comes from: see [`super::devig`].
//!
//! Sources: Kelly 1956, "A new interpretation of information rate": the growth of a bank is largest at `EV / (o - 1)`; closing-line
//! value is the expected value of a price taken, by the fair chance at the close.

use super::price::Price;

/// The part of Kelly's fraction that is staked unless another part is asked for: chances are estimates, and a half too much costs
/// more than a half too little.
pub const QUARTER: f64 = 0.25;

/// `p * o - 1`: what a unit staked at an effective price wins on average.
#[must_use]
pub fn expected(chance: f64, effective: Price) -> f64 {
    chance * odds(effective) - 1.0
}

/// The fraction of a bank to stake: `part` of `EV / (o - 1)`, and nothing where nothing is expected.
#[must_use]
pub fn kelly(chance: f64, effective: Price, part: f64) -> f64 {
    (part * expected(chance, effective) / (odds(effective) - 1.0)).max(0.0)
}

/// Closing-line value of a price taken: `o * p - 1`, with the fair chance at the close.
#[must_use]
pub fn closing_line(taken: Price, fair_at_close: f64) -> f64 {
    expected(fair_at_close, taken)
}

fn odds(price: Price) -> f64 {
    f64::from(price.millionths()) / 1e6
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn price(decimal: &str) -> Price {
        Price::from_decimal(decimal).unwrap()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn golden_values() {
        assert!(close(expected(0.55, price("2")), 0.1) && close(expected(0.25, price("3.6")), -0.1));
        // A fair coin at 3: the classic quarter of the bank.
        assert!(close(kelly(0.5, price("3"), 1.0), 0.25) && close(kelly(0.5, price("3"), QUARTER), 0.0625));
        assert!(close(kelly(0.25, price("3.6"), QUARTER), 0.0));
        assert!(close(closing_line(price("2.2"), 0.5), 0.1) && close(closing_line(price("1.9"), 0.5), -0.05));
    }

    proptest! {
        #[test]
        fn kelly_is_where_growth_is_largest(chance in 0.02_f64..0.98, millionths in 1_050_000_i64..20_000_000, away in 0.001_f64..0.02) {
            let price = Price::from_millionths(millionths).unwrap();
            let growth = |f: f64| chance * (1.0 + f * (odds(price) - 1.0)).ln() + (1.0 - chance) * (1.0 - f).ln();
            let best = kelly(chance, price, 1.0);
            prop_assert!((0.0..1.0).contains(&best));
            for other in [best - away, best + away] {
                prop_assert!(!(0.0..1.0).contains(&other) || growth(other) <= growth(best) + 1e-15);
            }
        }

        #[test]
        fn a_worse_price_is_worth_less(chance in 0.02_f64..0.98, millionths in 1_050_000_i64..20_000_000, less in 1_i64..40_000) {
            let [better, worse] = [millionths, millionths - less].map(|m| Price::from_millionths(m).unwrap());
            prop_assert!(expected(chance, worse) < expected(chance, better));
            prop_assert!(kelly(chance, worse, QUARTER) <= kelly(chance, better, QUARTER));
        }

        #[test]
        fn a_fair_price_has_no_value(millionths in 1_050_000_i64..20_000_000) {
            let price = Price::from_millionths(millionths).unwrap();
            prop_assert!(expected(price.implied_probability(), price).abs() < 1e-12);
        }
    }
}
