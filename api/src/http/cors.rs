//! Which pages of other origins may read answers: those of the setting `--cors-origins`, none without it.
//!
//! It is about routes for keys alone; the routes of sessions are for the site's origin. It never allows cookies.
//!
//! Source: WHATWG Fetch, "HTTP CORS protocol".

use warp::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use warp::http::{HeaderMap, HeaderValue, Method};
use warp::reply::Response;

use super::request::Head;
use super::{options, site};

/// Headers that a page may read.
const EXPOSED: &str = "x-request-id, x-requests-remaining, x-requests-used, x-requests-last, x-requests-reset, x-plan, ratelimit, \
                       ratelimit-policy, retry-after, etag, location, link, allow, www-authenticate, deprecation, sunset";
/// Headers that a page may send.
const ALLOWED: &str =
    "authorization, x-api-key, content-type, accept, idempotency-key, if-none-match, last-event-id";
/// How long a browser need not ask again, in seconds.
const MAX_AGE: &str = "600";
/// Where keys are of no use.
const SESSION: &str = "/session";

/// The origins.
#[derive(Debug, Clone, Default)]
pub struct Cors {
    origins: Vec<String>,
}

impl Cors {
    /// Of these origins, such as `https://app.example`.
    ///
    /// # Errors
    /// Why one is none.
    pub fn new(origins: &[String]) -> Result<Self, String> {
        let origins = origins.iter().map(|origin| site::origin(origin));
        Ok(Self { origins: origins.collect::<Result<_, _>>()? })
    }

    /// Whether it has an origin.
    pub(crate) fn has(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known == origin)
    }

    /// The origin of a request that may be read by it.
    fn origin<'a>(&self, head: &Head<'a>) -> Option<&'a HeaderValue> {
        let is_for_keys = head.path != SESSION && !head.path.starts_with("/session/");
        let origin = head.headers.get(ORIGIN).filter(|_| is_for_keys)?;
        origin.to_str().is_ok_and(|origin| self.has(origin)).then_some(origin)
    }

    /// The answer to a request that a browser sends before another one; `None` where it is none, or not allowed.
    pub(super) fn preflight(&self, head: &Head<'_>, methods: &str) -> Option<Response> {
        let is_one =
            *head.method == Method::OPTIONS && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        self.origin(head).filter(|_| is_one)?;
        let mut response = options::answer(methods);
        let headers = response.headers_mut();
        headers.extend(
            HeaderValue::from_str(methods).ok().map(|methods| (ACCESS_CONTROL_ALLOW_METHODS, methods)),
        );
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOWED));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
        Some(response)
    }

    /// Writes who may read a response, and which of its headers. Caches must know that it depends on the origin.
    pub(super) fn write(&self, head: &Head<'_>, headers: &mut HeaderMap) {
        if self.origins.is_empty() {
            return;
        }
        headers.append(VARY, HeaderValue::from_static("origin"));
        if let Some(origin) = self.origin(head) {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_origins_read_and_only_routes_of_keys() {
        let cors = Cors::new(&["https://App.example/".to_owned()]).unwrap();
        for (origin, path, expected) in [
            ("https://app.example", "/v1/arbs", true),
            ("https://app.example", "/session", false),
            ("https://app.example", "/session/keys", false),
            ("http://app.example", "/v1/arbs", false),
            ("https://app.example.evil.example", "/v1/arbs", false),
            ("null", "/v1/arbs", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ORIGIN, origin.parse().unwrap());
            headers.insert(ACCESS_CONTROL_REQUEST_METHOD, HeaderValue::from_static("GET"));
            let head = Head { method: &Method::OPTIONS, path, query: "", headers: &headers };
            assert_eq!(cors.preflight(&head, "GET, HEAD").is_some(), expected, "{origin} {path}");
            let mut response = HeaderMap::new();
            cors.write(&head, &mut response);
            assert_eq!(response.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN), expected, "{origin} {path}");
            assert_eq!(response[VARY], "origin");
        }
        for wrong in ["app.example", "*", "https://a/b", "null", ""] {
            assert!(Cors::new(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
