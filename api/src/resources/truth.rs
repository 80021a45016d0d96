//! `GET /v1/truth`: how much of what the running feed showed was real, from ClickHouse: phantoms, whether legs stood when they were next
//! confirmed, and whether stated lifetimes came true.
//!
//! It never asks ClickHouse more often than once in [`KEPT`] for the same range, whoever asks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_feed::filter::parameter::{Parameter, Values};
use arb_schemas::time::{Micros, to_rfc3339};
use arb_store::clickhouse::Error;
use arb_store::history::{BookAges, ExecutionCounts, History, LifetimeCounts, StandingCounts, WindowCounts};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use warp::http::HeaderValue;
use warp::http::header::CACHE_CONTROL;

use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, filled, parameters_of, row};
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Started;

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
    let text: Arc<str> = found(history, HOURS[range]).await?.to_string().into();
    *kept = Some((Instant::now(), Arc::clone(&text)));
    Ok(text)
}

async fn found(history: &History, hours: u16) -> Result<Value, Error> {
    let Some(feed) = history.newest_feed().await? else { return Ok(nothing(hours)) };
    let since = feed.newest - Micros::from(hours) * HOUR;
    let phases = history.window_counts(&feed, since, false).await?;
    let books = history.window_counts(&feed, since, true).await?;
    let standing = history.standing_counts(&feed, since).await?;
    let lifetimes = history.lifetime_counts(&feed, since).await?;
    let execution = history.execution_counts(&feed, since).await?;
    let ages = history.book_ages(feed.newest).await?;
    Ok(json!({
        "hours": hours,
        "feed": feed.topic,
        "since": to_rfc3339(since),
        "until": to_rfc3339(feed.newest),
        "stored_at": to_rfc3339(feed.arrived),
        "phases": phases.iter().map(|counts| counted("phase", counts)).collect::<Vec<_>>(),
        "books": books.iter().map(|counts| book(counts, &ages)).collect::<Vec<_>>(),
        "standing": standing.iter().map(stood).collect::<Vec<_>>(),
        "lifetimes": lifetimes.iter().map(lifetime).collect::<Vec<_>>(),
        "execution": execution.iter().map(executed).collect::<Vec<_>>(),
    }))
}

/// While there is no feed.
fn nothing(hours: u16) -> Value {
    json!({
        "hours": hours, "feed": null, "since": null, "until": null, "stored_at": null,
        "phases": [], "books": [], "standing": [], "lifetimes": [], "execution": [],
    })
}

/// A part of a whole; null of nothing.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn counted(name: &str, counts: &WindowCounts) -> Value {
    json!({
        name: counts.of,
        "windows": counts.windows,
        "phantoms": counts.phantoms,
        "phantom_share": share(counts.phantoms, counts.windows),
        "verified": counts.verified,
        "closed": counts.closed,
        "median_lifetime_seconds": counts.lifetime,
    })
}

fn book(counts: &WindowCounts, ages: &[BookAges]) -> Value {
    let mut shown = counted("book", counts);
    let ages = ages.iter().find(|ages| ages.of == counts.of);
    let age = |at: usize| ages.and_then(|ages| ages.ages.get(at)).copied();
    shown["age_p50_seconds"] = json!(age(0));
    shown["age_p95_seconds"] = json!(age(1));
    shown["age_p99_seconds"] = json!(age(2));
    shown
}

/// The share of windows whose legs stood, with its standard error.
fn stood(counts: &StandingCounts) -> Value {
    let StandingCounts { by, of, phase, is_verified, windows, stood } = counts;
    let share = share(*stood, *windows);
    json!({
        "by": by,
        "of": (!of.is_empty()).then_some(of),
        "phase": phase,
        "verdict": if *is_verified { "verified" } else { "opened" },
        "windows": windows,
        "stood": stood,
        "share": share,
        "error": share.map(|share| (share * (1.0 - share) / *windows as f64).sqrt()),
    })
}

fn lifetime(counts: &LifetimeCounts) -> Value {
    let LifetimeCounts { of, windows, by_p10, by_median, by_p90 } = counts;
    json!({
        "phase": of,
        "windows": windows,
        "closed_by_p10": share(*by_p10, *windows),
        "closed_by_median": share(*by_median, *windows),
        "closed_by_p90": share(*by_p90, *windows),
    })
}

fn executed(counts: &ExecutionCounts) -> Value {
    json!({"windows": counts.windows, "stated": counts.stated, "lived": counts.lived})
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

    #[test]
    fn a_share_has_its_standard_error() {
        let counts = StandingCounts {
            by: "league".into(),
            of: "l".into(),
            windows: 100,
            stood: 20,
            ..StandingCounts::default()
        };
        let shown = stood(&counts);
        // sqrt(.2 * .8 / 100) = .04
        assert_eq!(
            (&shown["share"], &shown["verdict"], &shown["of"]),
            (&json!(0.2), &json!("opened"), &json!("l"))
        );
        assert!((shown["error"].as_f64().unwrap() - 0.04).abs() < 1e-12);
        assert_eq!(stood(&StandingCounts { of: String::new(), ..counts })["of"], Value::Null);
    }

    #[test]
    fn a_share_of_nothing_is_null_and_a_book_has_its_own_ages() {
        let counts = WindowCounts { of: "alpha".into(), windows: 4, phantoms: 1, ..WindowCounts::default() };
        let ages = [BookAges { of: "alpha".into(), ticks: 9, ages: vec![1.0, 2.0, 3.0] }];
        let shown = book(&counts, &ages);
        assert_eq!((&shown["book"], &shown["phantom_share"]), (&json!("alpha"), &json!(0.25)));
        assert_eq!(counted("book", &WindowCounts::default())["phantom_share"], Value::Null);
        assert_eq!((&shown["age_p50_seconds"], &shown["age_p99_seconds"]), (&json!(1.0), &json!(3.0)));
        assert_eq!(book(&counts, &[])["age_p50_seconds"], Value::Null);
    }
}
