//! How large a request's head may be, and which header fields it has once. It never looks at what the request means.
//!
//! Source: RFC 9112, 3.2 (a request has one Host); of two fields a proxy may obey one and this server the other.

use warp::http::HeaderMap;
use warp::http::header::{AUTHORIZATION, HOST};

use super::auth::API_KEY;
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
    if bytes > MAX_HEADERS {
        return Err(Problem::headers_too_large());
    }
    let count = |name: &str| headers.get_all(name).iter().count();
    if count(HOST.as_str()) != 1 {
        return Err(Problem::bad_request("A request has one Host header."));
    }
    if [AUTHORIZATION.as_str(), API_KEY].into_iter().any(|name| count(name) > 1) {
        return Err(Problem::bad_request(
            "A request has one Authorization and one x-api-key header at most.",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(fields: &[(&'static str, &'static str)]) -> u16 {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, value.parse().unwrap());
        }
        check("/v1/arbs", "", &headers).map_or_else(|problem| problem.into_parts().0.as_u16(), |()| 200)
    }

    #[test]
    fn what_may_be_read_in_two_ways_is_refused() {
        let host = ("host", "a.example");
        assert_eq!((status(&[host]), status(&[]), status(&[host, ("host", "b.example")])), (200, 400, 400));
        for name in ["authorization", "x-api-key"] {
            assert_eq!((status(&[host, (name, "a")]), status(&[host, (name, "a"), (name, "a")])), (200, 400));
        }
    }
}
