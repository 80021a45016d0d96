//! The books: what the table has of them, and what the feed has shown: `GET /books`.
//!
//! It never shows a fee or a rule that the table does not have.

use std::collections::BTreeSet;
use std::sync::Arc;

use arb_engine::ListedBook;
use arb_engine::venues::Books;
use arb_model::{Money, Seconds, Time};
use arb_schemas::time::Micros;
use serde_json::{Value, json};
use tokio::task::block_in_place;

use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::lists::polls::Polls;
use crate::quotes::store::{Quotes, UNREAD};
use crate::resources::tagged;

/// The books of the live market.
#[derive(Debug)]
pub(crate) struct BooksResource {
    pub(crate) quotes: Arc<Quotes>,
    pub(crate) polls: Arc<Polls>,
}

impl BooksResource {
    /// Answers `GET /books`.
    pub(crate) fn list(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        tagged::refuse_parameters(request)?;
        if !self.quotes.is_ready() {
            return Err(Problem::unavailable(UNREAD));
        }
        charge.refuse_if_spent()?;
        let (table, as_of) = (self.quotes.books(), self.polls.as_of());
        let listed = block_in_place(|| self.quotes.listed_books());
        let keys: BTreeSet<&str> = table.keys().into_iter().chain(listed.keys().map(|key| &**key)).collect();
        let books: Vec<_> =
            keys.into_iter().map(|key| self.book(key, table, listed.get(key), as_of)).collect();
        tagged::answer(&json!({"as_of": as_of.map(Time), "books": books}), request, charge)
    }
}

impl BooksResource {
    fn book(&self, key: &str, table: &Books, listed: Option<&ListedBook>, as_of: Option<Micros>) -> Value {
        let sources = listed.into_iter().flat_map(|listed| &listed.sources);
        let polled_every = sources.filter_map(|source| self.polls.polled_every(source)).min();
        let mut book = book_json(key, table, listed, as_of);
        book["polled_every_seconds"] = json!(polled_every.map(Seconds));
        book
    }
}

fn book_json(key: &str, table: &Books, listed: Option<&ListedBook>, as_of: Option<Micros>) -> Value {
    let book = table.get(key);
    json!({
        "key": key,
        "operator": book.operator(key),
        "kind": book.kind.key(),
        "currency": book.currency.as_deref(),
        "is_in_table": book.known,
        "stake_step": Money(book.step),
        "expected_interval_seconds": listed.and_then(|listed| listed.expected_interval).map(Seconds),
        "last_seen_at": listed.and_then(|listed| listed.last_seen_at).map(Time),
        "stale_since": listed.and_then(|listed| stale_since(listed, as_of)).map(Time),
        "prices_on_offer": listed.map_or(0, |listed| listed.on_offer),
        "stale_events": listed.map_or(0, |listed| listed.stale_events),
    })
}

/// When the latest of its prices became stale, where it has.
fn stale_since(listed: &ListedBook, as_of: Option<Micros>) -> Option<Micros> {
    let at = listed.last_seen_at?.saturating_add(listed.stale_after);
    (as_of? > at).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(last_seen_at: Option<Micros>) -> ListedBook {
        ListedBook {
            book: "alpha".into(),
            expected_interval: Some(20_000_000),
            stale_after: 40_000_000,
            last_seen_at,
            on_offer: 2,
            stale_events: 1,
            sources: BTreeSet::from(["feed".into()]),
        }
    }

    #[test]
    fn a_book_is_stale_from_when_its_latest_price_is() {
        let since = |seen, as_of| stale_since(&listed(seen), as_of);
        assert_eq!(since(Some(5_000_000), Some(45_000_000)), None);
        assert_eq!(since(Some(5_000_000), Some(45_000_001)), Some(45_000_000));
        assert_eq!((since(None, Some(1)), since(Some(1), None)), (None, None));
    }

    #[test]
    fn a_book_reads_as_documented() {
        let table = Books::default();
        let value = book_json("alpha", &table, Some(&listed(Some(5_000_000))), Some(50_000_000));
        assert_eq!((&value["operator"], &value["kind"]), (&json!("alpha"), &json!("bookmaker")));
        assert_eq!((&value["is_in_table"], &value["currency"]), (&json!(false), &Value::Null));
        assert_eq!((&value["expected_interval_seconds"], &value["stake_step"]), (&json!(20.0), &json!(0.01)));
        assert_eq!(value["last_seen_at"], "1970-01-01T00:00:05Z");
        assert_eq!(value["stale_since"], "1970-01-01T00:00:45Z");
        let unseen = book_json("alpha", &table, None, None);
        assert_eq!((&unseen["last_seen_at"], &unseen["prices_on_offer"]), (&Value::Null, &json!(0)));
    }
}
