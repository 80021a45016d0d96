//! A request with a valid key, as its handler sees it, and its charge.
//!
//! It never charges by itself: the handler does, when it knows that it will answer.

use arb_pipeline::telemetry::serve as telemetry;
use warp::http::HeaderMap;

use crate::App;
use crate::keys::Caller;
use crate::problem::Problem;
use crate::usage::Exhausted;

/// What a valid key asks for.
pub(crate) struct Request<'a> {
    pub(crate) caller: Caller,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) headers: &'a HeaderMap,
    /// GET, where it is not HEAD.
    pub(crate) wants_body: bool,
}

impl Request<'_> {
    /// Charges it, right before it is answered.
    pub(crate) fn charge(&self, app: &App) -> Result<(), Problem> {
        app.usage.charge(&self.caller, self.path).map_err(refusal)
    }

    /// Refuses it where nothing is left to be charged, and charges nothing: for what may turn out to cost nothing.
    pub(crate) fn refuse_if_spent(&self, app: &App) -> Result<(), Problem> {
        app.usage.check(&self.caller).map_err(refusal)
    }
}

fn refusal(Exhausted(seconds): Exhausted) -> Problem {
    telemetry::quota_refusal();
    Problem::quota_exceeded(seconds)
}
