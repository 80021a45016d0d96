//! Sessions and passwords. A session is opened for the password that was checked, or refused.

use arb_schemas::time::{Micros, SECOND};

use crate::account::Account;
use crate::audit::Action;
use crate::command::Actor;
use crate::directory::Part;
use crate::machine::done::{Done, account, enabled_account};
use crate::machine::timed_directory::Draft;
use crate::machine::valid;
use crate::reply::Refusal;
use crate::session::Session;

/// Sessions of one account; one more ends the oldest.
pub(super) const MAX_SESSIONS: usize = 50;
/// Seconds that a session lives at most.
pub(super) const MAX_SECONDS: u32 = 90 * 86_400;

/// Another password.
pub(super) struct Change<'a> {
    pub(super) account: &'a str,
    pub(super) password: &'a str,
    pub(super) revision: Option<u64>,
    pub(super) keep: Option<&'a str>,
}

/// A session to be opened.
pub(super) struct New<'a> {
    pub(super) account: &'a str,
    pub(super) hash: &'a str,
    pub(super) revision: u64,
    pub(super) seconds: u32,
}

pub(super) fn change_password(
    draft: &mut Draft,
    actor: &Actor,
    change: &Change<'_>,
) -> Result<Done, Refusal> {
    valid::password(change.password)?;
    let account = account(draft, change.account)?;
    let action = match (change.revision, actor) {
        (Some(revision), _) if revision != account.revision => return Err(Refusal::PasswordChanged),
        (Some(_), _) => Action::PasswordChanged,
        (None, Actor::Operator) => Action::PasswordReset,
        (None, _) => return Err(valid::invalid("revision", "is missing")),
    };
    end_all(draft, change.account, change.keep);
    let revision = account.revision + 1;
    draft.put(Part::Account(Account { password: Some(change.password.to_owned()), revision, ..account }));
    Ok(Done::new(change.account, action))
}

pub(super) fn open(
    draft: &mut Draft,
    address: &str,
    new: &New<'_>,
    replaces: Option<&str>,
) -> Result<Done, Refusal> {
    valid::hmac("session", new.hash)?;
    if new.seconds == 0 || new.seconds > MAX_SECONDS {
        return Err(valid::invalid("seconds", "is 0 or more than 90 days"));
    }
    let account = enabled_account(draft, new.account)?;
    if account.revision != new.revision {
        return Err(Refusal::PasswordChanged);
    }
    if draft.directory().session(new.hash).is_some() {
        return Err(valid::invalid("session", "is taken"));
    }
    // Only who has the cookie knows its hash.
    if let Some(hash) = replaces {
        draft.remove(&key(hash));
    }
    end_oldest(draft, new.account);
    let opened_at = draft.directory().clock();
    draft.put(Part::Session(Session {
        hash: new.hash.to_owned(),
        account: new.account.to_owned(),
        opened_at,
        expires_at: opened_at + Micros::from(new.seconds) * SECOND,
        address: address.to_owned(),
    }));
    Ok(Done::new(new.account, Action::SessionOpened))
}

/// Ends a session of the same account as that of who asks, or any for an operator.
pub(super) fn close(draft: &mut Draft, actor: &Actor, hash: &str) -> Result<Done, Refusal> {
    let directory = draft.directory();
    let session = directory.session(hash).ok_or(Refusal::NoSession)?;
    let account = session.account.clone();
    let is_allowed = match actor {
        Actor::Operator => true,
        Actor::Session(own) => directory.session(own).is_some_and(|own| own.account == account),
        Actor::Anonymous | Actor::Key(_) => false,
    };
    if !is_allowed {
        return Err(Refusal::NoSession);
    }
    draft.remove(&key(hash));
    Ok(Done::new(&account, Action::SessionClosed))
}

/// Ends all sessions of an account but one.
pub(super) fn end_all(draft: &mut Draft, account: &str, keep: Option<&str>) {
    let ended = hashes(draft, account).into_iter().filter(|(_, hash)| keep != Some(hash));
    ended.for_each(|(_, hash)| draft.remove(&key(&hash)));
}

/// Leaves room for one more session of an account.
fn end_oldest(draft: &mut Draft, account: &str) {
    let mut hashes = hashes(draft, account);
    hashes.sort_unstable();
    let excess = (hashes.len() + 1).saturating_sub(MAX_SESSIONS);
    hashes.into_iter().take(excess).for_each(|(_, hash)| draft.remove(&key(&hash)));
}

/// The sessions of an account: when each was opened, and its hash.
fn hashes(draft: &Draft, account: &str) -> Vec<(Micros, String)> {
    let sessions = draft.directory().sessions_of(account);
    sessions.map(|session| (session.opened_at, session.hash.clone())).collect()
}

fn key(hash: &str) -> String {
    format!("session/{hash}")
}
