//! The three headers of the quota, which every response of `/api/v1` has, whatever it is. It charges nothing.

use warp::http::header::HeaderName;
use warp::http::{HeaderMap, HeaderValue};

use crate::access::usage::QuotaStatus;

const REMAINING: HeaderName = HeaderName::from_static("x-requests-remaining");
const USED: HeaderName = HeaderName::from_static("x-requests-used");
const PLAN: HeaderName = HeaderName::from_static("x-plan");

/// Writes the quota of a caller whose request has been answered; who has no valid key has no plan.
pub(super) fn write(status: Option<QuotaStatus>, headers: &mut HeaderMap) {
    let (remaining, used, plan) =
        status.map_or((0, 0, "none"), |status| (status.remaining(), status.used, status.plan.key()));
    headers.insert(REMAINING, HeaderValue::from(remaining));
    headers.insert(USED, HeaderValue::from(used));
    headers.insert(PLAN, HeaderValue::from_static(plan));
}
