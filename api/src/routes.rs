//! The URL map on one screen.
//!
//! | path | |
//! |---|---|
//! | `GET /v1/arbs` | the ranked board, `Authorization: Bearer <key>` |
//! | `GET /livez` | the process runs |
//! | `GET /readyz` | the board has been read |
//! | `GET /problems/{name}` | what an error's `type` means |
//!
//! Every route answers HEAD as it answers GET. Nothing is computed here.

use warp::Filter;
use warp::filters::BoxedFilter;
use warp::http::header::CONTENT_TYPE;
use warp::http::{HeaderMap, HeaderValue, Method};
use warp::path::FullPath;
use warp::reply::Response;

use crate::problem::{self, Problem};
use crate::{App, SharedApp, arbs};

/// What all routes answer to.
const ALLOW: &str = "GET, HEAD";
const REQUEST_ID: &str = "x-request-id";

/// What a path names.
enum Route {
    Arbs,
    Live,
    Ready,
    Problem(String),
}

impl Route {
    fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/arbs" => Some(Self::Arbs),
            "/livez" => Some(Self::Live),
            "/readyz" => Some(Self::Ready),
            _ => path.strip_prefix("/problems/").and_then(problem::page).map(Self::Problem),
        }
    }
}

/// All routes. No filter here rejects, so every request gets one of our own responses.
pub(crate) fn routes(app: SharedApp) -> BoxedFilter<(Response,)> {
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .map(move |method: Method, path: FullPath, query: String, headers: HeaderMap| {
            let answer = answer(&app, &method, path.as_str(), &query, &headers);
            identified(answer.unwrap_or_else(Problem::into_response))
        })
        .boxed()
}

fn answer(
    app: &App,
    method: &Method,
    path: &str,
    query: &str,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let route = Route::of(path).ok_or_else(Problem::not_found)?;
    if method != Method::GET && method != Method::HEAD {
        return Err(Problem::method_not_allowed(ALLOW));
    }
    match route {
        Route::Arbs => arbs::list(app, headers, query),
        Route::Live => Ok(text("live\n".to_owned())),
        Route::Ready => ready(app),
        Route::Problem(page) => Ok(text(page)),
    }
}

fn ready(app: &App) -> Result<Response, Problem> {
    if app.board.is_ready() {
        Ok(text("ready\n".to_owned()))
    } else {
        Err(Problem::unavailable("The board is being read."))
    }
}

fn text(body: String) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Every response has an id of its own, to be found again in a log.
fn identified(mut response: Response) -> Response {
    let mut bytes = [0; 8];
    if getrandom::fill(&mut bytes).is_ok() {
        let id = format!("{:016x}", u64::from_be_bytes(bytes));
        if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
    }
    response
}
