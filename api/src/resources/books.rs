//! The books: what the table has of them, and what the feed has shown: `GET /books`.
//!
//! It never shows a fee or a clause that the table does not have.

use std::collections::BTreeSet;
use std::sync::Arc;

use arb_engine::ListedBook;
use arb_engine::venues::{Book, Books, Clause, DatedFee, Evidence, Fee, SizeStep, Sizes};
use arb_model::{Money, Seconds, Time};
use arb_schemas::time::{Micros, to_date};
use serde_json::{Map, Value, json};
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
        let listed = block_in_place(|| self.quotes.listed_books(charge.caller.private_source.as_deref()));
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
    let fees: Vec<_> = book.fees.iter().map(|fee| fee_json(fee, book, as_of)).collect();
    let mut shown = origin_json(&book.evidence);
    shown.extend(fields(json!({
        "key": key,
        "operator": book.operator(key),
        "kind": book.kind.key(),
        "currency": book.currency.as_deref(),
        "is_in_table": book.known,
        "native_form": book.native.as_ref().map(|native| native.form.key()),
        "fees": fees,
        "clauses": book.clauses.0.iter().map(clause_json).collect::<Vec<_>>(),
        "sizes": sizes_json(&book.sizes),
        "expected_interval_seconds": listed.and_then(|listed| listed.expected_interval).map(Seconds),
        "last_seen_at": listed.and_then(|listed| listed.last_seen_at).map(Time),
        "stale_since": listed.and_then(|listed| stale_since(listed, as_of)).map(Time),
        "is_suspended": listed.is_some_and(|listed| listed.is_suspended),
        "prices_on_offer": listed.map_or(0, |listed| listed.on_offer),
        "stale_events": listed.map_or(0, |listed| listed.stale_events),
    })));
    shown.into()
}

/// In what sizes it takes bets: steps and bounds in units of its currency, or in contracts.
fn sizes_json(sizes: &Sizes) -> Value {
    let (unit, SizeStep::Money(step) | SizeStep::Contracts(step)) = (sizes.step.unit(), sizes.step);
    let least = sizes.least.map(|least| {
        json!({
            "stake": Money(least.stake),
            "liability": Money(least.liability),
            "contracts": Money(least.contracts),
        })
    });
    let mut shown = origin_json(&sizes.evidence);
    // Hundredths, of a unit of the currency and of a contract.
    shown.extend(fields(json!({"unit": unit, "step": Money(step), "least": least})));
    shown.into()
}

/// A fee, and whether it is the one of its leagues at present; before anything was polled, the latest.
fn fee_json(fee: &DatedFee, book: &Book, as_of: Option<Micros>) -> Value {
    let (kind, ppm) = match fee.fee {
        Fee::None => ("none", 0),
        Fee::Commission { ppm } => ("commission", ppm),
        Fee::Kalshi { multiplier_ppm } => ("kalshi", multiplier_ppm),
        Fee::Polymarket { rate_ppm } => ("polymarket", rate_ppm),
    };
    let at_present = book.fee_rule(fee.league.as_deref().unwrap_or_default(), as_of.unwrap_or(Micros::MAX));
    let mut shown = origin_json(&fee.evidence);
    shown.extend(fields(json!({
        "kind": kind,
        "rate": f64::from(ppm) / 1e6,
        "league": fee.league.as_deref(),
        "holds": at_present.is_some_and(|rule| std::ptr::eq(rule, fee)),
    })));
    shown.into()
}

fn clause_json(clause: &Clause) -> Value {
    let mut shown = origin_json(&clause.evidence);
    shown.extend(fields(json!({
        "topic": clause.topic.key(),
        "value": &*clause.value,
        "league": clause.league.as_deref(),
        "markets": clause.families.iter().map(|family| family.key()).collect::<Vec<_>>(),
        "says": &*clause.says,
    })));
    shown.into()
}

/// Where a row of the table comes from; null of what is in no table.
fn origin_json(origin: &Evidence) -> Map<String, Value> {
    fields(json!({
        "from": (origin.from != Micros::MIN).then(|| to_date(origin.from)),
        "source": Some(&*origin.source).filter(|source| !source.is_empty()),
        "checked_at": origin.checked_at.map(to_date),
    }))
}

fn fields(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// When the latest of its prices became stale, where it has.
fn stale_since(listed: &ListedBook, as_of: Option<Micros>) -> Option<Micros> {
    let at = listed.last_seen_at?.saturating_add(listed.stale_after);
    (as_of? > at).then_some(at)
}

#[cfg(test)]
mod tests {
    use arb_engine::market::Family;
    use arb_engine::venues::{Clauses, Topic};
    use arb_schemas::time::parse_rfc3339;

    use super::*;

    fn listed(last_seen_at: Option<Micros>) -> ListedBook {
        ListedBook {
            is_suspended: false,
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
    fn a_book_shows_its_fees_its_clauses_and_who_stated_them() {
        let day = |text: &str| parse_rfc3339(&format!("{text}T00:00:00Z")).unwrap();
        let stated = |from, checked_at| Evidence { from: day(from), source: "a page".into(), checked_at };
        let fee = |from, rate_ppm| DatedFee {
            evidence: stated(from, Some(day("2026-11-26"))),
            ..DatedFee::always(Fee::Polymarket { rate_ppm })
        };
        let clause = Clause {
            topic: Topic::Periods,
            value: "extra_time".into(),
            league: Some("icehockey".into()),
            families: vec![Family::H2h],
            says: "Overtime counts.".into(),
            evidence: stated("2023-01-01", None),
        };
        let fees = vec![fee("2026-03-30", 30_000), fee("2026-07-10", 50_000)];
        let evidence = stated("2025-04-01", None);
        let clauses = Clauses(vec![clause]);
        let book = Book { fees, clauses, evidence, ..Books::default().get("alpha").clone() };
        let table = Books::new([("alpha".into(), book)]);
        let shown = book_json("alpha", &table, None, Some(day("2026-07-10")));
        assert_eq!((&shown["from"], &shown["checked_at"]), (&json!("2025-04-01"), &Value::Null));
        assert_eq!(
            shown["fees"][1],
            json!({"kind": "polymarket", "rate": 0.05, "league": null, "holds": true,
                "from": "2026-07-10", "source": "a page", "checked_at": "2026-11-26"})
        );
        let clause = json!({"topic": "periods", "value": "extra_time", "league": "icehockey", "markets": ["h2h"],
            "says": "Overtime counts.", "from": "2023-01-01", "source": "a page", "checked_at": null});
        assert_eq!(shown["clauses"], json!([clause]));
        let holds = |as_of| {
            let shown = book_json("alpha", &table, None, as_of);
            [&shown["fees"][0]["holds"], &shown["fees"][1]["holds"]].map(|holds| holds == &json!(true))
        };
        assert_eq!((holds(Some(day("2026-07-09"))), holds(None)), ([true, false], [false, true]));
        let unknown = book_json("betfair_ex_xx", &table, None, None);
        assert_eq!((&unknown["fees"][0]["rate"], &unknown["fees"][0]["source"]), (&json!(0.1), &Value::Null));
    }

    #[test]
    fn a_book_reads_as_documented() {
        let table = Books::default();
        let value = book_json("alpha", &table, Some(&listed(Some(5_000_000))), Some(50_000_000));
        assert_eq!((&value["operator"], &value["kind"]), (&json!("alpha"), &json!("bookmaker")));
        assert_eq!((&value["is_in_table"], &value["currency"]), (&json!(false), &Value::Null));
        assert_eq!(
            (&value["expected_interval_seconds"], &value["sizes"]["step"]),
            (&json!(20.0), &json!(0.01))
        );
        assert_eq!(value["last_seen_at"], "1970-01-01T00:00:05Z");
        assert_eq!(value["stale_since"], "1970-01-01T00:00:45Z");
        assert_eq!(
            (&value["fees"], &value["clauses"], &value["source"]),
            (&json!([]), &json!([]), &Value::Null)
        );
        let unseen = book_json("alpha", &table, None, None);
        assert_eq!((&unseen["last_seen_at"], &unseen["prices_on_offer"]), (&Value::Null, &json!(0)));
    }
}
