//! The main line of a market: the line that most books quote on both sides.
//!
//! Of equal ones the previous main line, then the one closest to even, then the smaller, by the quotes on
//! offer. It never keeps state.

use std::cmp::Reverse;

use crate::market::{Line, Outcome};
use crate::quotes::{Quote, by_line, on_offer};

/// The line that most books quote on both sides; `was` is the one before, which holds against as many.
pub(crate) fn main_line(quotes: &[Quote], outcomes: &[Outcome], was: Option<Line>) -> Option<Line> {
    let &[one, other] = outcomes else { return None };
    let lines = by_line(quotes).filter_map(|quotes| {
        let line = quotes[0].key.line()?;
        let books = books_on_both(quotes, one, other);
        (books > 0).then(|| (books, Some(line) == was, Reverse(from_even(quotes, one, other)), Reverse(line)))
    });
    lines.max().map(|(.., Reverse(line))| line)
}

/// How many books offer both outcomes of a line; both are sorted by book.
fn books_on_both(quotes: &[Quote], one: Outcome, other: Outcome) -> usize {
    let mut others = on_offer(quotes, other).map(|quote| quote.key.book()).peekable();
    let is_on_both = |quote: &&Quote| {
        while others.next_if(|book| *book < quote.key.book()).is_some() {}
        others.peek() == Some(&quote.key.book())
    };
    on_offer(quotes, one).filter(is_on_both).count()
}

/// How far the best prices of a line are from even, as implied probability in parts of 10^12.
fn from_even(quotes: &[Quote], one: Outcome, other: Outcome) -> u128 {
    let best = |outcome| {
        let highest = on_offer(quotes, outcome).map(|quote| quote.price.millionths()).max();
        u128::from(highest.unwrap_or(1))
    };
    let (one, other) = (best(one), best(other));
    one.abs_diff(other) * 1_000_000_000_000_000_000 / (one * other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{price, quote, symbols};
    use crate::market::Names;
    use crate::quotes::QuoteStatus;

    const BOTH: [Outcome; 2] = [Outcome::Over, Outcome::Under];

    /// Lines with their books (by number) and the prices of both sides, as a table.
    fn table(lines: &[(Line, &[usize], &str, &str)]) -> Vec<Quote> {
        let books = symbols(&mut Names::default(), 4);
        let mut table: Vec<_> = lines
            .iter()
            .flat_map(|(line, of, over, under)| {
                let pair = [(Outcome::Over, price(over)), (Outcome::Under, price(under))];
                of.iter().flat_map(move |book| pair.map(|(outcome, price)| (*line, *book, outcome, price)))
            })
            .map(|(line, book, outcome, price)| quote(books[book], Some(line), outcome, price))
            .collect();
        table.sort_by_key(|quote| quote.key);
        table
    }

    #[test]
    fn most_books_decide_before_all_else() {
        let table = table(&[(2_500, &[0, 1], "1.9", "1.9"), (3_000, &[0, 1, 2], "1.5", "2.6")]);
        assert_eq!(main_line(&table, &BOTH, Some(2_500)), Some(3_000));
    }

    #[test]
    fn against_as_many_books_the_line_that_it_was_holds_its_place() {
        let table = table(&[(2_500, &[0, 1], "1.9", "1.9"), (3_000, &[2, 3], "1.5", "2.6")]);
        assert_eq!(main_line(&table, &BOTH, Some(3_000)), Some(3_000));
        assert_eq!(main_line(&table, &BOTH, None), Some(2_500), "the one closest to even");
        assert_eq!(main_line(&table, &BOTH, Some(9_000)), Some(2_500), "it was one that is gone");
    }

    #[test]
    fn of_lines_as_even_the_smaller_is_taken() {
        let table = table(&[(3_500, &[0], "1.8", "2"), (2_500, &[1], "2", "1.8")]);
        assert_eq!(main_line(&table, &BOTH, None), Some(2_500));
    }

    #[test]
    fn a_book_counts_where_both_of_its_sides_are_on_offer() {
        let mut table = table(&[(2_500, &[0, 1, 2], "1.9", "1.9"), (3_000, &[0, 1], "1.9", "1.9")]);
        for quote in table.iter_mut().filter(|quote| quote.key.line() == Some(2_500)).take(2) {
            quote.status = QuoteStatus::Stale;
        }
        assert_eq!(main_line(&table, &BOTH, None), Some(3_000));
        for quote in &mut table {
            quote.status = QuoteStatus::Suspended;
        }
        assert_eq!(main_line(&table, &BOTH, Some(3_000)), None);
    }

    #[test]
    fn a_market_of_three_outcomes_has_none() {
        let table = table(&[(2_500, &[0], "1.9", "1.9")]);
        assert_eq!(main_line(&table, &[Outcome::Home, Outcome::Draw, Outcome::Away], None), None);
    }
}
