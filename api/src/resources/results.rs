//! Results of events that clients report (`POST /results`): the settlement machine grades picks by them.
//!
//! Taken is what an account's own source has prices of, and anything from an account that may report every event; nothing that contradicts what is
//! known of the event. A result is answered once Kafka has it. It never decides what a pick is worth, and takes nothing that the machine would refuse.

use std::sync::Arc;

use arb_accounts::scope::Scope;
use arb_feed::filter::parameter::BAD_TIME;
use arb_model::{Event, EventStatus, Time};
use arb_picks::results::{check_consistent, check_report, least_length};
use arb_schemas::records::{PeriodScore, ResultReport};
use arb_schemas::time::{Micros, parse_rfc3339, to_rfc3339};
use arb_schemas::wire;
use tokio::task::block_in_place;
use warp::http::StatusCode;

use crate::access::authority::Authority;
use crate::http::charge::Charge;
use crate::http::json_body::JsonBody;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Started;
use crate::picks::store::PickStore;
use crate::quotes::store::{Quotes, UNREAD};
use crate::tasks::TaskQueue;
use crate::view::bodies::{ResultBody, ResultTaken, ScoreOf};

/// Longest body, in bytes.
pub(crate) const MAX_BODY: usize = 8_192;
/// Why a result was not taken.
const NOT_WRITTEN: &str = "The result was not taken; try again.";

/// The way of results to the settlement machine.
#[derive(Debug)]
pub(crate) struct ResultsResource {
    authority: Arc<Authority>,
    tasks: TaskQueue,
    quotes: Arc<Quotes>,
    picks: Arc<PickStore>,
}

/// An event as its prices and the picks on it have it.
#[derive(Debug)]
struct KnownEvent {
    info: Event,
    /// The newest known start.
    starts_at: Micros,
    /// Every book that has a price or a pick of it.
    books: Vec<String>,
}

impl ResultsResource {
    /// Of an instance, with what it knows of events.
    pub(crate) fn new(
        authority: &Arc<Authority>,
        tasks: &TaskQueue,
        quotes: &Arc<Quotes>,
        picks: &Arc<PickStore>,
    ) -> Self {
        let (authority, quotes, picks) = (Arc::clone(authority), Arc::clone(quotes), Arc::clone(picks));
        Self { authority, tasks: tasks.clone(), quotes, picks }
    }

    /// Answers `POST /results`.
    pub(crate) fn report(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        let source = format!("account {}", charge.caller.account);
        let report = parse(request, source, self.authority.now())?;
        check_consistent(&report).map_err(|problem| Problem::conflict(&format!("{problem}.")))?;
        if !self.quotes.is_ready() || !self.picks.is_ready() {
            return Err(Problem::unavailable(UNREAD));
        }
        let known = self.known(&report.event);
        if !charge.caller.scopes.contains(&Scope::ResultsAny) {
            self.check_source(known.as_ref(), &charge.caller.account)?;
        }
        let graded_from = known.map_or(Ok(None), |known| check_event(&known, &report))?;
        charge.charge()?;
        let value = wire::encode(&report).map_err(|_| Problem::unavailable(NOT_WRITTEN))?;
        let tasks = self.tasks.clone();
        Ok(Box::pin(async move {
            if !tasks.to_partition_of(&report.event, value).await {
                return Err(Problem::unavailable(NOT_WRITTEN));
            }
            let graded_from = graded_from.map(Time);
            let taken = ResultTaken { event: &report.event, status: &report.status, graded_from };
            let mut response = reply::view(&taken);
            *response.status_mut() = StatusCode::ACCEPTED;
            Ok(response)
        }))
    }

    /// What is known of an event; `None` where nothing is.
    fn known(&self, id: &str) -> Option<KnownEvent> {
        let listed = block_in_place(|| self.quotes.odds_of(id, None));
        let picks = self.picks.of_event(id);
        let of_quotes = listed.iter().flat_map(|(_, quotes)| quotes).map(|quote| quote.book.to_string());
        let books = of_quotes.chain(picks.iter().map(|pick| pick.book.to_string())).collect();
        let start = listed.as_ref().map(|(event, _)| event.info.commence_time);
        let starts_at = picks.iter().map(|pick| pick.starts_at).chain(start).max()?;
        let info = listed.map(|(event, _)| Event::clone(&event.info));
        let info = info.or_else(|| picks.first().map(|pick| pick.event.clone()))?;
        Some(KnownEvent { info, starts_at: starts_at.0, books })
    }

    /// Refuses an event that others give prices of.
    fn check_source(&self, known: Option<&KnownEvent>, account: &str) -> Result<(), Problem> {
        let Some(known) = known else {
            return Err(Problem::unknown_id("The account's source has no prices of an event of this id."));
        };
        let granted = self.authority.replica().with(|directory| {
            let account = directory.account(account)?;
            account.source.is_some().then(|| account.books.clone())
        });
        // Of an event without a price or a pick nobody can tell whose it is.
        let is_own = granted.is_some_and(|granted| known.books.iter().all(|book| granted.contains(book)));
        if is_own && !known.books.is_empty() {
            return Ok(());
        }
        Err(Problem::forbidden(
            "The event has no prices, or prices of other sources: its results are reported by an account with the scope results:any.",
        ))
    }
}

/// Refuses a report that does not fit what is known of its event. When it is graded by, where that is not at once.
fn check_event(known: &KnownEvent, report: &ResultReport) -> Result<Option<Micros>, Problem> {
    let (info, names) = (&known.info, (&*report.home, &*report.away));
    let (home, away) = (&*info.home, &*info.away);
    if !report.scores.is_empty() && names != (home, away) && names != (away, home) {
        return Err(Problem::conflict(&format!("The sides of the event are {home} and {away}.")));
    }
    if !EventStatus::parse(&report.status).is_some_and(EventStatus::was_played) {
        return Ok(None);
    }
    if report.at < known.starts_at {
        let start = to_rfc3339(known.starts_at);
        return Err(Problem::conflict(&format!("The event begins at {start} and is not {}.", report.status)));
    }
    let ends_after = known.starts_at.saturating_add(least_length(info));
    Ok(Some(ends_after).filter(|end| report.at < *end))
}

fn parse(request: &Request<'_>, source: String, at: i64) -> Result<ResultReport, Problem> {
    let ResultBody { event, status, scores, starts_at, home, away, ended } =
        ResultBody::take(JsonBody::of(request)?)?;
    let required = |name: &'static str| move || Problem::invalid_param(name, "is required");
    let (event, status) = (event.ok_or_else(required("event"))?, status.ok_or_else(required("status"))?);
    let scores = scores.unwrap_or_default().into_iter();
    let scores = scores.map(|ScoreOf { period, home, away }| PeriodScore { period, home, away }).collect();
    let (home, away) = (home.unwrap_or_default(), away.unwrap_or_default());
    let parsed =
        |text: String| parse_rfc3339(&text).ok_or_else(|| Problem::invalid_param("starts_at", BAD_TIME));
    let starts_at = starts_at.map(parsed).transpose()?;
    if starts_at.is_some_and(|start| status != EventStatus::Postponed.key() || start <= at) {
        return Err(Problem::invalid_param(
            "starts_at",
            "is the start to come of an event that is postponed",
        ));
    }
    let report = ResultReport { event, status, scores, starts_at, source, at, home, away, ended };
    check_report(&report).map_err(|problem| Problem::bad_request(&format!("{problem}.")))?;
    Ok(report)
}
