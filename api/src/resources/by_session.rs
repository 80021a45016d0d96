//! What a browser reads by its session: the handlers of keys, for the same cost, which is charged to the sessions of its account.
//!
//! It never reads for another account, and never lets a browser ask more often at once than a key of its plan.

use arb_accounts::key::Mode;
use arb_accounts::quota::of_sessions;
use arb_accounts::scope::Scope;

use super::Resources;
use crate::access::authority::{Caller, SignedIn};
use crate::http::charge::{AccountCharge, Charge};
use crate::http::problem::Problem;
use crate::http::request::Request;
use crate::http::route::Started;

/// What a session may do by handlers of keys.
const SCOPES: [Scope; 4] = [Scope::BoardRead, Scope::SignalsRead, Scope::PicksRead, Scope::HistoryRead];

/// Who reads by a session.
fn caller(signed_in: &SignedIn) -> Caller {
    Caller {
        kid: of_sessions(&signed_in.account),
        mode: Mode::Live,
        account: signed_in.account.clone(),
        private_source: signed_in.private_source.clone(),
        plan: signed_in.plan,
        scopes: SCOPES.into(),
        monthly_cap: None,
    }
}

impl Resources {
    /// Answers a request of a session by a handler of keys, for so many requests of its account.
    ///
    /// # Errors
    /// As [`super::session::SessionResource::enter`]; 429 when the account asks too often or has nothing left.
    pub(crate) fn by_session(
        &self,
        request: &Request<'_>,
        cost: u64,
        work: impl FnOnce(&Charge<'_>) -> Started,
    ) -> Started {
        let caller = caller(&self.session.enter(request)?);
        let usage = &self.usage.usage;
        let limits = usage.limits(caller.plan);
        let burst = self.accounts.authority.bursts.check(&caller.kid, caller.plan, &limits);
        if let Some(wait) = burst.map(|burst| burst.wait).filter(|wait| *wait > 0) {
            return Err(Problem::burst_exceeded(wait));
        }
        let cost = if usage.is_charged() && request.wants_body() { cost } else { 0 };
        let price = (request.pattern().to_owned(), cost);
        let charge = AccountCharge::new(usage, caller.clone(), price)?;
        // The handler is given a charge that costs nothing: what it costs may have to be waited for.
        let answer = work(&Charge::new(caller, usage, ("", 0)))?;
        Ok(Box::pin(charge.answer(answer)))
    }
}
