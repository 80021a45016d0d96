//! Parts of the state as records of the compacted topic, and back.

use arb_schemas::records::{
    self as wire_records, AccountClock, AccountEndpoint, AccountInvitation, AccountKey, AccountReply,
    AccountSession,
};
use arb_schemas::wire::{self, RecordType, WireError};

use super::number::{count, long};
use super::quota;
use crate::account::Account;
use crate::directory::{Invitation, Part};
use crate::endpoint::{Endpoint, EndpointSettings, EndpointState, Policy};
use crate::key::{ApiKey, Cidr, Mode, Permissions};
use crate::plan::Plan;
use crate::reply::{Refusal, Reply};
use crate::scope::Scope;
use crate::session::Session;

pub(super) fn encode(part: &Part) -> Result<Vec<u8>, WireError> {
    match part {
        Part::Account(account) => wire::encode(&of_account(account)?),
        Part::Session(session) => wire::encode(&of_session(session)),
        Part::Key(key) => wire::encode(&of_key(key)?),
        Part::Reply(reply) => wire::encode(&of_reply(reply)?),
        Part::Invitation(invitation) => wire::encode(&of_invitation(invitation)),
        Part::Endpoint(endpoint) => wire::encode(&of_endpoint(endpoint)?),
        Part::Usage(ledger) => wire::encode(&quota::of_ledger(ledger)?),
        Part::Clock(at) => wire::encode(&AccountClock { at: *at }),
    }
}

pub(super) fn decode(value: &[u8]) -> Result<Option<Part>, WireError> {
    let found = RecordType::of(value)?;
    Ok(Some(match found {
        RecordType::Account => Part::Account(account(wire::decode(value)?)?),
        RecordType::AccountSession => Part::Session(session(wire::decode(value)?)),
        RecordType::AccountKey => Part::Key(key(wire::decode(value)?)?),
        RecordType::AccountReply => Part::Reply(reply(wire::decode(value)?)?),
        RecordType::AccountInvitation => Part::Invitation(invitation(wire::decode(value)?)),
        RecordType::AccountClock => Part::Clock(wire::decode::<AccountClock>(value)?.at),
        RecordType::AccountUsage => Part::Usage(quota::ledger(wire::decode(value)?)?),
        RecordType::AccountEndpoint => Part::Endpoint(endpoint(wire::decode(value)?)?),
        RecordType::StatePartition => return Ok(None),
        _ => return Err(WireError::OtherType { expected: RecordType::Account, found }),
    }))
}

fn wrong(field: &str, value: &str) -> WireError {
    WireError::Avro(format!("{field}: {value:?} is unknown"))
}

fn scopes_of(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(|scope| scope.key().to_owned()).collect()
}

fn scopes(texts: &[String]) -> Result<Vec<Scope>, WireError> {
    texts.iter().map(|text| Scope::parse(text).ok_or_else(|| wrong("scope", text))).collect()
}

fn of_account(account: &Account) -> Result<wire_records::Account, WireError> {
    Ok(wire_records::Account {
        id: account.id.clone(),
        email: account.email.clone(),
        password: account.password.clone(),
        revision: long(account.revision)?,
        plan: account.plan.key().to_owned(),
        is_disabled: account.is_disabled,
        granted: scopes_of(&account.granted),
        books: account.books.clone(),
        source: account.source.clone(),
        is_public: account.is_public,
        bankroll: account.bankroll.clone(),
        created_at: account.created_at,
    })
}

fn account(record: wire_records::Account) -> Result<Account, WireError> {
    Ok(Account {
        revision: count(record.revision)?,
        plan: Plan::parse(&record.plan).ok_or_else(|| wrong("plan", &record.plan))?,
        granted: scopes(&record.granted)?,
        id: record.id,
        email: record.email,
        password: record.password,
        is_disabled: record.is_disabled,
        books: record.books,
        source: record.source,
        is_public: record.is_public,
        bankroll: record.bankroll,
        created_at: record.created_at,
    })
}

fn of_session(session: &Session) -> AccountSession {
    AccountSession {
        hash: session.hash.clone(),
        account: session.account.clone(),
        opened_at: session.opened_at,
        expires_at: session.expires_at,
        address: session.address.clone(),
    }
}

fn session(record: AccountSession) -> Session {
    Session {
        hash: record.hash,
        account: record.account,
        opened_at: record.opened_at,
        expires_at: record.expires_at,
        address: record.address,
    }
}

fn of_invitation(invitation: &Invitation) -> AccountInvitation {
    let Invitation { hash, account, at } = invitation.clone();
    AccountInvitation { hash, account, at }
}

fn invitation(record: AccountInvitation) -> Invitation {
    let AccountInvitation { hash, account, at } = record;
    Invitation { hash, account, at }
}

fn of_key(key: &ApiKey) -> Result<AccountKey, WireError> {
    let permissions = &key.permissions;
    Ok(AccountKey {
        kid: key.kid.clone(),
        account: key.account.clone(),
        hmac: key.hmac.clone(),
        name: key.name.clone(),
        mode: key.mode.key().to_owned(),
        scopes: scopes_of(&permissions.scopes),
        expires_at: permissions.expires_at,
        cidrs: permissions.cidrs.iter().copied().map(String::from).collect(),
        monthly_cap: permissions.monthly_cap.map(long).transpose()?,
        created_at: key.created_at,
        replaced_by: key.replaced_by.clone(),
    })
}

fn key(record: AccountKey) -> Result<ApiKey, WireError> {
    let cidrs = record.cidrs.into_iter().map(|text| Cidr::try_from(text).map_err(WireError::Avro));
    Ok(ApiKey {
        mode: Mode::parse(&record.mode).ok_or_else(|| wrong("mode", &record.mode))?,
        permissions: Permissions {
            scopes: scopes(&record.scopes)?,
            expires_at: record.expires_at,
            cidrs: cidrs.collect::<Result<_, _>>()?,
            monthly_cap: record.monthly_cap.map(count).transpose()?,
        },
        kid: record.kid,
        account: record.account,
        hmac: record.hmac,
        name: record.name,
        created_at: record.created_at,
        replaced_by: record.replaced_by,
    })
}

fn of_reply(reply: &Reply) -> Result<AccountReply, WireError> {
    let refusal = reply.result.as_ref().err();
    let (field, reason, most) = match refusal {
        Some(Refusal::Invalid(field, reason)) => (Some(field.clone()), Some(reason.clone()), None),
        Some(Refusal::Exceeds(field)) => (Some(field.clone()), None, None),
        Some(Refusal::TooManyKeys(most) | Refusal::TooManyEndpoints(most)) => {
            (None, None, Some(long(*most as u64)?))
        }
        _ => (None, None, None),
    };
    let refusal = refusal.map(|refusal| refusal.key().to_owned());
    Ok(AccountReply { id: reply.id.clone(), at: reply.at, refusal, field, reason, most })
}

fn reply(record: AccountReply) -> Result<Reply, WireError> {
    let AccountReply { id, at, refusal, field, reason, most } = record;
    let Some(kind) = refusal else { return Ok(Reply { id, at, result: Ok(()) }) };
    let refusal = match (kind.as_str(), field, reason, most) {
        ("email_taken", None, None, None) => Refusal::EmailTaken,
        ("invitation_used", None, None, None) => Refusal::InvitationUsed,
        ("too_many_accounts", None, None, None) => Refusal::TooManyAccounts,
        ("no_account", None, None, None) => Refusal::NoAccount,
        ("no_session", None, None, None) => Refusal::NoSession,
        ("no_key", None, None, None) => Refusal::NoKey,
        ("no_endpoint", None, None, None) => Refusal::NoEndpoint,
        ("password_changed", None, None, None) => Refusal::PasswordChanged,
        ("replaced", None, None, None) => Refusal::Replaced,
        ("too_many_keys", None, None, Some(most)) => {
            Refusal::TooManyKeys(usize::try_from(most).map_err(|_| wrong("most", &most.to_string()))?)
        }
        ("too_many_endpoints", None, None, Some(most)) => {
            Refusal::TooManyEndpoints(usize::try_from(most).map_err(|_| wrong("most", &most.to_string()))?)
        }
        ("exceeds", Some(field), None, None) => Refusal::Exceeds(field),
        ("invalid", Some(field), Some(reason), None) => Refusal::Invalid(field, reason),
        _ => return Err(wrong("refusal", &kind)),
    };
    Ok(Reply { id, at, result: Err(refusal) })
}

fn of_endpoint(endpoint: &Endpoint) -> Result<AccountEndpoint, WireError> {
    let settings = endpoint.settings.clone();
    Ok(AccountEndpoint {
        id: endpoint.id.clone(),
        account: endpoint.account.clone(),
        url: settings.url,
        description: settings.description,
        events: settings.events,
        filters: settings.filters,
        policy: settings.policy.key().to_owned(),
        is_ordered: settings.is_ordered,
        rate_limit: settings.rate_limit.map(i64::from),
        is_paused: settings.is_paused,
        state: endpoint.state.key().to_owned(),
        reason: endpoint.reason.clone(),
        secret_version: i64::from(endpoint.secret_version),
        previous_until: endpoint.previous_until,
        revision: long(endpoint.revision)?,
        created_at: endpoint.created_at,
    })
}

fn endpoint(record: AccountEndpoint) -> Result<Endpoint, WireError> {
    let small = |number: i64| u32::try_from(number).map_err(|_| wrong("number", &number.to_string()));
    Ok(Endpoint {
        settings: EndpointSettings {
            policy: Policy::parse(&record.policy).ok_or_else(|| wrong("policy", &record.policy))?,
            rate_limit: record.rate_limit.map(small).transpose()?,
            url: record.url,
            description: record.description,
            events: record.events,
            filters: record.filters,
            is_ordered: record.is_ordered,
            is_paused: record.is_paused,
        },
        state: EndpointState::parse(&record.state).ok_or_else(|| wrong("state", &record.state))?,
        secret_version: small(record.secret_version)?,
        revision: count(record.revision)?,
        id: record.id,
        account: record.account,
        reason: record.reason,
        previous_until: record.previous_until,
        created_at: record.created_at,
    })
}
