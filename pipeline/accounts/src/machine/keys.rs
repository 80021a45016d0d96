//! Keys: created, rotated, revoked; never with more than their account and who asks may grant.

use arb_schemas::time::{Micros, SECOND};

use crate::account::Account;
use crate::audit::Action;
use crate::command::NewKey;
use crate::directory::Part;
use crate::key::{ApiKey, Permissions};
use crate::machine::authority::{Authority, live_key};
use crate::machine::done::{Done, enabled_account};
use crate::machine::timed_directory::Draft;
use crate::machine::valid;
use crate::reply::Refusal;

/// Seconds until a replaced key ends, at most.
pub(super) const MAX_GRACE: u32 = 30 * 86_400;

/// A key in place of another one.
pub(super) struct Rotation<'a> {
    pub(super) account: &'a str,
    pub(super) kid: &'a str,
    pub(super) new_kid: &'a str,
    pub(super) hmac: &'a str,
    pub(super) grace_seconds: u32,
}

pub(super) fn create(draft: &mut Draft, authority: &Authority, new: &NewKey) -> Result<Done, Refusal> {
    let account = enabled_account(draft, &new.account)?;
    let now = draft.directory().clock();
    let permissions = valid::permissions(&new.permissions, now)?;
    valid::name("name", &new.name)?;
    if !permissions.scopes.iter().all(|scope| account.may_have(*scope)) {
        return Err(Refusal::Exceeds("scopes".to_owned()));
    }
    authority.check(new.mode, &permissions)?;
    check_kid(draft, &new.kid, &new.hmac)?;
    check_number(draft, &account, |key| !key.is_replaced())?;
    draft.put(Part::Key(ApiKey {
        kid: new.kid.clone(),
        account: new.account.clone(),
        hmac: new.hmac.clone(),
        name: new.name.clone(),
        mode: new.mode,
        permissions,
        created_at: now,
        replaced_by: None,
    }));
    Ok(Done::about(&new.account, Action::KeyCreated, &new.kid))
}

pub(super) fn rotate(
    draft: &mut Draft,
    authority: &Authority,
    rotation: &Rotation<'_>,
) -> Result<Done, Refusal> {
    let Rotation { account, kid, new_kid, hmac, grace_seconds } = *rotation;
    let holder = enabled_account(draft, account)?;
    // Also once it has ended: whoever rotates twice learns what has become of the first time.
    let was_replaced = |key: &ApiKey| key.account == account && key.replaced_by.is_some();
    if draft.directory().key(kid).is_some_and(was_replaced) {
        return Err(Refusal::Replaced);
    }
    let old = live_key(draft.directory(), kid, account).cloned().ok_or(Refusal::NoKey)?;
    if grace_seconds > MAX_GRACE {
        return Err(valid::invalid("grace_seconds", "is more than 30 days"));
    }
    // The secret of a key that may do more than the one that asks would be its holder's.
    authority.check(old.mode, &old.permissions)?;
    check_kid(draft, new_kid, hmac)?;
    if grace_seconds > 0 {
        check_number(draft, &holder, ApiKey::is_replaced)?;
    }
    let now = draft.directory().clock();
    draft.put(Part::Key(ApiKey {
        kid: new_kid.to_owned(),
        hmac: hmac.to_owned(),
        created_at: now,
        replaced_by: None,
        ..old.clone()
    }));
    let end = now + Micros::from(grace_seconds) * SECOND;
    let expires_at = Some(old.permissions.expires_at.map_or(end, |own| own.min(end)));
    let permissions = Permissions { expires_at, ..old.permissions };
    draft.put(Part::Key(ApiKey { permissions, replaced_by: Some(new_kid.to_owned()), ..old }));
    Ok(Done::about(account, Action::KeyRotated, kid))
}

/// Ends a key: it is removed, expired or not. A test key ends no live one.
pub(super) fn revoke(
    draft: &mut Draft,
    authority: &Authority,
    account: &str,
    kid: &str,
) -> Result<Done, Refusal> {
    let found = draft.directory().key(kid).filter(|key| key.account == account);
    authority.check_mode(found.ok_or(Refusal::NoKey)?.mode)?;
    draft.remove(&key(kid));
    Ok(Done::about(account, Action::KeyRevoked, kid))
}

/// Takes scopes that an account has no more from its keys; a key without any is removed.
pub(super) fn withdraw(draft: &mut Draft, account: &Account) {
    let exceeds = |key: &&ApiKey| !key.permissions.scopes.iter().all(|scope| account.may_have(*scope));
    let keys: Vec<_> = draft.directory().keys_of(&account.id).filter(exceeds).cloned().collect();
    for mut changed in keys {
        changed.permissions.scopes.retain(|scope| account.may_have(*scope));
        if changed.permissions.scopes.is_empty() {
            draft.remove(&key(&changed.kid));
        } else {
            draft.put(Part::Key(changed));
        }
    }
}

fn check_kid(draft: &Draft, kid: &str, hmac: &str) -> Result<(), Refusal> {
    valid::kid(kid)?;
    valid::hmac("hmac", hmac)?;
    if draft.directory().key(kid).is_some() { Err(valid::invalid("kid", "is taken")) } else { Ok(()) }
}

/// Refuses one more live key of a kind than the plan allows: a rotation at the limit is one, and leaves a replaced key for its grace.
fn check_number(
    draft: &Draft,
    account: &Account,
    is_of_kind: impl Fn(&ApiKey) -> bool,
) -> Result<(), Refusal> {
    let directory = draft.directory();
    let now = directory.clock();
    let live = directory.keys_of(&account.id).filter(|key| !key.is_expired(now) && is_of_kind(key)).count();
    let most = account.plan.max_keys();
    if live < most { Ok(()) } else { Err(Refusal::TooManyKeys(most)) }
}

fn key(kid: &str) -> String {
    format!("key/{kid}")
}
