//! How large a request's head may be. It never looks at what the request means.

use warp::http::HeaderMap;

use super::problem::Problem;

/// Most bytes of a path and its query.
const MAX_URI: usize = 8 * 1024;
/// Most bytes of the header fields together. There are never more than 100: hyper refuses those.
const MAX_HEADERS: usize = 32 * 1024;

/// Refuses what is longer than anything that is meant. hyper's own limits are wider, so that this is what answers.
///
/// # Errors
/// 414 or 431.
pub(super) fn check(path: &str, query: &str, headers: &HeaderMap) -> Result<(), Problem> {
    if path.len() + query.len() > MAX_URI {
        return Err(Problem::uri_too_long());
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > MAX_HEADERS { Err(Problem::headers_too_large()) } else { Ok(()) }
}
