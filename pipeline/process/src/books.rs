//! The file of books: `books.toml`, read, checked, and made into the engine's table.
//!
//! A person edits it, so every mistake in it is reported with its place, and nothing is guessed: an unknown
//! field, a repeated key, a clause that is there twice, dates out of order, a rate out of range, a fact without a source.
//! It never fills a gap; the table does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_engine::venues::{Book, Books, Clauses, DatedFee, Fee, LinkTemplate, Sizes, VenueKind};
use arb_schemas::time::{Micros, SECOND};
use serde::Deserialize;
use toml::value::Datetime;

mod clauses;
mod facts;
mod natives;
mod sizes;

use clauses::ClauseEntry;
pub use facts::BooksError;
use facts::{by_book, ensure, evidence, sense};
use natives::NativeEntry;
use sizes::SizeEntry;

/// The file that this program ships with.
const SHIPPED: &str = include_str!("../../books.toml");
/// Millionths in one.
const UNIT: u32 = 1_000_000;
/// The highest accepted rate of a fee: a quarter. More is a mistake, such as a percentage.
const HIGHEST: u32 = 250_000;
/// Currencies whose minor unit is a hundredth, in which stakes are counted.
const CURRENCIES: [&str; 5] = ["AUD", "CAD", "EUR", "GBP", "USD"];
/// A day, in seconds: nothing is confirmed more rarely.
const DAY: u32 = 86_400;
/// A row that was compared with its source within so long is believed.
pub const CHECKED_WITHIN: Micros = 90 * 86_400 * SECOND;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    clause: Vec<ClauseEntry>,
    #[serde(default)]
    native: Vec<NativeEntry>,
    #[serde(default)]
    size: Vec<SizeEntry>,
    #[serde(default)]
    book: Vec<BookEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BookEntry {
    keys: Vec<String>,
    operator: Option<String>,
    kind: KindName,
    currency: String,
    refresh_seconds: Option<u32>,
    link: Option<String>,
    from: Datetime,
    source: String,
    checked_at: Datetime,
    #[serde(default)]
    fee: Vec<FeeEntry>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindName {
    Bookmaker,
    Exchange,
    PredictionMarket,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeeEntry {
    from: Datetime,
    league: Option<String>,
    commission_ppm: Option<u32>,
    kalshi_ppm: Option<u32>,
    polymarket_ppm: Option<u32>,
    source: String,
    checked_at: Datetime,
}

impl From<KindName> for VenueKind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::Bookmaker => Self::Bookmaker,
            KindName::Exchange => Self::Exchange,
            KindName::PredictionMarket => Self::PredictionMarket,
        }
    }
}

/// The table that this program ships with.
///
/// ```
/// use arb_process::books::shipped;
///
/// let books = shipped()?;
/// let operator = |book| books.get(book).operator(book).to_owned();
/// assert_eq!(operator("neds"), operator("ladbrokes_au"), "one operator runs both");
/// # Ok::<(), arb_process::books::BooksError>(())
/// ```
///
/// # Errors
/// [`BooksError`]; a test sees to it that there is none.
pub fn shipped() -> Result<Books, BooksError> {
    parse(SHIPPED)
}

/// Of the table that ships: the books that make American odds, and the regions of The Odds API all of whose books do.
///
/// # Errors
/// [`BooksError`]; a test sees to it that there is none.
pub fn shipped_american() -> Result<(BTreeSet<String>, BTreeSet<String>), BooksError> {
    let file: File = toml::from_str(SHIPPED)?;
    Ok(natives::american(&file.native))
}

/// A table from the text of such a file.
///
/// ```
/// use arb_process::books::parse;
///
/// assert!(parse("").is_ok(), "a table without books");
/// assert!(parse("[[bok]]").is_err(), "an unknown field is an error with its place");
/// ```
///
/// # Errors
/// [`BooksError`] with the place.
pub fn parse(text: &str) -> Result<Books, BooksError> {
    let file: File = toml::from_str(text)?;
    let mut clauses = clauses::by_book(&file.clause)?;
    let natives = by_book(&file.native)?;
    let sizes = by_book(&file.size)?;
    let (mut books, mut seen) = (Vec::new(), BTreeSet::new());
    for (number, entry) in file.book.iter().enumerate() {
        let place = entry.place(number);
        let book = entry.book(&place)?;
        for key in &entry.keys {
            ensure(!key.is_empty(), &place, || "a key is empty".to_owned())?;
            ensure(seen.insert(key.as_str()), &place, || format!("{key} is there twice"))?;
            let clauses = Clauses(clauses.remove(key.as_str()).unwrap_or_default());
            let native = natives.get(key.as_str()).cloned();
            let sizes = sizes.get(key.as_str()).cloned().unwrap_or_default();
            books.push((Arc::from(key.as_str()), Book { clauses, native, sizes, ..book.clone() }));
        }
    }
    if let Some(key) = clauses.keys().next() {
        return Err(sense("clause", format!("no such book: {key}")));
    }
    let named = [("native", natives.keys().collect::<Vec<_>>()), ("size", sizes.keys().collect())];
    for (rows, keys) in named {
        if let Some(key) = keys.into_iter().find(|key| !seen.contains(*key)) {
            return Err(sense(rows, format!("no such book: {key}")));
        }
    }
    Ok(Books::new(books))
}

impl BookEntry {
    fn place(&self, number: usize) -> String {
        self.keys.first().map_or_else(|| format!("book {}", number + 1), |key| format!("book {key}"))
    }

    fn book(&self, place: &str) -> Result<Book, BooksError> {
        let evidence = evidence(Some(&self.from), &self.source, Some(&self.checked_at), place)?;
        ensure(!self.keys.is_empty(), place, || "it has no keys".to_owned())?;
        ensure(CURRENCIES.contains(&&*self.currency), place, || {
            format!("{} is no currency that is known here ({})", self.currency, CURRENCIES.join(", "))
        })?;
        let refresh = self.refresh_seconds;
        ensure(refresh.is_none_or(|seconds| (1..=DAY).contains(&seconds)), place, || {
            "refresh_seconds is outside 1 to 86400".to_owned()
        })?;
        let link = self.link.as_deref().map(LinkTemplate::parse);
        ensure(
            !matches!(self.kind, KindName::Exchange | KindName::PredictionMarket) || !self.fee.is_empty(),
            place,
            || "it has no fee, and its kind always has one: 0 is one".to_owned(),
        )?;
        Ok(Book {
            operator: self.operator.as_deref().map(Arc::from),
            kind: self.kind.into(),
            currency: Some(self.currency.as_str().into()),
            fees: self.fees(place)?,
            clauses: Clauses::default(),
            refresh: refresh.map(|seconds| Micros::from(seconds) * SECOND),
            sizes: Sizes::default(),
            native: None,
            link: link.transpose().map_err(|error| sense(place, error.to_string()))?,
            known: true,
            evidence,
        })
    }

    fn fees(&self, place: &str) -> Result<Vec<DatedFee>, BooksError> {
        let mut latest: BTreeMap<Option<&str>, Micros> = BTreeMap::new();
        let mut fees = Vec::with_capacity(self.fee.len());
        for (number, entry) in self.fee.iter().enumerate() {
            let place = format!("{place}, fee {}", number + 1);
            let fee = entry.dated(&place)?;
            // Rules of different leagues do not follow one another.
            let before = latest.insert(entry.league.as_deref(), fee.evidence.from);
            ensure(before.is_none_or(|before| before < fee.evidence.from), &place, || {
                "it does not begin after the one before it".to_owned()
            })?;
            fees.push(fee);
        }
        let for_all = fees.is_empty() || fees.iter().any(|fee| fee.league.is_none());
        ensure(for_all, place, || "its fees are of leagues only".to_owned())?;
        Ok(fees)
    }
}

impl FeeEntry {
    fn dated(&self, place: &str) -> Result<DatedFee, BooksError> {
        let evidence = evidence(Some(&self.from), &self.source, Some(&self.checked_at), place)?;
        let fee = match (self.commission_ppm, self.kalshi_ppm, self.polymarket_ppm) {
            (Some(0), None, None) => Fee::None,
            (Some(ppm), None, None) => Fee::Commission { ppm },
            (None, Some(multiplier_ppm), None) => Fee::Kalshi { multiplier_ppm },
            (None, None, Some(rate_ppm)) => Fee::Polymarket { rate_ppm },
            _ => {
                return Err(sense(
                    place,
                    "one of commission_ppm, kalshi_ppm and polymarket_ppm is needed".to_owned(),
                ));
            }
        };
        let rates = [self.commission_ppm, self.kalshi_ppm, self.polymarket_ppm];
        let highest = rates.into_iter().flatten().max().unwrap_or(0);
        ensure(highest <= HIGHEST, place, || {
            format!("{highest} of {UNIT} is a rate out of range: the highest that is believed is {HIGHEST}")
        })?;
        Ok(DatedFee { evidence, league: self.league.as_deref().map(Arc::from), fee })
    }
}

#[cfg(test)]
mod tests {
    use arb_engine::market::Family;
    use arb_engine::venues::{Least, NativeForm, SizeStep, Topic};
    use arb_schemas::time::parse_rfc3339;

    use super::*;

    const FILE: &str = r#"
        [[clause]]
        books = ["exchange", "other"]
        sports = ["americanfootball", "icehockey"]
        periods = "extra_time"
        says = "Overtime counts."
        source = "a page"
        dated = 2020-01-01
        checked_at = 2022-02-02

        [[clause]]
        books = ["exchange"]
        markets = ["spreads", "totals"]
        push = "refunded"
        void = "refund"
        says = "What is hit or void gives the stake back."
        source = "another page"
        checked_at = 2022-02-02

        [[book]]
        keys = ["exchange", "other"]
        operator = "house"
        kind = "exchange"
        currency = "GBP"
        refresh_seconds = 30
        link = "https://house.example/{league}/{event}"
        from = 2020-01-01
        source = "a page"
        checked_at = 2022-02-02
        [[book.fee]]
        from = 2020-01-01
        commission_ppm = 50000
        source = "a page"
        checked_at = 2022-02-02
        [[book.fee]]
        from = 2021-01-01
        commission_ppm = 20000
        source = "a page"
        checked_at = 2022-02-02

        [[size]]
        books = ["exchange"]
        step = 100
        least_stake = 200
        least_liability = 300
        from = 2020-01-01
        source = "a page of sizes"

        [[size]]
        books = ["other"]
        contract_step = 100
        least_contracts = 500
        from = 2020-01-01
        source = "a page of contracts"

        [[native]]
        form = "decimal"
        step_ppm = 10000
        books = ["exchange"]
        from = 2020-01-01
        source = "a page of forms"

        [[native]]
        form = "american"
        books = ["other"]
        from = 2020-01-01
        source = "a page of forms"

        [[book]]
        keys = ["plain"]
        kind = "bookmaker"
        currency = "EUR"
        from = 2020-01-01
        source = "a page"
        checked_at = 2022-02-02
    "#;

    /// The error for the file after a change to it.
    fn broken(from: &str, to: &str) -> String {
        assert!(FILE.contains(from), "{from}");
        parse(&FILE.replacen(from, to, 1)).expect_err(to).to_string()
    }

    #[test]
    fn a_file_is_a_table() {
        let books = parse(FILE).unwrap();
        assert_eq!(books.keys(), ["exchange", "other", "plain"]);
        let exchange = books.get("exchange");
        assert_eq!((exchange.operator("exchange"), exchange.kind), ("house", VenueKind::Exchange));
        let sizes = |key| (books.get(key).sizes.step, books.get(key).sizes.least);
        let (house, other) = ((200, 300, 0), (0, 0, 500));
        let least = |(stake, liability, contracts)| Some(Least { stake, liability, contracts });
        assert_eq!(sizes("exchange"), (SizeStep::Money(100), least(house)));
        assert_eq!(sizes("other"), (SizeStep::Contracts(100), least(other)));
        assert_eq!(
            (sizes("plain"), books.get("plain").sizes.least()),
            ((SizeStep::Money(1), None), Least::UNKNOWN)
        );
        assert_eq!((exchange.refresh, exchange.known), (Some(30 * SECOND), true));
        let stated = |key, topic, league, family| books.get(key).clauses.value(topic, league, family);
        for (topic, league, family, wanted) in [
            (Topic::Periods, "americanfootball_nfl", Family::H2h, Some("extra_time")),
            (Topic::Periods, "icehockey_nhl", Family::Totals, Some("extra_time")),
            (Topic::Periods, "soccer_epl", Family::H2h, None),
            (Topic::Push, "golf", Family::Spreads, Some("refunded")),
            (Topic::Void, "golf", Family::Totals, Some("refund")),
            (Topic::Push, "golf", Family::H2h, None),
        ] {
            assert_eq!(stated("exchange", topic, league, family), wanted, "{topic:?} {league}");
        }
        assert_eq!(stated("other", Topic::Push, "golf", Family::Spreads), None);
        let clause = &exchange.clauses.0[0];
        assert_eq!((&*clause.says, &*clause.evidence.source), ("Overtime counts.", "a page"));
        let day = |day: &str| parse_rfc3339(&format!("{day}T00:00:00Z")).unwrap();
        let at = |text: &str| exchange.fee(day(text));
        let five = Fee::Commission { ppm: 50_000 };
        let two = Fee::Commission { ppm: 20_000 };
        assert_eq!([at("2019-01-01"), at("2020-12-31"), at("2021-01-01")], [five, five, two]);
        let checked = exchange.fees.iter().map(|fee| fee.evidence.checked_at);
        assert_eq!(checked.collect::<Vec<_>>(), [Some(day("2022-02-02")); 2]);
        assert_eq!((&*exchange.evidence.source, exchange.evidence.from), ("a page", day("2020-01-01")));
        let plain = books.get("plain");
        assert_eq!((plain.operator("plain"), plain.fee(0)), ("plain", Fee::None));
        assert!(plain.clauses.0.is_empty() && plain.refresh.is_none() && plain.link.is_none());
        let form = |key| books.get(key).native.as_ref().map(|native| native.form);
        let forms = [form("exchange"), form("other"), form("plain"), form("who")];
        let decimal = NativeForm::Decimal { step_ppm: 10_000 };
        assert_eq!(forms, [Some(decimal), Some(NativeForm::American), None, None]);
        assert_eq!(
            (clause.evidence.from, clause.evidence.checked_at),
            (day("2020-01-01"), Some(day("2022-02-02")))
        );
        assert_eq!(exchange.clauses.0[2].evidence.from, Micros::MIN, "its text bears no date");
        assert_eq!(exchange.link, LinkTemplate::parse("https://house.example/{league}/{event}").ok());
        assert_eq!(exchange.operator("exchange"), books.get("other").operator("other"));
    }

    #[test]
    fn an_error_names_its_place() {
        let line = |message: &str| message.contains("line");
        assert!(line(&broken("operator = ", "operater = ")) && line(&broken("\"exchange\"\n", "\"shop\"\n")));
        assert!(
            line(&broken("periods = ", "period = "))
                && line(&broken("commission_ppm = 5", "commission_ppm = -5"))
        );
        assert!(line(&broken("currency = \"GBP\"", "currency = \"GBP\"\ncurrency = \"EUR\"")));
        assert_eq!(broken("\"plain\"", "\"other\""), "book other: other is there twice");
        assert_eq!(broken("[\"plain\"]", "[\"plain\", \"plain\"]"), "book plain: plain is there twice");
        assert_eq!(broken("[\"plain\"]", "[]"), "book 2: it has no keys");
        assert_eq!(broken("books = [\"exchange\"]", "books = [\"there\"]"), "clause: no such book: there");
        assert!(broken("\"EUR\"", "\"JPY\"").starts_with("book plain: JPY is no currency"));
        assert_eq!(
            broken("2021-01-01", "2020-01-01"),
            "book exchange, fee 2: it does not begin after the one before it"
        );
        assert!(
            broken("20000", "2000000")
                .starts_with("book exchange, fee 2: 2000000 of 1000000 is a rate out of range")
        );
        assert_eq!(
            broken("2021-01-01", "2021-01-01T12:00:00Z"),
            "book exchange, fee 2: 2021-01-01T12:00:00Z is no date"
        );
        let last = FILE.rfind("source").unwrap();
        assert!(parse(&FILE[..last]).is_err_and(|error| error.to_string().contains("source")));
        assert_eq!(
            broken(
                "source = \"a page\"\n        checked_at = 2022-02-02\n        [[book.fee]]",
                "source = \" \"\n        checked_at = 2022-02-02\n        [[book.fee]]"
            ),
            "book exchange: it has no source"
        );
        assert_eq!(
            broken(
                "commission_ppm = 20000\n        source = \"a page\"",
                "commission_ppm = 20000\n        source = \"\""
            ),
            "book exchange, fee 2: it has no source"
        );
        let unchecked = FILE.rfind("checked_at").unwrap();
        assert!(parse(&FILE[..unchecked]).is_err_and(|error| error.to_string().contains("checked_at")));
        assert!(broken("commission_ppm = 20000", "").contains("is needed"));
        assert!(broken("commission_ppm = 20000", "commission_ppm = 1\nkalshi_ppm = 1").contains("is needed"));
        assert!(broken("\"bookmaker\"", "\"exchange\"").contains("it has no fee"));
        assert_eq!(
            broken("step = 100\n        least_stake", "step = 0\n        least_stake"),
            "size 1: a step of 0 is none"
        );
        assert_eq!(broken("least_contracts = 500", "step = 1"), "size 2: it has two steps");
        assert!(broken("least_stake = 200", "least_stake = -1").contains("size 1: a least is outside"));
        assert_eq!(
            broken("books = [\"exchange\"]\n        step", "books = [\"who\"]\n        step"),
            "size: no such book: who"
        );
        assert!(broken("refresh_seconds = 30", "refresh_seconds = 0").contains("refresh_seconds"));
        assert_eq!(
            broken("https://house", "javascript:house"),
            "book exchange: link is no address of http or https"
        );
        assert_eq!(
            broken("https://house", "https://{home}"),
            "book exchange: link has a placeholder in its host: values stand after it"
        );
        assert!(
            broken("{league}", "{player}").starts_with("book exchange: link has the placeholder {player}")
        );
    }

    #[test]
    fn an_error_of_a_native_form_names_it() {
        assert_eq!(
            broken(
                "[\"other\"]\n        from = 2020-01-01\n        source = \"a page of",
                "[\"it\"]\n        from = 2020-01-01\n        source = \"a page of"
            ),
            "native: no such book: it"
        );
        assert_eq!(
            broken(
                "\"american\"\n        books = [\"other\"]",
                "\"american\"\n        books = [\"exchange\"]"
            ),
            "native 2: exchange is there twice"
        );
        assert!(broken("step_ppm = 10000", "").contains("step_ppm"));
        assert_eq!(
            broken("step_ppm = 10000", "step_ppm = 30000"),
            "native 1: step_ppm is no part of a million"
        );
        assert_eq!(broken("step_ppm = 10000", "step_ppm = 0"), "native 1: step_ppm is no part of a million");
    }

    #[test]
    fn the_shipped_table_is_whole() {
        let books = shipped().unwrap();
        let are_one = |a, b| books.get(a).operator(a) == books.get(b).operator(b);
        assert!(are_one("lowvig", "betonlineag") && are_one("neds", "ladbrokes_au"));
        assert!(!are_one("draftkings", "fanduel") && !are_one("tab", "tabtouch"));
        let now = parse_rfc3339("2026-03-05T08:30:00Z").unwrap();
        let fee = |key: &str, league| books.get(key).fee_in(league, now);
        assert_eq!(fee("betfair_ex_au", "aussierules_afl"), Fee::Commission { ppm: 50_000 });
        assert_eq!(fee("betfair_ex_au", "rugbyleague_nrl"), Fee::Commission { ppm: 100_000 });
        assert_eq!(fee("kalshi", "basketball_nba"), Fee::Kalshi { multiplier_ppm: 70_000 });
        let level = |key, league| books.get(key).clauses.value(Topic::Level, league, Family::H2h);
        assert_eq!(level("draftkings", "americanfootball_nfl"), Some("refunded"));
        assert_eq!(level("kalshi", "americanfootball_nfl"), Some("dead_heat"));
        assert_eq!(level("sportsbet", "aussierules_afl"), Some("dead_heat"));
        assert_eq!(level("draftkings", "aussierules_afl"), None, "houses of the United States do not agree");
        assert_eq!(books.get("betmgm").currency.as_deref(), Some("USD"));
        let form = |key| books.get(key).native.as_ref().map(|native| native.form.key());
        assert_eq!(
            ["draftkings", "lowvig", "betfair_ex_au", "pinnacle", "kalshi", "skybet"].map(form),
            [Some("american"), Some("american"), Some("decimal"), Some("decimal"), Some("probability"), None]
        );
        let (american, regions) = shipped_american().unwrap();
        assert_eq!(regions, ["us", "us2"].map(str::to_owned).into());
        assert!(american.iter().all(|book| form(book) == Some("american")) && american.contains("fanduel"));
    }
}
