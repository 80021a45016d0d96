//! `GET /v1/arbs`: the ranked board, a page at a time.
//!
//! It never filters or reorders by anything that the caller did not name.

use warp::http::HeaderMap;
use warp::http::HeaderValue;
use warp::http::header::CONTENT_TYPE;
use warp::reply::Response;

use crate::cursor::Place;
use crate::problem::Problem;
use crate::{App, auth};

/// Entries of a page, unless asked otherwise.
const LIMIT: usize = 100;
/// Most entries of a page.
const MAX_LIMIT: usize = 500;

/// What a request asks for.
#[derive(Debug, PartialEq)]
struct Query {
    limit: usize,
    after: Option<Place>,
}

/// Answers a request.
pub(crate) fn list(app: &App, headers: &HeaderMap, query: &str) -> Result<Response, Problem> {
    auth::bearer(headers, &app.keys)?;
    let Query { limit, after } = Query::parse(query)?;
    let snapshot = app.board.snapshot();
    let snapshot = snapshot.ok_or_else(|| Problem::unavailable("The board is being read; try again."))?;
    let mut response = Response::new(snapshot.page(limit, after.as_ref()).into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

impl Query {
    fn parse(text: &str) -> Result<Self, Problem> {
        let mut query = Self { limit: LIMIT, after: None };
        let mut seen = Vec::new();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            if seen.contains(&name) {
                return Err(Problem::invalid_param(&name, "is given twice"));
            }
            match &*name {
                "limit" => query.limit = limit(&value)?,
                "cursor" => query.after = Some(cursor(&value)?),
                _ => return Err(Problem::invalid_param(&name, "is unknown")),
            }
            seen.push(name);
        }
        Ok(query)
    }
}

fn limit(text: &str) -> Result<usize, Problem> {
    let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| Problem::invalid_param("limit", "must be a whole number from 1 to 500"))
}

fn cursor(text: &str) -> Result<Place, Problem> {
    Place::decode(text).ok_or_else(|| Problem::invalid_param("cursor", "must be a next_cursor of this route"))
}
