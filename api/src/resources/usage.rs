//! `GET /api/v1/usage` and `GET /session/usage`: an account's plan and what it has used of it this month. It costs nothing.

use std::sync::Arc;

use arb_accounts::key::Mode;
use arb_accounts::plan::Plan;
use arb_model::Time;
use arb_schemas::time::to_date;

use crate::access::usage::{DAY, Usage};
use crate::http::charge::{Charge, UNSPENT};
use crate::http::parameters::parameters;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::stream::StreamState;
use crate::view::UsageView;

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
        let view = UsageView {
            plan: status.plan.key(),
            quota: status.quota,
            used: status.used,
            remaining: status.remaining(),
            period_start: Time(status.period.0),
            period_end: Time(status.period.1),
            reset: Time(status.period.1),
            // Spent before the plan was made smaller: with it, what the routes have and what is forfeited sum up.
            beyond_quota: (spent.requests + spent.forfeited).saturating_sub(status.used),
            routes: spent.routes,
            days: spent.days.into_iter().map(|(day, requests)| (date(day), requests)).collect(),
            keys: spent.keys,
            forfeited: spent.forfeited,
            open_leases: spent.leases,
            open_streams: self.streams.open_streams(account),
        };
        Ok(reply::view(&view))
    }
}

/// The date of a day since 1970-01-01.
fn date(day: i64) -> String {
    to_date(day.saturating_mul(DAY))
}
