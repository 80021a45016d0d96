//! Lines of prices worked out by hand, and of any prices beside a look at each book by itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use arb_model::fixtures::price;
use proptest::prelude::*;

use super::*;

fn quote(market: &str, line: Option<Line>, outcome: Outcome, book: &str) -> ListedQuote {
    ListedQuote {
        market: Market::parse(market).unwrap(),
        line,
        outcome,
        side: Side::Back,
        book: Arc::from(book),
        price: price(2_000_000),
        effective_price: price(2_000_000),
        limit: None,
        status: QuoteStatus::OnOffer,
        price_moved_at: 0,
        last_seen_at: 0,
        operator: Arc::from(book),
        is_of_table: true,
        is_draw_sold: false,
        is_eligible: true,
        is_fresh: true,
    }
}

/// The books of a line that offer all of it.
fn books<'a>(view: &'a LineView<'_>) -> Vec<&'a str> {
    view.rows().map(|row| row.book).collect()
}

#[test]
fn a_row_is_a_book_that_offers_every_outcome() {
    let of = |outcome, books: [&str; 3]| books.map(|book| quote("h2h", None, outcome, book));
    let (home, away) = (of(Outcome::Home, ["a", "b", "d"]), of(Outcome::Away, ["b", "c", "d"]));
    let quotes = [home, away].concat();
    let [view] = &LineView::all(&quotes)[..] else { panic!("one line") };
    assert_eq!((&view.outcomes[..], books(view)), (&[Outcome::Home, Outcome::Away][..], vec!["b", "d"]));
    let outcomes: Vec<_> =
        view.rows().map(|row| row.quotes.iter().map(|quote| quote.outcome).collect::<Vec<_>>()).collect();
    assert_eq!(outcomes, [view.outcomes.clone(), view.outcomes.clone()]);
    assert!(
        view.offer("a", Outcome::Home).is_some(),
        "a book that offers a part is no row, but has its offer"
    );
}

#[test]
fn lines_and_markets_are_kept_apart_and_one_outcome_is_no_line() {
    let both =
        |line| [Outcome::Over, Outcome::Under].map(|outcome| quote("totals", Some(line), outcome, "a"));
    let quotes = [&[quote("h2h", None, Outcome::Home, "a")][..], &both(2_000), &both(2_500)].concat();
    let views = LineView::all(&quotes);
    let lines: Vec<_> = views.iter().map(|view| (view.market.key(), view.line)).collect();
    assert_eq!(lines, [("totals".to_owned(), Some(2_000)), ("totals".to_owned(), Some(2_500))]);
}

/// The rows of a line, each book and outcome looked up by itself.
fn looked_up(quotes: &[ListedQuote]) -> Vec<Vec<&ListedQuote>> {
    let seen = || quotes.iter().filter(|quote| is_on_offer(quote));
    let outcomes: BTreeSet<_> = seen().map(|quote| quote.outcome).collect();
    let books: BTreeSet<&str> = seen().map(|quote| &*quote.book).collect();
    let row = |book: &str| {
        let of = |outcome: &Outcome| seen().find(|quote| &*quote.book == book && quote.outcome == *outcome);
        outcomes.iter().map(of).collect::<Option<Vec<_>>>()
    };
    let rows = books.into_iter().filter_map(row);
    if (2..=3).contains(&outcomes.len()) { rows.collect() } else { Vec::new() }
}

/// An outcome, a side, a book, and whether it is stale.
type Raw = (usize, bool, usize, bool);

proptest! {
    /// One pass finds the rows that are found where each book and outcome is looked up by itself.
    #[test]
    fn rows_are_those_that_are_looked_up(raw in prop::collection::vec((0..4_usize, any::<bool>(), 0..6_usize, any::<bool>()), 0..60)) {
        let quote = |(outcome, is_lay, book, is_stale): &Raw| ListedQuote {
            side: if *is_lay { Side::Lay } else { Side::Back },
            status: if *is_stale { QuoteStatus::Stale } else { QuoteStatus::OnOffer },
            ..quote("h2h", None, Outcome::ALL[*outcome], ["a", "b", "c", "d", "e", "f"][*book])
        };
        let mut quotes: Vec<_> = raw.iter().map(quote).collect();
        let key = |quote: &ListedQuote| (quote.outcome, quote.side, Arc::clone(&quote.book));
        quotes.sort_by_key(key);
        quotes.dedup_by_key(|quote| key(quote));
        let views = LineView::all(&quotes);
        let rows: Vec<_> = views.iter().flat_map(LineView::rows).map(|row| row.quotes.to_vec()).collect();
        prop_assert_eq!(rows, looked_up(&quotes));
    }
}
