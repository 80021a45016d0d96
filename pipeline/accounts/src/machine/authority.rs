//! Who may ask for what: decided in the order of the log, so that a command that races a revocation is decided by that order.
//!
//! The API checks the same before it sends a command; only what is decided here counts.

use crate::command::{Actor, Command};
use crate::directory::Directory;
use crate::key::{ApiKey, Mode, Permissions};
use crate::reply::Refusal;
use crate::scope::Scope;

/// What a command needs of who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need<'a> {
    /// Nothing: a sign-up.
    Nothing,
    /// Nothing, or a session of this account: a sign-in, or another session in place of one.
    SignIn(&'a str),
    /// A session of this account.
    Session(&'a str),
    /// Any session.
    AnySession,
    /// A session of this account, or a key of it with `keys:manage`.
    ManageKeys(&'a str),
    /// A key of this account with `stream:read`.
    ReadStreams(&'a str),
    /// A session of this account, or a live key of it with `webhooks:manage`.
    ManageWebhooks(&'a str),
    /// To be an operator.
    Operator,
}

/// What who asks may grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Authority {
    /// Everything that the account may have.
    Account,
    /// At most what a key of it has.
    Key(Mode, Permissions),
}

impl Authority {
    /// Refuses a key that may do more than who asks.
    pub(super) fn check(&self, mode: Mode, permissions: &Permissions) -> Result<(), Refusal> {
        self.check_mode(mode)?;
        match self {
            Self::Account => Ok(()),
            Self::Key(_, own) => {
                own.exceeded_by(permissions).map_or(Ok(()), |field| Err(Refusal::Exceeds(field.to_owned())))
            }
        }
    }

    /// Refuses a live key where a test key asks.
    pub(super) fn check_mode(&self, mode: Mode) -> Result<(), Refusal> {
        match (self, mode) {
            (Self::Key(Mode::Test, _), Mode::Live) => Err(Refusal::Exceeds("mode".to_owned())),
            _ => Ok(()),
        }
    }
}

fn need(command: &Command) -> Need<'_> {
    match command {
        Command::CreateAccount { .. } => Need::Nothing,
        Command::OpenSession { account, .. } => Need::SignIn(account),
        Command::ChangePassword { account, .. } | Command::SetBankroll { account, .. } => {
            Need::Session(account)
        }
        Command::CloseSession { .. } => Need::AnySession,
        Command::SetPlan { .. }
        | Command::Grant { .. }
        | Command::SetDisabled { .. }
        | Command::EraseAccount { .. }
        | Command::SetEndpointState { .. } => Need::Operator,
        Command::CreateKey(key) => Need::ManageKeys(&key.account),
        Command::SpendTicket { account, .. } => Need::ReadStreams(account),
        Command::RotateKey { account, .. } | Command::RevokeKey { account, .. } => Need::ManageKeys(account),
        Command::CreateEndpoint { account, .. }
        | Command::UpdateEndpoint { account, .. }
        | Command::DeleteEndpoint { account, .. }
        | Command::RotateEndpoint { account, .. } => Need::ManageWebhooks(account),
    }
}

/// What who asks for a command may grant, or why it is refused.
pub(super) fn of(directory: &Directory, actor: &Actor, command: &Command) -> Result<Authority, Refusal> {
    match (need(command), actor) {
        (_, Actor::Operator)
        | (Need::Nothing | Need::SignIn(_), Actor::Anonymous)
        | (Need::Nothing, Actor::Session(_)) => Ok(Authority::Account),
        (
            Need::SignIn(account)
            | Need::Session(account)
            | Need::ManageKeys(account)
            | Need::ManageWebhooks(account),
            Actor::Session(hash),
        ) => session(directory, hash, Some(account)),
        (Need::AnySession, Actor::Session(hash)) => session(directory, hash, None),
        (Need::ManageKeys(account), Actor::Key(kid)) => key(directory, kid, account, Scope::KeysManage),
        (Need::ReadStreams(account), Actor::Key(kid)) => key(directory, kid, account, Scope::StreamRead),
        (Need::ReadStreams(_), Actor::Anonymous | Actor::Session(_)) => Err(Refusal::NoKey),
        (Need::ManageWebhooks(account), Actor::Key(kid)) => {
            let authority = key(directory, kid, account, Scope::WebhooksManage)?;
            authority.check_mode(Mode::Live).map(|()| authority)
        }
        (Need::AnySession, Actor::Anonymous | Actor::Key(_)) => Err(Refusal::NoSession),
        (
            Need::Session(_) | Need::ManageKeys(_) | Need::ManageWebhooks(_) | Need::Operator,
            Actor::Anonymous,
        )
        | (Need::Operator, Actor::Session(_))
        | (Need::Nothing | Need::SignIn(_) | Need::Session(_) | Need::Operator, Actor::Key(_)) => {
            Err(Refusal::NoAccount)
        }
    }
}

/// Of a session, which must be one of an account where that is given.
fn session(directory: &Directory, hash: &str, account: Option<&str>) -> Result<Authority, Refusal> {
    let session = directory.session(hash).filter(|session| session.expires_at > directory.clock());
    match session {
        None => Err(Refusal::NoSession),
        Some(session) if account.is_some_and(|account| session.account != account) => Err(Refusal::NoAccount),
        Some(_) => Ok(Authority::Account),
    }
}

/// Of a key, which must be one of the account, and have a scope.
fn key(directory: &Directory, kid: &str, account: &str, scope: Scope) -> Result<Authority, Refusal> {
    let key = live_key(directory, kid, account).ok_or(Refusal::NoKey)?;
    if directory.account(account).is_none_or(|account| account.is_disabled) {
        return Err(Refusal::NoAccount);
    }
    if !key.permissions.scopes.contains(&scope) {
        return Err(Refusal::Exceeds("scopes".to_owned()));
    }
    Ok(Authority::Key(key.mode, key.permissions.clone()))
}

/// A key of an account that has not expired.
pub(super) fn live_key<'a>(directory: &'a Directory, kid: &str, account: &str) -> Option<&'a ApiKey> {
    directory.key(kid).filter(|key| key.account == account && !key.is_expired(directory.clock()))
}
