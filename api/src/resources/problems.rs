//! `GET /problems/{name}`: the meaning of an error's `type`. It never knows which errors have occurred.

use crate::http::problem::{self, Problem};
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;

/// Answers a request.
pub(crate) fn page(request: &Request<'_>) -> Answer {
    let page = problem::page(request.parameter("name"));
    page.map(reply::text).ok_or_else(Problem::not_found)
}
