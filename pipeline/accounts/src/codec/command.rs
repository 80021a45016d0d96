//! A command as its record: the envelope is Avro, the fields of each kind of command are a JSON object
//! (docs/adr/026-accounts.md).

use arb_schemas::records::AccountCommand;
use arb_schemas::wire::{self, WireError};
use serde_json::{Map, Value};

use crate::command::{Actor, Command, Request};

/// Longest record of a command in bytes: what one may hold is far shorter.
pub const MAX_COMMAND: usize = 64 * 1024;
const ANONYMOUS: &str = "anonymous";
const SESSION: &str = "session";
pub(super) const KEY: &str = "key";
const OPERATOR: &str = "operator";
/// The field of a command's JSON that names it.
const TAG: &str = "command";

pub(super) fn encode(request: &Request) -> Result<Vec<u8>, WireError> {
    let (actor, actor_id) = actor(&request.actor);
    let mut body = match serde_json::to_value(&request.command) {
        Ok(Value::Object(body)) => body,
        Ok(_) => Map::new(),
        Err(error) => return Err(malformed(&error)),
    };
    let command = match body.remove(TAG) {
        Some(Value::String(command)) => command,
        _ => String::new(),
    };
    let message = wire::encode(&AccountCommand {
        id: request.id.clone(),
        sent_at: request.sent_at,
        address: request.address.clone(),
        actor: actor.to_owned(),
        actor_id: actor_id.map(str::to_owned),
        command,
        body: Value::Object(body).to_string(),
    })?;
    fits(&message)?;
    Ok(message)
}

pub(super) fn decode(message: &[u8]) -> Result<Request, WireError> {
    fits(message)?;
    let record: AccountCommand = wire::decode(message)?;
    let mut body: Map<String, Value> =
        serde_json::from_str(&record.body).map_err(|error| malformed(&error))?;
    body.insert(TAG.to_owned(), Value::String(record.command));
    let command: Command = serde_json::from_value(Value::Object(body)).map_err(|error| malformed(&error))?;
    let actor = parse_actor(&record.actor, record.actor_id)?;
    Ok(Request { id: record.id, sent_at: record.sent_at, address: record.address, actor, command })
}

/// An actor's kind, and the session's hash or the key's kid.
pub(super) fn actor(actor: &Actor) -> (&'static str, Option<&str>) {
    match actor {
        Actor::Anonymous => (ANONYMOUS, None),
        Actor::Session(hash) => (SESSION, Some(hash)),
        Actor::Key(kid) => (KEY, Some(kid)),
        Actor::Operator => (OPERATOR, None),
    }
}

fn parse_actor(actor: &str, id: Option<String>) -> Result<Actor, WireError> {
    match (actor, id) {
        (ANONYMOUS, None) => Ok(Actor::Anonymous),
        (SESSION, Some(hash)) => Ok(Actor::Session(hash)),
        (KEY, Some(kid)) => Ok(Actor::Key(kid)),
        (OPERATOR, None) => Ok(Actor::Operator),
        (other, _) => {
            Err(WireError::Avro(format!("actor {other:?} is unknown, or its id is missing or one too many")))
        }
    }
}

fn malformed(error: &serde_json::Error) -> WireError {
    WireError::Avro(format!("command: {error}"))
}

pub(super) fn fits(message: &[u8]) -> Result<(), WireError> {
    let length = message.len();
    if length > MAX_COMMAND { Err(WireError::TooLong { length, limit: MAX_COMMAND }) } else { Ok(()) }
}
