//! Books: their operators, fees, clauses, and how often they confirm their prices.
//!
//! The table is made outside and given; here are its types, and what holds for a book that is not in it: the cautious value,
//! and `known: false`. It never looks at a price.

use std::collections::HashMap;
use std::sync::Arc;

use arb_model::source::book_of;
use foldhash::fast::RandomState;

use crate::Micros;
use crate::market::Period;

use super::clauses::Clauses;
use super::evidence::Evidence;
use super::fees::Fee;
use super::level::Level;
use super::link::LinkTemplate;
use super::native::Native;
use super::sizes::Sizes;
use super::sport::is_within;

/// The largest commission of an exchange in the table: used for an exchange that is not in it.
const UNKNOWN_EXCHANGE: Fee = Fee::Commission { ppm: 100_000 };
/// As much as the dearest of Kalshi's series and of Polymarket's categories.
const UNKNOWN_CONTRACTS: Fee = Fee::Kalshi { multiplier_ppm: 70_000 };

/// What a venue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum VenueKind {
    Bookmaker,
    Exchange,
    PredictionMarket,
}

impl VenueKind {
    /// Its name in the table.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Bookmaker => "bookmaker",
            Self::Exchange => "exchange",
            Self::PredictionMarket => "prediction_market",
        }
    }

    /// The kind of a book by its name: feeds mark exchanges with `ex` and contracts by their venue.
    #[must_use]
    fn of(key: &str) -> Self {
        let mut parts = key.split('_');
        match parts.next() {
            Some("kalshi" | "polymarket") => Self::PredictionMarket,
            _ if parts.any(|part| part == "ex") => Self::Exchange,
            _ => Self::Bookmaker,
        }
    }
}

/// A fee rule, and from when it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedFee {
    /// From when it holds, and where that is stated.
    pub evidence: Evidence,
    /// Only for leagues whose key is this or begins with it and `_`; `None` is all.
    pub league: Option<Arc<str>>,
    /// The rule.
    pub fee: Fee,
}

impl DatedFee {
    /// A rule of all leagues and times that nothing is stated about.
    #[must_use]
    pub fn always(fee: Fee) -> Self {
        Self { evidence: Evidence::default(), league: None, fee }
    }

    fn holds_in(&self, league: &str) -> bool {
        self.league.as_deref().is_none_or(|wanted| is_within(league, wanted))
    }
}

/// A venue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Book {
    /// The operator; `None` is the book itself: see [`Self::operator`].
    pub operator: Option<Arc<str>>,
    /// Bookmaker, exchange or prediction market.
    pub kind: VenueKind,
    /// ISO 4217; `None` is unknown, which is not even equal to itself.
    pub currency: Option<Arc<str>>,
    /// What it keeps, oldest rule first.
    pub fees: Vec<DatedFee>,
    /// What it states about how it settles; what it does not state is unknown, which agrees with nothing.
    pub clauses: Clauses,
    /// Within which 95 of 100 of its prices are confirmed by a feed that is asked without pause. How often it is asked comes on
    /// top.
    pub refresh: Option<Micros>,
    /// In what sizes it takes bets.
    pub sizes: Sizes,
    /// In which form it makes its prices; `None` is unknown: they count as they are given.
    pub native: Option<Native>,
    /// Where its bets can be placed, unless a source states that.
    pub link: Option<LinkTemplate>,
    /// It is in the table.
    pub known: bool,
    /// Where its row is stated.
    pub evidence: Evidence,
}

impl Book {
    /// The operator: books with one operator are not independent of each other. A book without a named
    /// operator is its own operator, and so it is of a private source's prices of it.
    #[must_use]
    pub fn operator<'a>(&'a self, key: &'a str) -> &'a str {
        self.operator.as_deref().unwrap_or_else(|| book_of(key))
    }

    /// What it keeps at a time, whatever the league.
    #[must_use]
    pub fn fee(&self, at: Micros) -> Fee {
        self.fee_in("", at)
    }

    /// What it keeps in a league at a time: the latest rule of that league, else the latest rule of all. Before the first rule
    /// the first one is taken: an earlier one is not known.
    #[must_use]
    pub fn fee_in(&self, league: &str, at: Micros) -> Fee {
        self.fee_rule(league, at).map_or(Fee::None, |rule| rule.fee)
    }

    /// The rule of [`Self::fee_in`]; `None` where it keeps nothing in any league.
    #[must_use]
    pub fn fee_rule(&self, league: &str, at: Micros) -> Option<&DatedFee> {
        let named =
            |rule: &&DatedFee| rule.league.is_some() && rule.holds_in(league) && rule.evidence.from <= at;
        let all = || self.fees.iter().filter(|rule| rule.league.is_none());
        let rule = self.fees.iter().rfind(named);
        rule.or_else(|| all().rfind(|rule| rule.evidence.from <= at)).or_else(|| all().next())
    }

    /// The origins of its row, of its form, of its sizes, of its clauses and of its fees, each with what it is the origin of.
    fn origins(&self) -> impl Iterator<Item = (String, &Evidence)> {
        let clauses = self.clauses.0.iter().map(|clause| &clause.evidence);
        let clauses = clauses.zip(1..).map(|(evidence, number)| (format!(", clause {number}"), evidence));
        let fees = self.fees.iter().zip(1..).map(|(fee, number)| (format!(", fee {number}"), &fee.evidence));
        let native = self.native.iter().map(|native| (", native form".to_owned(), &native.evidence));
        let sizes = Some(&self.sizes.evidence).filter(|evidence| !evidence.source.is_empty());
        let sizes = sizes.map(|evidence| (", sizes".to_owned(), evidence));
        [(String::new(), &self.evidence)].into_iter().chain(native).chain(sizes).chain(clauses).chain(fees)
    }

    fn unknown(kind: VenueKind, refresh: Option<Micros>) -> Self {
        let fee = match kind {
            VenueKind::Bookmaker => None,
            VenueKind::Exchange => Some(UNKNOWN_EXCHANGE),
            VenueKind::PredictionMarket => Some(UNKNOWN_CONTRACTS),
        };
        let fees = fee.map(DatedFee::always).into_iter().collect();
        Self {
            operator: None,
            kind,
            currency: None,
            fees,
            clauses: Clauses::default(),
            refresh,
            sizes: Sizes::default(),
            native: None,
            link: None,
            known: false,
            evidence: Evidence::default(),
        }
    }
}

/// The table of books.
#[derive(Debug, Clone)]
pub struct Books {
    known: HashMap<Arc<str>, Book, RandomState>,
    /// What holds for any other, by kind.
    unknown: [Book; 3],
}

impl Default for Books {
    /// A table of none: every book is unknown.
    fn default() -> Self {
        Self::new([])
    }
}

impl Books {
    /// A table; of two books with one key the later holds.
    #[must_use]
    pub fn new(books: impl IntoIterator<Item = (Arc<str>, Book)>) -> Self {
        let known: HashMap<_, _, _> = books.into_iter().collect();
        // A book of which nothing is known is allowed as much as the slowest.
        let widest = known.values().filter_map(|book| book.refresh).max();
        let kinds = [VenueKind::Bookmaker, VenueKind::Exchange, VenueKind::PredictionMarket];
        Self { known, unknown: kinds.map(|kind| Book::unknown(kind, widest)) }
    }

    /// The possible settlements of a level result at a book that lists no draw: all, where its own is not known.
    #[must_use]
    pub fn levels(&self, book: &Book, league: &str, period: Period) -> Vec<Level> {
        let stated = book.clauses.level(league, period);
        stated.map_or_else(|| vec![Level::Outcome, Level::Refunded, Level::DeadHeat], |level| vec![level])
    }

    /// A book, whoever's prices of it; one that is not in the table has the cautious values of its kind, as far as its key shows
    /// that.
    #[must_use]
    pub fn get(&self, key: &str) -> &Book {
        let ([bookmaker, exchange, prediction_market], key) = (&self.unknown, book_of(key));
        self.known.get(key).unwrap_or_else(|| match VenueKind::of(key) {
            VenueKind::Bookmaker => bookmaker,
            VenueKind::Exchange => exchange,
            VenueKind::PredictionMarket => prediction_market,
        })
    }

    /// The rows that nobody has compared with their source since a time, or ever, each once: as `book kalshi, fee 1`.
    #[must_use]
    pub fn unchecked_since(&self, since: Micros) -> Vec<String> {
        // Books of one row share its text, and those of one group of rules theirs.
        let mut seen: Vec<&Arc<str>> = Vec::new();
        let mut rows = Vec::new();
        for key in self.keys() {
            for (part, evidence) in self.known[key].origins() {
                let is_new = !seen.iter().any(|source| Arc::ptr_eq(source, &evidence.source));
                if is_new && evidence.checked_at.is_none_or(|at| at < since) {
                    rows.push(format!("book {key}{part}"));
                }
                seen.push(&evidence.source);
            }
        }
        rows
    }

    /// All keys of the table, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<_> = self.known.keys().map(|key| &**key).collect();
        keys.sort_unstable();
        keys
    }
}

/// The currency that stakes of these books share; `None` where two differ, one is unknown, or there is none.
#[must_use]
pub fn currency<'a>(books: impl IntoIterator<Item = &'a Book>) -> Option<&'a str> {
    let mut books = books.into_iter().map(|book| book.currency.as_deref());
    let first = books.next()??;
    books.all(|other| other == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::super::topic::Topic;
    use super::*;
    use crate::fixtures;

    fn book(operator: Option<&str>, currency: &str, group: &str) -> Book {
        let clauses = Clauses::uniform(group, Level::Refunded);
        let (operator, currency) = (operator.map(Into::into), Some(currency.into()));
        Book { operator, currency, clauses, refresh: Some(60_000_000), ..fixtures::book("", "") }
    }

    fn books() -> Books {
        Books::new([
            ("neds".into(), book(Some("entain"), "AUD", "au")),
            ("ladbrokes_au".into(), book(Some("entain"), "AUD", "au")),
            ("tab".into(), book(None, "AUD", "au")),
            ("betmgm".into(), Book { refresh: Some(90_000_000), ..book(None, "USD", "us") }),
        ])
    }

    #[test]
    fn a_book_that_is_not_in_the_table_is_cautious() {
        let books = books();
        let unknown = books.get("somebook");
        assert_eq!(
            (unknown.known, unknown.kind, unknown.operator("somebook")),
            (false, VenueKind::Bookmaker, "somebook")
        );
        assert_eq!(
            (unknown.fee(0), &unknown.sizes, unknown.refresh),
            (Fee::None, &Sizes::default(), Some(90_000_000))
        );
        assert_eq!(books.get("betfair_ex_xx").fee(0), Fee::Commission { ppm: 100_000 });
        assert_eq!(books.get("kalshi").kind, VenueKind::PredictionMarket);
        assert_eq!(books.get("flexbet").kind, VenueKind::Bookmaker);
        assert!(!Books::default().get("tab").known);
    }

    #[test]
    fn an_operator_is_shared_or_ones_own() {
        let books = books();
        let are_one = |a, b| books.get(a).operator(a) == books.get(b).operator(b);
        assert!(are_one("neds", "ladbrokes_au") && are_one("tab", "tab"));
        assert!(!are_one("neds", "tab") && !are_one("tab", "unknown"));
        assert!(are_one("unknown", "unknown") && !are_one("unknown", "other"));
    }

    #[test]
    fn an_unknown_currency_is_shared_with_nothing() {
        let books = books();
        let of = |keys: &[&str]| currency(keys.iter().map(|key| books.get(key)));
        assert_eq!(of(&["neds", "tab"]), Some("AUD"));
        for keys in [&["neds", "betmgm"][..], &["neds", "who"], &["who", "who"], &[]] {
            assert_eq!(of(keys), None, "{keys:?}");
        }
    }

    #[test]
    fn the_latest_rule_holds_and_a_leagues_own_before_it() {
        let rule = |from, league: Option<&str>, ppm| DatedFee {
            evidence: Evidence { from, ..Evidence::default() },
            league: league.map(Into::into),
            ..DatedFee::always(Fee::Commission { ppm })
        };
        let fees = vec![rule(10, None, 1), rule(20, Some("rugbyleague_nrl"), 9), rule(30, None, 2)];
        let book = Book { fees, ..book(None, "AUD", "au") };
        let ppm = |league, at| match book.fee_in(league, at) {
            Fee::Commission { ppm } => ppm,
            _ => 0,
        };
        assert_eq!([ppm("x", 5), ppm("x", 10), ppm("x", 29), ppm("x", 30)], [1, 1, 1, 2]);
        assert_eq!(
            [ppm("rugbyleague_nrl", 19), ppm("rugbyleague_nrl", 20), ppm("rugbyleague_nrl", 99)],
            [1, 9, 9]
        );
        assert_eq!([ppm("rugbyleague_nrl_women", 99), ppm("rugbyleague_nrlx", 99)], [9, 2]);
        assert_eq!(book.fee(99), Fee::Commission { ppm: 2 });
    }

    #[test]
    fn rows_that_nobody_checked_of_late_are_listed_once() {
        let checked = |at| Evidence { source: "a page".into(), checked_at: at, ..Evidence::default() };
        let (old, new) =
            (DatedFee { evidence: checked(Some(9)), ..DatedFee::always(Fee::None) }, checked(Some(10)));
        let mut clauses = Clauses::uniform("au", Level::Refunded);
        clauses.0.truncate(1);
        clauses.0[0].evidence = checked(None);
        let one = Book { evidence: new, clauses, fees: vec![old], ..book(None, "AUD", "au") };
        let books = Books::new([("b".into(), one.clone()), ("a".into(), one)]);
        assert_eq!(books.unchecked_since(10), ["book a, clause 1", "book a, fee 1"]);
        assert_eq!(books.unchecked_since(11), ["book a", "book a, clause 1", "book a, fee 1"]);
        assert_eq!(books.unchecked_since(0), ["book a, clause 1"], "never is not of late");
    }

    #[test]
    fn a_book_whose_clause_is_not_known_may_do_anything() {
        let mut clauses = Clauses::uniform("x", Level::DeadHeat);
        clauses.0.retain(|clause| clause.topic == Topic::Level);
        clauses.0[0].league = Some("aussierules".into());
        let books = Books::new([("b".into(), Book { clauses, ..book(None, "AUD", "au") })]);
        let of = |key: &str, league: &str| books.levels(books.get(key), league, Period::FullTime);
        let any = [Level::Outcome, Level::Refunded, Level::DeadHeat];
        assert_eq!(of("b", "aussierules_afl"), [Level::DeadHeat]);
        assert_eq!((of("b", "golf"), of("who", "aussierules_afl")), (any.into(), any.into()));
        assert_eq!(of("who", "baseball_mlb"), [Level::Impossible], "it follows from the sport");
    }
}
