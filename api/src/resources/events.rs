//! The events of which there are prices, and the prices of one: `GET /events` and `GET /events/{id}/odds`.
//!
//! - `best`: the best price of each bet; `history`: the prices of a line over time.
//!
//! It shows quotes as the processor holds them, also those that cannot be bet on, with the reason. It never computes an arb.

mod best;
mod history;

use std::sync::Arc;

use arb_engine::{ListedEvent, ListedQuote};
use arb_feed::filter::sport::{LEAGUE, SPORT, Sport};
use arb_feed::filter::window::{BOOK, IN_PLAY, MARKET};
use arb_feed::view::OddsFormat;
use arb_model::Time;
use arb_schemas::time::Micros;
use arb_store::history::History;
use serde::{Deserialize, Serialize};
use tokio::task::block_in_place;

use crate::http::charge::Charge;
use crate::http::paging::{self, Cursor, PageAsk};
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, filled, parameters_of, row};
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::lists::Lists;
use crate::lists::known_names::Named;
use crate::quotes::store::{Quotes, UNREAD};
use crate::resources::parameters::ODDS_FORMAT;
use crate::resources::tagged;
use crate::view::{EventItem, EventPage, LineView, OddsView};

/// The events of the live market.
#[derive(Debug)]
pub(crate) struct EventsResource {
    pub(crate) quotes: Arc<Quotes>,
    pub(crate) lists: Lists,
    pub(crate) history: Option<History>,
}

/// The filters of a request; a filter applies where it is given.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventListFilter {
    sport: Sport,
    league: Sport,
    in_play: Option<bool>,
}

/// A place among the events: the next start first, then the id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventPlace {
    commence_time: Micros,
    id: String,
}

impl EventPlace {
    fn of(event: &ListedEvent) -> Self {
        Self { commence_time: event.info.commence_time.0, id: event.info.id.to_string() }
    }
}

impl Query for EventListFilter {
    const ROWS: &'static [QueryRow<Self>] =
        &[row!(SPORT => sport), row!(LEAGUE => league), row!(IN_PLAY => in_play)];
}

impl EventListFilter {
    /// The names in it, each with its parameter.
    fn names(&self) -> impl Iterator<Item = Named<'_>> {
        [Named::sport("sport", &self.sport), Named::sport("league", &self.league)].into_iter().flatten()
    }

    fn includes(&self, event: &ListedEvent) -> bool {
        self.sport.is(&event.info.sport, &event.info.league)
            && self.league.is(&event.info.league, &event.info.league)
            && self.in_play.is_none_or(|in_play| in_play == event.in_play)
    }
}

/// What of an event's odds is asked for.
#[derive(Debug, Default)]
struct OddsFilter {
    market: Option<String>,
    book: Option<String>,
    odds_format: OddsFormat,
}

impl Query for OddsFilter {
    const ROWS: &'static [QueryRow<Self>] =
        &[row!(MARKET => market), row!(BOOK => book), row!(ODDS_FORMAT => odds_format)];
}

impl OddsFilter {
    fn includes(&self, quote: &ListedQuote) -> bool {
        self.market.as_deref().is_none_or(|market| market == quote.market.family.key())
            && self.book.as_deref().is_none_or(|book| *book == *quote.book)
    }
}

impl EventsResource {
    /// What a page of events is asked for by.
    pub(crate) const PARAMETERS: ParameterList = paging::parameters_of_page::<EventListFilter>;
    /// What the odds of an event are asked for by.
    pub(crate) const OF_ODDS: ParameterList = parameters_of::<OddsFilter>;

    /// Answers `GET /events`.
    pub(crate) fn page(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let (filter, limit, after) = parse(request.query())?;
        self.lists.names.check(filter.names())?;
        self.check_ready()?;
        charge.refuse_if_spent()?;
        let events = block_in_place(|| self.quotes.events(charge.caller.private_source.as_deref()));
        let found = events.iter().filter(|event| filter.includes(event));
        let (found, last) = page_of(found, limit, after.as_ref());
        let next = last.map(|after| Cursor { after, filter }.encode());
        let events = found.into_iter().map(EventItem::new).collect();
        tagged::answer(&EventPage { as_of: self.as_of(), events, next_cursor: next }, request, charge)
    }

    /// Answers `GET /events/{id}/odds`.
    pub(crate) fn odds(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let filter = filled(OddsFilter::default(), request.query())?;
        let named = [Named::market(filter.market.as_ref()), Named::book(filter.book.as_ref())];
        self.lists.names.check(named.into_iter().flatten())?;
        self.check_ready()?;
        charge.refuse_if_spent()?;
        let found = block_in_place(|| {
            self.quotes.odds_of(&request.parameter("id"), charge.caller.private_source.as_deref())
        });
        let (event, quotes) = found.ok_or_else(|| Problem::unknown_id("No event of this id has prices."))?;
        let as_of = self.lists.polls.as_of();
        let best = best::best(&quotes);
        let quotes: Vec<_> = quotes.iter().filter(|quote| filter.includes(quote)).collect();
        let mut lines = lines(&quotes, as_of, filter.odds_format);
        let shown = lines.iter_mut().flat_map(|line| &mut line.quotes);
        for (quote, shown) in quotes.iter().zip(shown) {
            shown.is_best = Some(best.iter().any(|best| std::ptr::eq(*best, *quote)));
        }
        let body = OddsView { as_of: self.as_of(), event: EventItem::new(&event), lines };
        tagged::answer(&body, request, charge)
    }

    fn check_ready(&self) -> Result<(), Problem> {
        if self.quotes.is_ready() { Ok(()) } else { Err(Problem::unavailable(UNREAD)) }
    }

    fn as_of(&self) -> Option<Time> {
        self.lists.polls.as_of().map(Time)
    }
}

/// So many events after a place, in their order, and the place of the last one where more follow.
fn page_of<'a>(
    events: impl Iterator<Item = &'a ListedEvent>,
    limit: usize,
    after: Option<&EventPlace>,
) -> (Vec<&'a ListedEvent>, Option<EventPlace>) {
    let mut found: Vec<_> = events
        .map(|event| (EventPlace::of(event), event))
        .filter(|(place, _)| after.is_none_or(|after| place > after))
        .collect();
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let has_more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| has_more).map(|(place, _)| place.clone());
    (found.into_iter().map(|(_, event)| event).collect(), last)
}

fn parse(query: &str) -> Result<(EventListFilter, usize, Option<EventPlace>), Problem> {
    PageAsk::of(query, EventListFilter::default(), paging::LIMIT)?.begin()
}

/// The lines of quotes that are in their order.
fn lines<'a>(quotes: &[&'a ListedQuote], as_of: Option<Micros>, odds: OddsFormat) -> Vec<LineView<'a>> {
    let lines = quotes.chunk_by(|a, b| (a.market, a.line) == (b.market, b.line));
    lines.filter_map(|line| Some(LineView::new((line.first()?, line), as_of, odds))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_belongs_to_its_filters() {
        let after = EventPlace { commence_time: 7, id: "e".into() };
        let filter = EventListFilter { sport: Sport::parse("soccer").unwrap(), ..EventListFilter::default() };
        let cursor = Cursor { after: after.clone(), filter }.encode();
        let parsed = parse(&format!("sport=soccer&limit=3&cursor={cursor}")).ok().unwrap();
        assert_eq!((parsed.1, parsed.2), (3, Some(after)));
        assert!(parse(&format!("sport=tennis&cursor={cursor}")).is_err());
        for wrong in ["cursor=x", "in_play=1", "market=h2h", "limit=0", "league=soccer"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn odds_are_asked_for_by_market_book_and_format() {
        assert!(filled(OddsFilter::default(), "market=h2h&book=alpha&odds_format=american").is_ok());
        for wrong in ["odds_format=x", "market=", "sport=soccer", "book=a&book=b"] {
            assert!(filled(OddsFilter::default(), wrong).is_err(), "{wrong}");
        }
    }
}
