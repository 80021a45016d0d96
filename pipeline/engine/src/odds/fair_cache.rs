//! Chances that were computed before, by prices and method.
//!
//! A price that moves leaves the prices of the other books on its line as they are, and books repeat one another's prices; so most
//! chances that a step asks for are known. It is bounded: a place holds the last prices that fell on it. It never changes a result,
//! is no part of the state, and is never restored.

use std::cell::RefCell;

use arb_model::Method;

use super::devig;
use super::price::Price;

/// The most outcomes of prices that are remembered.
const MOST: usize = 3;
/// Places; with what they hold they take about 1.4 MB, once the first chance is asked for.
const PLACES: usize = 8_192;
/// A large odd number: its product spreads prices over the places.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The prices of one book on all outcomes; those that are not there are 0, which no price is.
type Prices = [u32; MOST];

/// What is known of some prices by one method.
#[derive(Debug, Clone, Copy, Default)]
enum Known {
    #[default]
    Nothing,
    /// The method has no answer.
    NoAnswer,
    Chances([f64; MOST]),
}

/// What is known of some prices.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    prices: Prices,
    known: [Known; Method::ALL.len()],
}

/// What was computed before.
#[derive(Debug, Clone, Default)]
pub(crate) struct FairCache(RefCell<Vec<Place>>);

impl FairCache {
    /// The chance of one outcome, as [`devig::fair`] has it.
    pub(crate) fn chance(&self, prices: &[Price], method: Method, outcome: usize) -> Option<f64> {
        if prices.len() > MOST {
            return devig::fair(prices, method)?.probabilities.get(outcome).copied();
        }
        let mut places = self.0.borrow_mut();
        if places.is_empty() {
            places.resize(PLACES, Place::default());
        }
        let key = key(prices);
        let place = &mut places[place_of(key)];
        if place.prices != key {
            *place = Place { prices: key, ..Place::default() };
        }
        let known = &mut place.known[method as usize];
        if let Known::Nothing = known {
            *known = computed(prices, method);
        }
        match known {
            Known::Chances(chances) => chances.get(..prices.len())?.get(outcome).copied(),
            Known::Nothing | Known::NoAnswer => None,
        }
    }
}

fn computed(prices: &[Price], method: Method) -> Known {
    let Some(fair) = devig::fair(prices, method) else { return Known::NoAnswer };
    let mut chances = [0.0; MOST];
    chances.iter_mut().zip(fair.probabilities).for_each(|(place, chance)| *place = chance);
    Known::Chances(chances)
}

fn key(prices: &[Price]) -> Prices {
    let mut key = [0; MOST];
    key.iter_mut().zip(prices).for_each(|(place, price)| *place = price.millionths());
    key
}

/// The upper bits of a product are the ones that all of it decides.
fn place_of(key: Prices) -> usize {
    let mixed = key
        .iter()
        .fold(0_u64, |mixed, price| (mixed.rotate_left(29) ^ u64::from(*price)).wrapping_mul(SPREAD));
    usize::try_from(mixed >> 32).unwrap_or(0) % PLACES
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn prices_are_spread_over_the_places() {
        let of = |tenths: u32| place_of([1_500_000 + tenths * 10_000, 2_600_000 - tenths * 10_000, 0]);
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
            }
        }
    }
}
