//! The picks of bots (`GET /picks`, `GET /picks/{id}`), the bots (`GET /bots`) and the record of one (`GET /bots/{id}`).
//!
//! It shows every pick and every bot, also those that lose.

use std::sync::Arc;

use arb_feed::filter::parameter::Parameter;
use arb_feed::filter::sport::{LEAGUE, SPORT, Sport};
use arb_feed::view::PickView;
use arb_model::{FeedKind, Pick, Time};
use arb_picks::bots::Bot;
use arb_schemas::time::Micros;
use serde::{Deserialize, Serialize};
use tokio::task::block_in_place;

use crate::http::charge::Charge;
use crate::http::paging::{self, Cursor, PageAsk};
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, row};
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::lists::Lists;
use crate::lists::known_names::Named;
use crate::picks::bot_record::BotRecord;
use crate::picks::store::{PickPlace, PickStore};
use crate::resources::parameters::{EVENT, SINCE, UNTIL};
use crate::resources::tagged;
use crate::view::{BotList, BotView, ListedBot, PickPage};

/// Why nothing of picks is answered.
const UNREAD: &str = "The picks are being read; try again.";

/// The state of a pick that awaits a result.
const OPEN: &str = "open";
const BOT: &Parameter<String> = &Parameter::keys("bot", "A bot.", &Bot::KEYS);
const FEED: &Parameter<String> = &Parameter::keys("feed", "What the prices were of.", FeedKind::KEYS);
const STATE: &Parameter<String> =
    &Parameter::keys("state", "Whether a result is awaited.", &[OPEN, "graded"]);

/// The picks of all bots.
#[derive(Debug)]
pub(crate) struct PicksResource {
    pub(crate) picks: Arc<PickStore>,
    pub(crate) lists: Lists,
}

/// The filters of a request; a filter applies where it is given.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PickFilter {
    bot: Option<String>,
    feed: Option<String>,
    sport: Sport,
    league: Sport,
    event: Option<String>,
    open: Option<bool>,
    since: Option<Micros>,
    until: Option<Micros>,
}

impl Query for PickFilter {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(BOT => bot),
        row!(FEED => feed),
        row!(SPORT => sport),
        row!(LEAGUE => league),
        row!(EVENT => event),
        row!(STATE, |filter, state| filter.open = Some(state == OPEN)),
        row!(SINCE => since),
        row!(UNTIL => until),
    ];
}

impl PickFilter {
    fn includes(&self, pick: &Pick) -> bool {
        let event = &pick.event;
        let at = pick.published_at.0;
        self.bot.as_deref().is_none_or(|bot| bot == pick.bot)
            && self.feed.as_deref().is_none_or(|feed| feed == pick.feed.as_str())
            && self.event.as_deref().is_none_or(|id| id == &*event.id)
            && self.sport.is(&event.sport, &event.league)
            && self.league.is(&event.league, &event.league)
            && self.open.is_none_or(|open| open == pick.is_open())
            && self.since.is_none_or(|since| at >= since)
            && self.until.is_none_or(|until| at < until)
    }
}

impl PicksResource {
    /// What a page is asked for by.
    pub(crate) const PARAMETERS: ParameterList = paging::parameters_of_page::<PickFilter>;

    /// Answers `GET /picks`.
    pub(crate) fn page(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let (filter, limit, after) = parse(request.query())?;
        self.check_ready()?;
        let named = [Named::sport("sport", &filter.sport), Named::sport("league", &filter.league)];
        self.lists.names.check(named.into_iter().flatten())?;
        charge.refuse_if_spent()?;
        let is_wanted = |pick: &Pick| filter.includes(pick);
        let mut found = block_in_place(|| self.picks.page(after.as_ref(), limit + 1, is_wanted));
        let has_more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().filter(|_| has_more).map(|pick| PickPlace::of(pick));
        let next = last.map(|after| Cursor { after, filter }.encode());
        let picks: Vec<_> = found.iter().map(|pick| PickView::new(pick)).collect();
        let as_of = self.lists.polls.as_of().map(Time);
        tagged::answer(&PickPage { as_of, picks, next_cursor: next }, request, charge)
    }

    /// Answers `GET /picks/{id}`.
    pub(crate) fn show(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        tagged::refuse_parameters(request)?;
        self.check_ready()?;
        let pick = self
            .picks
            .get(&request.parameter("id"))
            .ok_or_else(|| Problem::unknown_id("No pick has this id."))?;
        tagged::answer(&PickView::new(&pick), request, charge)
    }

    /// Answers `GET /bots`.
    pub(crate) fn bots(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        tagged::refuse_parameters(request)?;
        let records = self.records(charge)?;
        let listed = |bot: Bot| ListedBot {
            bot: bot.key(),
            version: bot.version(),
            rule: bot.rule(),
            records: of(&records, bot).map(BotRecord::short).collect(),
        };
        tagged::answer(&BotList { bots: Bot::ALL.into_iter().map(listed).collect() }, request, charge)
    }

    /// Answers `GET /bots/{id}`.
    pub(crate) fn bot(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        tagged::refuse_parameters(request)?;
        let id = &request.parameter("id");
        let bot = Bot::ALL
            .into_iter()
            .find(|bot| bot.key() == id)
            .ok_or_else(|| Problem::unknown_id("No bot has this id."))?;
        let records = self.records(charge)?;
        let view = BotView {
            bot: bot.key(),
            version: bot.version(),
            rule: bot.rule(),
            records: of(&records, bot).map(BotRecord::whole).collect(),
        };
        tagged::answer(&view, request, charge)
    }

    fn records(&self, charge: &Charge<'_>) -> Result<Arc<Vec<BotRecord>>, Problem> {
        self.check_ready()?;
        charge.refuse_if_spent()?;
        Ok(block_in_place(|| self.picks.records()))
    }

    fn check_ready(&self) -> Result<(), Problem> {
        if self.picks.is_ready() { Ok(()) } else { Err(Problem::unavailable(UNREAD)) }
    }
}

/// Those of a bot.
fn of(records: &[BotRecord], bot: Bot) -> impl Iterator<Item = &BotRecord> {
    records.iter().filter(move |record| record.bot == bot.key())
}

fn parse(query: &str) -> Result<(PickFilter, usize, Option<PickPlace>), Problem> {
    PageAsk::of(query, PickFilter::default(), paging::LIMIT)?.begin()
}

#[cfg(test)]
mod tests {
    use arb_model::{Price, fixtures};

    use super::*;

    #[test]
    fn filters_are_what_a_pick_is() {
        let pick = Pick { price: Price::from_decimal("2").unwrap(), ..fixtures::pick() };
        let (sport, league) = (&pick.event.sport, &pick.event.league);
        for query in [
            "bot=consensus&feed=simulated&state=graded".to_owned(),
            format!("sport={sport}&league={league}&event={}", pick.event.id),
            "since=2026-06-20T00:00:00Z&until=2026-06-21T00:00:00Z".to_owned(),
        ] {
            assert!(parse(&query).ok().unwrap().0.includes(&pick), "{query}");
        }
        for query in ["bot=sharp", "feed=live", "state=open", "event=x", "since=2027-01-01T00:00:00Z"] {
            assert!(!parse(query).ok().unwrap().0.includes(&pick), "{query}");
        }
        for wrong in ["bot=x", "feed=real", "state=won", "since=today", "limit=0", "version=1", "cursor=x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_cursor_belongs_to_its_filters() {
        let after = PickPlace::of(&fixtures::pick());
        let filter = PickFilter { open: Some(true), ..PickFilter::default() };
        let cursor = Cursor { after: after.clone(), filter }.encode();
        assert_eq!(parse(&format!("state=open&cursor={cursor}")).ok().unwrap().2, Some(after));
        assert!(parse(&format!("state=graded&cursor={cursor}")).is_err());
    }
}
