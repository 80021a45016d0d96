//! The fields of a request for a scan, from a query or a JSON body, and what their values may be.
//!
//! It never guesses: a field that is not known is refused, and so is a value that no scan can have.

use std::collections::BTreeSet;
use std::time::Duration;

use arb_feed::filter::parameter;
use arb_feed::filter::parameter::{NAMES, Number, Parameter};
use arb_feed::filter::sport::{LEAGUE, SPORT, Sport};
use arb_schemas::records::ScanRequest;
use arb_schemas::time::parse_rfc3339;

use crate::http::json_body::JsonBody;
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, parameters_of, row, unknown};
use crate::http::request::Request;
use crate::lists::known_names::{KnownNames, NameKind, Named};
use crate::view::bodies::ScanBody;

/// Names in a list.
const MOST_NAMES: usize = 100;
/// Parameters of a query, repeated ones counted.
const MOST_PARAMETERS: usize = 128;
const EVENT_IDS: &Parameter<Vec<String>> =
    &Parameter::new("event_ids", "Events.", NAMES, |_, text| Some(words(text)));
const EVENT_GROUP: &Parameter<String> = &Parameter::name(
    "event_group",
    "A league and a date, such as soccer_epl/2026-11-23.",
    "must be a league, / and a date such as 2026-11-23",
);
const MARKETS: &Parameter<Vec<String>> =
    &Parameter::new("markets", "Market families.", NAMES, |_, text| Some(words(text)));
const BOOKS: &Parameter<Vec<String>> =
    &Parameter::new("books", "The only books whose prices count.", NAMES, |_, text| Some(words(text)))
        .component("books_of_scan");
/// The parameters that may be given again: their values are added.
const LISTS: [&Parameter<Vec<String>>; 3] = [EVENT_IDS, MARKETS, BOOKS];
const MIN_MARGIN: &Parameter<Number> =
    &Parameter::number("min_margin", "The least margin, a fraction: 0.015 is 1.5 %.", (Some(0.0), Some(1.0)))
        .component("min_margin_of_scan")
        .because("must be a fraction from 0 to 1: 0.015 is 1.5 %");
const TOTAL_STAKE: &Parameter<Number> =
    &Parameter::number("total_stake", "The total that stakes are for.", (Some(0.01), Some(1e7)))
        .component("total_stake_of_scan");
/// How long an answer is waited for.
const WAIT_SECONDS: &Parameter<Number> =
    &Parameter::number("wait_seconds", "How long to wait for the whole answer.", (Some(0.0), Some(30.0)))
        .defaulting("5");
const NOTHING: &str = "A scan names at least one of sport, league, event_ids and event_group.";

/// The fields as they were given.
#[derive(Debug, Default)]
pub(super) struct ScanFields {
    sport: Option<String>,
    league: Option<String>,
    event_ids: Vec<String>,
    event_group: Option<String>,
    markets: Vec<String>,
    books: Vec<String>,
    min_margin: Option<f64>,
    total_stake: Option<f64>,
    wait_seconds: Option<f64>,
}

/// A request that is valid, without id, account and time.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) request: ScanRequest,
    pub(super) wait: Duration,
}

impl Query for ScanFields {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(SPORT => sport),
        row!(LEAGUE => league),
        row!(EVENT_IDS, |fields, names| fields.event_ids.extend(names)),
        row!(EVENT_GROUP => event_group),
        row!(MARKETS, |fields, names| fields.markets.extend(names)),
        row!(BOOKS, |fields, names| fields.books.extend(names)),
        row!(MIN_MARGIN => min_margin),
        row!(TOTAL_STAKE => total_stake),
        row!(WAIT_SECONDS => wait_seconds),
    ];
}

impl ScanFields {
    /// What a query of a scan has.
    pub(super) const PARAMETERS: ParameterList = parameters_of::<Self>;

    /// Those of a query: lists are separated by commas or repeated.
    pub(super) fn of_query(query: &str) -> Result<Self, Problem> {
        let (mut fields, mut given) = (Self::default(), BTreeSet::new());
        for (index, (name, value)) in form_urlencoded::parse(query.as_bytes()).enumerate() {
            if index == MOST_PARAMETERS {
                return Err(Problem::bad_request("There are more than 128 parameters."));
            }
            if !fields.take(&name, &value)? {
                return Err(unknown(&name));
            }
            let is_list = LISTS.iter().any(|list| list.shape.name == name);
            if !is_list && !given.insert(name.clone()) {
                return Err(Problem::invalid_param(&name, "is given twice"));
            }
        }
        Ok(fields)
    }

    /// Those of a body.
    pub(super) fn of_body(request: &Request<'_>) -> Result<Self, Problem> {
        let body = ScanBody::take(JsonBody::of(request)?)?;
        Ok(Self {
            sport: body.sport,
            league: body.league,
            event_ids: body.event_ids.unwrap_or_default(),
            event_group: body.event_group,
            markets: body.markets.unwrap_or_default(),
            books: body.books.unwrap_or_default(),
            min_margin: body.min_margin,
            total_stake: body.total_stake,
            wait_seconds: body.wait_seconds,
        })
    }

    /// The request that they make.
    pub(super) fn check(self, known: &KnownNames) -> Result<Wanted, Problem> {
        let Self { sport, league, event_ids, event_group, markets, books, .. } = &self;
        if sport.is_none() && league.is_none() && event_ids.is_empty() && event_group.is_none() {
            return Err(Problem::bad_request(NOTHING));
        }
        for (name, list) in [("event_ids", event_ids), ("books", books), ("markets", markets)] {
            check_list(name, list)?;
        }
        let sport = sport.as_deref().map(|key| SPORT.parse(key)).transpose()?;
        let league = league.as_deref().map(|key| LEAGUE.parse(key)).transpose()?;
        let group = event_group.as_deref().map(league_of_group).transpose()?;
        let sports = [("sport", &sport), ("league", &league), ("event_group", &group)];
        let sports = sports.into_iter().filter_map(|(name, sport)| Named::sport(name, sport.as_ref()?));
        let list = |parameter, kind, list| {
            let named = move |name| Named { parameter, kind, name };
            <[String]>::iter(list).map(String::as_str).map(named)
        };
        let books = list("books", NameKind::Book, books);
        known.check(sports.chain(list("markets", NameKind::Market, markets)).chain(books))?;
        let (min_margin, total_stake, wait) = (self.margin()?, self.stake()?, self.wait()?);
        let Self { sport, league, event_ids, event_group, markets, books, .. } = self;
        let request = ScanRequest {
            sport,
            league,
            event_ids: unique(event_ids),
            event_group,
            markets: unique(markets),
            books: unique(books),
            min_margin,
            total_stake,
            ..ScanRequest::default()
        };
        Ok(Wanted { request, wait })
    }

    fn margin(&self) -> Result<f64, Problem> {
        Ok(MIN_MARGIN.check(self.min_margin.unwrap_or(0.0))?)
    }

    /// In minor units.
    fn stake(&self) -> Result<Option<i64>, Problem> {
        let Some(stake) = self.total_stake.map(|stake| TOTAL_STAKE.check(stake)).transpose()? else {
            return Ok(None);
        };
        #[expect(clippy::cast_possible_truncation, reason = "at most a thousand million")]
        Ok(Some((stake * 100.0).round() as i64))
    }

    fn wait(&self) -> Result<Duration, Problem> {
        let usual = || WAIT_SECONDS.default_value().and_then(Option::<f64>::from).unwrap_or_default();
        let wait = WAIT_SECONDS.check(self.wait_seconds.unwrap_or_else(usual))?;
        Ok(Duration::from_secs_f64(wait))
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

fn unique(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

fn check_list(name: &str, list: &[String]) -> Result<(), Problem> {
    if list.len() > MOST_NAMES {
        return Err(Problem::invalid_param(name, "has more than 100 values"));
    }
    list.iter().try_for_each(|value| {
        parameter::name(name, value, "has a value that is empty or longer than 100 bytes")?;
        Ok(())
    })
}

/// The league of a group: that and a UTC date.
fn league_of_group(group: &str) -> Result<Sport, Problem> {
    let refused =
        || Problem::invalid_param("event_group", "must be a league, / and a date such as 2026-11-23");
    let (league, date) = group.rsplit_once('/').ok_or_else(refused)?;
    if date.len() != 10 || parse_rfc3339(&format!("{date}T00:00:00Z")).is_none() {
        return Err(refused());
    }
    Sport::parse_league(league).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(query: &str) -> Result<Wanted, String> {
        let known = KnownNames::default();
        for book in ["a", "b"] {
            known.note(NameKind::Book, book);
        }
        let checked = ScanFields::of_query(query).and_then(|fields| fields.check(&known));
        checked.map_err(|problem| problem.into_parts().2)
    }

    #[test]
    fn defaults_and_lists() {
        let Wanted { request, wait } = wanted("sport=soccer").unwrap();
        assert_eq!((request.min_margin, request.total_stake, wait.as_secs()), (0.0, None, 5));
        assert!(request.markets.is_empty() && request.books.is_empty());
        let query = "sport=soccer&markets=totals,h2h&books=a&books=b,a&wait_seconds=0&total_stake=250.5";
        let Wanted { request, wait } = wanted(query).unwrap();
        assert_eq!(
            (request.markets, request.books),
            (vec!["h2h".into(), "totals".into()], vec!["a".into(), "b".into()])
        );
        assert_eq!((request.total_stake, wait), (Some(25_050), Duration::ZERO));
        let repeated = wanted("sport=soccer&markets=h2h&markets=totals").unwrap().request;
        assert_eq!(repeated, wanted("sport=soccer&markets=totals,h2h").unwrap().request);
    }

    #[test]
    fn each_of_four_is_enough() {
        for query in
            ["sport=soccer_epl", "league=soccer_epl", "event_ids=e1,e2", "event_group=soccer_epl/2026-11-23"]
        {
            assert!(wanted(query).is_ok(), "{query}");
        }
    }

    #[test]
    fn what_no_scan_can_have_is_refused_with_its_field() {
        for (query, reason) in [
            ("", "at least one of sport"),
            ("markets=h2h", "at least one of sport"),
            ("sport=soccr", "there are: soccer"),
            ("sport=soccer&sport=soccer", "given twice"),
            ("sport=soccer&colour=red", "colour is unknown"),
            ("sport=soccer&markets=corners", "no market family"),
            ("sport=soccer&markets=", "empty"),
            ("sport=soccer&min_margin=1.01", "0.015 is 1.5 %"),
            ("sport=soccer&min_margin=-0.1", "0.015 is 1.5 %"),
            ("sport=soccer&min_margin=NaN", "0.015 is 1.5 %"),
            ("sport=soccer&min_margin=x", "must be a fraction"),
            ("sport=soccer&wait_seconds=31", "from 0 to 30"),
            ("sport=soccer&wait_seconds=-1", "from 0 to 30"),
            ("sport=soccer&total_stake=0", "from 0.01"),
            ("sport=soccer&total_stake=inf", "from 0.01"),
            ("sport=soccer&books=a,c", "names \\\"c\\\", which is no book"),
            ("league=curling_nowhere", "no sport or league"),
            ("league=curling", "must be a league key"),
            ("event_group=soccer_epl", "a date such as"),
            ("event_group=soccer_epl/2026-02-30", "a date such as"),
            ("event_group=nowhere/2026-02-20", "a date such as"),
            ("event_group=curling_nowhere/2026-02-20", "no sport or league"),
        ] {
            let error = wanted(query).unwrap_err();
            assert!(error.contains(reason), "{query}: {error}");
        }
        let many = format!("event_ids={}", vec!["e"; 101].join(","));
        assert!(wanted(&many).unwrap_err().contains("more than 100 values"));
        assert!(wanted(&vec!["books=a"; 129].join("&")).unwrap_err().contains("more than 128"));
    }
}
