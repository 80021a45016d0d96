//! How a key's quota is told: the three headers of the second surface, and `GET /api/v1/usage`.
//!
//! The headers are on every response there, whatever it is; who has no valid key has no plan. It charges nothing.

use arb_schemas::time::to_rfc3339;
use serde_json::json;
use warp::http::header::{CONTENT_TYPE, HeaderName};
use warp::http::{HeaderMap, HeaderValue};
use warp::reply::Response;

use crate::App;
use crate::filter::parameters;
use crate::problem::Problem;
use crate::request::Request;

const REMAINING: HeaderName = HeaderName::from_static("x-requests-remaining");
const USED: HeaderName = HeaderName::from_static("x-requests-used");
const PLAN: HeaderName = HeaderName::from_static("x-plan");

/// Tells where a caller stands whose request has been answered.
pub(crate) fn tell(app: &App, request: Option<&Request<'_>>, headers: &mut HeaderMap) {
    let Some(request) = request else { return tell_nobody(headers) };
    let standing = request.standing(app);
    insert(headers, standing.remaining(), standing.used, standing.plan.key());
}

/// Tells a caller without a valid key that it has no plan.
pub(crate) fn tell_nobody(headers: &mut HeaderMap) {
    insert(headers, 0, 0, "none");
}

fn insert(headers: &mut HeaderMap, remaining: u64, used: u64, plan: &'static str) {
    headers.insert(REMAINING, HeaderValue::from(remaining));
    headers.insert(USED, HeaderValue::from(used));
    headers.insert(PLAN, HeaderValue::from_static(plan));
}

/// Answers `GET /api/v1/usage`, which costs nothing.
pub(crate) fn usage(app: &App, request: &Request<'_>) -> Result<Response, Problem> {
    if let Some((name, _)) = parameters(request.query)?.first() {
        return Err(Problem::invalid_param(name, "is unknown"));
    }
    let standing = app.usage.standing(&request.caller);
    let routes = app.usage.routes(&request.caller);
    // Spent before the plan was made smaller: with it, what the routes have sums up.
    let beyond_quota = routes.values().sum::<u64>().saturating_sub(standing.used);
    let body = json!({
        "plan": standing.plan.key(),
        "quota": standing.quota,
        "used": standing.used,
        "remaining": standing.remaining(),
        "period_start": to_rfc3339(standing.period.0),
        "period_end": to_rfc3339(standing.period.1),
        "routes": routes,
        "beyond_quota": beyond_quota,
    });
    let mut response = Response::new(body.to_string().into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
