//! What a browser does by its session with the handlers of keys: it spends nothing of the account's quota, and reads the market at a rate of its own.
//!
//! It never acts for another account, and never reads the market as often as a program would: a session is no key.

use arb_accounts::key::Mode;
use arb_accounts::scope::Scope;

use super::Resources;
use crate::access::authority::{Caller, SignedIn};
use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::request::Request;

/// What a session may do by handlers of keys.
const SCOPES: [Scope; 4] = [Scope::BoardRead, Scope::SignalsRead, Scope::PicksRead, Scope::HistoryRead];

/// Who reads by a session.
fn caller(signed_in: &SignedIn) -> Caller {
    Caller {
        kid: String::new(),
        session: Some(signed_in.session.clone()),
        mode: Mode::Live,
        account: signed_in.account.clone(),
        private_source: signed_in.private_source.clone(),
        plan: signed_in.plan,
        scopes: SCOPES.into(),
        monthly_cap: None,
    }
}

impl Resources {
    /// What a session reads of the market. It costs nothing of the account's quota, and counts as so many requests of what its browsers may read.
    ///
    /// # Errors
    /// As [`super::session::SessionResource::enter`]; 429 when they read too often.
    pub(crate) fn by_session(&self, request: &Request<'_>, cost: u64) -> Result<Charge<'_>, Problem> {
        let caller = caller(&self.session.enter(request)?);
        let cost = if request.wants_body() { u32::try_from(cost).unwrap_or(u32::MAX) } else { 1 };
        let counted = self.accounts.authority.page_reads.count(&caller.account, cost);
        counted.map_err(Problem::page_reads_exceeded)?;
        Ok(self.uncharged(caller))
    }

    /// What a session sees and changes of its account, as often as it likes.
    ///
    /// # Errors
    /// As [`super::session::SessionResource::enter`].
    pub(crate) fn in_session(&self, request: &Request<'_>, _cost: u64) -> Result<Charge<'_>, Problem> {
        let caller = caller(&self.session.enter(request)?);
        Ok(self.uncharged(caller))
    }

    fn uncharged(&self, caller: Caller) -> Charge<'_> {
        Charge::new(caller, &self.usage.usage, ("", 0))
    }
}
