//! The books that offer every outcome of a line: what each of them thinks of all.
//!
//! It decides nothing.

use crate::market::{Outcome, Side, Symbol};
use crate::odds::devig::Method;
use crate::odds::{BookPrices, FairCache};
use crate::quotes::{Quote, QuoteStatus, of_bet};

/// The most outcomes that a set has.
const MOST: usize = 3;

/// A book that offers every outcome of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    quotes: [&'a Quote; MOST],
    len: usize,
    /// The sum of its implied probabilities.
    pub(super) booksum: f64,
}

impl<'a> Row<'a> {
    /// Its quotes, in the order of the outcomes.
    pub(super) fn quotes(&self) -> &[&'a Quote] {
        &self.quotes[..self.len]
    }

    /// Whose it is.
    pub(super) fn book(&self) -> Symbol {
        self.quotes[0].key.book()
    }

    /// Its prices, in the order of the outcomes.
    pub(super) fn book_prices(&self) -> BookPrices {
        BookPrices { book: self.book().index(), prices: self.quotes.map(|quote| quote.price), len: self.len }
    }

    /// The chance of one outcome that it sees, by a method; `None` where that has no answer.
    pub(super) fn chance(&self, known: &FairCache, method: Method, outcome: usize) -> Option<f64> {
        let BookPrices { prices, len, .. } = self.book_prices();
        known.chance(&prices[..len], method, outcome)
    }

    /// Whether its prices carry probabilities: below 1 they are an arb or an error.
    pub(super) fn has_opinion(&self) -> bool {
        self.booksum >= 1.0
    }
}

/// The books that offer every outcome of a line. Both are sorted, so one pass is enough.
pub(super) fn rows_of<'a>(line: &'a [Quote], outcomes: &[Outcome], rows: &mut Vec<Row<'a>>) {
    let [first, others @ ..] = outcomes else { return };
    if outcomes.len() > MOST {
        return;
    }
    let mut rest = [&line[..0]; MOST];
    for (rest, outcome) in rest.iter_mut().zip(others) {
        *rest = of_bet(line, *outcome, Side::Back);
    }
    let firsts = of_bet(line, *first, Side::Back);
    rows.reserve(firsts.len());
    'books: for quote in firsts.iter().filter(|quote| quote.status == QuoteStatus::OnOffer) {
        let mut row = Row { quotes: [quote; MOST], len: outcomes.len(), booksum: 0.0 };
        for (at, rest) in rest[..others.len()].iter_mut().enumerate() {
            let before = rest.iter().take_while(|other| other.key.book() < quote.key.book()).count();
            *rest = &rest[before..];
            match rest.first() {
                Some(other)
                    if other.key.book() == quote.key.book() && other.status == QuoteStatus::OnOffer =>
                {
                    row.quotes[at + 1] = other;
                }
                _ => continue 'books,
            }
        }
        row.booksum = row.quotes().iter().map(|quote| quote.price.implied_probability()).sum();
        rows.push(row);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{quote, symbols};
    use crate::market::Names;
    use crate::odds::Price;

    const THREE: [Outcome; 3] = [Outcome::Home, Outcome::Draw, Outcome::Away];

    proptest! {
        /// One pass finds the same as a search for every book and outcome.
        #[test]
        fn rows_are_the_books_that_offer_every_outcome(
            rows in prop::collection::vec((0..5_usize, 0..3_usize, any::<bool>(), 11..60_i64, prop::bool::weighted(0.8)), 0..25),
            outcomes in prop_oneof![Just(&THREE[..]), Just(&[Outcome::Home, Outcome::Away][..])],
        ) {
            let books = symbols(&mut Names::default(), 5);
            let mut line: Vec<_> = rows.iter().map(|(book, outcome, lay, tenths, offered)| {
                let price = Price::from_millionths(tenths * 100_000).unwrap();
                let mut quote = quote(books[*book], None, THREE[*outcome], price);
                quote.key = quote.key.with_side(if *lay { Side::Lay } else { Side::Back });
                let status = if *offered { QuoteStatus::OnOffer } else { QuoteStatus::Suspended };
                Quote { status, ..quote }
            }).collect();
            line.sort_by_key(|quote| quote.key);
            line.dedup_by_key(|quote| quote.key);
            let mut found = Vec::new();
            rows_of(&line, outcomes, &mut found);
            let offer = |book, outcome| line.iter().find(|quote| {
                let is_back = quote.key.side() == Side::Back && quote.status == QuoteStatus::OnOffer;
                is_back && quote.key.book() == book && quote.key.outcome() == outcome
            });
            let all = |book: &_| outcomes.iter().map(|outcome| offer(*book, *outcome)).collect::<Option<Vec<_>>>();
            let expected: Vec<_> = books.iter().filter_map(all).collect();
            prop_assert_eq!(found.iter().map(|row| row.quotes().to_vec()).collect::<Vec<_>>(), expected);
            for row in &found {
                let BookPrices { prices, len, .. } = row.book_prices();
                let booksum: f64 = prices[..len].iter().map(|price| price.implied_probability()).sum();
                prop_assert_eq!((row.booksum, row.has_opinion()), (booksum, booksum >= 1.0));
            }
        }
    }

    #[test]
    fn a_book_below_a_booksum_of_one_has_no_opinion() {
        let book = symbols(&mut Names::default(), 1)[0];
        let booksum = |prices: [&str; 2]| {
            let of = |(outcome, decimal): (Outcome, &str)| {
                quote(book, None, outcome, Price::from_decimal(decimal).unwrap())
            };
            let line = [of((Outcome::Home, prices[0])), of((Outcome::Away, prices[1]))];
            let mut rows = Vec::new();
            rows_of(&line, &[Outcome::Home, Outcome::Away], &mut rows);
            (rows[0].booksum, rows[0].has_opinion())
        };
        assert_eq!(booksum(["2", "2"]), (1.0, true));
        let (sum, has_opinion) = booksum(["2.1", "2"]);
        assert!((sum - 0.976_190_476).abs() < 1e-9 && !has_opinion);
    }
}
