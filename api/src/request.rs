//! A request with a valid key, as its handler sees it, and its charge.
//!
//! It never charges by itself: the handler does, when it knows that it will answer.

use std::cell::Cell;

use arb_runtime::telemetry::serve as telemetry;
use warp::http::{HeaderMap, Method};

use crate::App;
use crate::keys::Caller;
use crate::problem::Problem;
use crate::usage::{Refusal, Standing};

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

    /// Charges it, right before it is answered. HEAD costs nothing: it has no body.
    pub(crate) fn charge(&self, app: &App) -> Result<(), Problem> {
        if !self.wants_body {
            return Ok(());
        }
        self.note(app.usage.charge(&self.caller, self.path))
    }

    /// Refuses it where nothing is left to be charged, and charges nothing: for what may turn out to cost nothing.
    pub(crate) fn refuse_if_spent(&self, app: &App) -> Result<(), Problem> {
        if !self.wants_body {
            return Ok(());
        }
        self.note(app.usage.check(&self.caller))
    }

    fn note(&self, standing: Result<Standing, Refusal>) -> Result<(), Problem> {
        // Who is refused may have been let through by an earlier look: what that said holds no more.
        self.standing.set(standing.as_ref().ok().copied());
        standing.map(drop).map_err(|refusal| match refusal {
            Refusal::Exhausted(seconds) => {
                telemetry::quota_refusal();
                Problem::quota_exceeded(seconds)
            }
            Refusal::Unwritten => Problem::unavailable("Charges cannot be written at the moment; try again."),
        })
    }

    /// Where its key stands, once it is answered.
    pub(crate) fn standing(&self, app: &App) -> Standing {
        self.standing.get().unwrap_or_else(|| app.usage.standing(&self.caller))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::made::Made;

    #[test]
    fn who_is_refused_after_a_look_is_told_that_nothing_is_left() {
        let Made { app, key, folder: _folder } = Made::new(1, 10, Duration::from_secs(1));
        let (caller, headers) = (app.keys.ask(|keys| keys.check(&key)).unwrap(), HeaderMap::new());
        let request = || Request::new(caller.clone(), (&Method::GET, "/v1/arbs", ""), &headers);
        for left in [2, 1] {
            let first = request();
            first.charge(&app).unwrap();
            assert_eq!(first.standing(&app).remaining(), left);
        }
        let (late, other) = (request(), request());
        late.refuse_if_spent(&app).unwrap();
        assert_eq!(late.standing(&app).remaining(), 1);
        other.charge(&app).unwrap();
        assert!(late.charge(&app).is_err());
        assert_eq!(late.standing(&app).remaining(), 0);
    }
}
