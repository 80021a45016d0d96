//! `GET /problems/{name}`: the meaning of an error's `type`, as text, or as a page for browsers. It never knows which errors have occurred.

use warp::http::HeaderValue;
use warp::http::header::{ACCEPT, VARY};

use crate::docs;
use crate::http::problem::{self, Problem};
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::page;

/// Answers a request.
pub(crate) fn show(request: &Request<'_>) -> Answer {
    let (title, text) = problem::meaning(&request.parameter("name")).ok_or_else(Problem::not_found)?;
    let accepted = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
    let mut response = if accepted.is_some_and(|accept| accept.contains("text/html")) {
        let mut response = reply::html(docs::problem(&title, text));
        page::confine(response.headers_mut());
        response
    } else {
        reply::text(format!("{title}\n\n{text}\n"))
    };
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
    Ok(response)
}
