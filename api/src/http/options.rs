//! The answer to OPTIONS: the methods that a path has. It needs no key, costs nothing, and is the same for everybody.
//!
//! Source: RFC 9110, 9.3.7 (OPTIONS) and 10.2.1 (Allow).

use warp::http::header::ALLOW;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

/// The method, among those that a path has.
pub(super) const NAME: &str = "OPTIONS";

/// The answer for a path with these methods.
pub(super) fn answer(methods: &str) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().extend(HeaderValue::from_str(methods).ok().map(|methods| (ALLOW, methods)));
    response
}
