//! The quotes of one market: a sorted table, and the merge of a frame into it.
//!
//! A quote is the latest tick of one bet at one book. Its **span** runs from the `last_seen_at` with which the
//! price was first seen to the latest with which it was seen unchanged; another price, a suspension, a
//! withdrawal or the event's absence from a poll ends it. It never looks at more than one market.

use crate::Micros;
use crate::catalogue::{Line, Market, Outcome, Side};
use crate::names::Symbol;
use crate::odds::Price;

/// What a quote is for, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) line: Option<Line>,
    pub(crate) outcome: Outcome,
    pub(crate) side: Side,
    pub(crate) book: Symbol,
}

/// A tick of a frame, its names resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observation {
    pub(crate) market: Market,
    pub(crate) key: Key,
    pub(crate) price: Price,
    pub(crate) suspended: bool,
    pub(crate) last_seen_at: Micros,
    pub(crate) price_moved_at: Option<Micros>,
}

/// The latest tick of one bet at one book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) key: Key,
    pub(crate) price: Price,
    pub(crate) suspended: bool,
    pub(crate) source: Symbol,
    pub(crate) span_start: Micros,
    pub(crate) span_end: Micros,
    pub(crate) price_moved_at: Micros,
    pub(crate) received_at: Micros,
}

/// A quote as a reader outside sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteView {
    /// The price.
    pub price: Price,
    /// When its source last confirmed it.
    pub last_seen_at: Micros,
}

/// Who speaks, when, and for what it is complete.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) source: Symbol,
    pub(crate) received_at: Micros,
    /// Books for which it is complete; `None` is every book.
    pub(crate) books: Option<Vec<Symbol>>,
    /// Markets for which it is complete; `None` is every market.
    pub(crate) markets: Option<Vec<Market>>,
}

impl Statement {
    fn covers(&self, market: Market) -> bool {
        self.markets.as_ref().is_none_or(|markets| markets.contains(&market))
    }
}

impl Quote {
    fn new(seen: &Observation, statement: &Statement) -> Self {
        Self {
            key: seen.key,
            price: seen.price,
            suspended: seen.suspended,
            source: statement.source,
            span_start: seen.last_seen_at,
            span_end: seen.last_seen_at,
            price_moved_at: seen.price_moved_at.unwrap_or(seen.last_seen_at),
            received_at: statement.received_at,
        }
    }

    /// The quote after another observation of it: the same span when nothing moved, a new one otherwise.
    fn after(&self, seen: &Observation, statement: &Statement) -> Self {
        if (self.price, self.suspended) != (seen.price, seen.suspended) {
            return Self::new(seen, statement);
        }
        Self {
            source: statement.source,
            span_end: self.span_end.max(seen.last_seen_at),
            price_moved_at: seen.price_moved_at.unwrap_or(self.price_moved_at),
            received_at: statement.received_at,
            ..*self
        }
    }

    /// Whether a statement that does not name the quote withdraws it: only if its source gave it last.
    fn is_withdrawn_by(&self, statement: &Statement) -> bool {
        self.source == statement.source
            && self.received_at < statement.received_at
            && statement.books.as_ref().is_none_or(|books| books.contains(&self.key.book))
    }

    pub(crate) fn view(&self) -> QuoteView {
        QuoteView { price: self.price, last_seen_at: self.span_end }
    }
}

/// The table of a market after a statement: what it names is observed, what it covers and does not name is
/// withdrawn.
///
/// `old` is sorted by key without repeats, so is the answer; `seen` is sorted too, and of repeats the last holds.
pub(crate) fn merge(
    market: Market,
    old: &[Quote],
    seen: &[Observation],
    statement: &Statement,
) -> Vec<Quote> {
    let covered = statement.covers(market);
    let keeps = |quote: &&Quote| !(covered && quote.is_withdrawn_by(statement));
    let mut table = Vec::with_capacity(old.len().max(seen.len()));
    let mut rest = old;
    for (index, observation) in seen.iter().enumerate() {
        if seen.get(index + 1).is_some_and(|next| next.key == observation.key) {
            continue;
        }
        // A walk, not a search: what a frame names stands close together.
        let before = rest.iter().take_while(|quote| quote.key < observation.key).count();
        table.extend(rest[..before].iter().filter(keeps));
        rest = &rest[before..];
        match rest.split_first() {
            Some((quote, after)) if quote.key == observation.key => {
                table.push(quote.after(observation, statement));
                rest = after;
            }
            _ => table.push(Quote::new(observation, statement)),
        }
    }
    table.extend(rest.iter().filter(keeps));
    table
}

/// Whether a statement that names nothing of a market would change its table.
pub(crate) fn any_withdrawn(market: Market, table: &[Quote], statement: &Statement) -> bool {
    statement.covers(market) && table.iter().any(|quote| quote.is_withdrawn_by(statement))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Names;

    fn h2h() -> Market {
        Market::parse("h2h").unwrap()
    }

    fn seen(book: Symbol, price: u32, at: Micros) -> Observation {
        let key = Key { line: None, outcome: Outcome::Home, side: Side::Back, book };
        let price = Price::from_millionths(price.into()).unwrap();
        Observation { market: h2h(), key, price, suspended: false, last_seen_at: at, price_moved_at: None }
    }

    fn says(source: Symbol, received_at: Micros) -> Statement {
        Statement { source, received_at, books: None, markets: None }
    }

    fn spans(table: &[Quote]) -> Vec<(u32, Micros, Micros)> {
        table.iter().map(|quote| (quote.price.millionths(), quote.span_start, quote.span_end)).collect()
    }

    #[test]
    fn a_span_grows_while_the_price_stands() {
        let mut names = Names::default();
        let (source, book) = (names.symbol("s"), names.symbol("b"));
        let step =
            |old: &[Quote], price, at| merge(h2h(), old, &[seen(book, price, at)], &says(source, at + 5));
        let table = step(&[], 2_000_000, 10);
        assert_eq!(spans(&table), [(2_000_000, 10, 10)]);
        let table = step(&table, 2_000_000, 20);
        assert_eq!(spans(&table), [(2_000_000, 10, 20)]);
        let moved = step(&table, 2_100_000, 30);
        assert_eq!(spans(&moved), [(2_100_000, 30, 30)]);
        assert_eq!(moved[0].price_moved_at, 30);
        let gone = merge(h2h(), &table, &[], &says(source, 40));
        assert_eq!(spans(&gone), []);
        assert_eq!(spans(&step(&gone, 2_000_000, 50)), [(2_000_000, 50, 50)]);
    }

    #[test]
    fn a_confirmation_that_comes_out_of_order_ends_no_span() {
        let mut names = Names::default();
        let (source, book) = (names.symbol("s"), names.symbol("b"));
        let table = merge(h2h(), &[], &[seen(book, 2_000_000, 10)], &says(source, 15));
        let table = merge(h2h(), &table, &[seen(book, 2_000_000, 8)], &says(source, 25));
        assert_eq!(spans(&table), [(2_000_000, 10, 10)]);
    }

    #[test]
    fn of_two_ticks_for_one_bet_the_last_holds() {
        let mut names = Names::default();
        let (source, book) = (names.symbol("s"), names.symbol("b"));
        let table = merge(h2h(), &[], &[seen(book, 2_000_000, 10)], &says(source, 10));
        let both = [seen(book, 3_000_000, 20), seen(book, 2_000_000, 20)];
        assert_eq!(spans(&merge(h2h(), &table, &both, &says(source, 20))), [(2_000_000, 10, 20)]);
    }

    #[test]
    fn only_the_source_that_gave_a_quote_last_withdraws_it() {
        let mut names = Names::default();
        let [ours, other, a, b] = ["ours", "other", "a", "b"].map(|name| names.symbol(name));
        let table = merge(h2h(), &[], &[seen(a, 2_000_000, 1), seen(b, 2_000_000, 1)], &says(ours, 1));
        let left = |statement: &Statement| merge(h2h(), &table, &[], statement).len();
        assert_eq!(left(&says(other, 2)), 2);
        assert_eq!(left(&Statement { markets: Some(vec![]), ..says(ours, 2) }), 2);
        assert_eq!(left(&says(ours, 2)), 0);
        let only_a = Statement { books: Some(vec![a]), ..says(ours, 2) };
        assert!(any_withdrawn(h2h(), &table, &only_a));
        assert_eq!(merge(h2h(), &table, &[], &only_a)[0].key.book, b);
        let taken_over = merge(h2h(), &table, &[seen(a, 2_000_000, 3)], &says(other, 3));
        assert_eq!(merge(h2h(), &taken_over, &[], &says(ours, 4))[0].key.book, a);
    }
}
