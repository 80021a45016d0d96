//! Books that have stopped confirming their prices for an event, and what is published about them.
//!
//! A book is stale for an event when all of its quotes there are: one alert reports that, and one that it
//! recovered or was removed. It never decides whether a quote is stale.

use std::sync::Arc;

use arb_model::{Seconds, Time};

use crate::context::StepContext;
use crate::effect::{AlertScope, BookState, Effect, Effects, StaleAlert};
use crate::market::Symbol;
use crate::quotes::Moment;
use crate::state::MarketState;

/// What the quotes of a book in an event come to.
#[derive(Debug, Clone, Copy)]
struct EventBook {
    symbol: Symbol,
    is_quiet: bool,
    last_seen_at: crate::Micros,
}

/// The books of an event.
fn books(markets: &[Arc<MarketState>], moment: &Moment<'_>) -> Vec<EventBook> {
    let mut books: Vec<EventBook> = Vec::new();
    for quote in markets.iter().flat_map(|market| &market.quotes) {
        let is_quiet = moment.is_quiet(quote);
        match books.iter_mut().find(|book| book.symbol == quote.key.book()) {
            Some(book) => {
                book.is_quiet &= is_quiet;
                book.last_seen_at = book.last_seen_at.max(quote.span_end);
            }
            None => {
                books.push(EventBook { symbol: quote.key.book(), is_quiet, last_seen_at: quote.span_end });
            }
        }
    }
    books
}

/// Whether an event has books to report.
pub(crate) fn is_due(was: &[Symbol], markets: &[Arc<MarketState>], moment: &Moment<'_>) -> bool {
    let mut markets = markets.iter().filter(|market| !market.summary.all_on_offer);
    !was.is_empty() || markets.any(|market| market.quotes.iter().any(|quote| moment.is_quiet(quote)))
}

/// The stale books of an event after a check of its quotes, by name; publishes which are stale now and which no longer.
pub(crate) fn check(
    was: &[Symbol],
    markets: &[Arc<MarketState>],
    step: &StepContext<'_>,
    effects: &mut Effects<'_>,
) -> Vec<Symbol> {
    report(was, books(markets, &step.moment), step, effects)
}

fn report(
    was: &[Symbol],
    mut books: Vec<EventBook>,
    step: &StepContext<'_>,
    effects: &mut Effects<'_>,
) -> Vec<Symbol> {
    // By name: a restored engine numbers books in another order.
    books.sort_by_key(|book| step.pricing.names.place(book.symbol));
    for gone in was.iter().filter(|was| !books.iter().any(|book| book.symbol == **was)) {
        alert_book(*gone, None, BookState::Gone, step, effects);
    }
    for book in &books {
        let state = match (was.contains(&book.symbol), book.is_quiet) {
            (true, false) => BookState::Recovered,
            (false, true) => BookState::Stale,
            (true, true) | (false, false) => continue,
        };
        alert_book(book.symbol, Some(book.last_seen_at), state, step, effects);
    }
    books.into_iter().filter(|book| book.is_quiet).map(|book| book.symbol).collect()
}

/// The stale books of an event after a frame, which makes none: that is for the next check.
pub(crate) fn after(
    was: &[Symbol],
    markets: &[Arc<MarketState>],
    step: &StepContext<'_>,
    effects: &mut Effects<'_>,
) -> Vec<Symbol> {
    if was.is_empty() {
        return Vec::new();
    }
    let mut books = books(markets, &step.moment);
    books.retain(|book| was.contains(&book.symbol));
    report(was, books, step, effects)
}

/// Publishes that the event of stale books is over.
pub(crate) fn end(was: &[Symbol], step: &StepContext<'_>, effects: &mut Effects<'_>) {
    for book in was {
        alert_book(*book, None, BookState::Gone, step, effects);
    }
}

fn alert_book(
    book: Symbol,
    last_seen_at: Option<crate::Micros>,
    state: BookState,
    step: &StepContext<'_>,
    effects: &mut Effects<'_>,
) {
    let alert = StaleAlert {
        scope: AlertScope::Book.into(),
        state: state.into(),
        event: (**step.event).clone(),
        book: step.pricing.names.name(book).into(),
        arb_id: None,
        last_seen_at: last_seen_at.map(Time),
        expected_interval: Seconds(step.moment.expected.interval(book.index())),
        at: Time(step.now),
        sequence: effects.next(),
    };
    effects.push(Effect::StaleAlert(Box::new(alert)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caps::LeftOut;
    use crate::fixtures::{World, market, price, quote};
    use crate::learning::Samples;
    use crate::market::{Names, Outcome};
    use crate::quotes::{Quote, QuoteStatus, QuoteSummary};
    use crate::venues::Books;

    const SECOND: i64 = 1_000_000;

    /// Two books; the one that appeared later has the smaller name.
    fn world() -> World {
        let mut world = World::new(Books::default(), 1);
        world.names.symbol("0");
        world.venues.follow(&world.names);
        world
    }

    /// One market for each list of (book, status, when it was confirmed).
    fn markets(world: &World, tables: &[&[(&str, QuoteStatus, i64)]]) -> Vec<Arc<MarketState>> {
        let state = |table: &&[(&str, QuoteStatus, i64)]| {
            let mut state = MarketState::empty(market("h2h"), None);
            let of = |(book, status, second): &(&str, QuoteStatus, i64)| Quote {
                status: *status,
                span_end: second * SECOND,
                ..quote(world.book(book), None, Outcome::Home, price("2"))
            };
            state.quotes = table.iter().map(of).collect();
            state.summary = QuoteSummary::of(&state.quotes, 0);
            Arc::new(state)
        };
        tables.iter().map(state).collect()
    }

    /// Book, state, last seen in seconds.
    type BookAlert = (String, &'static str, Option<i64>);

    /// The stale books of an event, and what is published of its books.
    fn published(
        world: &World,
        change: impl Fn(&StepContext<'_>, &mut Effects<'_>) -> Vec<Symbol>,
    ) -> (Vec<String>, Vec<BookAlert>) {
        let step = world.step(1, 4_000 * SECOND);
        let mut out = Vec::new();
        let (samples, left_out) = (Samples::default(), LeftOut::default());
        let mut effects = Effects { sequence: 0, out: &mut out, samples, left_out };
        let names = |names: &Names, books: Vec<Symbol>| {
            books.into_iter().map(|book| names.name(book).to_string()).collect::<Vec<_>>()
        };
        let books = names(&world.names, change(&step, &mut effects));
        let of = |effect: Effect| match effect {
            Effect::StaleAlert(alert) if alert.scope == AlertScope::Book => {
                let state = alert.state.known().unwrap().key();
                (alert.book.to_string(), state, alert.last_seen_at.map(|at| at.0 / SECOND))
            }
            other => unreachable!("{other:?}"),
        };
        (books, out.into_iter().map(of).collect())
    }

    const ON_OFFER: QuoteStatus = QuoteStatus::OnOffer;
    const STALE: QuoteStatus = QuoteStatus::Stale;
    const SUSPENDED: QuoteStatus = QuoteStatus::Suspended;

    #[test]
    fn a_book_is_stale_when_each_of_its_quotes_is_and_is_named_in_the_order_of_names() {
        let world = world();
        let markets = markets(&world, &[&[("a", STALE, 100), ("0", STALE, 90)], &[("a", STALE, 200)]]);
        let (stale, alerts) = published(&world, |step, effects| check(&[], &markets, step, effects));
        assert_eq!(stale, ["0", "a"]);
        assert_eq!(alerts, [("0".to_owned(), "stale", Some(90)), ("a".to_owned(), "stale", Some(200))]);
    }

    #[test]
    fn a_book_with_one_quote_on_offer_is_not_stale() {
        let world = world();
        let markets = markets(&world, &[&[("a", STALE, 100)], &[("a", ON_OFFER, 3_900)]]);
        assert_eq!(published(&world, |step, effects| check(&[], &markets, step, effects)), (vec![], vec![]));
    }

    #[test]
    fn a_suspended_quote_is_quiet_when_its_book_is() {
        let world = world();
        let quiet = markets(&world, &[&[("a", SUSPENDED, 100)]]);
        let (stale, _) = published(&world, |step, effects| check(&[], &quiet, step, effects));
        assert_eq!(stale, ["a"], "3,900 s are more than the 1,800 s of a book that is not known");
        let recent = markets(&world, &[&[("a", SUSPENDED, 3_900)]]);
        assert_eq!(published(&world, |step, effects| check(&[], &recent, step, effects)).0, [""; 0]);
    }

    #[test]
    fn a_book_recovers_or_is_removed_once() {
        let world = world();
        let was = [world.book("0"), world.book("a")];
        let one = markets(&world, &[&[("a", ON_OFFER, 3_900)]]);
        let (stale, alerts) = published(&world, |step, effects| check(&was, &one, step, effects));
        assert_eq!(
            (stale, alerts),
            (vec![], vec![("0".to_owned(), "gone", None), ("a".to_owned(), "recovered", Some(3_900))])
        );
        let still = markets(&world, &[&[("0", STALE, 90), ("a", STALE, 100)]]);
        let (stale, alerts) = published(&world, |step, effects| check(&was, &still, step, effects));
        assert_eq!((stale.len(), alerts), (2, vec![]), "it is reported once");
    }

    #[test]
    fn a_frame_makes_no_book_stale() {
        let world = world();
        let was = [world.book("0")];
        let now = markets(&world, &[&[("0", ON_OFFER, 3_990), ("a", STALE, 100)]]);
        let (stale, alerts) = published(&world, |step, effects| after(&was, &now, step, effects));
        assert_eq!((stale, alerts), (vec![], vec![("0".to_owned(), "recovered", Some(3_990))]));
        assert_eq!(published(&world, |step, effects| after(&[], &now, step, effects)), (vec![], vec![]));
    }

    #[test]
    fn an_event_that_ends_reports_its_stale_books_as_gone() {
        let world = world();
        let was = [world.book("0"), world.book("a")];
        let (_, alerts) = published(&world, |step, effects| {
            end(&was, step, effects);
            Vec::new()
        });
        assert_eq!(alerts, [("0".to_owned(), "gone", None), ("a".to_owned(), "gone", None)]);
    }

    #[test]
    fn no_check_is_due_where_all_is_on_offer() {
        let world = world();
        let moment = world.moment(4_000 * SECOND);
        let fine = markets(&world, &[&[("a", ON_OFFER, 3_900)]]);
        let quiet = markets(&world, &[&[("a", ON_OFFER, 3_900)], &[("0", STALE, 5)]]);
        assert!(!is_due(&[], &fine, &moment) && is_due(&[], &quiet, &moment));
        assert!(is_due(&[world.book("a")], &fine, &moment), "it may have recovered");
    }
}
