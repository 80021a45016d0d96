//! Who asks: the key of a request, from the header of its surface.
//!
//! The result is a value for the handler, never a rejection, so that what is answered is decided in one place. It
//! never says whether a key exists.

use warp::http::HeaderMap;
use warp::http::header::AUTHORIZATION;

use crate::keys::Keys;
use crate::problem::Problem;

const API_KEY: &str = "x-api-key";

/// The kid of a request to the first surface, whose header is `Authorization: Bearer`.
///
/// # Errors
/// The problem to answer: 401, or 400 when two headers carry different keys.
pub(crate) fn bearer<'a>(headers: &'a HeaderMap, keys: &Keys) -> Result<&'a str, Problem> {
    let other = headers.get(API_KEY);
    let Some(value) = headers.get(AUTHORIZATION) else {
        let detail = if other.is_some() {
            "This route takes the key in the Authorization header, as Bearer, not in x-api-key."
        } else {
            "Send the key in the Authorization header, as Bearer."
        };
        return Err(Problem::unauthorized(detail));
    };
    let value = value.to_str().unwrap_or_default();
    let (scheme, key) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Problem::unauthorized("The Authorization header must be: Bearer, a space, and the key."));
    }
    let key = key.trim();
    if other.is_some_and(|other| other.as_bytes() != key.as_bytes()) {
        return Err(Problem::bad_request("Two headers carry two different keys; send one."));
    }
    keys.check(key).ok_or_else(|| Problem::unauthorized("The key is not valid."))
}
