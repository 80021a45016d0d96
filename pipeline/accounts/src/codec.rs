//! Requests and parts of the state as bytes, and back.

use arb_schemas::wire::WireError;

use crate::command::Request;
use crate::directory::Part;

/// A request as a record of the command topic.
///
/// # Errors
/// [`WireError`] when it is longer than the topic takes.
pub fn encode_request(request: &Request) -> Result<Vec<u8>, WireError> {
    serde_json::to_vec(request).map_err(|error| WireError::Avro(error.to_string()))
}

/// A record of the compacted topic as a part of the state; `None` for the runtime's own record of the partition.
///
/// # Errors
/// [`WireError`] when it is none.
pub fn decode_part(key: &[u8], value: &[u8]) -> Result<Option<Part>, WireError> {
    fn json<T: serde::de::DeserializeOwned>(value: &[u8]) -> Result<T, WireError> {
        serde_json::from_slice(value).map_err(|error| WireError::Avro(error.to_string()))
    }
    let key = String::from_utf8_lossy(key);
    Ok(Some(match key.split_once('/').map_or(&*key, |(kind, _)| kind) {
        "account" => Part::Account(json(value)?),
        "session" => Part::Session(json(value)?),
        "key" => Part::Key(json(value)?),
        "reply" => Part::Reply(json(value)?),
        "clock" => Part::Clock(json(value)?),
        _ => return Ok(None),
    }))
}
