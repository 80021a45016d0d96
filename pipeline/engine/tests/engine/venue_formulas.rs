//! Fees beside each venue's own formula, in the venue's own units: what an order is charged, to the last of them.
//!
//! Written from what the venues state, never from the engine. Exact integers.
//!
//! Sources: docs.kalshi.com "Fee Rounding" and the schedule of 7 July 2026: `0.07 C P (1 - P)` of takers and `0.0175 C P (1 - P)` of
//! makers, times the multiplier of the series, rounded up to $0.0001. docs.polymarket.com "Fees": `C x feeRate x p x (1 - p)`, "rounded to 5
//! decimal places", of which "anything smaller rounds to zero"; makers pay nothing. Betfair, "What is commission": net winnings times the
//! market base rate.

use arb_engine::odds::Price;
use arb_engine::venues::Fee;
use proptest::prelude::*;

/// Random fills of each venue.
const FILLS: u32 = 10_000;

/// A price in parts of 10,000 of a dollar, on each of the steps that the venues have.
fn ticks() -> impl Strategy<Value = u32> {
    prop_oneof![
        (1_u32..100).prop_map(|cents| cents * 100),
        (1_u32..1_000).prop_map(|mills| mills * 10),
        1_u32..10_000
    ]
}

/// Rates in millionths: takers and makers of series with multipliers of .5, 1 and 2.
fn kalshi() -> impl Strategy<Value = u32> {
    prop_oneof![Just(70_000_u32), Just(17_500), Just(35_000), Just(8_750), Just(140_000)]
}

/// `rate C P (1 - P)` in parts of 10^14 of a dollar: the rate has six digits, P and 1 - P four each.
fn curve(rate: u32, contracts: u32, tick: u32) -> u128 {
    u128::from(rate) * u128::from(contracts) * u128::from(tick) * u128::from(10_000 - tick)
}

/// 100 contracts cost their price and the fee, and pay 100 dollars; the odds are in millionths, rounded down. The fee is in parts of 10^5.
fn odds_after(cost_ticks: u32, fee: u128) -> u128 {
    100 * 100_000 * 1_000_000 / (u128::from(cost_ticks) * 1_000 + fee)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(FILLS))]

    #[test]
    fn kalshi_charges_takers_and_makers_by_its_schedule(rate in kalshi(), tick in ticks(), contracts in 1_u32..100_000) {
        let fee = Fee::Kalshi { multiplier_ppm: rate };
        let centicents = curve(rate, contracts, tick).div_ceil(10_u128.pow(10));
        prop_assert_eq!(fee.charged(tick * 100, contracts), Some(centicents * 10));
        let of_hundred = curve(rate, 100, tick).div_ceil(10_u128.pow(10)) * 10;
        check_odds(fee, tick, of_hundred)?;
    }

    #[test]
    fn polymarket_charges_takers_by_its_formula(rate in prop_oneof![Just(50_000_u32), Just(30_000), Just(70_000)], tick in ticks(), contracts in 1_u32..100_000) {
        let fee = Fee::Polymarket { rate_ppm: rate };
        let rounded = |exact: u128| if exact < 10_u128.pow(9) { 0 } else { (exact + 5 * 10_u128.pow(8)) / 10_u128.pow(9) };
        prop_assert_eq!(fee.charged(tick * 100, contracts), Some(rounded(curve(rate, contracts, tick))));
        check_odds(fee, tick, rounded(curve(rate, 100, tick)))?;
    }

    #[test]
    fn betfair_takes_its_rate_of_net_winnings(hundredths in 101_i64..=100_000, percent in 0_u32..=10, stake in 1_i64..=10_000_000) {
        let fee = Fee::Commission { ppm: percent * 10_000 };
        let price = Price::from_millionths(hundredths * 10_000).unwrap();
        // In parts of 10^4 of a minor unit.
        let winnings = i128::from(stake) * i128::from(hundredths - 100) * 100;
        let kept = winnings - winnings * i128::from(percent) / 100;
        let left = fee.back(price).unwrap();
        prop_assert_eq!(i128::from(left.millionths()) * i128::from(stake), (i128::from(stake) * 10_000 + kept) * 100);
        // A lay wins the backer's stake; per unit of liability, rounded down to a millionth.
        let per_liability = 100_i128 * 1_000_000 * i128::from(100 - percent) / (100 * i128::from(hundredths - 100));
        let lay = fee.lay(price).map(|price| i128::from(price.millionths()));
        prop_assert_eq!(lay, Some(1_000_000 + per_liability).filter(|lay| *lay > 1_000_000));
    }
}

/// The odds that are left of a price for a hundred contracts, bought and sold.
fn check_odds(fee: Fee, tick: u32, charged: u128) -> Result<(), TestCaseError> {
    let millionths = |price: Option<Price>| price.map(|price| u128::from(price.millionths()));
    let left =
        |cost| Some(odds_after(cost, charged)).filter(|odds| (1_000_001..=1_001_000_000).contains(odds));
    // Odds above 1,001 are none.
    if let Ok(odds) = Price::from_millionths(10_000_000_000 / i64::from(tick)) {
        prop_assert_eq!(millionths(fee.back(odds)), left(tick));
        prop_assert_eq!(millionths(fee.lay(odds)), left(10_000 - tick));
    }
    Ok(())
}
