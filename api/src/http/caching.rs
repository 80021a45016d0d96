//! What caches may do with an answer that has an entity tag: the same headers with its body and with 304.
//!
//! It never decides which of the two is sent.
//!
//! Source: RFC 9110, 15.4.5 (a 304 has the `Cache-Control`, `ETag` and `Vary` of the 200) and RFC 9111.

use warp::http::header::{CACHE_CONTROL, ETAG, VARY};
use warp::http::{HeaderMap, HeaderValue, StatusCode};
use warp::reply::Response;

use super::etag::Tag;

/// Headers of an answer, those that every response has included: room for them is made once.
const HEADERS: usize = 20;

/// Who may keep an answer, and by which headers of a request it differs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caching {
    control: &'static str,
    vary: Option<&'static str>,
}

impl Caching {
    /// A page of a list, which has several forms: for its caller alone, and asked for again at each request.
    pub(crate) const PAGE: Self = Self {
        control: "private, no-cache",
        vary: Some("accept, accept-encoding, authorization, x-api-key"),
    };
    /// The same for an answer of one form.
    pub(crate) const ANSWER: Self =
        Self { control: "private, no-cache", vary: Some("accept-encoding, authorization, x-api-key") };
    /// The same for everybody, for five minutes.
    pub(crate) const PUBLIC: Self = Self { control: "public, max-age=300", vary: None };

    /// Writes the headers of an answer with a tag.
    pub(crate) fn describe(self, tag: &Tag, headers: &mut HeaderMap) {
        headers.reserve(HEADERS);
        headers.insert(ETAG, tag.header());
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.control));
        if let Some(vary) = self.vary {
            headers.insert(VARY, HeaderValue::from_static(vary));
        }
    }

    /// 304: the caller has the answer with this tag already.
    pub(crate) fn not_modified(self, tag: &Tag) -> Response {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        self.describe(tag, response.headers_mut());
        response
    }
}
