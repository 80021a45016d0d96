//! What a venue keeps: fee rules, and the effective price that is left of a price.
//!
//! Integers only, and every effective price is rounded down, so that a fee never invents an arb. It never
//! knows a book: the table of `books` has which rule is valid where and since when.
//!
//! Sources: an exchange's commission c on winnings turns odds o into `1 + (o - 1)(1 - c)`, and laying at L
//! into backing "not X" at `1 + (1 - c)/(L - 1)`, the stake being the liability (betting exchange arithmetic;
//! Betfair, "Exchange: What is Commission and how is it calculated?"). A contract that pays 1 and costs p
//! costs `p + fee(p)` with it; Kalshi takes `m * C * p * (1 - p)` dollars for C contracts, rounded up to
//! $0.0001 (Kalshi API documentation, "Fee Rounding"), Polymarket `C * rate * p * (1 - p)`, to $0.00001
//! (Polymarket documentation, "Fees"). Selling a contract at p is buying its opposite at `1 - p`, for the
//! same fee. An indirect member of Kalshi has balances in whole cents, and pays up to a cent more for each
//! order, which is not included.
//!
//! A price was rounded down when it was read. That is cautious for backs, not for lays: lay prices are
//! assumed to have at most six digits, as exchanges' ladders do.

use crate::odds::Price;

/// Millionths in one.
const UNIT: u128 = 1_000_000;
/// Contracts of an order, where no number is given: what the board's effective prices are for. A larger order is charged
/// less by rounding, a smaller one more.
pub const CONTRACTS: u32 = 100;
/// Steps of Kalshi's fee in a dollar.
const KALSHI_STEPS: u128 = 10_000;
/// Steps of Polymarket's fee in a dollar. It rounds to the nearest; here it is rounded up.
const POLYMARKET_STEPS: u128 = 100_000;

/// What a venue keeps of a bet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fee {
    /// Nothing beyond its price.
    None,
    /// A share of winnings.
    Commission {
        /// In millionths.
        ppm: u32,
    },
    /// `m * C * p * (1 - p)`, by series.
    Kalshi {
        /// m in millionths; 70,000 in most series.
        multiplier_ppm: u32,
    },
    /// `C * rate * p * (1 - p)`, by category.
    Polymarket {
        /// The rate in millionths; 50,000 for sports since July 2026.
        rate_ppm: u32,
    },
}

impl Fee {
    /// What backing at this price comes to, for [`CONTRACTS`] contracts; `None` when nothing is left to win.
    #[must_use]
    pub fn back(self, price: Price) -> Option<Price> {
        self.back_for(price, CONTRACTS)
    }

    /// A lay at this price as a back of "not X", per unit of liability, for [`CONTRACTS`] contracts; `None`
    /// when nothing is left to win, or the result exceeds a [`Price`].
    #[must_use]
    pub fn lay(self, price: Price) -> Option<Price> {
        self.lay_for(price, CONTRACTS)
    }

    /// [`Self::back`] for an order of so many contracts. A commission does not depend on them.
    #[must_use]
    pub fn back_for(self, price: Price, contracts: u32) -> Option<Price> {
        let odds = u128::from(price.millionths());
        match self {
            Self::None => Some(price),
            Self::Commission { ppm } => checked(UNIT + (odds - UNIT) * kept(ppm)? / UNIT),
            Self::Kalshi { multiplier_ppm } => contract(odds, UNIT, contracts, multiplier_ppm, KALSHI_STEPS),
            Self::Polymarket { rate_ppm } => contract(odds, UNIT, contracts, rate_ppm, POLYMARKET_STEPS),
        }
    }

    /// [`Self::lay`] for an order of so many contracts.
    #[must_use]
    pub fn lay_for(self, price: Price, contracts: u32) -> Option<Price> {
        let odds = u128::from(price.millionths());
        let against = odds - UNIT;
        match self {
            Self::None => checked(UNIT + UNIT * UNIT / against),
            Self::Commission { ppm } => checked(UNIT + UNIT * kept(ppm)? / against),
            Self::Kalshi { multiplier_ppm } => {
                contract(odds, against, contracts, multiplier_ppm, KALSHI_STEPS)
            }
            Self::Polymarket { rate_ppm } => contract(odds, against, contracts, rate_ppm, POLYMARKET_STEPS),
        }
    }
}

/// What is left of winnings, in millionths; `None` for a commission above all of them.
fn kept(ppm: u32) -> Option<u128> {
    UNIT.checked_sub(u128::from(ppm))
}

/// The price of a contract that costs `cost/odds` and a fee on the whole order, rounded up to a step: with `p = 1/odds` the
/// fee is `C * rate * (odds - 1)/odds^2` whichever side is bought.
fn contract(odds: u128, cost: u128, contracts: u32, rate_ppm: u32, steps: u128) -> Option<Price> {
    let (contracts, rate) = (u128::from(contracts), u128::from(rate_ppm));
    let fee = (contracts * rate * steps * (odds - UNIT)).div_ceil(odds * odds);
    let paid = cost * contracts * steps + fee * odds;
    if paid == 0 {
        return None;
    }
    checked(UNIT * odds * contracts * steps / paid)
}

fn checked(millionths: u128) -> Option<Price> {
    i64::try_from(millionths).ok().and_then(|millionths| Price::from_millionths(millionths).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BETFAIR: Fee = Fee::Commission { ppm: 50_000 };
    const KALSHI: Fee = Fee::Kalshi { multiplier_ppm: 70_000 };
    const POLYMARKET: Fee = Fee::Polymarket { rate_ppm: 50_000 };

    fn price(decimal: &str) -> Price {
        Price::from_decimal(decimal).expect(decimal)
    }

    fn text(price: Option<Price>) -> String {
        price.map_or("nothing".to_owned(), |price| format!("{:.6}", f64::from(price.millionths()) / 1e6))
    }

    #[test]
    fn golden_commission() {
        assert_eq!(text(BETFAIR.back(price("3"))), "2.900000");
        assert_eq!(text(Fee::Commission { ppm: 20_000 }.back(price("1.01"))), "1.009800");
        assert_eq!(text(BETFAIR.lay(price("3"))), "1.475000");
        assert_eq!(text(BETFAIR.lay(price("1.5"))), "2.900000");
        assert_eq!(text(Fee::None.lay(price("4"))), "1.333333");
        assert_eq!(text(Fee::None.back(price("4.2"))), "4.200000");
    }

    #[test]
    fn golden_contracts() {
        // 100 at 50 cents: 50 dollars and a fee of 1.75 for 100 dollars.
        assert_eq!(text(KALSHI.back(price("2"))), "1.932367");
        assert_eq!(text(KALSHI.lay(price("2"))), "1.932367");
        // One: 1.75 cents, to the step.
        assert_eq!(text(KALSHI.back_for(price("2"), 1)), "1.932367");
        // Three at 10 cents: 0.0189 dollars, then 30 cents: 0.3189 for 3 dollars.
        assert_eq!(text(KALSHI.back_for(price("10"), 3)), "9.407337");
        // One at 10 cents: 0.0063.
        assert_eq!(text(KALSHI.back_for(price("10"), 1)), "9.407337");
        // Seven at 1 cent: 0.004851, which is 0.0049: 0.0749 for 7 dollars.
        assert_eq!(text(KALSHI.back_for(price("100"), 7)), "93.457943");
        // The opposite of 10 cents: 90 cents and the same 0.63 for 100.
        assert_eq!(text(KALSHI.lay(price("10"))), "1.103387");
        // 100 at 65 cents as 1.538461: 65 dollars and 1.1375 for 100 dollars.
        assert_eq!(text(POLYMARKET.back(price("1.538461"))), "1.512000");
        assert_eq!(text(POLYMARKET.back_for(price("1.538461"), 0)), "nothing");
    }

    #[test]
    fn a_bet_without_winnings_has_no_price() {
        let all = Fee::Commission { ppm: 1_000_000 };
        assert_eq!((all.back(price("5")), all.lay(price("5"))), (None, None));
        assert_eq!(Fee::Commission { ppm: 1_000_001 }.back(price("5")), None);
        assert_eq!(BETFAIR.back(price("1.000001")), None, "0.95 of a millionth is none");
        assert_eq!(Fee::None.lay(price("1.0001")), None, "10,001 is off the scale");
        assert_eq!(text(Fee::None.lay(price("1.001"))), "1001.000000");
        assert_eq!(text(Fee::None.lay(price("1001"))), "1.001000");
        assert_eq!(
            Fee::Kalshi { multiplier_ppm: 2_000_000 }.back(price("1.5")),
            None,
            "it costs more than it pays"
        );
    }

    fn fees() -> impl Strategy<Value = Fee> {
        prop_oneof![
            Just(Fee::None),
            (0_u32..200_000).prop_map(|ppm| Fee::Commission { ppm }),
            (0_u32..200_000).prop_map(|multiplier_ppm| Fee::Kalshi { multiplier_ppm }),
            (0_u32..200_000).prop_map(|rate_ppm| Fee::Polymarket { rate_ppm }),
        ]
    }

    fn prices() -> impl Strategy<Value = Price> {
        (1_001_000_i64..=1_001_000_000).prop_map(|millionths| Price::from_millionths(millionths).unwrap())
    }

    /// The effective price in exact terms, but for a `f64`.
    fn real(fee: Fee, odds: f64, lay: bool, contracts: u32) -> f64 {
        let (p, c) = (1.0 / odds, f64::from(contracts));
        let cost = if lay { 1.0 - p } else { p };
        let charged =
            |ppm: u32, steps: f64| (c * f64::from(ppm) / 1e6 * p * (1.0 - p) * steps).ceil() / steps / c;
        match fee {
            Fee::None => 1.0 / cost,
            Fee::Commission { ppm } => 1.0 + (1.0 / cost - 1.0) * (1.0 - f64::from(ppm) / 1e6),
            Fee::Kalshi { multiplier_ppm } => 1.0 / (cost + charged(multiplier_ppm, 1e4)),
            Fee::Polymarket { rate_ppm } => 1.0 / (cost + charged(rate_ppm, 1e5)),
        }
    }

    proptest! {
        #[test]
        fn the_fee_is_the_formula_rounded_down(fee in fees(), price in prices(), contracts in 1_u32..10_000) {
            let odds = f64::from(price.millionths()) / 1e6;
            for (lay, found) in [(false, fee.back_for(price, contracts)), (true, fee.lay_for(price, contracts))] {
                let real = real(fee, odds, lay, contracts);
                if let Some(found) = found {
                    let found = f64::from(found.millionths()) / 1e6;
                    // A step more of the fee where the f64 falls on the other side of one, and the rounding.
                    let step = real * real / 1e4 / f64::from(contracts);
                    let allowed = real - step - 1.1e-6..=real * (1.0 + 1e-12) + step;
                    prop_assert!(allowed.contains(&found), "{found} {real}");
                } else {
                    prop_assert!(!(1.000_002..=1_000.9).contains(&real), "{real}");
                }
            }
        }

        #[test]
        fn a_fee_never_raises_a_price(fee in fees(), price in prices(), contracts in 1_u32..10_000) {
            prop_assert!(fee.back_for(price, contracts).is_none_or(|left| left <= price));
            let free = Fee::None.lay(price);
            if let (Some(left), Some(free)) = (fee.lay_for(price, contracts), free) {
                prop_assert!(left <= free);
            }
        }

        #[test]
        fn backing_and_laying_one_price_is_never_an_arb(fee in fees(), price in prices(), contracts in 1_u32..10_000) {
            if let (Some(back), Some(lay)) = (fee.back_for(price, contracts), fee.lay_for(price, contracts)) {
                prop_assert!(back.implied_probability() + lay.implied_probability() >= 1.0 - 1e-12);
            }
        }

        #[test]
        fn laying_without_a_fee_twice_is_backing(price in prices()) {
            // The opposite of the opposite is the bet, less two roundings.
            if let Some(twice) = Fee::None.lay(price).and_then(|lay| Fee::None.lay(lay)) {
                let (was, is) = (f64::from(price.millionths()), f64::from(twice.millionths()));
                prop_assert!((is - was).abs() <= was * was / 1e6 * 1.01 + 1.0, "{was} {is}");
            }
        }

        #[test]
        fn a_better_price_stays_better(ppm in 0_u32..200_000, price in prices(), more in 1_i64..1_000_000) {
            let fee = Fee::Commission { ppm };
            if let Ok(better) = Price::from_millionths(i64::from(price.millionths()) + more) {
                prop_assert!(fee.back(better) >= fee.back(price));
                if let (Some(a), Some(b)) = (fee.lay(better), fee.lay(price)) {
                    prop_assert!(a <= b);
                }
            }
        }
    }
}
