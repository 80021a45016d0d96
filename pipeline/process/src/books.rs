//! The file of books: `books.toml`, read, checked, and made into the engine's table.
//!
//! A person edits it, so every mistake in it is reported with its place, and nothing is guessed: an unknown
//! field, a repeated key, undefined rules, dates out of order, a rate out of range, a fact without a source.
//! It never fills a gap; the table does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_engine::venues::{Book, Books, DatedFee, Evidence, Fee, Level, LinkTemplate, Rules, VenueKind};
use arb_schemas::time::{Micros, SECOND, parse_rfc3339};
use serde::Deserialize;
use thiserror::Error;
use toml::value::Datetime;

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

/// What is wrong with the file.
#[derive(Debug, Error)]
pub enum BooksError {
    /// It is no TOML of this form; the place is in the message.
    #[error("{0}")]
    Form(#[from] toml::de::Error),
    /// It is readable, but its content is invalid.
    #[error("{place}: {what}")]
    Sense {
        /// The place.
        place: String,
        /// What.
        what: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rules: BTreeMap<String, RulesEntry>,
    #[serde(default)]
    book: Vec<BookEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesEntry {
    says: String,
    level: LevelName,
    #[serde(default)]
    levels: BTreeMap<String, LevelName>,
    from: Datetime,
    source: String,
    checked_at: Option<Datetime>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LevelName {
    Outcome,
    Refunded,
    DeadHeat,
    Impossible,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BookEntry {
    keys: Vec<String>,
    operator: Option<String>,
    kind: KindName,
    currency: String,
    rules: Option<String>,
    refresh_seconds: Option<u32>,
    #[serde(default = "cent")]
    step: i64,
    link: Option<String>,
    from: Datetime,
    source: String,
    checked_at: Option<Datetime>,
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
    checked_at: Option<Datetime>,
}

fn cent() -> i64 {
    1
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::Outcome => Self::Outcome,
            LevelName::Refunded => Self::Refunded,
            LevelName::DeadHeat => Self::DeadHeat,
            LevelName::Impossible => Self::Impossible,
        }
    }
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
    let rules = file.rules.iter().map(|(name, entry)| Ok((name.as_str(), entry.rules(name)?)));
    let rules: BTreeMap<_, _> = rules.collect::<Result<_, BooksError>>()?;
    let (mut books, mut seen) = (Vec::new(), BTreeSet::new());
    for (number, entry) in file.book.iter().enumerate() {
        let place = entry.place(number);
        let book = entry.book(&place, &rules)?;
        for key in &entry.keys {
            ensure(!key.is_empty(), &place, || "a key is empty".to_owned())?;
            ensure(seen.insert(key.as_str()), &place, || format!("{key} is there twice"))?;
            books.push((Arc::from(key.as_str()), book.clone()));
        }
    }
    Ok(Books::new(books))
}

impl RulesEntry {
    fn rules(&self, name: &str) -> Result<Rules, BooksError> {
        let place = format!("rules.{name}");
        let evidence = evidence(&self.from, &self.source, self.checked_at.as_ref(), &place)?;
        ensure(!self.says.trim().is_empty(), &place, || "it has no text".to_owned())?;
        let levels = self.levels.iter().map(|(key, level)| (Arc::from(key.as_str()), (*level).into()));
        let (levels, says) = (levels.collect(), self.says.as_str().into());
        Ok(Rules { levels, says, evidence, ..Rules::new(name, self.level.into()) })
    }
}

impl BookEntry {
    fn place(&self, number: usize) -> String {
        self.keys.first().map_or_else(|| format!("book {}", number + 1), |key| format!("book {key}"))
    }

    fn book(&self, place: &str, rules: &BTreeMap<&str, Rules>) -> Result<Book, BooksError> {
        let evidence = evidence(&self.from, &self.source, self.checked_at.as_ref(), place)?;
        ensure(!self.keys.is_empty(), place, || "it has no keys".to_owned())?;
        ensure(self.step > 0, place, || format!("a step of {} is none", self.step))?;
        ensure(CURRENCIES.contains(&&*self.currency), place, || {
            format!("{} is no currency that is known here ({})", self.currency, CURRENCIES.join(", "))
        })?;
        let refresh = self.refresh_seconds;
        ensure(refresh.is_none_or(|seconds| (1..=DAY).contains(&seconds)), place, || {
            "refresh_seconds is outside 1 to 86400".to_owned()
        })?;
        let named = self.rules.as_deref().map(|name| rules.get(name).cloned().ok_or(name));
        let rules = named.transpose().map_err(|name| sense(place, format!("no such rules: {name}")))?;
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
            rules,
            refresh: refresh.map(|seconds| Micros::from(seconds) * SECOND),
            step: self.step,
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
        let evidence = evidence(&self.from, &self.source, self.checked_at.as_ref(), place)?;
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

fn sense(place: &str, what: String) -> BooksError {
    BooksError::Sense { place: place.to_owned(), what }
}

fn ensure(holds: bool, place: &str, what: impl FnOnce() -> String) -> Result<(), BooksError> {
    if holds { Ok(()) } else { Err(sense(place, what())) }
}

fn evidence(
    from: &Datetime,
    source: &str,
    checked_at: Option<&Datetime>,
    place: &str,
) -> Result<Evidence, BooksError> {
    ensure(!source.trim().is_empty(), place, || "it has no source".to_owned())?;
    let checked_at = checked_at.map(|day| date(day, place)).transpose()?;
    Ok(Evidence { from: date(from, place)?, source: source.into(), checked_at })
}

/// The first moment of a day in UTC.
fn date(day: &Datetime, place: &str) -> Result<Micros, BooksError> {
    let plain = day.date.is_some() && day.time.is_none() && day.offset.is_none();
    let at = plain.then(|| parse_rfc3339(&format!("{day}T00:00:00Z"))).flatten();
    at.ok_or_else(|| sense(place, format!("{day} is no date")))
}

#[cfg(test)]
mod tests {
    use arb_engine::market::Period;

    use super::*;

    const FILE: &str = r#"
        [rules.here]
        says = "Overtime counts."
        level = "refunded"
        levels = { soccer = "outcome" }
        from = 2020-01-01
        source = "a page"

        [[book]]
        keys = ["exchange", "other"]
        operator = "house"
        kind = "exchange"
        currency = "GBP"
        rules = "here"
        refresh_seconds = 30
        step = 100
        link = "https://house.example/{league}/{event}"
        from = 2020-01-01
        source = "a page"
        [[book.fee]]
        from = 2020-01-01
        commission_ppm = 50000
        source = "a page"
        [[book.fee]]
        from = 2021-01-01
        commission_ppm = 20000
        source = "a page"
        checked_at = 2022-02-02

        [[book]]
        keys = ["plain"]
        kind = "bookmaker"
        currency = "EUR"
        from = 2020-01-01
        source = "a page"
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
        assert_eq!(
            (exchange.operator("exchange"), exchange.kind, exchange.step),
            ("house", VenueKind::Exchange, 100)
        );
        assert_eq!((exchange.refresh, exchange.known), (Some(30 * SECOND), true));
        let level = |league| exchange.rules.as_ref().map(|rules| rules.level(league, Period::FullTime));
        assert_eq!((level("soccer_epl"), level("golf")), (Some(Level::Outcome), Some(Level::Refunded)));
        let day = |day: &str| parse_rfc3339(&format!("{day}T00:00:00Z")).unwrap();
        let at = |text: &str| exchange.fee(day(text));
        let five = Fee::Commission { ppm: 50_000 };
        let two = Fee::Commission { ppm: 20_000 };
        assert_eq!([at("2019-01-01"), at("2020-12-31"), at("2021-01-01")], [five, five, two]);
        let checked = exchange.fees.iter().map(|fee| fee.evidence.checked_at);
        assert_eq!(checked.collect::<Vec<_>>(), [None, Some(day("2022-02-02"))]);
        assert_eq!((&*exchange.evidence.source, exchange.evidence.from), ("a page", day("2020-01-01")));
        let plain = books.get("plain");
        assert_eq!((plain.operator("plain"), plain.fee(0), plain.step), ("plain", Fee::None, 1));
        assert!(plain.rules.is_none() && plain.refresh.is_none() && plain.link.is_none());
        assert_eq!(exchange.link, LinkTemplate::parse("https://house.example/{league}/{event}").ok());
        assert_eq!(exchange.operator("exchange"), books.get("other").operator("other"));
    }

    #[test]
    fn an_error_names_its_place() {
        let line = |message: &str| message.contains("line");
        assert!(line(&broken("operator = ", "operater = ")) && line(&broken("\"exchange\"\n", "\"shop\"\n")));
        assert!(
            line(&broken("level = ", "lewel = "))
                && line(&broken("commission_ppm = 5", "commission_ppm = -5"))
        );
        assert!(line(&broken("currency = \"GBP\"", "currency = \"GBP\"\ncurrency = \"EUR\"")));
        assert_eq!(broken("\"plain\"", "\"other\""), "book other: other is there twice");
        assert_eq!(broken("\"exchange\", \"other\"", "\"a\", \"a\""), "book a: a is there twice");
        assert_eq!(broken("[\"plain\"]", "[]"), "book 2: it has no keys");
        assert_eq!(broken("rules = \"here\"", "rules = \"there\""), "book exchange: no such rules: there");
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
            broken("source = \"a page\"\n        [[book.fee]]", "source = \" \"\n        [[book.fee]]"),
            "book exchange: it has no source"
        );
        assert_eq!(
            broken(
                "commission_ppm = 20000\n        source = \"a page\"",
                "commission_ppm = 20000\n        source = \"\""
            ),
            "book exchange, fee 2: it has no source"
        );
        assert!(broken("commission_ppm = 20000", "").contains("is needed"));
        assert!(broken("commission_ppm = 20000", "commission_ppm = 1\nkalshi_ppm = 1").contains("is needed"));
        assert!(broken("\"bookmaker\"", "\"exchange\"").contains("it has no fee"));
        assert_eq!(broken("step = 100", "step = 0"), "book exchange: a step of 0 is none");
        assert!(broken("refresh_seconds = 30", "refresh_seconds = 0").contains("refresh_seconds"));
        assert!(broken("Overtime counts.", " ").contains("it has no text"));
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
        let (us, afl) = (books.get("draftkings"), books.get("sportsbet"));
        let level =
            |book: &Book, league| book.rules.as_ref().map(|rules| rules.level(league, Period::FullTime));
        assert_eq!(level(us, "americanfootball_nfl"), Some(Level::Refunded));
        assert_eq!(level(us, "baseball_mlb"), Some(Level::Impossible));
        assert_eq!(level(afl, "aussierules_afl"), Some(Level::DeadHeat));
        assert_eq!(books.get("betmgm").currency.as_deref(), Some("USD"));
    }
}
