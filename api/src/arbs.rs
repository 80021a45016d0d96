//! `GET /v1/arbs` and `GET /api/v1/arbs`: the ranked board, a page at a time.
//!
//! It never filters or reorders by anything that the caller did not name.

use std::sync::Arc;

use tokio::task::block_in_place;
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, VARY};
use warp::http::{HeaderMap, HeaderValue, StatusCode};
use warp::reply::Response;

use crate::App;
use crate::cursor::Cursor;
use crate::etag;
use crate::filter::{Sport, parameters};
use crate::problem::Problem;
use crate::request::Request;
use crate::snapshot::{Ask, Page, Snapshot};

/// Entries of a page, unless asked otherwise.
const LIMIT: usize = 100;
/// Most entries of a page.
const MAX_LIMIT: usize = 500;

/// Answers a request.
pub(crate) fn list(app: &App, request: &Request<'_>) -> Result<Response, Problem> {
    let ask = parse(request.query)?;
    if !app.board.is_ready() {
        return Err(unavailable());
    }
    let page = if etag::is_conditional(request.headers) {
        // Who would be refused without the tag is refused with it (RFC 9110, 13.2.1), and nothing is rendered for it.
        request.refuse_if_spent(app)?;
        let page = snapshot(app)?.page(&ask);
        if page.tag.is_known_to(request.headers) {
            return Ok(not_modified(&page));
        }
        request.charge(app)?;
        page
    } else {
        // Before the work: a refusal is to cost no rendering. A board that is ready stays so.
        request.charge(app)?;
        snapshot(app)?.page(&ask)
    };
    let mut response = Response::new(page.json.clone().into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    describe(&page, response.headers_mut());
    Ok(response)
}

fn unavailable() -> Problem {
    Problem::unavailable("The board is being read; try again.")
}

/// The board as it is now; what has changed is rendered where it may take its time.
fn snapshot(app: &App) -> Result<Arc<Snapshot>, Problem> {
    let current = app.board.current();
    current.or_else(|| block_in_place(|| app.board.snapshot())).ok_or_else(unavailable)
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
    headers.insert(ETAG, page.tag.header());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(VARY, HeaderValue::from_static("authorization, x-api-key"));
}

/// What a query asks for.
fn parse(text: &str) -> Result<Ask, Problem> {
    let (mut limit, mut cursor, mut sport) = (LIMIT, None, Sport::default());
    for (name, value) in parameters(text)? {
        match &*name {
            "limit" => limit = parse_limit(&value)?,
            "cursor" => cursor = Some(parse_cursor(&value)?),
            "sport" => sport = Sport::parse(&value)?,
            _ => return Err(Problem::invalid_param(&name, "is unknown")),
        }
    }
    if cursor.as_ref().is_some_and(|cursor| cursor.sport != sport) {
        return Err(Problem::invalid_param("cursor", "belongs to a page with other filters"));
    }
    Ok(Ask { limit, after: cursor.map(|cursor| cursor.after), sport })
}

fn parse_limit(text: &str) -> Result<usize, Problem> {
    let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| Problem::invalid_param("limit", "must be a whole number from 1 to 500"))
}

fn parse_cursor(text: &str) -> Result<Cursor, Problem> {
    Cursor::decode(text)
        .ok_or_else(|| Problem::invalid_param("cursor", "must be a next_cursor of this route"))
}
