//! `GET /v1/truth`: how much of what the running feed showed was real, from ClickHouse: phantoms, whether legs stood when they were next
//! confirmed, and whether stated lifetimes came true.
//!
//! It never asks ClickHouse more often than once in [`KEPT`] for the same range, whoever asks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_feed::filter::parameter::{Parameter, Values};
use arb_model::Time;
use arb_schemas::time::Micros;
use arb_store::clickhouse::Error;
use arb_store::history::History;
use serde_json::json;
use tokio::sync::Mutex;
use warp::http::HeaderValue;
use warp::http::header::CACHE_CONTROL;

use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, filled, parameters_of, row};
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Started;
use crate::view::{BookTruth, ExecutionView, LifetimeView, PhaseTruth, StandingView, Truth};

/// How long an answer is kept.
const KEPT: Duration = Duration::from_mins(1);
const PRIVATE: HeaderValue = HeaderValue::from_static("private, max-age=60");
/// The ranges that may be asked for, in hours.
const HOURS: [u16; 3] = [1, 24, 168];
/// The parameter that is read as the place of a range.
const RANGE: &Parameter<usize> = &Parameter::new(
    "hours",
    "How far back, in hours before the newest transition of the feed.",
    Values::OneOf(&HOURS),
    |_, text| HOURS.iter().position(|hours| hours.to_string() == text),
)
.defaulting("24");
const HOUR: Micros = 3_600_000_000;

/// Answers, by the place of their range.
type Kept = Arc<[Mutex<Option<(Instant, Arc<str>)>>; 3]>;

/// What is known of the running feed.
#[derive(Debug, Clone)]
pub(crate) struct TruthResource {
    history: Option<History>,
    kept: Kept,
}

impl TruthResource {
    /// What it is asked for by.
    pub(crate) const PARAMETERS: ParameterList = parameters_of::<TruthQuery>;

    /// Of a ClickHouse, if there is one.
    pub(crate) fn new(history: Option<History>) -> Self {
        Self { history, kept: Arc::default() }
    }

    /// Answers `GET /truth`.
    pub(crate) fn show(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        self.answered(request, || charge.charge())
    }

    /// Answers anybody, with an account or without: it is of the feed and of no account, and asks ClickHouse no more often for it.
    pub(crate) fn show_anybody(&self, request: &Request<'_>) -> Started {
        self.answered(request, || Ok(()))
    }

    fn answered(&self, request: &Request<'_>, charge: impl FnOnce() -> Result<(), Problem>) -> Started {
        let TruthQuery { range } = TruthQuery::parse(request.query())?;
        let history = self.history.clone().ok_or_else(Problem::no_history)?;
        charge()?;
        let kept = Arc::clone(&self.kept);
        Ok(Box::pin(async move {
            let text = answer(&history, &kept, range).await;
            let text = text.map_err(|error| Problem::history_unread(&error))?;
            let mut response = reply::json(text.to_string());
            response.headers_mut().insert(CACHE_CONTROL, PRIVATE);
            Ok(response)
        }))
    }
}

/// The range that is asked for.
struct TruthQuery {
    /// Its place.
    range: usize,
}

impl Query for TruthQuery {
    const ROWS: &'static [QueryRow<Self>] = &[row!(RANGE => range)];
}

impl TruthQuery {
    fn parse(query: &str) -> Result<Self, Problem> {
        filled(Self { range: RANGE.default_value().unwrap_or_default() }, query)
    }
}

/// What was answered within the last minute, or what is found now; of several that ask at once, one asks ClickHouse.
async fn answer(history: &History, kept: &Kept, range: usize) -> Result<Arc<str>, Error> {
    let mut kept = kept[range].lock().await;
    if let Some((at, text)) = &*kept
        && at.elapsed() < KEPT
    {
        return Ok(Arc::clone(text));
    }
    let text: Arc<str> = json!(found(history, HOURS[range]).await?).to_string().into();
    *kept = Some((Instant::now(), Arc::clone(&text)));
    Ok(text)
}

async fn found(history: &History, hours: u16) -> Result<Truth, Error> {
    let Some(feed) = history.newest_feed().await? else { return Ok(Truth { hours, ..Truth::default() }) };
    let since = feed.newest - Micros::from(hours) * HOUR;
    let phases = history.window_counts(&feed, since, false).await?;
    let books = history.window_counts(&feed, since, true).await?;
    let standing = history.standing_counts(&feed, since).await?;
    let lifetimes = history.lifetime_counts(&feed, since).await?;
    let execution = history.execution_counts(&feed, since).await?;
    let ages = history.book_ages(feed.newest).await?;
    Ok(Truth {
        hours,
        feed: Some(feed.topic),
        since: Some(Time(since)),
        until: Some(Time(feed.newest)),
        stored_at: Some(Time(feed.arrived)),
        phases: phases.into_iter().map(PhaseTruth::new).collect(),
        books: books.into_iter().map(|counts| BookTruth::new(counts, &ages)).collect(),
        standing: standing.into_iter().map(StandingView::new).collect(),
        lifetimes: lifetimes.into_iter().map(LifetimeView::new).collect(),
        execution: execution.iter().map(ExecutionView::new).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_range_that_is_kept_may_be_asked_for() {
        let range = |query| TruthQuery::parse(query).map(|asked| asked.range);
        assert_eq!(range("").ok(), Some(1), "a day unless told");
        assert_eq!(
            ["hours=1", "hours=24", "hours=168"].map(|query| range(query).ok()),
            [Some(0), Some(1), Some(2)]
        );
        for wrong in ["hours=2", "hours=", "hours=1&hours=1", "days=1", "hours=01"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
