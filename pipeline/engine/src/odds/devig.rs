//! Devig: the probabilities in a book's prices, without the book's margin.
//!
//! With `q_i = 1/o_i` and booksum `B = sum q_i`, of n outcomes that exhaust a market:
//! * multiplicative: `q_i / B`;
//! * additive: `q_i - (B - 1)/n`;
//! * power: `q_i^k`, k such that they sum to 1;
//! * Shin: `(sqrt(z^2 + 4 (1 - z) q_i^2 / B) - z) / (2 (1 - z))`, z such that they sum to 1: the share of bets by insiders;
//! * odds ratio: `q_i / (c (1 - q_i) + q_i)`, c such that they sum to 1: the book's odds against are c times too short.
//!
//! Below a booksum of 1 there is no margin: such prices are an arb or an error and carry no probabilities, so
//! the result is `None`. It never returns numbers that are no probabilities. It uses no `pow` of the system:
//! every machine computes the same.
//!
//! Sources: Clarke, Kovalchik, Ingram 2017, "Adjusting bookmaker's odds to allow for overround"; Shin 1993, "Measuring the incidence
//! of insider trading in a market for state-contingent claims"; Jullien and Salanié 1994, the form of z; Cheung 2015, "Fixed-odds
//! betting and traditional odds", the odds ratio.

pub use arb_model::Method;

use super::exp_ln::{exp, ln};
use super::price::{self, Price};

/// A booksum so little below 1 is 1 but for the noise of the arithmetic.
const NOISE: f64 = 1e-12;
/// Chances that were solved for sum to 1 within this.
const EXACT: f64 = 1e-11;
/// The most steps of a solution.
const STEPS: usize = 200;
/// A step within 0 to 1 that changes nothing any more but the last digits.
const SMALLEST: f64 = 4.0 * f64::EPSILON;

/// The probabilities of the prices.
#[derive(Debug, Clone, PartialEq)]
pub struct Fair {
    /// One an outcome, in the order of the prices; they sum to 1.
    pub probabilities: Vec<f64>,
    /// What was solved for: k, z or c.
    pub parameter: Option<f64>,
}

/// The chances behind the prices of one book on outcomes that exhaust a market. `None` for fewer than two outcomes, for a booksum
/// below 1, where a chance would not be positive (additive, with long shots), and where nothing solves the equation.
///
/// ```
/// use arb_engine::odds::{Price, devig::fair};
/// use arb_model::Method;
///
/// let prices = ["1.90909", "1.90909"].map(|odds| Price::from_decimal(odds).unwrap());
/// let fair = fair(&prices, Method::Power).unwrap();
/// assert!((fair.probabilities[0] - 0.5).abs() < 1e-9, "the margin is removed");
/// ```
#[must_use]
pub fn fair(prices: &[Price], method: Method) -> Option<Fair> {
    let implied: Vec<_> = prices.iter().map(|price| price.implied_probability()).collect();
    let booksum = price::implied_probability(prices);
    if implied.len() < 2 || booksum < 1.0 - NOISE {
        return None;
    }
    let (probabilities, parameter) = match method {
        Method::Multiplicative => (each(&implied, |q| q / booksum), None),
        Method::Additive => {
            let less = (booksum - 1.0) / implied.len() as f64;
            (each(&implied, |q| q - less), None)
        }
        Method::Power => {
            let k = rise(1.0, |k| implied.iter().map(|q| power(*q, k)).fold((0.0, 0.0), plus))?;
            (each(&implied, |q| power(q, k).0), Some(k))
        }
        Method::OddsRatio => {
            let c = rise(1.0, |c| implied.iter().map(|q| odds_ratio(*q, c)).fold((0.0, 0.0), plus))?;
            (each(&implied, |q| odds_ratio(q, c).0), Some(c))
        }
        Method::Shin => {
            let z = match implied[..] {
                [a, b] => of_two(a, b),
                _ => fall(|z| implied.iter().map(|q| shin(*q, booksum, z)).fold((0.0, 0.0), plus)),
            };
            (each(&implied, |q| shin(q, booksum, z).0), Some(z))
        }
    };
    let are_chances = probabilities.iter().all(|p| *p > 0.0 && *p < 1.0);
    let sum: f64 = probabilities.iter().sum();
    (are_chances && (sum - 1.0).abs() < EXACT).then_some(Fair { probabilities, parameter })
}

fn each(implied: &[f64], chance: impl Fn(f64) -> f64) -> Vec<f64> {
    implied.iter().map(|q| chance(*q)).collect()
}

fn plus(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}

/// `q^k`, and how fast it changes with k.
fn power(q: f64, k: f64) -> (f64, f64) {
    let ln = ln(q);
    let power = exp(k * ln);
    (power, power * ln)
}

/// `q / (c (1 - q) + q)`, and how fast it changes with c.
fn odds_ratio(q: f64, c: f64) -> (f64, f64) {
    let below = c * (1.0 - q) + q;
    (q / below, -q * (1.0 - q) / (below * below))
}

/// Shin's chance, written such that it does not divide by nothing where z comes near 1, and how fast it changes with z.
fn shin(q: f64, booksum: f64, z: f64) -> (f64, f64) {
    let a = q * q / booksum;
    let root = (z * z + 4.0 * (1.0 - z) * a).sqrt();
    let chance = 2.0 * a / (root + z);
    (chance, -chance * (1.0 + (z - 2.0 * a) / root) / (root + z))
}

/// Shin's z of two outcomes, whose chances are the additive ones (Clarke, Kovalchik, Ingram 2017).
fn of_two(a: f64, b: f64) -> f64 {
    let (booksum, square) = (a + b, (a - b) * (a - b));
    ((booksum - 1.0) * (booksum - square) / (booksum * (1.0 - square))).max(0.0)
}

/// Where a sum that falls, ever more slowly, comes down to 1, by Newton's steps from a place where it is not below 1: they
/// never go too far. `sum` gives it and its slope.
fn rise(from: f64, sum: impl Fn(f64) -> (f64, f64)) -> Option<f64> {
    let mut at = from;
    for _ in 0..STEPS {
        let (value, slope) = sum(at);
        let next = at - (value - 1.0) / slope;
        // It has converged, or oscillates in the last digits.
        if !next.is_finite() || next <= at {
            return next.is_finite().then_some(at);
        }
        at = next;
    }
    None
}

/// Where a sum that falls from at least 1 at 0 to less at 1 is 1, by Newton's steps, and by half of what is left where one of
/// them leads out of it. `sum` gives it and its slope.
fn fall(sum: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high, mut at) = (0.0, 1.0, 0.0);
    for _ in 0..STEPS {
        let (value, slope) = sum(at);
        let next = at - (value - 1.0) / slope;
        if (next - at).abs() <= SMALLEST {
            break;
        }
        let side = if value >= 1.0 { &mut low } else { &mut high };
        *side = at;
        at = if low < next && next < high { next } else { f64::midpoint(low, high) };
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn prices(decimals: &[&str]) -> Vec<Price> {
        decimals.iter().map(|decimal| Price::from_decimal(decimal).unwrap()).collect()
    }

    fn assert_close(found: &[f64], wanted: &[f64], within: f64) {
        assert_eq!(found.len(), wanted.len());
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < within), "{found:?} {wanted:?}");
    }

    #[test]
    fn golden_chances() {
        let prices = prices(&["2.7", "2.3", "4.4"]);
        assert!((price::implied_probability(&prices) - 1.032_425_706_3).abs() < 1e-10);
        for (method, wanted, parameter) in [
            (Method::Multiplicative, [0.358_738, 0.421_127, 0.220_135], None),
            (Method::Additive, [0.359_562, 0.423_974, 0.216_464], None),
            (Method::Power, [0.359_171, 0.423_731, 0.217_098], Some(1.030_913)),
            (Method::Shin, [0.359_344, 0.423_244, 0.217_412], Some(0.016_236)),
            (Method::OddsRatio, [0.358_810, 0.422_561, 0.218_628], Some(1.051_169)),
        ] {
            let fair = fair(&prices, method).unwrap();
            assert_close(&fair.probabilities, &wanted, 5.1e-7);
            let parameter: Vec<f64> = parameter.into_iter().collect();
            assert_close(fair.parameter.as_slice(), &parameter, 5.1e-7);
        }
    }

    #[test]
    fn golden_shin() {
        let fair = fair(&prices(&["2.6", "2.4", "4.3"]), Method::Shin).unwrap();
        assert_close(&fair.probabilities, &[0.372_994_06, 0.404_779_41, 0.222_226_53], 5e-9);
        assert_close(fair.parameter.as_slice(), &[0.016_942_51], 5e-9);
    }

    #[test]
    fn prices_without_a_solution_give_none() {
        for method in Method::ALL {
            assert_eq!(fair(&prices(&["2.1", "2.1"]), method), None, "an arb, by {}", method.key());
            assert_eq!(fair(&prices(&["1.5"]), method), None);
            assert_eq!(fair(&[], method), None);
            let even = fair(&prices(&["2", "2"]), method).unwrap();
            assert_close(&even.probabilities, &[0.5, 0.5], 1e-12);
        }
        let long = prices(&["1.05", "9", "1000"]);
        assert_eq!(
            fair(&long, Method::Additive),
            None,
            "a third of what it keeps is more than the long shot's"
        );
        assert!(fair(&long, Method::Shin).is_some() && fair(&long, Method::Power).is_some());
    }

    #[test]
    fn a_book_that_keeps_nearly_everything_is_solved_or_none() {
        let greedy = prices(&["1.000001", "1.000001", "1.000001"]);
        for method in Method::ALL {
            if let Some(fair) = fair(&greedy, method) {
                assert_close(&fair.probabilities, &[1.0 / 3.0; 3], 1e-9);
            }
        }
    }

    /// Prices of a book that keeps something: chances that are drawn, times more than 1.
    fn books(outcomes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Price>> {
        (prop::collection::vec(0.01_f64..1.0, outcomes), 1.0_f64..1.3).prop_filter_map(
            "prices above 1",
            |(weights, keeps)| {
                let sum: f64 = weights.iter().sum();
                let price = |weight: &f64| {
                    #[allow(clippy::cast_possible_truncation)]
                    let millionths = (sum / weight / keeps * 1e6) as i64;
                    Price::from_millionths(millionths).ok()
                };
                weights.iter().map(price).collect()
            },
        )
    }

    proptest! {
        #[test]
        fn chances_sum_to_one_and_keep_their_order(prices in books(2..8)) {
            for method in Method::ALL {
                let found = fair(&prices, method);
                prop_assert!(found.is_some() || method == Method::Additive, "{} {prices:?}", method.key());
                let Some(found) = found else { continue };
                let sum: f64 = found.probabilities.iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-11);
                for (a, b) in prices.iter().zip(&found.probabilities) {
                    prop_assert!(*b <= a.implied_probability() + 1e-9, "no outcome gains probability");
                    for (c, d) in prices.iter().zip(&found.probabilities) {
                        prop_assert!(a < c || b <= d, "the shorter price is the likelier outcome");
                    }
                }
            }
        }

        #[test]
        fn on_two_outcomes_shin_is_additive(prices in books(2..3)) {
            let [shin, additive] = [Method::Shin, Method::Additive].map(|method| fair(&prices, method).unwrap());
            for (a, b) in shin.probabilities.iter().zip(&additive.probabilities) {
                prop_assert!((a - b).abs() < 1e-9, "{shin:?} {additive:?}");
            }
        }

        #[test]
        fn the_order_of_outcomes_changes_nothing(prices in books(3..5)) {
            let turned: Vec<_> = prices.iter().rev().copied().collect();
            for method in Method::ALL {
                let (Some(one), Some(mut two)) = (fair(&prices, method), fair(&turned, method)) else { continue };
                two.probabilities.reverse();
                prop_assert!(one.probabilities.iter().zip(&two.probabilities).all(|(a, b)| (a - b).abs() < 1e-11));
            }
        }
    }

    proptest! {
        /// A book spreads its margin by price: all methods but the multiplicative take relatively more from
        /// long shots, and none takes less. The parameter gives the direction: a power of at least 1, odds
        /// against that are too short, a share of insiders.
        #[test]
        fn no_method_takes_less_of_a_long_shot(prices in books(2..5)) {
            for method in Method::ALL {
                let Some(fair) = fair(&prices, method) else { continue };
                let mut kept: Vec<_> = prices
                    .iter()
                    .zip(&fair.probabilities)
                    .map(|(price, chance)| (*price, chance / price.implied_probability()))
                    .collect();
                kept.sort_by_key(|(price, _)| *price);
                let is_falling = kept.windows(2).all(|pair| pair[1].1 <= pair[0].1 * (1.0 + 1e-9));
                prop_assert!(is_falling, "{} {:?}", method.key(), kept);
                match (method, fair.parameter) {
                    (Method::Multiplicative | Method::Additive, parameter) => prop_assert_eq!(parameter, None),
                    (Method::Power | Method::OddsRatio, Some(parameter)) => prop_assert!(parameter >= 1.0 - 1e-12),
                    (Method::Shin, Some(z)) => prop_assert!((0.0..1.0).contains(&z)),
                    (method, None) => prop_assert!(false, "{} has no parameter", method.key()),
                }
            }
        }

        /// Where a book offers more for one outcome, and the same for the others, its chance is smaller and theirs are larger. By Shin
        /// theirs may be smaller too (checked with 40 digits): z falls with the booksum, and with it what is taken from the favourite.
        #[test]
        fn a_longer_price_means_a_smaller_chance(prices in books(2..5), at in 0..4_usize, more in 10_000..400_000_i64) {
            let at = at % prices.len();
            let mut longer = prices.clone();
            let Ok(price) = Price::from_millionths(i64::from(prices[at].millionths()) + more) else { return Ok(()) };
            longer[at] = price;
            for method in Method::ALL {
                let (Some(was), Some(now)) = (fair(&prices, method), fair(&longer, method)) else { continue };
                for (other, (was, now)) in was.probabilities.iter().zip(&now.probabilities).enumerate() {
                    let is_right = if other == at { now < was } else { method == Method::Shin || *now >= was - 1e-11 };
                    prop_assert!(is_right, "{} {other}: {was} {now}", method.key());
                }
            }
        }

        /// Of equal prices every method sees equal chances, however much the book keeps.
        #[test]
        fn equal_prices_are_equal_chances(count in 2..6_usize, millionths in 1_010_000..6_000_000_i64) {
            let prices = vec![Price::from_millionths(millionths).unwrap(); count];
            for method in Method::ALL {
                let Some(fair) = fair(&prices, method) else { continue };
                let even = vec![1.0 / count as f64; count];
                prop_assert!(fair.probabilities.iter().zip(&even).all(|(a, b)| (a - b).abs() < 1e-10), "{fair:?}");
            }
        }

        /// At a booksum of exactly 1 there is nothing to take away: every method gives the implied chances.
        #[test]
        fn without_a_margin_the_chances_are_the_implied_ones(
            parts in prop::collection::vec(prop::sample::select(vec![1_i64, 2, 4, 5, 8, 10, 16, 20, 25]), 2..4),
        ) {
            // Odds of whole / part: of these divisors a whole number of millionths.
            let whole: i64 = parts.iter().sum();
            let prices: Vec<_> =
                parts.iter().map(|part| Price::from_millionths(whole * 1_000_000 / part).unwrap()).collect();
            for method in Method::ALL {
                let fair = fair(&prices, method).unwrap();
                for (chance, part) in fair.probabilities.iter().zip(&parts) {
                    prop_assert!((chance - *part as f64 / whole as f64).abs() < 1e-9, "{} {fair:?}", method.key());
                }
            }
        }
    }
}
