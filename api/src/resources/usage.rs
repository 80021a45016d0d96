//! `GET /api/v1/usage`: a key's plan and what it has used of it this month. It costs nothing.

use std::sync::Arc;

use arb_schemas::time::to_rfc3339;
use serde_json::json;

use crate::access::usage::Usage;
use crate::http::charge::Charge;
use crate::http::parameters::parameters;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;

/// The ledger.
#[derive(Debug)]
pub(crate) struct UsageResource {
    pub(crate) usage: Arc<Usage>,
}

impl UsageResource {
    /// Answers a request.
    pub(crate) fn show(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        if let Some((name, _)) = parameters(request.query())?.first() {
            return Err(Problem::invalid_param(name, "is unknown"));
        }
        let (status, routes) = (charge.status(), self.usage.routes(&charge.caller));
        // Spent before the plan was made smaller: with it, what the routes have sums up.
        let beyond_quota = routes.values().sum::<u64>().saturating_sub(status.used);
        let body = json!({
            "plan": status.plan.key(),
            "quota": status.quota,
            "used": status.used,
            "remaining": status.remaining(),
            "period_start": to_rfc3339(status.period.0),
            "period_end": to_rfc3339(status.period.1),
            "routes": routes,
            "beyond_quota": beyond_quota,
        });
        Ok(reply::json(body.to_string()))
    }
}
