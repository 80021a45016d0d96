//! What an answer costs its key.
//!
//! It never charges by itself: what a request costs is reserved before its handler is asked, the handler confirms that it answers, and
//! an answer that is none gives it back.

use std::cell::{Cell, RefCell};

use warp::http::StatusCode;

use arb_accounts::key::Mode;

use crate::telemetry;

use super::problem::Problem;
use crate::access::authority::Caller;
use crate::access::lease_pool::Hold;
use crate::access::plan::PlanLimits;
use crate::access::usage::{QuotaStatus, Refusal, Usage};

/// The account under which a test key finds its quota: nobody's, which nothing is charged to.
pub(crate) const UNSPENT: &str = "";

/// The cost of a request, to be charged to the caller's key.
pub(crate) struct Charge<'a> {
    pub(crate) caller: Caller,
    usage: &'a Usage,
    /// The pattern under which the caller finds it.
    route: &'a str,
    cost: u64,
    reserved: RefCell<Option<Result<Hold, Refusal>>>,
    /// The handler answers.
    is_charged: Cell<bool>,
}

/// What is to be reserved: for whom, and how much.
pub(super) type Order<'a> = (&'a Usage, Caller, u64);

impl<'a> Charge<'a> {
    /// Of a request to a route that costs so many requests; for a test key nothing does.
    pub(crate) fn new(caller: Caller, usage: &'a Usage, (route, cost): (&'a str, u64)) -> Self {
        let cost = if caller.mode == Mode::Test || !usage.is_charged() { 0 } else { cost };
        Self { caller, usage, route, cost, reserved: RefCell::default(), is_charged: Cell::default() }
    }

    /// What the request costs, in requests.
    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    /// What the caller's plan allows.
    pub(crate) fn limits(&self) -> PlanLimits {
        self.usage.limits(self.caller.plan)
    }

    /// Reserves what the request costs; whether that is decided without waiting.
    pub(super) fn reserve_now(&self) -> bool {
        if self.cost == 0 || self.reserved.borrow().is_some() {
            return true;
        }
        match self.usage.reserve_now(&self.caller, self.cost) {
            Err(Refusal::NoLease) => false,
            reserved => {
                self.reserved.replace(Some(reserved));
                true
            }
        }
    }

    /// What has to be waited for.
    pub(super) fn order(&self) -> Order<'a> {
        (self.usage, self.caller.clone(), self.cost)
    }

    /// Takes over what was waited for.
    pub(super) fn put(&self, reserved: Result<Hold, Refusal>) {
        self.reserved.replace(Some(reserved));
    }

    /// Charges it, once the request is known to be answered.
    ///
    /// # Errors
    /// 429 when the quota does not have it, 503 when there was no lease.
    pub(crate) fn charge(&self) -> Result<(), Problem> {
        self.refuse_if_spent()?;
        self.is_charged.set(true);
        Ok(())
    }

    /// Refuses what cannot be charged, and charges nothing: for what may turn out to cost nothing.
    ///
    /// # Errors
    /// As [`Self::charge`].
    pub(crate) fn refuse_if_spent(&self) -> Result<(), Problem> {
        self.reserve_now();
        let refusal = match &*self.reserved.borrow() {
            _ if self.cost == 0 => return Ok(()),
            Some(Ok(_)) => return Ok(()),
            Some(Err(refusal)) => *refusal,
            None => Refusal::NoLease,
        };
        Err(problem(refusal))
    }

    /// Ends it with the status of the answer: the caller's quota then, and what the request cost.
    pub(super) fn close(self, status: StatusCode) -> (QuotaStatus, u64) {
        let is_charged = self.is_charged.get() && status.is_success();
        if is_charged && let Some(Ok(hold)) = self.reserved.take() {
            return (self.usage.commit(&self.caller, &hold, self.route), self.cost);
        }
        let status = match self.caller.mode {
            Mode::Test => self.usage.account(UNSPENT, self.caller.plan),
            Mode::Live => self.usage.status(&self.caller),
        };
        (status, 0)
    }
}

/// What was reserved and not charged is given back.
impl Drop for Charge<'_> {
    fn drop(&mut self) {
        if let Some(Ok(hold)) = self.reserved.take() {
            self.usage.release(&self.caller, &hold);
        }
    }
}

fn problem(refusal: Refusal) -> Problem {
    match refusal {
        Refusal::Exhausted(seconds) => {
            telemetry::quota_refusal();
            Problem::quota_exceeded(seconds)
        }
        Refusal::Capped(seconds) => {
            telemetry::quota_refusal();
            Problem::key_capped(seconds)
        }
        Refusal::NoLease => {
            Problem::accounts_unavailable("The quota cannot be charged at the moment; try again.")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fixtures::TestApp;

    #[test]
    fn an_answer_is_charged_and_anything_else_gives_back_what_was_reserved() {
        let TestApp { app, key, folder: _folder } = TestApp::new(1, 10, Duration::from_secs(1));
        let caller = app.authority.caller(&key, None).unwrap();
        let charge = || Charge::new(caller.clone(), &app.usage, ("/v1/arbs", 1));
        let remaining = |charge: Charge<'_>, status| {
            let (quota, cost) = charge.close(status);
            (quota.remaining(), cost)
        };
        for (status, expected) in [
            (StatusCode::OK, (2, 1)),
            (StatusCode::NOT_MODIFIED, (2, 0)),
            (StatusCode::SERVICE_UNAVAILABLE, (2, 0)),
            (StatusCode::CREATED, (1, 1)),
        ] {
            let charge = charge();
            charge.charge().unwrap();
            assert_eq!(remaining(charge, status), expected, "{status}");
        }
        let unused = charge();
        unused.refuse_if_spent().unwrap();
        assert_eq!(remaining(unused, StatusCode::OK), (1, 0), "the handler did not charge it");
        let last = charge();
        last.charge().unwrap();
        assert_eq!(remaining(last, StatusCode::OK), (0, 1));
        let late = charge();
        assert!(late.charge().is_err());
        assert_eq!(remaining(late, StatusCode::TOO_MANY_REQUESTS), (0, 0));
    }
}
