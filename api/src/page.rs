//! The web page: the built files of `api/dashboard`, embedded in the program.
//!
//! `GET /` is the document, which a browser asks for each time; `GET /assets/{name}` are scripts and styles, whose names have a hash of their
//! content, so that a browser asks for each once. Every answer has the headers that confine the page to this origin. It never
//! reads a file, and never answers with anything of an account.
//!
//! Source: RFC 9110, 8.8.3 (entity tags); Content Security Policy Level 3.

use std::sync::LazyLock;

use bytes::Bytes;
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, VARY};
use warp::http::{HeaderMap, HeaderValue, StatusCode};
use warp::reply::Response;

use crate::http::encoding::{self, Encoded};
use crate::http::etag::Tag;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;

const DOCUMENT: &[u8] = include_bytes!("../dashboard/dist/index.html");
const ASSETS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// What the page may load, and who may show it: nothing but this origin, no inline script or style, no HTML from text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
                      connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";
const CONFINED: [(HeaderName, &str); 7] = [
    (HeaderName::from_static("content-security-policy"), POLICY),
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    (HeaderName::from_static("x-frame-options"), "DENY"),
    (HeaderName::from_static("referrer-policy"), "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=(), payment=()"),
];
/// A year: the content of a name never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// A browser asks whether it has changed.
pub(crate) const EACH_TIME: &str = "no-cache";

/// A file of the page.
struct PageFile {
    name: &'static str,
    body: Encoded,
}

static FILES: LazyLock<Vec<PageFile>> = LazyLock::new(|| {
    let file = |&(name, bytes): &(&'static str, &'static [u8])| PageFile {
        name,
        body: Encoded::of_file(Bytes::from_static(bytes)),
    };
    ASSETS.iter().chain([&("index.html", DOCUMENT)]).map(file).collect()
});

/// Answers `GET /`.
pub(crate) fn document(request: &Request<'_>) -> Answer {
    answer("index.html", EACH_TIME, request)
}

/// Answers `GET /assets/{name}`.
pub(crate) fn asset(request: &Request<'_>) -> Answer {
    match &*request.parameter("name") {
        "index.html" => Err(Problem::not_found()),
        name => answer(name, FOR_EVER, request),
    }
}

fn answer(name: &str, cache: &'static str, request: &Request<'_>) -> Answer {
    let file = FILES.iter().find(|file| file.name == name).ok_or_else(Problem::not_found)?;
    Ok(self::file(&file.body, content_type(name), cache, request))
}

/// Answers with a file, in a coding that the request accepts.
pub(crate) fn file(
    body: &Encoded,
    media: &'static str,
    cache: &'static str,
    request: &Request<'_>,
) -> Response {
    let (body, coding) = body.accepted(request.headers());
    // Strong: of the bytes that are sent, so that each coding has its own.
    let tag = Tag::of_bytes(&body);
    let mut response = Response::default();
    if tag.is_known_to(request.headers()) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        *response.body_mut() = body.into();
        encoding::describe(coding, response.headers_mut());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    }
    describe(&tag, cache, response.headers_mut());
    response
}

fn describe(tag: &Tag, cache: &'static str, headers: &mut HeaderMap) {
    headers.insert(ETAG, tag.header());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    confine(headers);
}

/// What keeps a page to this origin.
pub(crate) fn confine(headers: &mut HeaderMap) {
    headers.extend(CONFINED.map(|(name, value)| (name, HeaderValue::from_static(value))));
}

/// Headers that browsers need: by `nosniff` they guess nothing.
fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => reply::HTML,
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
