//! The URL map on one screen.
//!
//! | path | |
//! |---|---|
//! | `GET /v1/arbs`, `GET /api/v1/arbs` | the ranked board |
//! | `GET /v1/signals`, `GET /api/v1/signals` | the open edge signals |
//! | `GET /v1/stream`, `GET /api/v1/stream` | what changes, as Server-Sent Events |
//! | `GET /api/v1/usage` | quota and usage |
//! | `GET /livez` | the process runs |
//! | `GET /readyz` | the board, the signals and the feed have been read |
//! | `GET /problems/{name}` | what an error's `type` means |
//!
//! `/v1` takes the key as `Authorization: Bearer <key>`, `/api/v1` as `x-api-key: <key>`; every response of the latter
//! tells the quota. Every route answers HEAD as it answers GET. Nothing is computed here.

use std::sync::Arc;
use std::time::Instant;

use arb_runtime::telemetry::serve as telemetry;
use warp::Filter;
use warp::filters::BoxedFilter;
use warp::http::header::{CONTENT_TYPE, HeaderName};
use warp::http::{HeaderMap, HeaderValue, Method};
use warp::path::FullPath;
use warp::reply::Response;

use crate::auth::Surface;
use crate::problem::{self, Problem};
use crate::request::Request;
use crate::server::connections;
use crate::{App, SharedApp, pages, quota, request_id, stream};

/// What all routes answer to.
const ALLOW: &str = "GET, HEAD";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Most bytes of a path and its query.
const MAX_URI: usize = 8 * 1024;
/// Most bytes of the header fields together. There are never more than 100: hyper refuses those.
const MAX_HEADERS: usize = 32 * 1024;

/// What a path names.
enum Route {
    Arbs,
    Signals,
    Stream,
    Usage,
    Live,
    Ready,
    Problem(String),
}

impl Route {
    fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/arbs" | "/api/v1/arbs" => Some(Self::Arbs),
            "/v1/signals" | "/api/v1/signals" => Some(Self::Signals),
            "/v1/stream" | "/api/v1/stream" => Some(Self::Stream),
            "/api/v1/usage" => Some(Self::Usage),
            "/livez" => Some(Self::Live),
            "/readyz" => Some(Self::Ready),
            _ => path.strip_prefix("/problems/").and_then(problem::page).map(Self::Problem),
        }
    }
}

/// How paths are named where they are counted: whoever asks for paths that are none makes no more of them.
const PATTERNS: [&str; 11] = [
    "other",
    "/problems/{name}",
    "/v1/arbs",
    "/api/v1/arbs",
    "/v1/signals",
    "/api/v1/signals",
    "/v1/stream",
    "/api/v1/stream",
    "/api/v1/usage",
    "/livez",
    "/readyz",
];

/// Which of the patterns a path is.
fn pattern(path: &str) -> usize {
    let parent = path.starts_with("/problems/").then_some(1);
    parent.or_else(|| PATTERNS.iter().position(|pattern| *pattern == path)).unwrap_or(0)
}

/// All routes. No filter here rejects, so every request gets one of our own responses.
pub(crate) fn routes(app: SharedApp) -> BoxedFilter<(Response,)> {
    let meters = Arc::new(PATTERNS.map(telemetry::Route::new));
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .map(move |method: Method, path: FullPath, query: String, headers: HeaderMap| {
            let begun = Instant::now();
            let response = respond(&app, &method, path.as_str(), &query, &headers);
            meters[pattern(path.as_str())].answered(response.status().as_u16(), begun.elapsed());
            response
        })
        .boxed()
}

fn respond(app: &SharedApp, method: &Method, path: &str, query: &str, headers: &HeaderMap) -> Response {
    let surface = Surface::of(path);
    let caller = app.keys.ask(|keys| surface.caller(headers, keys));
    let request = caller.map(|caller| Request::new(caller, (method, path, query), headers));
    let kid = request.as_ref().ok().map(|request| &*request.caller.kid);
    let admitted = connections::note(kid, headers);
    let answer = admitted.and_then(|()| within_limits(path, query, headers));
    let answer = answer.and_then(|()| answer_route(app, method, path, request.as_ref()));
    let mut response = answer.unwrap_or_else(Problem::into_response);
    if surface == Surface::Second {
        quota::tell(app, request.as_ref().ok(), response.headers_mut());
    }
    identified(response)
}

/// Refuses what is longer than anything that is meant. hyper's own limits are wider, so that this is what answers.
fn within_limits(path: &str, query: &str, headers: &HeaderMap) -> Result<(), Problem> {
    if path.len() + query.len() > MAX_URI {
        return Err(Problem::uri_too_long());
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > MAX_HEADERS { Err(Problem::headers_too_large()) } else { Ok(()) }
}

fn answer_route(
    app: &SharedApp,
    method: &Method,
    path: &str,
    request: Result<&Request<'_>, &Problem>,
) -> Result<Response, Problem> {
    let request = || request.map_err(Problem::clone);
    let route = Route::of(path).ok_or_else(Problem::not_found)?;
    if method != Method::GET && method != Method::HEAD {
        return Err(Problem::method_not_allowed(ALLOW));
    }
    match route {
        Route::Arbs => pages::list(app, &app.board, request()?),
        Route::Signals => pages::list(app, &app.signals, request()?),
        Route::Stream => stream::open(app, request()?),
        Route::Usage => quota::usage(app, request()?),
        Route::Live => Ok(text("live\n".to_owned())),
        Route::Ready => ready(app),
        Route::Problem(page) => Ok(text(page)),
    }
}

fn ready(app: &App) -> Result<Response, Problem> {
    if app.is_ready() {
        Ok(text("ready\n".to_owned()))
    } else {
        Err(Problem::unavailable("The board, the signals and the feed are being read."))
    }
}

fn text(body: String) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Every response has an id of its own, to be found again in a log.
fn identified(mut response: Response) -> Response {
    response.headers_mut().insert(REQUEST_ID, request_id::next());
    response
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arb_schemas::records::BoardProgress;
    use warp::http::StatusCode;
    use warp::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH, VARY};

    use super::*;
    use crate::entries::Entries;
    use crate::made::Made;
    use crate::polls::Polls;
    use crate::view::tests::{entry, signal};

    /// An API that has a board of two, two signals, and a key that may ask three times.
    struct Api {
        app: SharedApp,
        key: String,
        _folder: tempfile::TempDir,
    }

    impl Api {
        fn new() -> Self {
            let Made { app, key, folder } = Made::new(1, 10, Duration::from_secs(1));
            let progress = BoardProgress { source: "s".into(), received_at: 10_000_000 };
            app.begin([entry("a", 0.02), entry("b", 0.01)], progress);
            for id in ["a", "b"] {
                app.signals.put(signal(id, 1));
            }
            Self { app: Arc::new(app), key, _folder: folder }
        }

        /// What is answered, and what has been spent by then.
        fn ask(
            &self,
            method: &Method,
            path: &str,
            query: &str,
            known: Option<&HeaderValue>,
        ) -> (Response, u64) {
            let mut headers = HeaderMap::new();
            headers.insert("x-api-key", self.key.parse().unwrap());
            headers.insert("authorization", format!("Bearer {}", self.key).parse().unwrap());
            headers.extend(known.map(|tag| (IF_NONE_MATCH, tag.clone())));
            let response = respond(&self.app, method, path, query, &headers);
            let caller = self.app.keys.ask(|keys| keys.check(&self.key)).unwrap();
            (response, self.app.usage.standing(&caller).used)
        }
    }

    #[test]
    fn who_has_a_page_is_told_so_for_nothing() {
        for what in ["arbs", "signals"] {
            let api = Api::new();
            let (first, second) = (&*format!("/v1/{what}"), &*format!("/api/v1/{what}"));
            let (page, used) = api.ask(&Method::GET, first, "limit=1", None);
            assert_eq!((page.status(), used), (StatusCode::OK, 1));
            let tag = page.headers()[ETAG].clone();
            for (path, method) in [(first, Method::GET), (second, Method::GET), (second, Method::HEAD)] {
                let (answer, used) = api.ask(&method, path, "limit=1", Some(&tag));
                assert_eq!((answer.status(), used), (StatusCode::NOT_MODIFIED, 1), "{method} {path}");
                for name in [ETAG, CACHE_CONTROL, VARY] {
                    assert_eq!(answer.headers()[&name], page.headers()[&name]);
                }
                assert!(!answer.headers().contains_key(CONTENT_TYPE));
                assert_eq!(answer.headers().contains_key("x-plan"), path.starts_with("/api"));
            }
            // Another page, and the same one of a list that has not changed.
            let (other, used) = api.ask(&Method::GET, first, "limit=2", Some(&tag));
            assert_eq!((other.status(), used), (StatusCode::OK, 2));
            let (other, _) = api.ask(&Method::GET, first, "limit=3", Some(&other.headers()[ETAG].clone()));
            assert_eq!(other.status(), StatusCode::NOT_MODIFIED, "both have all of it");
            for query in ["limit=0", "limit=501", "rank=1", "cursor=x"] {
                let (refused, used) = api.ask(&Method::GET, second, query, Some(&tag));
                assert_eq!((refused.status(), used), (StatusCode::BAD_REQUEST, 2), "{query}");
            }
        }
    }

    #[test]
    fn a_filter_of_signals_is_none_of_the_board() {
        let api = Api::new();
        for query in ["kind=value", "market=h2h", "book=a", "event_id=e", "min_strength=0", "in_play=true"] {
            let status = |path| api.ask(&Method::HEAD, path, query, None).0.status();
            assert_eq!(status("/v1/arbs"), StatusCode::BAD_REQUEST, "{query}");
            assert_ne!(status("/v1/signals"), StatusCode::BAD_REQUEST, "{query}");
        }
    }

    #[test]
    fn nothing_is_listed_before_all_of_it_is_read() {
        let mut api = Api::new();
        let Api { app, .. } = &mut api;
        let app = Arc::get_mut(app).unwrap();
        let polls = Arc::new(Polls::new(1));
        (app.board, app.signals) = (Entries::new(&polls, &app.sports), Entries::new(&polls, &app.sports));
        let status = |api: &Api, path| api.ask(&Method::GET, path, "", None).0.status();
        for (path, expected) in [("/v1/arbs", 503), ("/v1/signals", 503), ("/readyz", 503)] {
            assert_eq!(status(&api, path), expected, "{path}");
        }
        api.app.board.ready();
        for (path, expected) in [("/v1/arbs", 200), ("/v1/signals", 503), ("/readyz", 503)] {
            assert_eq!(status(&api, path), expected, "{path}");
        }
        api.app.signals.ready();
        for (path, expected) in [("/v1/signals", 200), ("/readyz", 200)] {
            assert_eq!(status(&api, path), expected, "{path}");
        }
    }

    #[test]
    fn who_has_spent_all_is_refused_before_anything_is_rendered() {
        let api = Api::new();
        let (first, _) = api.ask(&Method::GET, "/v1/arbs", "limit=1", None);
        for expected in 2..=3 {
            assert_eq!(api.ask(&Method::GET, "/v1/arbs", "limit=1", None).1, expected);
        }
        let tag = first.headers()[ETAG].clone();
        api.app.board.put(entry("c", 0.03));
        for (query, known) in [
            ("limit=1", None),
            ("limit=1", Some(&tag)),
            ("limit=2", Some(&tag)),
            ("", Some(&"*".parse().unwrap())),
        ] {
            let (refused, used) = api.ask(&Method::GET, "/v1/arbs", query, known);
            assert_eq!((refused.status(), used), (StatusCode::TOO_MANY_REQUESTS, 3), "{query} {known:?}");
            assert!(api.app.board.current().is_none(), "{query} {known:?}: the changed board was rendered");
        }
    }

    #[test]
    fn every_route_is_counted_under_its_own_pattern() {
        for (index, path) in PATTERNS.iter().enumerate().skip(2) {
            assert!(Route::of(path).is_some() && pattern(path) == index, "{path}");
        }
        let map = include_str!("routes.rs").split("//!\n").nth(1).unwrap_or_default();
        let paths = map.split('`').filter_map(|code| code.strip_prefix("GET "));
        let found: Vec<_> = paths.map(pattern).collect();
        assert!(found.len() == PATTERNS.len() - 1 && !found.contains(&0), "{found:?}");
        assert_eq!(["/", "/v1/arbs/", "/v1/arb", "/problem"].map(pattern), [0; 4]);
    }
}
