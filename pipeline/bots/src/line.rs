//! One line of a market as bots see it: the outcomes, and the books that offer all of them now.
//!
//! Prices that are stale, suspended, or laid are not seen. A line costs one pass over its quotes. It never looks at another line.

use std::cmp::Ordering;
use std::sync::Arc;

use arb_engine::odds::devig::Method;
use arb_engine::odds::{FairCache, MiddleRank, median_of_operators};
use arb_engine::{ListedQuote, QuoteStatus};
use arb_model::{Family, Line, Market, Outcome, Price, Side};

/// The most outcomes of a line that is seen.
const MOST: usize = 3;

/// A line of an event.
#[derive(Debug)]
pub struct LineView<'a> {
    /// The market.
    pub market: Market,
    /// The line; `None` of a market without lines.
    pub line: Option<Line>,
    /// What can be bet on, in order; together they exhaust the line.
    pub outcomes: Vec<Outcome>,
    /// The quotes of the books that offer all of it, book by book in the order of the outcomes.
    complete: Vec<&'a ListedQuote>,
    /// Every price on offer, of other books too.
    offers: &'a [ListedQuote],
}

/// The prices of one book on all outcomes of a line, in their order.
#[derive(Debug, Clone, Copy)]
pub struct BookRow<'a> {
    /// The book.
    pub book: &'a str,
    /// Its quotes.
    pub quotes: &'a [&'a ListedQuote],
}

impl<'a> LineView<'a> {
    /// The lines of markets, from all their quotes by market, line, outcome, side and book; those with two or three outcomes.
    #[must_use]
    pub fn all(quotes: &'a [ListedQuote]) -> Vec<Self> {
        let lines = quotes.chunk_by(|a, b| (a.market, a.line) == (b.market, b.line));
        lines.filter_map(Self::of).collect()
    }

    fn of(offers: &'a [ListedQuote]) -> Option<Self> {
        let first = offers.first()?;
        let seen: Vec<_> = offers.iter().filter(|quote| is_on_offer(quote)).collect();
        let columns: Vec<_> = seen.chunk_by(|a, b| a.outcome == b.outcome).collect();
        if !(2..=MOST).contains(&columns.len()) {
            return None;
        }
        let outcomes = columns.iter().map(|column| column[0].outcome).collect();
        Some(Self { market: first.market, line: first.line, outcomes, complete: complete(&columns), offers })
    }

    /// The books that offer all of it, by key.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = BookRow<'_>> {
        let rows = self.complete.chunks_exact(self.outcomes.len());
        rows.map(|quotes| BookRow { book: &quotes[0].book, quotes })
    }

    /// Whether the stake on a quote comes back on a draw: a winner with two outcomes, at a book that has never listed a third.
    #[must_use]
    pub fn draw_refunds(&self, quote: &ListedQuote) -> bool {
        self.market.family == Family::H2h && self.outcomes.len() == 2 && !quote.is_draw_sold
    }

    /// The quote of a book on an outcome, where it is on offer.
    #[must_use]
    pub fn offer(&self, book: &str, outcome: Outcome) -> Option<&'a ListedQuote> {
        let is_meant =
            |quote: &&ListedQuote| is_on_offer(quote) && &*quote.book == book && quote.outcome == outcome;
        self.offers.iter().find(is_meant)
    }

    /// The fair probability of each outcome by Shin's method: the median by rank over the operators of some books of the table, of an even
    /// number the lower one, so that one wrong price does not move it out of what the others say. `None` with fewer than `least` operators
    /// that have a margin.
    #[must_use]
    pub fn fair(
        &self,
        least: usize,
        chances: &FairCache,
        is_source: impl Fn(&BookRow<'_>) -> bool,
    ) -> Option<Vec<f64>> {
        let is_source = |row: &BookRow<'_>| row.is_of_table() && is_source(row);
        let sources = self.rows().filter(is_source);
        let fair: Vec<_> =
            sources.filter_map(|row| Some((&*row.quotes[0].operator, row.fair(chances)?))).collect();
        let median = |outcome: usize| {
            let mut opinions: Vec<_> =
                fair.iter().map(|(operator, fair)| (*operator, fair[outcome])).collect();
            median_of_operators(&mut opinions, MiddleRank::Lower)
        };
        let of_enough = |(median, operators)| (operators >= least).then_some(median);
        (0..self.outcomes.len()).map(|outcome| median(outcome).and_then(of_enough)).collect()
    }

    /// The price of an outcome that the other operators of a quote ask for, and how many of them there are: their median by rank, of an even number
    /// the higher price, over the books of the table that offer all. `None` without them.
    #[must_use]
    pub fn price_of_others(&self, outcome: usize, quote: &ListedQuote) -> Option<(f64, usize)> {
        let is_other = |row: &BookRow<'_>| row.is_of_table() && row.quotes[0].operator != quote.operator;
        let others = self.rows().filter(is_other);
        let mut opinions: Vec<_> =
            others.map(|row| (&*row.quotes[0].operator, row.quotes[outcome].price.decimal())).collect();
        median_of_operators(&mut opinions, MiddleRank::Upper)
    }

    /// Who runs a book; `None` of a book that has no price here.
    #[must_use]
    pub fn operator_of(&self, book: &str) -> Option<&'a str> {
        self.offers.iter().find(|quote| &*quote.book == book).map(|quote| &*quote.operator)
    }

    /// The highest price of each outcome that can be bet at without a fee, of those that may be bet at; of equal ones the first
    /// book's. `None` where an outcome has none.
    #[must_use]
    pub fn best(&self, may_bet: impl Fn(&ListedQuote) -> bool) -> Option<Vec<&'a ListedQuote>> {
        let rows = || self.complete.chunks_exact(self.outcomes.len());
        let best = |outcome: usize| {
            let is_taken = |quote: &&ListedQuote| is_without_fee(quote) && may_bet(quote);
            let quotes = rows().map(|row| row[outcome]).filter(is_taken);
            quotes.reduce(|best, next| if next.price > best.price { next } else { best })
        };
        (0..self.outcomes.len()).map(best).collect()
    }
}

impl BookRow<'_> {
    /// Whether its book is in the table: of any other no opinion counts.
    #[must_use]
    pub fn is_of_table(&self) -> bool {
        self.quotes.iter().all(|quote| quote.is_of_table)
    }

    /// Whether all its prices are plausible, of a book of the table whose rules are known.
    #[must_use]
    pub fn is_eligible(&self) -> bool {
        self.quotes.iter().all(|quote| quote.is_eligible)
    }

    /// The prices of a line with three outcomes, in their order.
    #[must_use]
    pub fn three(&self) -> Option<[Price; 3]> {
        let [first, second, third] = self.quotes[..] else { return None };
        Some([first.price, second.price, third.price])
    }

    /// 0 for an outcome that is not there.
    fn fair(&self, chances: &FairCache) -> Option<[f64; MOST]> {
        match self.quotes[..] {
            [first, second] => {
                let [first, second] = chances.chances(&[first.price, second.price], Method::Shin)?;
                Some([first, second, 0.0])
            }
            _ => chances.chances(&self.three()?, Method::Shin),
        }
    }
}

/// Whether a bettor is paid the price itself: exchanges and prediction markets take a part of it.
#[must_use]
pub fn is_without_fee(quote: &ListedQuote) -> bool {
    quote.effective_price == quote.price
}

/// The quotes of the books that every column has, book by book: one pass over columns that are sorted by book.
fn complete<'a>(columns: &[&[&'a ListedQuote]]) -> Vec<&'a ListedQuote> {
    let Some((first, others)) = columns.split_first() else { return Vec::new() };
    let (mut others, mut complete) = (others.to_vec(), Vec::with_capacity(first.len() * columns.len()));
    for quote in *first {
        let begun = complete.len();
        complete.push(*quote);
        for column in &mut others {
            *column = &column[column.iter().take_while(|other| by_book(other, quote).is_lt()).count()..];
            complete.extend(column.first().filter(|other| by_book(other, quote).is_eq()));
        }
        if complete.len() < begun + columns.len() {
            complete.truncate(begun);
        }
    }
    complete
}

/// The order of quotes by book. Those of one book mostly share its name: to compare where it lies is cheaper.
fn by_book(a: &ListedQuote, b: &ListedQuote) -> Ordering {
    if Arc::ptr_eq(&a.book, &b.book) { Ordering::Equal } else { a.book.cmp(&b.book) }
}

fn is_on_offer(quote: &ListedQuote) -> bool {
    quote.status == QuoteStatus::OnOffer && quote.side == Side::Back
}

#[cfg(test)]
mod tests;
