//! The books: what the table has of them, and what the feed has shown.
//!
//! It never shows a fee or a clause that the table does not have.

use arb_engine::ListedBook;
use arb_engine::venues::{Book, Clause, DatedFee, Evidence, Fee, SizeStep, Sizes};
use arb_model::{Money, Seconds, Time, view};
use arb_schemas::time::{Micros, to_date};

view! {
    /// The books.
    pub(crate) struct BookList<'a> {
        as_of: Option<Time>,
        books: Vec<BookView<'a>>,
    }
}

view! {
    /// A book.
    pub(crate) struct BookView<'a> {
        key: &'a str,
        operator: &'a str,
        kind: &'static str [Keys(&["bookmaker", "exchange", "prediction_market"])],
        currency: Option<&'a str>,
        /// In what sizes it takes bets.
        sizes: SizesView<'a>,
        is_in_table: bool,
        /// In which form it makes its prices: decimal, american, fractional or probability; null: not known.
        native_form: Option<&'static str>,
        expected_interval_seconds: Option<Seconds>,
        /// How often the source of its prices is polled; null until two polls of it have come, and of a source that is not polled.
        polled_every_seconds: Option<Seconds>,
        last_seen_at: Option<Time>,
        stale_since: Option<Time>,
        prices_on_offer: usize,
        stale_events: usize,
        /// An administrator has suspended the book, or every source that has a price of it.
        is_suspended: bool,
        #[serde(flatten)]
        origin: OriginView<'a>,
        /// What it keeps, oldest first; empty is nothing beyond its price.
        fees: Vec<FeeView<'a>>,
        /// What it states about how it settles; what no clause states is not known.
        clauses: Vec<ClauseView<'a>>,
    }
}

view! {
    /// Where a row of the table comes from.
    pub(crate) struct OriginView<'a> {
        /// Since when it holds, of a clause the date that its text bears; null of what no table states.
        from: Option<String> [Day],
        /// Where it is stated, or what could not be looked up.
        source: Option<&'a str>,
        /// The day on which somebody last compared it with its source; null is never.
        checked_at: Option<String> [Day],
    }
}

view! {
    /// Sizes of bets: steps and bounds in units of the currency, or in contracts.
    pub(crate) struct SizesView<'a> {
        /// In what the step is counted: units of the currency, or contracts, each of which pays one unit or nothing.
        unit: &'static str [Keys(&["currency", "contract"])],
        /// An order is a multiple of this.
        step: f64,
        /// The least order; 0 is no bound of its kind. null: not known; one unit of the currency is taken, and of a lay as much at
        /// risk.
        least: Option<LeastView>,
        #[serde(flatten)]
        origin: OriginView<'a>,
    }
}

view! {
    /// The least order.
    pub(crate) struct LeastView {
        /// Of a back its stake, of a lay the backer's.
        stake: Money,
        /// What a lay risks.
        liability: Money,
        contracts: f64,
    }
}

view! {
    /// A fee of a book.
    pub(crate) struct FeeView<'a> {
        kind: &'static str [Keys(&["none", "commission", "kalshi", "polymarket"])],
        /// Of winnings, or of a contract's p(1 - p).
        rate: f64,
        /// Null is all.
        league: Option<&'a str>,
        /// At present, in its leagues.
        holds: bool,
        #[serde(flatten)]
        origin: OriginView<'a>,
    }
}

view! {
    /// A clause of a book's rules.
    pub(crate) struct ClauseView<'a> {
        /// What it is about: the first five of a match that is played, the others of one that is not played as planned.
        topic: &'static str [Keys(&[
            "periods", "level", "push", "shortened", "retirement", "postponed", "moved", "starters", "abandoned", "void",
        ])],
        /// What it says of it: equal for books of which it is the same.
        value: &'a str,
        /// The sport or league that it is of; null is all.
        league: Option<&'a str>,
        /// The markets that it is of; none is all.
        markets: Vec<&'static str>,
        /// The sentence that it rests on.
        says: &'a str,
        #[serde(flatten)]
        origin: OriginView<'a>,
    }
}

impl<'a> BookView<'a> {
    /// A book of the table, with what the feed has shown of it and how often its source is polled.
    pub(crate) fn new(
        key: &'a str,
        book: &'a Book,
        (listed, polled_every): (Option<&ListedBook>, Option<Micros>),
        as_of: Option<Micros>,
    ) -> Self {
        Self {
            key,
            operator: book.operator(key),
            kind: book.kind.key(),
            currency: book.currency.as_deref(),
            sizes: SizesView::new(&book.sizes),
            is_in_table: book.known,
            native_form: book.native.as_ref().map(|native| native.form.key()),
            expected_interval_seconds: listed.and_then(|listed| listed.expected_interval).map(Seconds),
            polled_every_seconds: polled_every.map(Seconds),
            last_seen_at: listed.and_then(|listed| listed.last_seen_at).map(Time),
            stale_since: listed.and_then(|listed| stale_since(listed, as_of)).map(Time),
            prices_on_offer: listed.map_or(0, |listed| listed.on_offer),
            stale_events: listed.map_or(0, |listed| listed.stale_events),
            is_suspended: listed.is_some_and(|listed| listed.is_suspended),
            origin: OriginView::new(&book.evidence),
            fees: book.fees.iter().map(|fee| FeeView::new(fee, book, as_of)).collect(),
            clauses: book.clauses.0.iter().map(ClauseView::new).collect(),
        }
    }
}

impl<'a> OriginView<'a> {
    fn new(origin: &'a Evidence) -> Self {
        Self {
            from: (origin.from != Micros::MIN).then(|| to_date(origin.from)),
            source: Some(&*origin.source).filter(|source| !source.is_empty()),
            checked_at: origin.checked_at.map(to_date),
        }
    }
}

impl<'a> SizesView<'a> {
    fn new(sizes: &'a Sizes) -> Self {
        let (unit, SizeStep::Money(step) | SizeStep::Contracts(step)) = (sizes.step.unit(), sizes.step);
        let least = sizes.least.map(|least| LeastView {
            stake: Money(least.stake),
            liability: Money(least.liability),
            contracts: hundredths(least.contracts),
        });
        Self { unit, step: hundredths(step), least, origin: OriginView::new(&sizes.evidence) }
    }
}

/// Of a unit of the currency, or of a contract.
fn hundredths(count: i64) -> f64 {
    count as f64 / 100.0
}

impl<'a> FeeView<'a> {
    /// A fee, and whether it is the one of its leagues at present; before anything was polled, the latest.
    fn new(fee: &'a DatedFee, book: &Book, as_of: Option<Micros>) -> Self {
        let (kind, ppm) = match fee.fee {
            Fee::None => ("none", 0),
            Fee::Commission { ppm } => ("commission", ppm),
            Fee::Kalshi { multiplier_ppm } => ("kalshi", multiplier_ppm),
            Fee::Polymarket { rate_ppm } => ("polymarket", rate_ppm),
        };
        let league = fee.league.as_deref();
        let at_present = book.fee_rule(league.unwrap_or_default(), as_of.unwrap_or(Micros::MAX));
        Self {
            kind,
            rate: f64::from(ppm) / 1e6,
            league,
            holds: at_present.is_some_and(|rule| std::ptr::eq(rule, fee)),
            origin: OriginView::new(&fee.evidence),
        }
    }
}

impl<'a> ClauseView<'a> {
    fn new(clause: &'a Clause) -> Self {
        Self {
            topic: clause.topic.key(),
            value: &clause.value,
            league: clause.league.as_deref(),
            markets: clause.families.iter().map(|family| family.key()).collect(),
            says: &clause.says,
            origin: OriginView::new(&clause.evidence),
        }
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

    use std::collections::BTreeSet;

    use arb_engine::venues::Books;
    use serde_json::{Value, json};

    use super::*;

    fn book_json(key: &str, table: &Books, listed: Option<&ListedBook>, as_of: Option<Micros>) -> Value {
        json!(BookView::new(key, table.get(key), (listed, None), as_of))
    }

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
