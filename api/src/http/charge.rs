//! What an answer costs its key.
//!
//! It never charges by itself: the handler charges once it knows that it will answer.

use std::cell::Cell;
use std::sync::Arc;

use crate::telemetry;

use super::problem::Problem;
use crate::access::authority::Caller;
use crate::access::usage::{QuotaStatus, Refusal, Usage};

/// The cost of a request, to be charged to the caller's key.
pub(crate) struct Charge<'a> {
    pub(crate) caller: Caller,
    usage: &'a Usage,
    /// The pattern under which the caller finds it.
    route: &'a str,
    cost: u64,
    /// The quota as it was when last looked at for this request.
    status: Cell<Option<QuotaStatus>>,
}

impl<'a> Charge<'a> {
    /// Of a request to a route that costs so many requests.
    pub(crate) fn new(caller: Caller, usage: &'a Usage, (route, cost): (&'a str, u64)) -> Self {
        Self { caller, usage, route, cost, status: Cell::default() }
    }

    /// Charges it, right before the request is answered.
    ///
    /// # Errors
    /// 429 when the quota does not have it, 503 when charges cannot be written.
    pub(crate) fn charge(&self) -> Result<(), Problem> {
        if self.cost == 0 {
            return Ok(());
        }
        self.note(self.usage.charge(&self.caller, self.route, self.cost))
    }

    /// Refuses what could not be charged, and charges nothing: for what may turn out to cost nothing.
    ///
    /// # Errors
    /// 429.
    pub(crate) fn refuse_if_spent(&self) -> Result<(), Problem> {
        if self.cost == 0 {
            return Ok(());
        }
        self.note(self.usage.check(&self.caller, self.cost))
    }

    fn note(&self, status: Result<QuotaStatus, Refusal>) -> Result<(), Problem> {
        // A caller that is refused here may have passed an earlier check; the result of that check is no
        // longer valid.
        self.status.set(status.as_ref().ok().copied());
        status.map(drop).map_err(problem_of)
    }

    /// The same cost, for a handler that waits before it answers. The usage is that of this charge.
    pub(crate) fn later(&self, usage: Arc<Usage>) -> LaterCharge {
        LaterCharge { caller: self.caller.clone(), usage, route: self.route.to_owned(), cost: self.cost }
    }

    /// The caller's quota, once the request is answered.
    pub(crate) fn status(&self) -> QuotaStatus {
        self.status.get().unwrap_or_else(|| self.usage.status(&self.caller))
    }
}

/// The cost of a request that is charged once its answer is known.
pub(crate) struct LaterCharge {
    caller: Caller,
    usage: Arc<Usage>,
    route: String,
    cost: u64,
}

impl LaterCharge {
    /// Charges it, right before the request is answered.
    ///
    /// # Errors
    /// As [`Charge::charge`].
    pub(crate) fn charge(&self) -> Result<(), Problem> {
        self.usage.charge(&self.caller, &self.route, self.cost).map(drop).map_err(problem_of)
    }

    /// Refuses what could not be charged, and charges nothing.
    ///
    /// # Errors
    /// 429.
    pub(crate) fn refuse_if_spent(&self) -> Result<(), Problem> {
        self.usage.check(&self.caller, self.cost).map(drop).map_err(problem_of)
    }
}

fn problem_of(refusal: Refusal) -> Problem {
    match refusal {
        Refusal::Exhausted(seconds) => {
            telemetry::quota_refusal();
            Problem::quota_exceeded(seconds)
        }
        Refusal::Capped(seconds) => {
            telemetry::quota_refusal();
            Problem::key_capped(seconds)
        }
        Refusal::Unwritten => Problem::unavailable("Charges cannot be written at the moment; try again."),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fixtures::TestApp;

    #[test]
    fn a_caller_that_is_refused_after_a_check_sees_no_quota_left() {
        let TestApp { app, key, folder: _folder } = TestApp::new(1, 10, Duration::from_secs(1));
        let caller = app.authority.caller(&key, None).unwrap();
        let charge = || Charge::new(caller.clone(), &app.usage, ("/v1/arbs", 1));
        for left in [2, 1] {
            let first = charge();
            first.charge().unwrap();
            assert_eq!(first.status().remaining(), left);
        }
        let (late, other) = (charge(), charge());
        late.refuse_if_spent().unwrap();
        assert_eq!(late.status().remaining(), 1);
        other.charge().unwrap();
        assert!(late.charge().is_err());
        assert_eq!(late.status().remaining(), 0);
    }
}
