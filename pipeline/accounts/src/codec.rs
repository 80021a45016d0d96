//! Commands, timers, parts of the state and the audit as bytes, and back: the only place that knows both the types of this crate and
//! the records of `arb_schemas`.
//!
//! It never guesses what a malformed record means.

mod command;
mod number;
mod part;
mod quota;

use arb_schemas::records::{AccountAudit, AccountLeaseQuota, AccountSettleQuota, AccountTimer};
use arb_schemas::time::Micros;
use arb_schemas::wire::{self, RecordType, WireError};

use crate::audit::AuditEntry;
use crate::command::Request;
use crate::directory::Part;
use crate::quota::{LeaseQuota, SettleQuota};

pub use command::MAX_COMMAND;

/// A record of the command topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A command.
    Request(Box<Request>),
    /// How late it is.
    Timer(Micros),
    /// An instance asks for a slice of a quota.
    Lease(LeaseQuota),
    /// An instance reports what it has charged.
    Settle(SettleQuota),
}

/// What an instance asks of quotas as a record of the command topic.
///
/// # Errors
/// [`WireError`] when a number is beyond what a record has.
pub fn encode_lease(ask: &LeaseQuota) -> Result<Vec<u8>, WireError> {
    wire::encode(&quota::of_ask(ask)?)
}

/// What an instance has charged as a record of the command topic.
///
/// # Errors
/// [`WireError`] when a number is beyond what a record has, or the record longer than [`MAX_COMMAND`].
pub fn encode_settlement(report: &SettleQuota) -> Result<Vec<u8>, WireError> {
    let message = wire::encode(&quota::of_settlement(report)?)?;
    command::fits(&message)?;
    Ok(message)
}

/// A request as a record of the command topic.
///
/// # Errors
/// [`WireError`] when it is longer than [`MAX_COMMAND`].
pub fn encode_request(request: &Request) -> Result<Vec<u8>, WireError> {
    command::encode(request)
}

/// A timer as a record of the command topic.
///
/// # Errors
/// None in practice: it has one number.
pub fn encode_timer(at: Micros) -> Result<Vec<u8>, WireError> {
    wire::encode(&AccountTimer { at })
}

/// A record of the command topic.
///
/// # Errors
/// [`WireError`] when it is none: too long, of another type, with a command that is unknown or lacks a field.
pub fn decode_input(message: &[u8]) -> Result<Input, WireError> {
    match RecordType::of(message)? {
        RecordType::AccountTimer => Ok(Input::Timer(wire::decode::<AccountTimer>(message)?.at)),
        RecordType::AccountLeaseQuota => {
            quota::ask(wire::decode::<AccountLeaseQuota>(message)?).map(Input::Lease)
        }
        RecordType::AccountSettleQuota => {
            quota::settlement(wire::decode::<AccountSettleQuota>(message)?).map(Input::Settle)
        }
        _ => command::decode(message).map(|request| Input::Request(Box::new(request))),
    }
}

/// A part of the state as a record of the compacted topic.
///
/// # Errors
/// [`WireError`] when it does not fit its schema.
pub fn encode_part(part: &Part) -> Result<Vec<u8>, WireError> {
    part::encode(part)
}

/// A record of the compacted topic as a part of the state; `None` for the runtime's own record of the partition.
///
/// # Errors
/// [`WireError`] when it is none, or under the key of another part.
pub fn decode_part(key: &[u8], value: &[u8]) -> Result<Option<Part>, WireError> {
    let part = part::decode(value)?;
    match part {
        Some(part) if part.key().as_bytes() != key => {
            let key = String::from_utf8_lossy(key);
            Err(WireError::Avro(format!("the part {} is under the key {key}", part.key())))
        }
        part => Ok(part),
    }
}

/// An entry of the audit as a record.
///
/// # Errors
/// [`WireError`] when it does not fit its schema.
pub fn encode_audit(entry: &AuditEntry) -> Result<Vec<u8>, WireError> {
    let (actor, actor_id) = command::actor(&entry.actor);
    wire::encode(&AccountAudit {
        id: entry.id.clone(),
        account: entry.account.clone(),
        action: entry.action.key().to_owned(),
        actor: actor.to_owned(),
        // The hash of a session is of no use to a reader of the audit.
        actor_kid: actor_id.filter(|_| actor == command::KEY).map(str::to_owned),
        address: entry.address.clone(),
        subject: entry.subject.clone(),
        at: entry.at,
        sent_at: entry.sent_at,
    })
}
