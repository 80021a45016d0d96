//! A request with a valid key, as its handler sees it, and its charge.
//!
//! It never charges by itself: the handler does, when it knows that it will answer.

use std::cell::Cell;

use arb_pipeline::telemetry::serve as telemetry;
use warp::http::{HeaderMap, Method};

use crate::App;
use crate::keys::Caller;
use crate::problem::Problem;
use crate::usage::{Exhausted, Standing};

/// What a valid key asks for.
pub(crate) struct Request<'a> {
    pub(crate) caller: Caller,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) headers: &'a HeaderMap,
    /// GET, where it is not HEAD.
    pub(crate) wants_body: bool,
    /// Where its key stood when that was looked at for it.
    standing: Cell<Option<Standing>>,
}

impl<'a> Request<'a> {
    pub(crate) fn new(
        caller: Caller,
        (method, path, query): (&Method, &'a str, &'a str),
        headers: &'a HeaderMap,
    ) -> Self {
        let wants_body = method == Method::GET;
        Self { caller, path, query, headers, wants_body, standing: Cell::default() }
    }

    /// Charges it, right before it is answered.
    pub(crate) fn charge(&self, app: &App) -> Result<(), Problem> {
        self.note(app.usage.charge(&self.caller, self.path))
    }

    /// Refuses it where nothing is left to be charged, and charges nothing: for what may turn out to cost nothing.
    pub(crate) fn refuse_if_spent(&self, app: &App) -> Result<(), Problem> {
        self.note(app.usage.check(&self.caller))
    }

    fn note(&self, standing: Result<Standing, Exhausted>) -> Result<(), Problem> {
        let standing = standing.map_err(|Exhausted(seconds)| {
            telemetry::quota_refusal();
            Problem::quota_exceeded(seconds)
        });
        self.standing.set(Some(standing?));
        Ok(())
    }

    /// Where its key stands, once it is answered.
    pub(crate) fn standing(&self, app: &App) -> Standing {
        self.standing.get().unwrap_or_else(|| app.usage.standing(&self.caller))
    }
}
