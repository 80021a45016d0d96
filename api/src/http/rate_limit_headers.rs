//! The headers of a key's burst limit: what the policy is, and what is left of it. Both surfaces have them, when the plan has a limit.
//!
//! Each instance counts by itself, so the values are those of the instance that answers. It never limits anything.
//!
//! Source: IETF draft-ietf-httpapi-ratelimit-headers-10, `RateLimit-Policy` and `RateLimit`; RFC 9651 for their syntax.

use warp::http::header::HeaderName;
use warp::http::{HeaderMap, HeaderValue};

use crate::access::burst::BurstStatus;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Writes the policy (`q` requests within `w` seconds, after which all of them are possible again), and what remains (`r`) with the
/// seconds until another request is possible, or until all are (`t`).
pub(super) fn write(status: BurstStatus, headers: &mut HeaderMap) {
    let BurstStatus { burst, per_second, remaining, wait } = status;
    let until = if wait > 0 { wait } else { status.refill().into() };
    let policy = format!("\"burst\";q={burst};w={}", burst.div_ceil(per_second));
    let limit = format!("\"burst\";r={remaining};t={until}");
    for (name, text) in [(POLICY, policy), (LIMIT, limit)] {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_and_what_is_left_of_it() {
        let text = |remaining, wait| {
            let mut headers = HeaderMap::new();
            write(BurstStatus { burst: 50, per_second: 20, remaining, wait }, &mut headers);
            [POLICY, LIMIT].map(|name| headers[name].to_str().unwrap().to_owned())
        };
        assert_eq!(text(49, 0), ["\"burst\";q=50;w=3", "\"burst\";r=49;t=1"]);
        assert_eq!(text(0, 1), ["\"burst\";q=50;w=3", "\"burst\";r=0;t=1"]);
        assert_eq!(text(0, 0), ["\"burst\";q=50;w=3", "\"burst\";r=0;t=3"]);
    }
}
