//! The fields of a request for a scan, from a query or a JSON body, and what their values may be.
//!
//! It never guesses: a field that is not known is refused, and so is a value that no scan can have.

use std::time::Duration;

use arb_feed::filter::parameter;
use arb_feed::filter::sport::Sport;
use arb_schemas::records::ScanRequest;
use arb_schemas::time::parse_rfc3339;
use serde::de::DeserializeOwned;

use crate::http::json_body::JsonBody;
use crate::http::problem::Problem;
use crate::http::request::Request;
use crate::lists::known_names::{KnownNames, NameKind, Named};

/// Seconds that an answer is waited for, unless the request sets another number.
const WAIT: f64 = 5.0;
/// The most that it may say.
const LONGEST_WAIT: f64 = 30.0;
/// Names in a list.
const MOST_NAMES: usize = 100;
/// Parameters of a query, repeated ones counted.
const MOST_PARAMETERS: usize = 128;
/// The largest total stake.
const MOST_STAKE: f64 = 10_000_000.0;
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

impl ScanFields {
    /// Those of a query: lists are separated by commas or repeated.
    pub(super) fn of_query(query: &str) -> Result<Self, Problem> {
        let mut fields = Self::default();
        for (index, (name, value)) in form_urlencoded::parse(query.as_bytes()).enumerate() {
            if index == MOST_PARAMETERS {
                return Err(Problem::bad_request("There are more than 128 parameters."));
            }
            fields.take(&name, &value)?;
        }
        Ok(fields)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), Problem> {
        let words = || value.split(',').map(str::to_owned);
        match name {
            "sport" => once(name, &mut self.sport, value.to_owned()),
            "league" => once(name, &mut self.league, value.to_owned()),
            "event_group" => once(name, &mut self.event_group, value.to_owned()),
            "min_margin" => once(name, &mut self.min_margin, number(name, value)?),
            "total_stake" => once(name, &mut self.total_stake, number(name, value)?),
            "wait_seconds" => once(name, &mut self.wait_seconds, number(name, value)?),
            "event_ids" => {
                self.event_ids.extend(words());
                Ok(())
            }
            "markets" => {
                self.markets.extend(words());
                Ok(())
            }
            "books" => {
                self.books.extend(words());
                Ok(())
            }
            _ => Err(Problem::invalid_param(name, "is unknown")),
        }
    }

    /// Those of a body.
    pub(super) fn of_body(request: &Request<'_>) -> Result<Self, Problem> {
        let mut body = JsonBody::of(request)?;
        let fields = Self {
            sport: body.take("sport", "must be a string")?,
            league: body.take("league", "must be a string")?,
            event_ids: list(&mut body, "event_ids")?,
            event_group: body.take("event_group", "must be a string")?,
            markets: list(&mut body, "markets")?,
            books: list(&mut body, "books")?,
            min_margin: body.take("min_margin", "must be a number")?,
            total_stake: body.take("total_stake", "must be a number")?,
            wait_seconds: body.take("wait_seconds", "must be a number")?,
        };
        body.finish()?;
        Ok(fields)
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
        let sport = sport.as_deref().map(Sport::parse).transpose()?;
        let league = league.as_deref().map(Sport::parse_league).transpose()?;
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
        let margin = self.min_margin.unwrap_or(0.0);
        if (0.0..1.0).contains(&margin) {
            return Ok(margin);
        }
        let reason = "must be a fraction from 0 to below 1: 0.015 is 1.5 %";
        Err(Problem::invalid_param("min_margin", reason))
    }

    /// In minor units.
    fn stake(&self) -> Result<Option<i64>, Problem> {
        let Some(stake) = self.total_stake else { return Ok(None) };
        if !(0.01..=MOST_STAKE).contains(&stake) {
            return Err(Problem::invalid_param("total_stake", "must be from 0.01 to 10000000"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most a thousand million")]
        Ok(Some((stake * 100.0).round() as i64))
    }

    fn wait(&self) -> Result<Duration, Problem> {
        let wait = self.wait_seconds.unwrap_or(WAIT);
        let is_valid = (0.0..=LONGEST_WAIT).contains(&wait);
        let refused = || Problem::invalid_param("wait_seconds", "must be from 0 to 30");
        is_valid.then(|| Duration::from_secs_f64(wait)).ok_or_else(refused)
    }
}

fn once<T>(name: &str, field: &mut Option<T>, value: T) -> Result<(), Problem> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(Problem::invalid_param(name, "is given twice")),
    }
}

fn number(name: &str, value: &str) -> Result<f64, Problem> {
    value.parse().map_err(|_| Problem::invalid_param(name, "must be a number"))
}

fn list<T: DeserializeOwned>(body: &mut JsonBody, name: &str) -> Result<Vec<T>, Problem> {
    Ok(body.take(name, "must be an array of strings")?.unwrap_or_default())
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
    Sport::parse_league(league).map_err(|_| refused())
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
            ("sport=soccer&min_margin=1", "0.015 is 1.5 %"),
            ("sport=soccer&min_margin=-0.1", "0.015 is 1.5 %"),
            ("sport=soccer&min_margin=NaN", "0.015 is 1.5 %"),
            ("sport=soccer&min_margin=x", "must be a number"),
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
