//! Results of events that clients report (`POST /results`): the settlement machine grades picks by them.
//!
//! A result is answered once Kafka has it. It never decides what a pick is worth, and takes nothing that the machine would refuse.

use std::sync::Arc;

use arb_schemas::records::{PeriodScore, ResultReport};
use arb_schemas::time::parse_rfc3339;
use arb_schemas::wire;
use arb_settle::codec::check_report;
use serde::Deserialize;
use serde_json::json;
use warp::http::StatusCode;

use crate::access::authority::Authority;
use crate::http::charge::Charge;
use crate::http::json_body::JsonBody;
use crate::http::parameters::BAD_TIME;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Started;
use crate::tasks::TaskQueue;

/// Longest body, in bytes.
pub(crate) const MAX_BODY: usize = 8_192;
/// Why a result was not taken.
const NOT_WRITTEN: &str = "The result was not taken; try again.";

/// A score of a body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoreOf {
    period: String,
    home: i32,
    away: i32,
}

/// The way of results to the settlement machine.
#[derive(Debug)]
pub(crate) struct ResultsResource {
    pub(crate) authority: Arc<Authority>,
    pub(crate) tasks: TaskQueue,
}

impl ResultsResource {
    /// Answers `POST /results`.
    pub(crate) fn report(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        let source = format!("account {}", charge.caller.account);
        let report = parse(request, source, self.authority.now())?;
        charge.charge()?;
        let value = wire::encode(&report).map_err(|_| Problem::unavailable(NOT_WRITTEN))?;
        let tasks = self.tasks.clone();
        Ok(Box::pin(async move {
            if !tasks.to_partition_of(&report.event, value).await {
                return Err(Problem::unavailable(NOT_WRITTEN));
            }
            let mut response =
                reply::json(json!({"event": report.event, "status": report.status}).to_string());
            *response.status_mut() = StatusCode::ACCEPTED;
            Ok(response)
        }))
    }
}

fn parse(request: &Request<'_>, source: String, at: i64) -> Result<ResultReport, Problem> {
    let mut body = JsonBody::of(request)?;
    let text = "must be text";
    let required = |name: &'static str| move || Problem::invalid_param(name, "is required");
    let event = body.take::<String>("event", text)?.ok_or_else(required("event"))?;
    let status = body.take::<String>("status", text)?.ok_or_else(required("status"))?;
    let scores = "must be a list of objects with period, home and away";
    let scores = body.take::<Vec<ScoreOf>>("scores", scores)?.unwrap_or_default();
    let scores = scores.into_iter().map(|ScoreOf { period, home, away }| PeriodScore { period, home, away });
    let scores = scores.collect();
    let starts_at = body.take::<String>("starts_at", BAD_TIME)?;
    body.finish()?;
    let parsed =
        |text: String| parse_rfc3339(&text).ok_or_else(|| Problem::invalid_param("starts_at", BAD_TIME));
    let starts_at = starts_at.map(parsed).transpose()?;
    let report = ResultReport { event, status, scores, starts_at, source, at };
    check_report(&report).map_err(|problem| Problem::bad_request(&format!("{problem}.")))?;
    Ok(report)
}
