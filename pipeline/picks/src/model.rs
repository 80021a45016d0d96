//! The trained bot's model: what the prices of a match's books say about its outcomes. Pure; the same numbers on every machine but for the
//! last digits.
//!
//! - [`features`]: what it is given of a match; [`trees`]: gradient-boosted trees as LightGBM writes them.
//!
//! Trees correct the consensus of the books in log odds, a logistic calibration (Platt 1999) follows, and the three outcomes are scaled to a
//! sum of one. It was trained by `pipeline/picks/training/train.py` on football-data, seasons 2006 to 2015. It never sees a result, and never
//! guesses: with too few books there is no forecast.

pub mod features;
pub mod trees;

use std::sync::LazyLock;

use arb_model::Price;

use self::features::Features;
use self::trees::{Trees, TreesError};
use crate::history::Three;

/// What was trained, checked in.
const SHIPPED: &str = include_str!("model/trees.txt");

static MODEL: LazyLock<Result<Trees, TreesError>> = LazyLock::new(|| Trees::parse(SHIPPED));

/// The model's probabilities of a match; home, draw and away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Probabilities, which sum to 1.
    pub probabilities: Three,
    /// The mean of the books' probabilities, which the trees correct.
    pub consensus: Three,
    /// How many books were read.
    pub books: usize,
}

/// The forecast from the prices of books on home, draw and away. `None` with fewer than [`features::LEAST_BOOKS`] that have a margin.
#[must_use]
pub fn forecast(books: &[Three<Price>]) -> Option<Forecast> {
    forecast_from(books, features::devigged)
}

/// As [`forecast`], where it is given what computes or remembers the probabilities of a book's prices by Shin's method.
pub fn forecast_from(
    books: &[Three<Price>],
    devigged: impl Fn(&Three<Price>) -> Option<Three>,
) -> Option<Forecast> {
    let (trees, features) = (MODEL.as_ref().ok()?, Features::of(books, devigged)?);
    let chance = |outcome: usize| {
        let consensus = features.consensus[outcome];
        let raw = (consensus / (1.0 - consensus)).ln() + trees.sum(&features.columns[outcome]);
        1.0 / (1.0 + (-(trees.platt.0 + trees.platt.1 * raw)).exp())
    };
    let chances = [0, 1, 2].map(chance);
    let sum: f64 = chances.iter().sum();
    Some(Forecast {
        probabilities: chances.map(|chance| chance / sum),
        consensus: features.consensus,
        books: features.books,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(home: &str, draw: &str, away: &str) -> Three<Price> {
        [home, draw, away].map(|odds| Price::from_decimal(odds).unwrap())
    }

    #[test]
    fn what_is_checked_in_is_a_model_of_these_features() {
        let trees = MODEL.as_ref().unwrap();
        assert_eq!(trees.len(), 100);
        assert!(SHIPPED.len() < 300_000);
    }

    #[test]
    fn a_forecast_is_near_the_consensus_and_needs_four_books() {
        let books = [book("2", "3.4", "3.8"); 4];
        let found = forecast(&books).unwrap();
        assert!((found.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(found.books, 4);
        for (ours, theirs) in found.probabilities.iter().zip(found.consensus) {
            assert!((ours - theirs).abs() < 0.05, "{found:?}");
        }
        assert_eq!(forecast(&books[1..]), None);
        let arb = [books[0], books[1], books[2], book("2.2", "3.9", "4.4")];
        assert_eq!(forecast(&arb), None, "prices without a margin are no book's opinion");
    }

    #[test]
    fn the_order_of_the_books_says_nothing() {
        let mut books = [
            book("2", "3.4", "3.8"),
            book("2.1", "3.3", "3.6"),
            book("1.95", "3.5", "4"),
            book("2.05", "3.4", "3.7"),
        ];
        let before = forecast(&books).unwrap();
        books.reverse();
        let after = forecast(&books).unwrap();
        for (ours, theirs) in after.probabilities.iter().zip(before.probabilities) {
            assert!((ours - theirs).abs() < 1e-12);
        }
    }
}
