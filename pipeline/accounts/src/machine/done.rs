//! What a command has done, and the account that it is about.

use crate::account::Account;
use crate::audit::Action;
use crate::reply::Refusal;

use super::timed_directory::Draft;

/// What was done, for the audit.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) account: String,
    pub(super) action: Action,
    /// The key's kid or the plan.
    pub(super) subject: Option<String>,
}

impl Done {
    pub(super) fn new(account: &str, action: Action) -> Self {
        Self { account: account.to_owned(), action, subject: None }
    }

    pub(super) fn about(account: &str, action: Action, subject: &str) -> Self {
        Self { subject: Some(subject.to_owned()), ..Self::new(account, action) }
    }
}

/// An account, disabled or not.
pub(super) fn account(draft: &Draft, id: &str) -> Result<Account, Refusal> {
    draft.directory().account(id).cloned().ok_or(Refusal::NoAccount)
}

/// An account that is not disabled.
pub(super) fn enabled_account(draft: &Draft, id: &str) -> Result<Account, Refusal> {
    account(draft, id)
        .and_then(|account| if account.is_disabled { Err(Refusal::NoAccount) } else { Ok(account) })
}
