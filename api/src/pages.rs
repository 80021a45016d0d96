//! What is open, a page at a time: `GET /v1/arbs`, `/v1/signals` and the same on the other surface.
//!
//! It never filters or reorders by anything that the caller did not name.

use std::sync::Arc;

use tokio::task::block_in_place;
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, VARY};
use warp::http::{HeaderMap, HeaderValue, StatusCode};
use warp::reply::Response;

use crate::App;
use crate::cursor::Cursor;
use crate::entries::Entries;
use crate::etag;
use crate::filter::parameters;
use crate::listed::{Filter, Listed};
use crate::problem::Problem;
use crate::request::Request;
use crate::snapshot::{AskOf, Page, Snapshot};

/// Entries of a page, unless asked otherwise.
const LIMIT: usize = 100;
/// Most entries of a page.
const MAX_LIMIT: usize = 500;
/// Headers of an answer, at most.
const HEADERS: usize = 10;

/// Answers a request.
pub(crate) fn list<E: Listed>(
    app: &App,
    entries: &Entries<E>,
    request: &Request<'_>,
) -> Result<Response, Problem> {
    let ask = parse::<E>(request.query)?;
    if !entries.is_ready() {
        return Err(Problem::unavailable(E::UNREAD));
    }
    app.sports.check(ask.filter.sport())?;
    let page = if etag::is_conditional(request.headers) {
        // Who would be refused without the tag is refused with it (RFC 9110, 13.2.1), and nothing is rendered for it.
        request.refuse_if_spent(app)?;
        let page = snapshot(entries)?.page(&ask);
        if page.tag.is_known_to(request.headers) {
            return Ok(not_modified(&page));
        }
        request.charge(app)?;
        page
    } else {
        // Before the work: a refusal is to cost no rendering. What is ready stays so.
        request.charge(app)?;
        snapshot(entries)?.page(&ask)
    };
    let mut response = Response::new(page.json.clone().into());
    describe(&page, response.headers_mut());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

/// The list as it is now; what has changed is rendered where it may take its time.
fn snapshot<E: Listed>(entries: &Entries<E>) -> Result<Arc<Snapshot<E>>, Problem> {
    let snapshot = entries.current().or_else(|| block_in_place(|| entries.snapshot()));
    snapshot.ok_or_else(|| Problem::unavailable(E::UNREAD))
}

/// The caller has this page: it is told so, and charged nothing.
fn not_modified(page: &Page) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    describe(page, response.headers_mut());
    response
}

/// What caches are told: to keep the page for its caller alone, and to ask each time whether it is still the same.
fn describe(page: &Page, headers: &mut HeaderMap) {
    headers.reserve(HEADERS);
    headers.insert(ETAG, page.tag.header());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(VARY, HeaderValue::from_static("authorization, x-api-key"));
}

/// What a query asks for.
fn parse<E: Listed>(text: &str) -> Result<AskOf<E>, Problem> {
    let (mut limit, mut cursor, mut filter) = (LIMIT, None, E::Filter::default());
    for (name, value) in parameters(text)? {
        match &*name {
            "limit" => limit = parse_limit(&value)?,
            "cursor" => cursor = Some(parse_cursor::<E>(&value)?),
            _ if filter.take(&name, &value)? => {}
            _ => return Err(Problem::invalid_param(&name, "is unknown")),
        }
    }
    if cursor.as_ref().is_some_and(|cursor| cursor.filter != filter) {
        return Err(Problem::invalid_param("cursor", "belongs to a page with other filters"));
    }
    Ok(AskOf::<E> { limit, after: cursor.map(|cursor| cursor.after), filter })
}

fn parse_limit(text: &str) -> Result<usize, Problem> {
    let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| Problem::invalid_param("limit", "must be a whole number from 1 to 500"))
}

fn parse_cursor<E: Listed>(text: &str) -> Result<Cursor<E::Place, E::Filter>, Problem> {
    Cursor::decode(text)
        .ok_or_else(|| Problem::invalid_param("cursor", "must be a next_cursor of this route"))
}
