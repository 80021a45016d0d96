//! The quota headers, which every response of `/api/v1` has, errors included. It never charges anything.

use warp::http::header::HeaderName;
use warp::http::{HeaderMap, HeaderValue};

use arb_schemas::time::SECOND;

use crate::access::usage::QuotaStatus;

const REMAINING: HeaderName = HeaderName::from_static("x-requests-remaining");
const USED: HeaderName = HeaderName::from_static("x-requests-used");
/// What the request cost.
pub(crate) const LAST: HeaderName = HeaderName::from_static("x-requests-last");
/// When the next month begins, in seconds since 1970.
const RESET: HeaderName = HeaderName::from_static("x-requests-reset");
const PLAN: HeaderName = HeaderName::from_static("x-plan");

/// Writes the quota of the caller, and what the request cost; a caller without a valid key has no plan.
pub(super) fn write(status: Option<(QuotaStatus, u64)>, headers: &mut HeaderMap) {
    let (remaining, used, plan) =
        status.map_or((0, 0, "none"), |(status, _)| (status.remaining(), status.used, status.plan.key()));
    headers.insert(LAST, HeaderValue::from(status.map_or(0, |(_, cost)| cost)));
    if let Some((status, _)) = status {
        headers.insert(RESET, HeaderValue::from(status.period.1.div_euclid(SECOND)));
    }
    headers.insert(REMAINING, HeaderValue::from(remaining));
    headers.insert(USED, HeaderValue::from(used));
    headers.insert(PLAN, HeaderValue::from_static(plan));
}
