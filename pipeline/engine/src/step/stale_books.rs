//! Books that have stopped confirming their prices for an event, and what is published about them.
//!
//! A book is stale for an event when each of its quotes there is: one alert reports that, and one that it recovered
//! or is gone. It never decides whether a quote is stale.

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
        match books.iter_mut().find(|book| book.symbol == quote.key.book) {
            Some(book) => {
                book.is_quiet &= is_quiet;
                book.last_seen_at = book.last_seen_at.max(quote.span_end);
            }
            None => books.push(EventBook { symbol: quote.key.book, is_quiet, last_seen_at: quote.span_end }),
        }
    }
    books
}

/// Whether there is anything to say about an event's books.
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
    books.sort_by(|a, b| step.pricing.names.name(a.symbol).cmp(step.pricing.names.name(b.symbol)));
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
