//! `GET /v1/arbs` and `GET /api/v1/arbs`: the ranked board, a page at a time.
//!
//! It never filters or reorders by anything that the caller did not name.

use warp::http::HeaderValue;
use warp::http::header::CONTENT_TYPE;
use warp::reply::Response;

use crate::App;
use crate::cursor::{Cursor, Place};
use crate::filter::{Sport, parameters};
use crate::problem::Problem;
use crate::request::Request;

/// Entries of a page, unless asked otherwise.
const LIMIT: usize = 100;
/// Most entries of a page.
const MAX_LIMIT: usize = 500;

/// What a request asks for.
#[derive(Debug, PartialEq)]
struct Query {
    limit: usize,
    after: Option<Place>,
    sport: Sport,
}

/// Answers a request.
pub(crate) fn list(app: &App, request: &Request<'_>) -> Result<Response, Problem> {
    let Query { limit, after, sport } = Query::parse(request.query)?;
    let unavailable = || Problem::unavailable("The board is being read; try again.");
    if !app.board.is_ready() {
        return Err(unavailable());
    }
    // Before the work: a refusal is to cost no rendering. A board that is ready stays so.
    request.charge(app)?;
    let snapshot = tokio::task::block_in_place(|| app.board.snapshot()).ok_or_else(unavailable)?;
    let mut response = Response::new(snapshot.page(limit, after.as_ref(), &sport).into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

impl Query {
    fn parse(text: &str) -> Result<Self, Problem> {
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
        Ok(Self { limit, after: cursor.map(|cursor| cursor.after), sport })
    }
}

fn parse_limit(text: &str) -> Result<usize, Problem> {
    let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| Problem::invalid_param("limit", "must be a whole number from 1 to 500"))
}

fn parse_cursor(text: &str) -> Result<Cursor, Problem> {
    Cursor::decode(text)
        .ok_or_else(|| Problem::invalid_param("cursor", "must be a next_cursor of this route"))
}
