//! The header fields by which browsers are kept from doing with an answer what it is not meant for. Every response has them.
//!
//! An answer with a value of its own keeps it: the page has a policy of its own, a list its own word on caching. Without one an
//! answer is not stored, because it may be of one account. It never looks at the content of an answer.
//!
//! Source: OWASP REST Security Cheat Sheet, "Security headers"; RFC 6797 (Strict-Transport-Security).

use warp::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use warp::http::{HeaderMap, HeaderValue};

/// No answer loads anything, stands in a frame, or is taken for another type than it states.
const ALL: [(HeaderName, HeaderValue); 5] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
];
/// A year. Other names under the same domain are not ours to decide about.
const TLS_ALONE: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Writes them, with the request to reach this host by TLS alone where it is reached so.
pub(super) fn write(is_secure: bool, headers: &mut HeaderMap) {
    for (name, value) in ALL {
        headers.entry(name).or_insert(value);
    }
    if is_secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, TLS_ALONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_says_stays_and_the_rest_is_added() {
        let mut headers = HeaderMap::new();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        write(false, &mut headers);
        assert_eq!((headers.len(), &headers[CACHE_CONTROL]), (5, &"private, no-cache".parse().unwrap()));
        assert_eq!(headers[CONTENT_SECURITY_POLICY], "default-src 'none'; frame-ancestors 'none'");
        write(true, &mut headers);
        assert_eq!((headers.len(), &headers[STRICT_TRANSPORT_SECURITY]), (6, &TLS_ALONE));
    }
}
