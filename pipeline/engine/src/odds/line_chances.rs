//! Chances that were computed before, line by line: those of each of its books.
//!
//! A price that moves leaves the other books of its line as they are. [`FairCache`] forgets them where more prices are in use than it
//! has places; here they stay with their line while it is asked for. It is bounded: lines that were not asked for since as many others
//! were are forgotten. It never changes a result, is no part of the state, and is never restored.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use arb_model::Method;
use foldhash::fast::RandomState;

use super::fair_cache::{FairCache, MOST};
use super::price::Price;

/// Books of lines after which the lines that were not asked for since are forgotten: at most twice as many are held, of 160 bytes each.
const ROWS: usize = 262_144;
const METHODS: usize = Method::ALL.len();

/// The prices of one book on all outcomes of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BookPrices {
    /// The book's number.
    pub(crate) book: usize,
    /// As many count as the line has outcomes.
    pub(crate) prices: [Price; MOST],
    /// How many.
    pub(crate) len: usize,
}

/// What was computed before.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineChances {
    /// By prices, whichever line they are on.
    pub(crate) of_prices: FairCache,
    lines: RefCell<KnownLines>,
}

/// Lines by the hash of what they are: of two with one hash each computes again what the other replaced.
#[derive(Debug, Clone, Default)]
struct KnownLines {
    hash: RandomState,
    recent: HashMap<u64, Vec<KnownBook>, RandomState>,
    /// How many books those have.
    rows: usize,
    /// Those that were not asked for since `recent` was empty.
    former: HashMap<u64, Vec<KnownBook>, RandomState>,
}

/// A book of a line, which has them in the order in which they are given.
#[derive(Debug, Clone)]
struct KnownBook {
    of: BookPrices,
    /// Bit `m`: the method `m` was asked for.
    asked: u8,
    /// Bit `m`: it has an answer.
    answered: u8,
    chances: [[f64; MOST]; METHODS],
}

/// The chances of a line's books.
#[derive(Debug)]
pub(crate) struct KnownLine<'a> {
    line: &'a mut [KnownBook],
    of_prices: &'a FairCache,
}

impl LineChances {
    /// Looks at the chances of a line's books, which are given as they are now. The line is whatever tells it from others.
    pub(crate) fn look<R>(
        &self,
        line: impl Hash,
        books: &[BookPrices],
        look: impl FnOnce(KnownLine<'_>) -> R,
    ) -> R {
        let mut lines = self.lines.borrow_mut();
        let line = lines.follow(line, books);
        look(KnownLine { line, of_prices: &self.of_prices })
    }
}

impl KnownLines {
    /// A line whose books are these, with what is known of those whose prices are as they were.
    fn follow(&mut self, line: impl Hash, books: &[BookPrices]) -> &mut [KnownBook] {
        if self.rows > ROWS {
            self.former = std::mem::take(&mut self.recent);
            self.rows = 0;
        }
        let hash = self.hash.hash_one(line);
        let known = self.recent.entry(hash).or_insert_with(|| {
            let known = self.former.remove(&hash).unwrap_or_default();
            self.rows += known.len();
            known
        });
        self.rows = self.rows + books.len() - known.len();
        follow(known, books);
        known
    }
}

/// Keeps what is known of the books whose prices are as they were.
fn follow(line: &mut Vec<KnownBook>, books: &[BookPrices]) {
    let are_same =
        line.len() == books.len() && line.iter().zip(books).all(|(known, book)| known.of.book == book.book);
    if are_same {
        for (known, book) in line.iter_mut().zip(books).filter(|(known, book)| known.of != **book) {
            *known = KnownBook::new(*book);
        }
        return;
    }
    let mut were = std::mem::take(line);
    line.extend(books.iter().map(|book| {
        let was = were.iter().position(|was| was.of == *book);
        was.map_or_else(|| KnownBook::new(*book), |was| were.swap_remove(was))
    }));
}

impl KnownBook {
    fn new(of: BookPrices) -> Self {
        Self { of, asked: 0, answered: 0, chances: [[0.0; MOST]; METHODS] }
    }

    fn chance(&mut self, method: Method, outcome: usize, of_prices: &FairCache) -> Option<f64> {
        let (at, bit) = (method as usize, 1 << method as usize);
        if self.asked & bit == 0 {
            let found = of_prices.known(&self.of.prices[..self.of.len], method);
            self.asked |= bit;
            self.answered |= if found.is_some() { bit } else { 0 };
            self.chances[at] = found.unwrap_or_default();
        }
        (self.answered & bit != 0).then(|| self.chances[at][outcome])
    }
}

impl KnownLine<'_> {
    /// The chance of one outcome that the book at a place sees, as [`devig::fair`](super::devig::fair) has it.
    pub(crate) fn chance(&mut self, place: usize, method: Method, outcome: usize) -> Option<f64> {
        self.line[place].chance(method, outcome, self.of_prices)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::devig;
    use super::*;

    /// Books at prices in tenths.
    fn books(of: &[(usize, [i64; 3])]) -> Vec<BookPrices> {
        let price = |tenths: i64| Price::from_millionths(tenths * 100_000).unwrap();
        let of =
            of.iter().map(|(book, prices)| BookPrices { book: *book, prices: prices.map(price), len: 3 });
        of.collect()
    }

    #[test]
    fn lines_that_are_not_asked_for_are_forgotten_and_those_that_are_stay() {
        let chances = LineChances::default();
        let many: Vec<_> = (0..1_000).map(|book| (book, [20, 30, 40])).collect();
        let many = books(&many);
        let ask = |line: usize| chances.look(line, &many, |_| ());
        for line in 0..3_000 {
            ask(line);
            ask(0);
        }
        let lines = chances.lines.borrow();
        let held: usize = lines.recent.values().chain(lines.former.values()).map(Vec::len).sum();
        assert!(held <= 2 * (ROWS + 1_000), "{held}");
        let hash = lines.hash.hash_one(0_usize);
        assert!(lines.recent.contains_key(&hash));
    }

    proptest! {
        /// Whatever was asked of the line before, of which books and at which prices: the chances are those that are computed.
        #[test]
        fn a_chance_is_the_one_that_is_computed(
            asked in prop::collection::vec(
                (0..3_u8, prop::collection::btree_map(0..6_usize, prop::array::uniform3(11..60_i64), 0..6), 0..5_usize, 0..3_usize),
                1..60,
            ),
        ) {
            let chances = LineChances::default();
            for (line, of, method, outcome) in asked {
                let of: Vec<_> = of.into_iter().collect();
                let (books, method) = (books(&of), Method::ALL[method]);
                let found: Vec<_> = chances.look(line, &books, |mut known| {
                    (0..books.len()).map(|place| known.chance(place, method, outcome)).collect()
                });
                let computed = books.iter().map(|book| {
                    devig::fair(&book.prices, method).map(|fair| fair.probabilities[outcome])
                });
                prop_assert_eq!(found, computed.collect::<Vec<_>>());
            }
        }
    }
}
