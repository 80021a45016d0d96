//! Chances that were computed before, by prices and method.
//!
//! A price that moves leaves the prices of the other books on its line as they are, and books repeat one another's prices; so most
//! chances that a step, or a look of the bots, asks for are known. It is bounded: a place holds the last prices that fell on it. It never changes a result,
//! is no part of the state, and is never restored.

use std::cell::RefCell;

use arb_model::Method;

use super::devig;
use super::price::Price;

/// The most outcomes of prices that are remembered.
pub(super) const MOST: usize = 3;
/// Places; with what they hold they take a megabyte, once the first chance is asked for.
const PLACES: usize = 16_384;
/// A large odd number: its product spreads prices over the places.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The prices of one book on all outcomes; those that are not there are 0, which no price is.
type Prices = [u32; MOST];

/// The chances of some prices by one method: one line of the machine's cache, for places are met in no order.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Place {
    prices: Prices,
    method: Method,
    /// `None` where the method has no answer.
    chances: Option<[f64; MOST]>,
}

/// One that no prices fall on: none is 0.
const EMPTY: Place = Place { prices: [0; MOST], method: Method::Multiplicative, chances: None };

/// What was computed before.
#[derive(Debug, Clone, Default)]
pub struct FairCache(RefCell<Vec<Place>>);

impl FairCache {
    /// The chances of all outcomes, as [`devig::fair`] has them.
    #[must_use]
    pub fn chances<const N: usize>(&self, prices: &[Price; N], method: Method) -> Option<[f64; N]> {
        if N > MOST {
            return devig::fair(prices, method)?.probabilities.try_into().ok();
        }
        self.known(prices, method)?.first_chunk().copied()
    }

    /// The chance of one outcome, as [`devig::fair`] has it.
    pub(crate) fn chance(&self, prices: &[Price], method: Method, outcome: usize) -> Option<f64> {
        if prices.len() > MOST {
            return devig::fair(prices, method)?.probabilities.get(outcome).copied();
        }
        self.known(prices, method)?.get(..prices.len())?.get(outcome).copied()
    }

    /// The chances of up to [`MOST`] outcomes; those that are not there are 0.
    pub(super) fn known(&self, prices: &[Price], method: Method) -> Option<[f64; MOST]> {
        let mut places = self.0.borrow_mut();
        if places.is_empty() {
            places.resize(PLACES, EMPTY);
        }
        let key = key(prices);
        let place = &mut places[place_of(key, method)];
        if (place.prices, place.method) != (key, method) {
            *place = Place { prices: key, method, chances: computed(prices, method) };
        }
        place.chances
    }
}

fn computed(prices: &[Price], method: Method) -> Option<[f64; MOST]> {
    let fair = devig::fair(prices, method)?;
    let mut chances = [0.0; MOST];
    chances.iter_mut().zip(fair.probabilities).for_each(|(place, chance)| *place = chance);
    Some(chances)
}

fn key(prices: &[Price]) -> Prices {
    let mut key = [0; MOST];
    key.iter_mut().zip(prices).for_each(|(place, price)| *place = price.millionths());
    key
}

/// The upper bits of a product are the ones that all of it decides.
fn place_of(key: Prices, method: Method) -> usize {
    let mixed = key
        .iter()
        .fold(method as u64, |mixed, price| (mixed.rotate_left(29) ^ u64::from(*price)).wrapping_mul(SPREAD));
    usize::try_from(mixed >> 32).unwrap_or(0) % PLACES
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn prices_are_spread_over_the_places() {
        let of = |tenths: u32| {
            place_of([1_500_000 + tenths * 10_000, 2_600_000 - tenths * 10_000, 0], Method::Shin)
        };
        let places: std::collections::BTreeSet<_> = (0..100).map(of).collect();
        assert!(places.len() > 95, "{}", places.len());
    }

    proptest! {
        /// Whatever was asked before, also of prices that fall on one place.
        #[test]
        fn a_chance_is_the_one_that_is_computed(
            asked in prop::collection::vec((prop::collection::vec(1_010_000..4_000_000_i64, 1..5), 0..5_usize, 0..4_usize), 1..200),
        ) {
            let cache = FairCache::default();
            for (prices, method, outcome) in asked.iter().chain(&asked) {
                let prices: Vec<_> = prices.iter().map(|price| Price::from_millionths(*price).unwrap()).collect();
                let method = Method::ALL[*method];
                let computed = devig::fair(&prices, method).and_then(|fair| fair.probabilities.get(*outcome).copied());
                prop_assert_eq!(cache.chance(&prices, method, *outcome), computed);
                let of_all = |prices: &[Price]| Some(devig::fair(prices, method)?.probabilities);
                if let Some(two) = prices.first_chunk::<2>() {
                    prop_assert_eq!(cache.chances(two, method).map(Vec::from), of_all(two));
                }
                if let Some(four) = prices.first_chunk::<4>() {
                    prop_assert_eq!(cache.chances(four, method).map(Vec::from), of_all(four));
                }
            }
        }
    }
}
