//! The fields of a request for a scan, from a query or a JSON body, and what their values may be.
//!
//! It never guesses: a field that is not known is refused, and so is a value that no scan can have.

use std::borrow::Cow;
use std::time::Duration;

use arb_model::Family;
use arb_schemas::records::ScanRequest;
use arb_schemas::time::parse_rfc3339;
use serde::de::DeserializeOwned;

use crate::http::json_body::JsonBody;
use crate::http::parameters;
use crate::http::problem::Problem;
use crate::http::request::Request;
use crate::lists::known_sports::KnownSports;
use crate::lists::sport::Sport;

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
    pub(super) fn check(self, sports: &KnownSports) -> Result<Wanted, Problem> {
        let Self { sport, league, event_ids, event_group, markets, books, .. } = &self;
        if sport.is_none() && league.is_none() && event_ids.is_empty() && event_group.is_none() {
            return Err(Problem::bad_request(NOTHING));
        }
        if let Some(sport) = sport {
            sports.check("sport", &Sport::parse(sport)?)?;
        }
        if let Some(league) = league {
            known_league(sports, "league", league)?;
        }
        if let Some(group) = event_group {
            check_group(sports, group)?;
        }
        for (name, list) in [("event_ids", event_ids), ("books", books), ("markets", markets)] {
            check_list(name, list)?;
        }
        let is_family = |market: &&String| Family::parse(market).is_some();
        if let Some(market) = markets.iter().find(|market| !is_family(market)) {
            let families = "h2h, h2h_3_way, draw_no_bet, spreads, totals";
            let reason = format!("has {market:?}, which is no market family; there are: {families}");
            return Err(Problem::invalid_param("markets", reason));
        }
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
        parameters::name(name, value, "has a value that is empty or longer than 100 bytes").map(drop)
    })
}

fn known_league(sports: &KnownSports, field: &str, league: &str) -> Result<(), Problem> {
    let unknown = || Problem::invalid_param(field, Cow::from("names no league that is known"));
    parameters::name(field, league, "must be a league key")?;
    sports.check("event_group", &Sport::parse(league)?).map_err(|_| unknown())
}

/// A group is a league and a UTC date.
fn check_group(sports: &KnownSports, group: &str) -> Result<(), Problem> {
    let refused =
        || Problem::invalid_param("event_group", "must be a league, / and a date such as 2026-11-23");
    let (league, date) = group.rsplit_once('/').ok_or_else(refused)?;
    if date.len() != 10 || parse_rfc3339(&format!("{date}T00:00:00Z")).is_none() {
        return Err(refused());
    }
    known_league(sports, "event_group", league)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(query: &str) -> Result<Wanted, String> {
        let checked = ScanFields::of_query(query).and_then(|fields| fields.check(&KnownSports::default()));
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
            ("league=curling_nowhere", "no league"),
            ("event_group=soccer_epl", "a date such as"),
            ("event_group=soccer_epl/2026-02-30", "a date such as"),
            ("event_group=nowhere/2026-02-20", "no league"),
        ] {
            let error = wanted(query).unwrap_err();
            assert!(error.contains(reason), "{query}: {error}");
        }
        let many = format!("event_ids={}", vec!["e"; 101].join(","));
        assert!(wanted(&many).unwrap_err().contains("more than 100 values"));
        assert!(wanted(&vec!["books=a"; 129].join("&")).unwrap_err().contains("more than 128"));
    }
}
