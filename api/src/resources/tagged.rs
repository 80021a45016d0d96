//! A JSON answer with an entity tag: 304 is free, and so is HEAD. It never keeps an answer.

use serde::Serialize;
use warp::http::HeaderValue;
use warp::http::header::CONTENT_TYPE;
use warp::reply::Response;

use crate::http::caching::Caching;
use crate::http::charge::Charge;
use crate::http::encoding::{self, Encoded};
use crate::http::etag::Tag;
use crate::http::problem::Problem;
use crate::http::request::Request;
use crate::http::route::Answer;

/// Answers with a view, or with 304 where the caller has it.
///
/// # Errors
/// As [`Charge::charge`].
pub(crate) fn answer(view: &impl Serialize, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
    charge.refuse_if_spent()?;
    let body = arb_feed::view::json(view);
    let tag = Tag::of(&body);
    if tag.is_known_to(request.headers()) {
        return Ok(Caching::ANSWER.not_modified(&tag));
    }
    charge.charge()?;
    Ok(encoded(body, &tag, request))
}

fn encoded(body: Vec<u8>, tag: &Tag, request: &Request<'_>) -> Response {
    let (body, coding) = Encoded::new(body.into()).accepted(request.headers());
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    encoding::describe(coding, headers);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Caching::ANSWER.describe(tag, headers);
    response
}

/// Refuses parameters on a route that has none.
///
/// # Errors
/// 400.
pub(crate) fn refuse_parameters(request: &Request<'_>) -> Result<(), Problem> {
    match form_urlencoded::parse(request.query().as_bytes()).next() {
        None => Ok(()),
        Some((name, _)) => Err(Problem::invalid_param(&name, "is unknown")),
    }
}
