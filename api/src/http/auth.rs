//! Authentication: the key of a request, from the header of its path's scheme.
//!
//! The result is a value for the handler, never a rejection, so that the response is decided in one place. It
//! never reveals whether a key exists.

use warp::http::HeaderMap;
use warp::http::header::{AUTHORIZATION, COOKIE};

use super::request::Head;
use super::server::connections;
use crate::access::authority::{Authority, Caller, KeyRefusal};
use crate::access::tickets::{self, Ticket};
use crate::http::problem::Problem;

pub(super) const API_KEY: &str = "x-api-key";
const FOREIGN: &str = "The key is not valid.";
pub(crate) const NOT_CURRENT: &str = "It is not known at the moment whether keys are still valid; try again.";
const FOREIGN_TICKET: &str = "The ticket is not valid, or its key is not any more.";
const KEY_AND_TICKET: &str = "Send a key or a ticket, not both.";
const TWO_KEYS: &str = "Two headers carry two different keys; send one.";

/// How a path takes the key; both schemes serve the same resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthScheme {
    /// `/v1`, with `Authorization: Bearer <key>`.
    Bearer,
    /// `/api/v1`, with `x-api-key: <key>`, and the quota on every response.
    ApiKey,
}

impl AuthScheme {
    /// That of a path, whether there is anything at it or not.
    pub(crate) fn of(path: &str) -> Self {
        let rest = path.strip_prefix("/api/v1");
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            Self::ApiKey
        } else {
            Self::Bearer
        }
    }

    /// The authenticated caller.
    ///
    /// # Errors
    /// The problem to answer: 401, 400 when two headers carry different keys, 403 for an address that the key excludes, or 503 when
    /// it is not known whether the key is valid.
    pub(crate) fn caller(self, headers: &HeaderMap, authority: &Authority) -> Result<Caller, Problem> {
        let (key, challenge) = match self {
            Self::Bearer => (bearer(headers)?, "Bearer"),
            Self::ApiKey => (api_key(headers)?, "ApiKey"),
        };
        authority.caller(key, connections::client_address(headers)).map_err(|refusal| match refusal {
            KeyRefusal::Unknown => Problem::unauthorized(FOREIGN, challenge),
            KeyRefusal::Address => Problem::address_not_allowed(),
            KeyRefusal::NotCurrent => Problem::accounts_unavailable(NOT_CURRENT),
        })
    }
}

/// Whether a request has a key, a ticket or a cookie, valid or not.
pub(super) fn has_credentials(head: &Head<'_>) -> bool {
    let headers = head.headers;
    headers.contains_key(AUTHORIZATION)
        || headers.contains_key(API_KEY)
        || headers.contains_key(COOKIE)
        || tickets::of_query(head.query).is_some()
}

/// The holder of the key by which a ticket was issued.
///
/// # Errors
/// 401, 403 or 503, as for a key; 400 when there is a key too.
pub(super) fn ticket_holder(
    text: &str,
    headers: &HeaderMap,
    authority: &Authority,
) -> Result<Caller, Problem> {
    if headers.contains_key(API_KEY) || headers.contains_key(AUTHORIZATION) {
        return Err(Problem::bad_request(KEY_AND_TICKET));
    }
    let refuse = || Problem::unauthorized(FOREIGN_TICKET, "Ticket");
    let ticket = Ticket::verify(text, authority.pepper()).ok_or_else(refuse)?;
    let caller = authority.caller_of(&ticket.kid, connections::client_address(headers));
    caller.map_err(|refusal| match refusal {
        KeyRefusal::Unknown => refuse(),
        KeyRefusal::Address => Problem::address_not_allowed(),
        KeyRefusal::NotCurrent => Problem::accounts_unavailable(NOT_CURRENT),
    })
}

fn bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let refuse = |detail| Problem::unauthorized(detail, "Bearer");
    let other = headers.get(API_KEY);
    let Some(value) = headers.get(AUTHORIZATION) else {
        return Err(refuse(if other.is_some() {
            "This route takes the key in the Authorization header, as Bearer, not in x-api-key."
        } else {
            "Send the key in the Authorization header, as Bearer."
        }));
    };
    let key = value.to_str().ok().and_then(as_bearer);
    let key = key.ok_or_else(|| refuse("The Authorization header must be: Bearer, a space, and the key."))?;
    if other.is_some_and(|other| other.as_bytes() != key.as_bytes()) {
        return Err(Problem::bad_request(TWO_KEYS));
    }
    Ok(key)
}

fn api_key(headers: &HeaderMap) -> Result<&str, Problem> {
    let refuse = |detail| Problem::unauthorized(detail, "ApiKey");
    let other = headers.get(AUTHORIZATION);
    let Some(key) = headers.get(API_KEY) else {
        return Err(refuse(if other.is_some() {
            "This route takes the key in the x-api-key header, not in Authorization."
        } else {
            "Send the key in the x-api-key header."
        }));
    };
    let key = key.to_str().unwrap_or_default().trim();
    if other.is_some_and(|other| other.to_str().ok().and_then(as_bearer) != Some(key)) {
        return Err(Problem::bad_request(TWO_KEYS));
    }
    Ok(key)
}

/// The key of a Bearer header's value.
fn as_bearer(value: &str) -> Option<&str> {
    let (scheme, key) = value.split_once(' ').unwrap_or((value, ""));
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_api_key_is_taken_by_all_below_its_prefix() {
        for path in ["/api/v1", "/api/v1/", "/api/v1/arbs", "/api/v1/nothing"] {
            assert_eq!(AuthScheme::of(path), AuthScheme::ApiKey, "{path}");
        }
        for path in ["/", "/v1/arbs", "/api", "/api/v10", "/api/v2/arbs", "/x/api/v1"] {
            assert_eq!(AuthScheme::of(path), AuthScheme::Bearer, "{path}");
        }
    }
}
