//! An account: a login name, the hash of a password, a plan and what an operator granted.

use arb_model::source::pushed_source;
use arb_schemas::records::AccountBankroll;
use arb_schemas::time::Micros;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::scope::Scope;

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// `acc_` and 16 base62 characters, random, made by whoever sends [`Command::CreateAccount`](crate::command::Command).
    pub id: String,
    /// Lower-case login name, not verified.
    pub email: String,
    /// The hash of the password in the PHC string format; `None` when nobody can sign in (an imported account).
    pub password: Option<String>,
    /// Grows with each change of the password: a session is opened for the password that was checked, or refused.
    pub revision: u64,
    /// Its plan.
    pub plan: Plan,
    /// An operator has disabled it: no session, no key of it is valid.
    pub is_disabled: bool,
    /// Scopes that an operator granted, of those that need it.
    pub granted: Vec<Scope>,
    /// Books whose odds it may push.
    pub books: Vec<String>,
    /// The source under which it pushes odds.
    pub source: Option<String>,
    /// What it pushes is for everybody; else it is for this account alone.
    pub is_public: bool,
    /// What its holder stakes, where that was set.
    pub bankroll: Option<AccountBankroll>,
    /// When it was created, by the machine's time.
    pub created_at: Micros,
}

impl Account {
    /// One of the free plan that nobody can sign in to, without grants.
    #[must_use]
    pub fn new(id: String, email: String, created_at: Micros) -> Self {
        Self {
            id,
            email,
            password: None,
            revision: 0,
            plan: Plan::Free,
            is_disabled: false,
            granted: Vec::new(),
            books: Vec::new(),
            source: None,
            is_public: false,
            bankroll: None,
            created_at,
        }
    }

    /// The source, as records name it, of prices that this account alone sees.
    #[must_use]
    pub fn private_source(&self) -> Option<String> {
        let source = self.source.as_deref().filter(|_| !self.is_public);
        source.map(|source| pushed_source(source, false))
    }

    /// Whether its keys may have a scope.
    #[must_use]
    pub fn may_have(&self, scope: Scope) -> bool {
        !scope.is_granted() || self.granted.contains(&scope)
    }
}
