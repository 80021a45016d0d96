//! `GET /api/v1/usage` and `GET /session/usage`: an account's plan and what it has used of it this month. It costs nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_accounts::key::Mode;
use arb_accounts::plan::Plan;
use arb_schemas::time::{to_date, to_rfc3339};
use serde_json::json;

use crate::access::usage::{DAY, Usage};
use crate::http::charge::{Charge, UNSPENT};
use crate::http::parameters::parameters;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::stream::StreamState;

/// The ledger.
#[derive(Debug, Clone)]
pub(crate) struct UsageResource {
    pub(crate) usage: Arc<Usage>,
    pub(crate) streams: Arc<StreamState>,
}

impl UsageResource {
    /// Answers a request with a key.
    pub(crate) fn show(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let caller = &charge.caller;
        let account = if caller.mode == Mode::Test { UNSPENT } else { &*caller.account };
        self.of_account(request, account, caller.plan)
    }

    /// Answers a request about an account of a plan.
    pub(crate) fn of_account(&self, request: &Request<'_>, account: &str, plan: Plan) -> Answer {
        if let Some((name, _)) = parameters(request.query())?.first() {
            return Err(Problem::invalid_param(name, "is unknown"));
        }
        let (status, spent) = (self.usage.account(account, plan), self.usage.spent(account));
        let days: BTreeMap<_, _> = spent.days.iter().map(|(day, requests)| (date(*day), requests)).collect();
        let body = json!({
            "plan": status.plan.key(),
            "quota": status.quota,
            "used": status.used,
            "remaining": status.remaining(),
            "period_start": to_rfc3339(status.period.0),
            "period_end": to_rfc3339(status.period.1),
            "reset": to_rfc3339(status.period.1),
            "forfeited": spent.forfeited,
            "open_leases": spent.leases,
            "open_streams": self.streams.open_streams(account),
            "routes": spent.routes,
            "days": days,
            "keys": spent.keys,
            // Spent before the plan was made smaller: with it, what the routes have and what is forfeited sum up.
            "beyond_quota": (spent.requests + spent.forfeited).saturating_sub(status.used),
        });
        Ok(reply::json(body.to_string()))
    }
}

/// The date of a day since 1970-01-01.
fn date(day: i64) -> String {
    to_date(day.saturating_mul(DAY))
}
