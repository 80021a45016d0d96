//! Books: their names, margins, how often they update and how often the feed confirms them.
//!
//! A book's confirmations come for all its matches at once, one in each cell of the book's grid, at a random
//! moment: so the last one before any time can be computed directly. Nothing here knows a price.

use arb_schemas::time::{Micros, SECOND};

use super::maths::{mix, mix_signed, share};
use super::model::Model;
use super::schedule::{STEP, micros};

/// One book.
#[derive(Debug, Clone)]
pub(super) struct Book {
    pub(super) key: String,
    /// Books of one operator have the same number, and one desk.
    pub(super) operator: u64,
    /// What it keeps before a match and in play: by so much its implied probabilities exceed 1.
    pub(super) keeps: [f64; 2],
    /// Seconds between its looks at a match, before it and in play.
    pub(super) looks: [f64; 2],
    /// It sees what was so many steps ago: leaders see now.
    pub(super) behind: i64,
    /// Seconds between confirmations.
    pub(super) confirms: f64,
    /// Of so many confirmations one fails.
    pub(super) fails: f64,
    /// Its quotes continue when a match begins.
    pub(super) in_play: bool,
    /// It has spreads and totals on whole and quarter lines, too.
    pub(super) is_asian: bool,
    /// Its users bet with one another: winners are also laid, and each price has a limit.
    pub(super) is_exchange: bool,
    lot: u64,
}

/// Key, operator, what it keeps in thousandths, looks, steps behind, confirmations, failures in a hundred.
type Row = (&'static str, u64, [u16; 2], [u16; 2], u8, u16, u8);

/// Two pairs move as one, as they do in recordings. The rest do not exist.
const BOOKS: [Row; 12] = [
    ("alderbet", 1, [43, 50], [150, 20], 0, 27, 1),
    ("lowline", 2, [26, 30], [150, 25], 0, 52, 1),
    ("beechonline", 2, [38, 44], [150, 25], 0, 53, 1),
    ("birchodds", 3, [46, 51], [400, 30], 1, 56, 4),
    ("cedarline", 4, [44, 50], [200, 60], 3, 190, 18),
    ("daleplay", 5, [46, 52], [500, 30], 1, 54, 4),
    ("elmwager", 6, [48, 58], [700, 60], 4, 118, 1),
    ("nettlebet", 7, [46, 50], [400, 30], 2, 54, 4),
    ("laurelbet", 7, [48, 52], [400, 30], 2, 55, 4),
    ("firstakes", 8, [52, 78], [500, 25], 1, 53, 1),
    ("grovebet", 9, [44, 52], [200, 50], 3, 140, 10),
    ("heathodds", 10, [46, 50], [500, 40], 2, 58, 5),
];

/// Positions in [`BOOKS`] of those that close when a match begins, and of those with lines of all kinds.
const CLOSE_AT_START: [usize; 3] = [5, 9, 11];
const ASIAN: [usize; 4] = [1, 2, 7, 8];

/// The operator of the exchange; no book has this number.
const EXCHANGE: u64 = 900;

/// What generated books are called.
const TREES: [&str; 10] =
    ["hazel", "iron", "juniper", "larch", "maple", "nut", "oak", "pine", "rowan", "spruce"];
const TRADES: [&str; 8] = ["bet", "odds", "line", "play", "wager", "stakes", "price", "match"];

/// The given number of books, those of the table, then generated ones; and an exchange after them, if
/// requested.
pub(super) fn books(seed: u64, count: usize, exchange: bool, model: &Model) -> Vec<Book> {
    let books = (0..count).map(|index| book(seed, index, model));
    books.chain(exchange.then(|| self::exchange(seed, model))).collect()
}

/// Prices of an exchange are the best of many opinions: they keep little, and follow the news at once.
fn exchange(seed: u64, model: &Model) -> Book {
    Book {
        key: "hollyexchange".to_owned(),
        operator: EXCHANGE,
        keeps: [0.006, 0.01],
        looks: [90.0 * model.looks, 15.0 * model.looks],
        behind: 0,
        confirms: 31.0 * model.confirms,
        fails: 0.01 * model.confirms,
        in_play: true,
        is_asian: true,
        is_exchange: true,
        lot: mix(mix(seed, 0xb00c), EXCHANGE),
    }
}

fn book(seed: u64, index: usize, model: &Model) -> Book {
    let row = &BOOKS[index % BOOKS.len()];
    let (key, operator) = if index < BOOKS.len() {
        (row.0.to_owned(), if model.shared_desks { row.1 } else { index as u64 })
    } else {
        (generated(index - BOOKS.len()), 1_000 + index as u64)
    };
    let (_, _, keeps, looks, behind, confirms, fails) = *row;
    Book {
        key,
        operator,
        keeps: keeps.map(|thousandths| f64::from(thousandths) / 1e3),
        looks: looks.map(|seconds| f64::from(seconds) * model.looks),
        behind: if model.looks > 0.0 { behind.into() } else { 0 },
        confirms: f64::from(confirms) * model.confirms,
        fails: f64::from(fails) / 100.0 * model.confirms,
        in_play: !CLOSE_AT_START.contains(&index),
        is_asian: ASIAN.contains(&index),
        is_exchange: false,
        lot: mix(mix(seed, 0xb00c), index as u64),
    }
}

fn generated(number: usize) -> String {
    let (tree, trade) = (number % TREES.len(), number / TREES.len() % TRADES.len());
    match number / TREES.len() / TRADES.len() {
        0 => format!("{}{}", TREES[tree], TRADES[trade]),
        round => format!("{}{}{round}", TREES[tree], TRADES[trade]),
    }
}

impl Book {
    /// The largest stake at a price, in minor units: as if it changed with each confirmation. A book states none.
    pub(super) fn limit(&self, seen_at: Micros, bet: u64) -> Option<i64> {
        let lot = mix(mix_signed(self.lot, seen_at), bet) % 400;
        self.is_exchange.then(|| (lot.cast_signed() + 8) * 250)
    }

    /// Its first confirmation after a time.
    pub(super) fn confirms_after(&self, at: Micros) -> Micros {
        let cell = micros(self.confirms).max(STEP);
        let mut number = at.div_euclid(cell);
        loop {
            let lot = mix_signed(self.lot, number);
            // Whole seconds, as the feed has them.
            let moment = (number * cell + micros(share(lot) * cell as f64 / SECOND as f64)) / SECOND * SECOND;
            if moment > at && share(mix(lot, 1)) >= self.fails {
                return moment;
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirmations_come_once_a_cell_and_some_fail() {
        let [.., cedarline] = &books(1, 5, false, &Model::default())[..] else { unreachable!() };
        let (mut at, mut count) = (0, 0);
        while at < 190_000 * SECOND {
            let next = cedarline.confirms_after(at);
            assert!(next > at && next % SECOND == 0);
            (at, count) = (next, count + 1);
        }
        assert!((760..=880).contains(&count), "{count} of 1,000 cells, 18 in a hundred of which fail");
    }

    #[test]
    fn any_number_of_books_have_different_names() {
        let books = books(1, 300, false, &Model::default());
        let keys: std::collections::BTreeSet<_> = books.iter().map(|book| &book.key).collect();
        assert_eq!(keys.len(), 300);
        let operator = |key: &str| books.iter().find(|book| book.key == key).map(|book| book.operator);
        assert_eq!(operator("lowline"), operator("beechonline"));
        assert_eq!(operator("nettlebet"), operator("laurelbet"));
        assert_ne!(operator("nettlebet"), operator("lowline"));
    }
}
