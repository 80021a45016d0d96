//! `GET /events/{id}/odds/history`: the prices of one line of an event at all books over time, from ClickHouse.
//!
//! It never shows a private price: those are in no table that it reads.

use arb_feed::filter::parameter::{NAME, Parameter, Values, name};
use arb_model::{Line, Market, Points, Time};
use arb_schemas::time::{Micros, SECOND};
use arb_store::history::{PriceQuery, PriceSeries};
use tokio::task::block_in_place;

use super::EventsResource;
use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, filled, parameters_of, row};
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Started;
use crate::resources::parameters::{SINCE, UNTIL};
use crate::view::{BetHistory, OddsHistory, SeriesView};

/// The range where none is given.
const USUAL: Micros = 24 * 3_600 * SECOND;
/// The longest range.
const LONGEST: Micros = 7 * USUAL;
const MARKET_KEY: &Parameter<Market> = &Parameter::new(
    "market",
    "A market with its period, as lists of events have it: h2h, totals_h1.",
    NAME,
    |_, key| Market::parse(key),
)
.component("market_key")
.required()
.because("must be a market with its period, as h2h or totals_h1");
const LINE: &Parameter<Line> = &Parameter::new(
    "line",
    "The line, of spreads and totals, which need it: of spreads the home side's handicap.",
    Values::Number { least: None, most: None },
    |_, text| parse_line(text),
)
.because("must be a number with at most three decimals");
const SPORT_KEY: &Parameter<String> = &Parameter::name(
    "sport",
    "The sport of an event that is over; one that has prices now needs none.",
    "must be a sport",
)
.component("sport_key");

/// The parameters as they were given.
#[derive(Default)]
struct LineAsk {
    market: Option<Market>,
    line: Option<Line>,
    sport: Option<String>,
    since: Option<Micros>,
    until: Option<Micros>,
}

impl Query for LineAsk {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(MARKET_KEY => market),
        row!(LINE => line),
        row!(SPORT_KEY => sport),
        row!(SINCE => since),
        row!(UNTIL => until),
    ];
}

/// The line that is asked for, and of what time.
#[derive(Debug, PartialEq)]
struct LineQuery {
    market: Market,
    line: Option<Line>,
    sport: Option<String>,
    since: Micros,
    until: Micros,
}

impl LineQuery {
    fn parse(text: &str, now: Micros) -> Result<Self, Problem> {
        let LineAsk { market, line, sport, since, until } = filled(LineAsk::default(), text)?;
        let market = market.ok_or_else(|| MARKET_KEY.refused())?;
        match (market.family.has_line(), line) {
            (true, None) => {
                return Err(Problem::invalid_param("line", "must be given of spreads and totals"));
            }
            (false, Some(_)) => return Err(Problem::invalid_param("line", "is of spreads and totals alone")),
            _ => {}
        }
        let until = until.unwrap_or(now);
        let since = since.unwrap_or(until - USUAL);
        if since >= until {
            return Err(Problem::invalid_param("since", "must be before until"));
        }
        if until - since > LONGEST {
            return Err(Problem::invalid_param("since", "must be at most seven days before until"));
        }
        Ok(Self { market, line, sport, since, until })
    }

    /// The query of the history, of an event of a sport.
    fn of(&self, event: &str, sport: String) -> PriceQuery {
        PriceQuery {
            sport,
            event: event.to_owned(),
            market: self.market.family.key().to_owned(),
            period: self.market.period.key().to_owned(),
            line: self.line.map(|line| f64::from(line) / 1_000.0),
            since: self.since,
            until: self.until,
        }
    }
}

/// A line in thousandths.
fn parse_line(text: &str) -> Option<Line> {
    let is_line = |number: f64| number.abs() < 1e6 && ((number * 1e3).round() - number * 1e3).abs() < 1e-6;
    let number = text.parse().ok().filter(|number| is_line(*number))?;
    // It is within a million thousands.
    #[allow(clippy::cast_possible_truncation)]
    Some((number * 1e3).round() as Line)
}

impl EventsResource {
    /// What the prices of a line over time are asked for by.
    pub(crate) const OF_LINE: ParameterList = parameters_of::<LineAsk>;

    /// Answers `GET /events/{id}/odds/history`.
    pub(crate) fn odds_history(&self, request: &Request<'_>, charge: &Charge<'_>, now: Micros) -> Started {
        let event = name("id", &request.parameter("id"), "").map_err(|_| Problem::not_found())?;
        let asked = LineQuery::parse(request.query(), now)?;
        let history = self.history.clone().ok_or_else(Problem::no_history)?;
        self.check_ready()?;
        // All prices of the event are listed for its sport alone: not where the caller names it.
        let known = || {
            let found = block_in_place(|| self.quotes.odds_of(&event, None));
            found.map(|(event, _)| event.info.sport.to_string())
        };
        let sport = asked.sport.clone().or_else(known).ok_or_else(|| {
            Problem::unknown_id("No event of this id has prices now; of one that is over name the sport.")
        })?;
        charge.charge()?;
        Ok(Box::pin(async move {
            let series = history.prices(&asked.of(&event, sport)).await;
            let series = series.map_err(|error| Problem::history_unread(&error))?;
            Ok(reply::view(&shown(&event, &asked, &series)))
        }))
    }
}

/// By bet, the books that had the most prices first.
fn shown<'a>(event: &'a str, asked: &LineQuery, series: &'a [PriceSeries]) -> OddsHistory<'a> {
    let bets = series.chunk_by(|a, b| (&a.outcome_key, &a.side_key) == (&b.outcome_key, &b.side_key));
    let bets = bets.filter_map(|of| {
        let first = of.first()?;
        let mut of: Vec<_> = of.iter().collect();
        of.sort_by_key(|series| std::cmp::Reverse(series.points.len()));
        let books = of.into_iter().map(SeriesView::new).collect();
        Some(BetHistory { outcome: &first.outcome_key, side: &first.side_key, books })
    });
    OddsHistory {
        event,
        market: asked.market.family.key(),
        period: asked.market.period.key(),
        line: asked.line.map(Points),
        since: Time(asked.since),
        until: Time(asked.until),
        bets: bets.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Micros = 1_700_000_000 * SECOND;

    fn parse(text: &str) -> Option<LineQuery> {
        LineQuery::parse(text, NOW).ok()
    }

    #[test]
    fn a_line_is_one_of_a_market_and_a_range_has_an_end() {
        let query = parse("market=totals_h1&line=2.5").unwrap();
        assert_eq!((query.line, query.until - query.since, query.until), (Some(2_500), USUAL, NOW));
        let asked = query.of("e", "soccer".to_owned());
        assert_eq!((&*asked.market, &*asked.period, asked.line), ("totals", "h1", Some(2.5)));
        assert_eq!(parse("market=spreads&line=-0.25").unwrap().line, Some(-250));
        assert!(parse("market=h2h&since=2023-11-10T00:00:00Z").is_some());
        for wrong in [
            "",
            "line=2.5",
            "market=corners",
            "market=totals",
            "market=h2h&line=0",
            "market=totals&line=2.0001",
            "market=totals&line=1e9",
            "market=totals&line=NaN",
            "market=h2h&since=2023-11-20T00:00:00Z",
            "market=h2h&since=2023-11-01T00:00:00Z",
            "market=h2h&until=yesterday",
            "market=h2h&book=acme",
        ] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
