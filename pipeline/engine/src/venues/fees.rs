//! What a venue keeps: fee rules, and the effective price that is left of a price.
//!
//! Integers only, and every effective price is rounded down, so that a fee never invents an arb. It never
//! knows a book: the table of `books` has which rule is valid where and since when.
//!
//! Sources: an exchange's commission c on winnings turns odds o into `1 + (o - 1)(1 - c)`, and laying at L
//! into backing "not X" at `1 + (1 - c)/(L - 1)`, the stake being the liability (betting exchange arithmetic;
//! Betfair, "Exchange: What is Commission and how is it calculated?"). A contract that pays 1 and costs p
//! costs `p + fee(p)` with it; Kalshi takes `m * C * p * (1 - p)` dollars for C contracts, rounded up to
//! $0.0001 (Kalshi API documentation, "Fee Rounding"; m is 0.07 for takers and 0.0175 for makers in most series), Polymarket
//! `C * rate * p * (1 - p)` of takers, to the nearest $0.00001, and nothing below that (Polymarket documentation, "Fees"). Selling a
//! contract at p is buying its opposite at `1 - p`, for the same fee. An indirect member of Kalshi has balances in whole cents, and
//! pays up to a cent more for each order, which is not included.
//!
//! p is the venue's own price where the odds are one's: a multiple of $0.0001 whose odds, rounded down to a millionth, these are. Else it
//! is 1/o.
//!
//! A price was rounded down when it was read. That is cautious for backs, not for lays: lay prices are
//! assumed to have at most six digits, as exchanges' ladders do.

use crate::odds::Price;

/// Millionths in one.
const UNIT: u128 = 1_000_000;
/// Contracts of an order, where no number is given: what the board's effective prices are for. A larger order is charged
/// less by rounding, a smaller one more.
pub const CONTRACTS: u32 = 100;
/// Millionths of a dollar in the finest step of a contract's price.
const TICK: u128 = 100;
/// Units in which fees of contracts are counted, in a dollar.
const UNITS: u128 = 100_000;
/// Units in a step of Kalshi's fee.
const KALSHI_STEP: u128 = 10;

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
            Self::Kalshi { .. } | Self::Polymarket { .. } => {
                let price = ContractPrice::of_odds(odds);
                self.paid(price, price.dollars, contracts)
            }
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
            Self::Kalshi { .. } | Self::Polymarket { .. } => {
                let price = ContractPrice::of_odds(odds);
                self.paid(price, price.of - price.dollars, contracts)
            }
        }
    }

    /// What the venue charges for an order of so many contracts at a price of its own in millionths of a dollar, in hundred-thousandths
    /// of a dollar: as it states it, to the last of its steps. `None` for a fee that is none of contracts, a price above a dollar,
    /// and an order beyond all measure.
    #[must_use]
    pub fn charged(self, price: u32, contracts: u32) -> Option<u128> {
        self.charge(ContractPrice { dollars: price.into(), of: UNIT }, contracts)
    }

    fn charge(self, price: ContractPrice, contracts: u32) -> Option<u128> {
        let (Self::Kalshi { multiplier_ppm: rate } | Self::Polymarket { rate_ppm: rate }) = self else {
            return None;
        };
        let spread = price.dollars * price.of.checked_sub(price.dollars)?;
        let units = (u128::from(contracts) * u128::from(rate) * UNITS).checked_mul(spread)?;
        let unit = UNIT * price.of * price.of;
        Some(match self {
            Self::Kalshi { .. } => units.div_ceil(unit * KALSHI_STEP) * KALSHI_STEP,
            _ if units < unit => 0,
            _ => (units + unit / 2) / unit,
        })
    }

    /// The odds of contracts that cost so much each, in parts of the price's, and the fee of an order of them.
    fn paid(self, price: ContractPrice, cost: u128, contracts: u32) -> Option<Price> {
        let fee = self.charge(price, contracts)?;
        let order = u128::from(contracts) * UNITS;
        let paid = cost * order + fee * price.of;
        (UNIT * price.of * order).checked_div(paid).and_then(checked)
    }
}

/// The price of a contract that pays a dollar: dollars in so many parts of one.
#[derive(Debug, Clone, Copy)]
struct ContractPrice {
    dollars: u128,
    of: u128,
}

impl ContractPrice {
    /// Of odds in millionths.
    fn of_odds(odds: u128) -> Self {
        let nearest = (UNIT * UNIT + odds * TICK / 2) / (odds * TICK) * TICK;
        match (UNIT * UNIT).checked_div(nearest) {
            Some(as_read) if as_read == odds => Self { dollars: nearest, of: UNIT },
            _ => Self { dollars: UNIT, of: odds },
        }
    }
}

/// What is left of winnings, in millionths; `None` for a commission above all of them.
fn kept(ppm: u32) -> Option<u128> {
    UNIT.checked_sub(u128::from(ppm))
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
        assert_eq!(text(POLYMARKET.back(price("1.538461"))), "1.512001");
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
        let charged = |ppm: u32, steps: f64| c * f64::from(ppm) / 1e6 * p * (1.0 - p) * steps;
        match fee {
            Fee::None => 1.0 / cost,
            Fee::Commission { ppm } => 1.0 + (1.0 / cost - 1.0) * (1.0 - f64::from(ppm) / 1e6),
            Fee::Kalshi { multiplier_ppm } => 1.0 / (cost + charged(multiplier_ppm, 1e4).ceil() / 1e4 / c),
            Fee::Polymarket { rate_ppm } => 1.0 / (cost + charged(rate_ppm, 1e5).round() / 1e5 / c),
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
                    // A step of the fee where the f64 falls on the other side of one, and the roundings of the price.
                    let step = real * real / 1e4 / f64::from(contracts);
                    let allowed = real - step - 1.1e-6..=real * (1.0 + 1e-12) + step + 1.1e-6;
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
