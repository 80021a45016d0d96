//! Responses with a body of a given type. It never decides a status.

use serde::Serialize;
use warp::http::HeaderValue;
use warp::http::header::CONTENT_TYPE;
use warp::reply::Response;

/// The media type of pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Plain text.
pub(crate) fn text(body: String) -> Response {
    of_type("text/plain; charset=utf-8", Response::new(body.into()))
}

/// A JSON document.
pub(crate) fn json(body: String) -> Response {
    of_type("application/json", Response::new(body.into()))
}

/// A JSON document that is a view.
pub(crate) fn view(view: &impl Serialize) -> Response {
    of_type("application/json", Response::new(arb_feed::view::json(view).into()))
}

/// A page.
pub(crate) fn html(body: String) -> Response {
    of_type(HTML, Response::new(body.into()))
}

fn of_type(content_type: &'static str, mut response: Response) -> Response {
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
