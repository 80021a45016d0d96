//! The API's own table, asked as a caller would.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::time::Duration;

use arb_feed::fixtures::{entry, signal};
use arb_model::{Pick, fixtures};
use arb_schemas::records::scans::Message;
use arb_schemas::records::{BoardProgress, ScanArb, ScanCount, ScanRequest, ScanResult, ScanSource};
use arb_schemas::wire::encode;
use futures_util::{FutureExt, stream};
use hyper::body::Body;
use tokio::runtime::{Builder, Runtime};
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use warp::http::{HeaderMap, HeaderValue, Method, StatusCode};
use warp::reply::Response;

use super::ROUTES;
use crate::App;
use crate::fixtures::TestApp;
use crate::generated::assert_table;
use crate::http::request::Head;
use crate::http::route::Route;
use crate::lists::known_names::NameKind;
use crate::quotes::fixtures::{QuoteWriter, prices, ready};

mod names;
mod own_books;
mod private;
mod scores;
mod watched;

/// An API that has a board of two, two signals, and a key that may ask three times.
struct Api {
    app: App,
    key: String,
    runtime: Runtime,
    folder: tempfile::TempDir,
}

impl Api {
    fn new() -> Self {
        let api = Self::unread();
        let progress = BoardProgress { source: "s".into(), received_at: 10_000_000 };
        api.app.begin([entry("a", 0.02), entry("b", 0.01)], progress);
        for id in ["a", "b"] {
            api.app.lists.signals.put(signal(id, 1));
        }
        QuoteWriter::new().poll(&api.app.boards.quotes, 10, &[("1007", &[prices("alpha", "2.1", "1.7")])]);
        ready(&api.app.boards.quotes);
        api.app.picks().put(Pick { id: "1007".into(), ..fixtures::pick() });
        api.app.picks().ready();
        api.app.scores().ready();
        api
    }

    /// A board that has read no records yet.
    fn unread() -> Self {
        let TestApp { app, key, folder } = TestApp::new(1, 10, Duration::from_secs(1));
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Self { app, key, runtime, folder }
    }

    /// What is answered, and what has been spent by then.
    fn ask(&self, method: &Method, path: &str, query: &str, known: Option<&HeaderValue>) -> (Response, u64) {
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", self.key.parse().unwrap());
        headers.insert("authorization", format!("Bearer {}", self.key).parse().unwrap());
        headers.extend(known.map(|tag| (IF_NONE_MATCH, tag.clone())));
        // A stream has timers.
        let _in = self.runtime.enter();
        headers.entry("host").or_insert(HeaderValue::from_static("localhost"));
        let (service, head) = (self.app.service(), Head { method, path, query, headers: &headers });
        let body = stream::empty::<Result<&[u8], ()>>();
        let response = service.respond(&head, body, None).now_or_never();
        let response = response.unwrap_or_else(|| panic!("{path}?{query} waits"));
        let caller = self.app.authority.caller(&self.key, None).unwrap();
        (response, self.app.usage.status(&caller).used)
    }
}

#[test]
fn a_page_that_the_caller_has_is_304_and_free() {
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
fn a_list_has_its_own_filters_and_refuses_those_of_another() {
    let api = Api::new();
    let board =
        ["verified=true", "league=soccer_epl", "min_margin=0", "max_age=9", "min_stake=1", "sort=margin"];
    let signals = ["kind=value", "min_strength=0", "min_confidence=0.5"];
    for (queries, of, other) in
        [(&board[..], "/v1/arbs", "/v1/signals"), (&signals[..], "/v1/signals", "/v1/arbs")]
    {
        for query in queries {
            let status = |path| api.ask(&Method::HEAD, path, query, None).0.status();
            assert_eq!(status(of), StatusCode::OK, "{query}");
            assert_eq!(status(other), StatusCode::BAD_REQUEST, "{query}");
        }
    }
}

#[test]
fn nothing_is_listed_before_the_whole_topic_is_read() {
    let api = Api::unread();
    api.app.streams().begin();
    let status = |api: &Api, path| api.ask(&Method::GET, path, "", None).0.status();
    for (path, expected) in [("/v1/arbs", 503), ("/v1/signals", 503), ("/readyz", 503)] {
        assert_eq!(status(&api, path), expected, "{path}");
    }
    api.app.lists.board.ready();
    for (path, expected) in [("/v1/arbs", 200), ("/v1/signals", 503), ("/readyz", 503)] {
        assert_eq!(status(&api, path), expected, "{path}");
    }
    api.app.lists.signals.ready();
    for (path, expected) in [("/v1/signals", 200), ("/readyz", 200)] {
        assert_eq!(status(&api, path), expected, "{path}");
    }
}

#[test]
fn a_caller_without_quota_is_refused_before_anything_is_rendered() {
    let api = Api::new();
    let (first, _) = api.ask(&Method::GET, "/v1/arbs", "limit=1", None);
    for expected in 2..=3 {
        assert_eq!(api.ask(&Method::GET, "/v1/arbs", "limit=1", None).1, expected);
    }
    let tag = first.headers()[ETAG].clone();
    api.app.lists.board.put(entry("c", 0.03));
    for (query, known) in [
        ("limit=1", None),
        ("limit=1", Some(&tag)),
        ("limit=2", Some(&tag)),
        ("", Some(&"*".parse().unwrap())),
    ] {
        let (refused, used) = api.ask(&Method::GET, "/v1/arbs", query, known);
        assert_eq!((refused.status(), used), (StatusCode::TOO_MANY_REQUESTS, 3), "{query} {known:?}");
        assert!(api.app.lists.board.current().is_none(), "{query} {known:?}: the changed board was rendered");
    }
}

#[test]
fn documents_list_every_route() {
    let lines: String = ROUTES.iter().flat_map(Route::lines).collect();
    assert_table("docs/api/routes.md", "# Routes", &lines);
}

/// The price of an answer in a row is the number of units charged for it, on each of its paths.
#[test]
fn every_answer_costs_the_price_of_its_row() {
    // A scan, the files of the page and what needs a source have their own tests, and so has what needs a ClickHouse; there is no endpoint.
    let others = [
        "/session",
        "/scan",
        "/webhooks/{id}",
        "/assets/{name}",
        "/docs/{name}",
        "/arbs/history",
        "/arbs/{id}",
        "/odds/history",
        "/ticks/dead-letters",
        "/truth",
        "/bots/{id}",
    ];
    let reads = |line: &String| line.contains("`GET ") && !others.iter().any(|other| line.contains(other));
    let values =
        [("{name}", "not-found"), ("{id}", "1007"), ("{subject}", "arb.v1.Frame"), ("{version}", "1")];
    for line in ROUTES.iter().flat_map(Route::lines).filter(reads) {
        let (path, cost) = (line.split('`').nth(1).unwrap(), line.trim_end_matches([' ', '|', '\n']));
        let (path, cost) = (path.strip_prefix("GET ").unwrap(), cost.rsplit(' ').next().unwrap());
        let path = values.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value));
        for (method, expected) in [(Method::GET, cost.parse().unwrap()), (Method::HEAD, 0)] {
            let (answer, used) = Api::new().ask(&method, &path, "", None);
            assert_eq!((answer.status(), used), (StatusCode::OK, expected), "{method} {path}");
        }
    }
}

#[test]
fn picks_bots_and_their_records_are_shown() {
    let get = |path: &str, query: &str| {
        let (response, used) = Api::new().ask(&Method::GET, path, query, None);
        (response.status().as_u16(), used, json(response))
    };
    let (status, _, page) = get("/v1/picks", "bot=consensus&state=graded");
    let pick = &page["picks"][0];
    assert_eq!((status, &pick["id"], &pick["bot"]), (200, &"1007".into(), &"consensus".into()));
    assert_eq!(
        (&pick["result"]["settlement"], &pick["grades"][0]["version"]),
        (&"half_lost".into(), &1.into())
    );
    // 2.1 * 0.5 - 1.
    assert!((pick["closing_line_value"].as_f64().unwrap() - 0.05).abs() < 1e-12);
    assert_eq!(get("/v1/picks/1007", "").2, *pick);
    assert_eq!(get("/v1/picks", "state=open").2["picks"], serde_json::json!([]));
    let (_, _, bots) = get("/v1/bots", "");
    let names: Vec<_> = bots["bots"].as_array().unwrap().iter().map(|bot| bot["bot"].clone()).collect();
    assert_eq!(names, ["consensus", "sharp", "steam", "stale", "model"]);
    assert_eq!(bots["bots"][0]["records"][0]["bets"], 1);
    let (status, _, bot) = get("/v1/bots/consensus", "");
    assert_eq!((status, &bot["records"][0]["leagues"][0]["return"]), (200, &serde_json::json!(-0.5)));
    for wrong in ["/v1/picks/none", "/v1/bots/none"] {
        let (status, used, _) = get(wrong, "");
        assert_eq!((status, used), (404, 0), "errors are free");
    }
    assert_eq!(
        Api::unread().ask(&Method::GET, "/v1/picks", "", None).0.status(),
        StatusCode::SERVICE_UNAVAILABLE
    );
}

#[test]
fn an_unknown_path_is_refused_with_any_method() {
    let api = Api::new();
    for path in
        ["/board", "/assets", "/v1/arbs/", "/v1/arb", "/v1/usage", "/problems", "/problems/", "/api/livez"]
    {
        for method in [Method::GET, Method::POST] {
            assert_eq!(api.ask(&method, path, "", None).0.status(), StatusCode::NOT_FOUND, "{method} {path}");
        }
    }
    assert_eq!(api.ask(&Method::GET, "/problems/nothing", "", None).0.status(), StatusCode::NOT_FOUND);
    let refused = api.ask(&Method::DELETE, "/v1/arbs", "", None).0;
    assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(refused.headers()["allow"], "GET, HEAD, OPTIONS");
}

/// A result in which the only source was polled.
fn scan_result(scan: &str) -> ScanResult {
    let entry = entry("w", 0.02);
    let asked = vec![true; entry.legs.len()];
    let (source, outcome) = ("s".to_owned(), "polled".to_owned());
    let source =
        ScanSource { source, outcome, polled_at: Some(5), credits: 2, quotes: 3, asked: 3, confirmed: 0 };
    let count = |key: &str| ScanCount { key: key.to_owned(), quotes: 3, asked: 3, confirmed: 0 };
    ScanResult {
        scan: scan.to_owned(),
        as_of: 9_000_000,
        sources: vec![source],
        books: vec![count("alpha")],
        leagues: vec![count("soccer_epl")],
        events: 1,
        arbs: vec![ScanArb { entry: Message(encode(&entry).unwrap()), asked }],
        left_out: 0,
    }
}

fn json(response: Response) -> serde_json::Value {
    let (mut body, mut bytes) = (std::pin::pin!(response.into_body()), Vec::new());
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).now_or_never().flatten() {
        bytes.extend_from_slice(frame.unwrap().data_ref().unwrap());
    }
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn a_scan_is_202_until_every_partition_has_answered_and_is_its_owners_alone() {
    let api = Api::new();
    let scan = |query: &str| api.ask(&Method::GET, "/v1/scan", query, None);
    assert_eq!(scan("sport=soccer&wait_seconds=0").0.status(), StatusCode::SERVICE_UNAVAILABLE, "unread");
    (0..2).for_each(|_| api.app.scans.has_read());
    assert_eq!((scan("").0.status(), scan("colour=red").1), (StatusCode::BAD_REQUEST, 0), "errors are free");
    api.app.lists.names.note(NameKind::Book, "omega");
    let (begun, used) = scan("sport=soccer&wait_seconds=0&total_stake=250&books=alpha&books=omega");
    assert_eq!((begun.status(), used), (StatusCode::ACCEPTED, 1));
    assert_eq!(begun.headers()[CACHE_CONTROL], "no-store");
    let location = begun.headers()["location"].to_str().unwrap().to_owned();
    let id = location.strip_prefix("/v1/scans/").unwrap().to_owned();
    let shown = || api.ask(&Method::GET, &location, "", None);
    assert_eq!((json(shown().0)["status"].clone(), shown().1), ("pending".into(), 1));
    api.app.scans.put_result(0, scan_result(&id), 1);
    let answer = json(shown().0);
    assert_eq!((&answer["status"], &answer["complete"]), (&"complete".into(), &true.into()));
    assert_eq!(
        answer["quotes"],
        serde_json::json!({"on_offer": 3, "asked_now": 3, "confirmed_after_request": 0})
    );
    assert_eq!((&answer["estimated_credits"], &answer["sources"][0]["answered"]), (&2.into(), &true.into()));
    assert_eq!(
        answer["books"][1],
        serde_json::json!({"on_offer": 0, "asked_now": 0, "confirmed_after_request": 0,
        "book": "omega", "answered": false, "reason": "It has no price on offer of what is scanned."})
    );
    assert!(answer["warnings"][0].as_str().unwrap().contains("no book has confirmed"));
    let arb = &answer["arbs"][0];
    assert_eq!((&arb["id"], &arb["legs"][0]["asked_now"]), (&"w".into(), &true.into()));
    let stakes: f64 = arb["legs"].as_array().unwrap().iter().map(|leg| leg["stake"].as_f64().unwrap()).sum();
    assert!(stakes <= 123.45 && stakes > 123.4, "the entry's limit is below what was asked: {stakes}");
    let mut other = scan_result("theirs");
    other.scan = "theirs".to_owned();
    api.app.scans.put_result(0, other, 1);
    let request = ScanRequest { id: "theirs".into(), account: "another".into(), ..ScanRequest::default() };
    api.app.scans.put_request(request);
    assert_eq!(api.ask(&Method::GET, "/api/v1/scans/theirs", "", None).0.status(), StatusCode::NOT_FOUND);
    let head = api.ask(&Method::HEAD, "/api/v1/scan", "sport=soccer", None);
    assert_eq!((head.0.status(), head.1), (StatusCode::METHOD_NOT_ALLOWED, 1));
    assert_eq!(head.0.headers()["allow"], "GET, POST, OPTIONS");
}

/// The paths of all fields of an answer; elements of a list count as one.
fn fields(value: &serde_json::Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(members) => members.iter().for_each(|(name, value)| {
            found.insert(format!("{path}.{name}"));
            fields(value, &format!("{path}.{name}"), found);
        }),
        serde_json::Value::Array(list) => {
            for value in list {
                fields(value, &format!("{path}[]"), found);
            }
        }
        _ => {}
    }
}

/// The example of the page is a real answer of the simulated market: it has every field that the program answers, and no other. Which
/// checks an arb has, and which of them failed, differs from one to the next.
#[test]
fn the_page_of_scans_shows_an_answer() {
    let api = Api::new();
    (0..2).for_each(|_| api.app.scans.has_read());
    api.app.lists.names.note(NameKind::Book, "omega");
    let query = "league=soccer_epl&books=alpha&books=omega&min_margin=0.005&wait_seconds=0";
    let begun = api.ask(&Method::GET, "/v1/scan", query, None).0;
    let location = begun.headers()["location"].to_str().unwrap().to_owned();
    api.app.scans.put_result(0, scan_result(location.strip_prefix("/v1/scans/").unwrap()), 1);
    let answer = json(api.ask(&Method::GET, &location, "", None).0);
    let page = include_str!("../../../docs/api/scan.md");
    let shown = page.split("```json\n").skip(1).find(|block| block.contains("arbs_left_out")).unwrap();
    let shown = serde_json::from_str(shown.split("```").next().unwrap()).unwrap();
    let (mut documented, mut answered) = (BTreeSet::new(), BTreeSet::new());
    fields(&shown, "", &mut documented);
    fields(&answer, "", &mut answered);
    for found in [&mut documented, &mut answered] {
        let of_the_board = [".verification.", ".failed_checks[].", ".passed_over."];
        found.retain(|path| !of_the_board.iter().any(|field| path.contains(field)));
    }
    assert_eq!(documented, answered, "fields of docs/api/scan.md and of the answer");
}
