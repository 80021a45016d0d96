//! The books that offer every outcome of a line: what each of them thinks of all.
//!
//! It decides nothing.

use crate::catalogue::{Outcome, Side};
use crate::odds::Price;
use crate::quotes::{QuoteKey, Quote, QuoteStatus};

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

    /// Its prices, in the order of the outcomes.
    pub(super) fn prices(&self) -> ([Price; MOST], usize) {
        (self.quotes.map(|quote| quote.price), self.len)
    }

    /// Whether its prices say anything of chances: below 1 they are an arb or an error.
    pub(super) fn has_opinion(&self) -> bool {
        self.booksum >= 1.0
    }
}

/// The books that offer every outcome of a line. Both are sorted, so it is one walk.
pub(super) fn rows_of<'a>(line: &'a [Quote], outcomes: &[Outcome], rows: &mut Vec<Row<'a>>) {
    let [first, others @ ..] = outcomes else { return };
    if outcomes.len() > MOST {
        return;
    }
    let mut rest = [&line[..0]; MOST];
    for (rest, outcome) in rest.iter_mut().zip(others) {
        *rest = backs(line, *outcome);
    }
    'books: for quote in backs(line, *first).iter().filter(|quote| quote.standing == QuoteStatus::OnOffer) {
        let mut row = Row { quotes: [quote; MOST], len: outcomes.len(), booksum: 0.0 };
        for (at, rest) in rest[..others.len()].iter_mut().enumerate() {
            let before = rest.iter().take_while(|other| other.key.book < quote.key.book).count();
            *rest = &rest[before..];
            match rest.first() {
                Some(other) if other.key.book == quote.key.book && other.standing == QuoteStatus::OnOffer => {
                    row.quotes[at + 1] = other;
                }
                _ => continue 'books,
            }
        }
        row.booksum = row.quotes().iter().map(|quote| quote.price.implied_probability()).sum();
        rows.push(row);
    }
}

/// The back quotes of an outcome of one line, sorted by book.
fn backs(line: &[Quote], outcome: Outcome) -> &[Quote] {
    let of = |key: &QuoteKey| (key.outcome, key.side);
    let from = line.partition_point(|quote| of(&quote.key) < (outcome, Side::Back));
    let to = line.partition_point(|quote| of(&quote.key) <= (outcome, Side::Back));
    &line[from..to]
}
