//! What the model is given of a match, from the prices of its books alone; `pipeline/picks/training/features.py` computes the same.
//!
//! Of each outcome: the consensus probability, how far the books disagree, the highest price against the consensus, the mean margin, the number of
//! books, and which outcome it is. It never has what a live feed lacks: no form, no rating, no movement.

use arb_engine::odds::devig::{Method, fair};
use arb_model::Price;

use crate::history::Three;

/// With fewer books that have all three prices and a margin there are no features.
pub const LEAST_BOOKS: usize = 4;
/// More books count as this many: the training data have no more.
const MOST_BOOKS: usize = 12;
/// The features of an outcome, in the order of the columns.
pub const NAMES: [&str; 8] =
    ["probability", "spread", "above", "below", "best", "margin", "books", "outcome"];

/// The features of a match; home, draw and away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// The mean of the books' probabilities by Shin's method.
    pub consensus: Three,
    /// One value a name of [`NAMES`].
    pub columns: Three<[f64; NAMES.len()]>,
    /// How many books were read.
    pub books: usize,
}

impl Features {
    /// From the prices of books on home, draw and away, and what makes probabilities of them; `None` with too few.
    pub fn of(books: &[Three<Price>], devigged: impl Fn(&Three<Price>) -> Option<Three>) -> Option<Self> {
        let used: Vec<(&Three<Price>, Three)> =
            books.iter().filter_map(|prices| Some((prices, devigged(prices)?))).collect();
        if used.len() < LEAST_BOOKS {
            return None;
        }
        let count = used.len() as f64;
        let booksum =
            |prices: &Three<Price>| prices.iter().map(|price| price.implied_probability()).sum::<f64>();
        let margin = used.iter().map(|(prices, _)| booksum(prices) - 1.0).sum::<f64>() / count;
        let column = |outcome: usize| {
            let fair = || used.iter().map(|(_, fair)| fair[outcome]);
            let mean = fair().sum::<f64>() / count;
            let spread = (fair().map(|chance| (chance - mean).powi(2)).sum::<f64>() / count).sqrt();
            let (above, below) = (fair().fold(0.0, f64::max) - mean, mean - fair().fold(1.0, f64::min));
            let best = used.iter().map(|(prices, _)| prices[outcome].decimal()).fold(0.0, f64::max);
            let books = used.len().min(MOST_BOOKS) as f64;
            [mean, spread, above, below, best * mean, margin, books, outcome as f64]
        };
        let columns = [0, 1, 2].map(column);
        Some(Self { consensus: columns.map(|column| column[0]), columns, books: used.len() })
    }
}

/// The probabilities of a book's prices by Shin's method; `None` without a margin.
#[must_use]
pub fn devigged(prices: &Three<Price>) -> Option<Three> {
    fair(prices, Method::Shin)?.probabilities.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_worked_out_by_hand() {
        let book = |home: &str, away: &str| [home, "4", away].map(|odds| Price::from_decimal(odds).unwrap());
        // Without a margin a probability is 1 / price: 1/2, 1/4, 1/4 three times, and 1/4, 1/4, 1/2 once.
        let books = [book("2", "4"), book("2", "4"), book("2", "4"), book("4", "2")];
        let found = Features::of(&books, devigged).unwrap();
        let expected = [0.4375, 0.108_253_175_473_054_83, 0.0625, 0.1875, 4.0 * 0.4375, 0.0, 4.0, 0.0];
        for (ours, theirs) in found.columns[0].iter().zip(expected) {
            assert!((ours - theirs).abs() < 1e-9, "{:?}", found.columns[0]);
        }
        assert_eq!((found.columns[1][7], found.columns[2][7]), (1.0, 2.0));
    }
}
