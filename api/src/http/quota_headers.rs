//! The three quota headers, which every response of `/api/v1` has, errors included. It never charges
//! anything.

use warp::http::header::HeaderName;
use warp::http::{HeaderMap, HeaderValue};

use crate::access::usage::QuotaStatus;

const REMAINING: HeaderName = HeaderName::from_static("x-requests-remaining");
const USED: HeaderName = HeaderName::from_static("x-requests-used");
const PLAN: HeaderName = HeaderName::from_static("x-plan");

/// Writes the quota of the caller; a caller without a valid key has no plan.
pub(super) fn write(status: Option<QuotaStatus>, headers: &mut HeaderMap) {
    let (remaining, used, plan) =
        status.map_or((0, 0, "none"), |status| (status.remaining(), status.used, status.plan.key()));
    headers.insert(REMAINING, HeaderValue::from(remaining));
    headers.insert(USED, HeaderValue::from(used));
    headers.insert(PLAN, HeaderValue::from_static(plan));
}
