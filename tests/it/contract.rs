//! The contract with users, sentence by sentence, each beside what is asked of a running `arb up` to see that it holds.
//!
//! Details are tested elsewhere. No sentence of the contract is missing here, and none is ever weakened.

use std::collections::BTreeSet;

use arb_model::fixtures::pick;
use arb_schemas::topics::PICKS;
use arb_schemas::wire::encode;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::kafka::write_to;
use crate::support::http::{Answer, once_it_knows, request, send};
use crate::support::local_up::{LocalHome, Running};
use crate::support::sse::Sse;
use crate::support::wait_for;

/// A sentence, and what sees that it holds.
type Sentence = (&'static str, fn(&Site));

const CONTRACT: [Sentence; 13] = [
    (
        "GET /v1/arbs, with `Authorization: Bearer <key>`, is the ranked board: implied probability, stake split, margin, TTL, \
         verification flags",
        the_ranked_board,
    ),
    (
        "POST /v1/scan takes a JSON body with sport, markets (an array of strings) and min_margin (a number): a fresh scan",
        a_scan_by_body,
    ),
    ("A scan is of a sport, a league, an event group or a market family", a_scan_of_each_scope),
    ("GET /v1/stream is a stream of SSE: arb window, line movement, stale alert, close signal", the_stream),
    (
        "GET /api/v1/arbs?sport=, with `x-api-key: <key>`, are the live arbs of one sport or league",
        the_board_of_a_sport,
    ),
    ("GET /api/v1/scan triggers a fresh scan", a_scan_by_query),
    ("GET /api/v1/signals are edge signals", the_signals),
    ("GET /api/v1/picks are picks of bots", the_picks),
    ("GET /api/v1/stream is SSE", the_stream_of_the_second_surface),
    ("GET /api/v1/usage is quota and usage", the_usage),
    (
        "Every response of the second surface has x-requests-remaining and x-requests-used (integers that sum to the plan's quota) \
         and x-plan; without a valid key they are 0, 0 and none",
        the_quota_of_every_response,
    ),
    (
        "Keys are created and managed by the user in a section of the dashboard, which is empty at first; a fixed prefix marks a live \
         key",
        keys_of_a_new_user,
    ),
    ("The first segment of a path after the surface is the version, v1", the_version),
];

/// A system with a board, signals and a pick; a live key and a test key, whose market has events of every kind.
struct Site {
    running: Running,
    test_key: String,
}

impl Site {
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let url = format!("{}{path}", self.running.url);
        once_it_knows(|| request(method, &url, headers)).unwrap()
    }

    /// On the first surface.
    fn bearer(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, &[("authorization", &format!("Bearer {}", self.running.key))]);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// On the second surface.
    fn api_key(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, &[("x-api-key", &self.running.key)]);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        let all = [&[("content-type", "application/json")], headers].concat();
        let (url, body) = (format!("{}{path}", self.running.url), body.to_string().into_bytes());
        once_it_knows(|| send("POST", &url, &all, body.clone())).unwrap()
    }

    fn scan(&self, body: &Value) -> Value {
        let answer =
            self.post("/v1/scan", &[("authorization", &format!("Bearer {}", self.running.key))], body);
        assert!([200, 202].contains(&answer.status), "{body}: {}", answer.body);
        answer.json()
    }
}

#[test]
fn every_sentence_of_the_contract_holds() {
    let local = LocalHome::new();
    let running = local.replay(51, 60, "2026-01-01T03:00:00Z");
    // From then on the market stands still.
    running.board_at("2026-01-01T03:00:00Z");
    let kafka = local.kafka();
    write_to(&kafka, PICKS.name, &[(&pick().id, &encode(&pick()).unwrap())]);
    let mut site = Site { running, test_key: String::new() };
    wait_for("an arb, a signal and a pick", || {
        let has = |path: &str, list: &str| {
            let answer = site.ask("GET", path, &[("x-api-key", &site.running.key)]);
            answer.status == 200 && answer.json()[list].as_array().is_some_and(|list| !list.is_empty())
        };
        let lists = [("/api/v1/arbs", "arbs"), ("/api/v1/signals", "signals"), ("/api/v1/picks", "picks")];
        lists.iter().all(|(path, list)| has(path, list)).then_some(())
    });
    let bearer = format!("Bearer {}", site.running.key);
    let created =
        site.post("/v1/keys", &[("authorization", &bearer)], &json!({"name": "ci", "mode": "test"}));
    created.json()["key"].as_str().unwrap().clone_into(&mut site.test_key);
    for (sentence, holds) in CONTRACT {
        println!("{sentence}");
        holds(&site);
    }
    site.running.signal(Signal::INT);
    assert!(site.running.child.wait().unwrap().success());
}

fn the_ranked_board(site: &Site) {
    let board = site.bearer("/v1/arbs");
    for (entry, rank) in board["arbs"].as_array().unwrap().iter().zip(1..) {
        assert_eq!(entry["rank"], rank);
        for name in ["implied_probability", "margin", "ttl_seconds"] {
            assert!(entry[name].is_f64(), "{name}: {entry}");
        }
        let flags = entry["verification"].as_object().unwrap();
        assert!(flags.len() == 9 && flags.values().all(Value::is_boolean), "{entry}");
        let legs = entry["legs"].as_array().unwrap();
        let shares: f64 = legs.iter().map(|leg| leg["stake_share"].as_f64().unwrap()).sum();
        assert!((shares - 1.0).abs() < 1e-9 && legs.iter().all(|leg| leg["stake"].is_number()), "{entry}");
    }
}

fn a_scan_by_body(site: &Site) {
    let scan = site.scan(&json!({"sport": "basketball", "markets": ["h2h", "totals"], "min_margin": 0.001}));
    assert!(scan["id"].is_string() && scan["status"].is_string(), "{scan}");
}

fn a_scan_of_each_scope(site: &Site) {
    let events = site.bearer("/v1/events?limit=1");
    let event = &events["events"][0];
    for (name, value) in [
        ("sport", &event["sport"]),
        ("league", &event["league"]),
        ("event_group", &event["group"]),
        ("markets", &json!(["h2h"])),
    ] {
        let mut body = json!({"sport": event["sport"], "wait_seconds": 0});
        body[name] = value.clone();
        assert!(site.scan(&body)["id"].is_string(), "{body}");
    }
}

/// The types of a stream's events until all of these were sent.
fn types_of(mut stream: Sse, wanted: &[&str]) -> BTreeSet<String> {
    assert_eq!((stream.status, stream.header("content-type")), (200, "text/event-stream"));
    let mut seen = BTreeSet::new();
    while !wanted.iter().all(|name| seen.contains(*name)) {
        seen.insert(stream.next().unwrap().name);
    }
    seen
}

const TYPES: [&str; 4] = ["arb_window", "line_movement", "stale_alert", "close_signal"];

fn the_stream(site: &Site) {
    let address = site.running.url.trim_start_matches("http://");
    let headers = [("authorization", &*format!("Bearer {}", site.test_key))];
    let seen = types_of(Sse::connect(address, "/v1/stream", &headers), &TYPES);
    assert!(seen.contains("snapshot"), "{seen:?}");
}

fn the_board_of_a_sport(site: &Site) {
    let entry = &site.api_key("/api/v1/arbs?limit=1")["arbs"][0];
    for name in ["sport", "league"] {
        let wanted = &entry[name];
        let board = site.api_key(&format!("/api/v1/arbs?sport={}", wanted.as_str().unwrap()));
        let arbs = board["arbs"].as_array().unwrap();
        assert!(!arbs.is_empty() && arbs.iter().all(|arb| &arb[name] == wanted), "{name}: {board}");
    }
}

fn a_scan_by_query(site: &Site) {
    let scan = site.ask("GET", "/api/v1/scan?sport=basketball", &[("x-api-key", &site.running.key)]);
    assert!([200, 202].contains(&scan.status), "{}", scan.body);
    assert_eq!(scan.header("cache-control"), "no-store");
}

fn the_signals(site: &Site) {
    let signals = site.api_key("/api/v1/signals");
    let of = |signal: &Value| signal["strength"].is_f64() && signal["evidence"].is_array();
    assert!(signals["signals"].as_array().unwrap().iter().all(of), "{signals}");
}

fn the_picks(site: &Site) {
    let picks = site.api_key("/api/v1/picks");
    let of = |pick: &Value| pick["bot"].is_string() && pick["price"].is_number();
    assert!(picks["picks"].as_array().unwrap().iter().all(of), "{picks}");
}

fn the_stream_of_the_second_surface(site: &Site) {
    let address = site.running.url.trim_start_matches("http://");
    let stream = Sse::connect(address, "/api/v1/stream", &[("x-api-key", &site.test_key)]);
    assert!(stream.header("x-plan") == "enterprise" && types_of(stream, &TYPES).len() >= 4);
}

fn the_usage(site: &Site) {
    let usage = site.api_key("/api/v1/usage");
    let [used, remaining, quota] =
        ["used", "remaining", "quota"].map(|name| usage[name].as_u64().unwrap_or_else(|| panic!("{usage}")));
    assert_eq!((used + remaining, &usage["plan"]), (quota, &json!("enterprise")));
}

fn the_quota_of_every_response(site: &Site) {
    let quota = site.api_key("/api/v1/usage")["quota"].as_u64().unwrap();
    let key = &*site.running.key;
    let of = |answer: &Answer| {
        let [remaining, used] = ["x-requests-remaining", "x-requests-used"]
            .map(|name| answer.header(name).parse::<u64>().unwrap_or_else(|error| panic!("{name}: {error}")));
        (remaining + used, answer.header("x-plan").to_owned())
    };
    let check = |(method, path): (&str, &str), answer: &Answer, status: u16| {
        assert_eq!(answer.status, status, "{method} {path}");
        assert_eq!(of(answer), (quota, "enterprise".to_owned()), "{method} {path}");
        let without = site.ask(method, path, &[("x-api-key", "arb_live_none")]);
        assert_eq!(of(&without), (0, "none".to_owned()), "{method} {path} {}", without.status);
    };
    for (method, path, status) in [
        ("GET", "/api/v1/arbs", 200),
        ("HEAD", "/api/v1/signals", 200),
        ("GET", "/api/v1/arbs?limit=0", 400),
        ("GET", "/api/v1/nothing", 404),
        ("PUT", "/api/v1/arbs", 405),
    ] {
        check((method, path), &site.ask(method, path, &[("x-api-key", key)]), status);
    }
    check(("GET", "/api/v1/arbs"), &unchanged_board(site), 304);
}

/// The answer to a client that has the board; of a market that stands still too it is another one when it becomes stale.
fn unchanged_board(site: &Site) -> Answer {
    let ask = |tag: &str| {
        let headers = [("x-api-key", &*site.running.key), ("if-none-match", tag)];
        site.ask("GET", "/api/v1/arbs", &headers)
    };
    wait_for("the board is the same before and after", || {
        let before = ask("").header("etag").to_owned();
        let answer = ask(&before);
        (ask("").header("etag") == before).then_some(answer)
    })
}

fn keys_of_a_new_user(site: &Site) {
    assert!(site.ask("GET", "/", &[]).header("content-type").starts_with("text/html"));
    let user = json!({"email": "new@example.com", "password": "correct horse battery"});
    assert_eq!(site.post("/session/signup", &[], &user).status, 201);
    let session = site.post("/session", &[], &user);
    let (cookie, token) = (session.header("set-cookie").to_owned(), session.json());
    let cookie = [
        ("cookie", cookie.split(';').next().unwrap()),
        ("x-csrf-token", token["csrf_token"].as_str().unwrap()),
    ];
    let keys = || site.ask("GET", "/session/keys", &cookie).json()["keys"].clone();
    assert_eq!(keys(), json!([]));
    let created = site.post("/session/keys", &cookie, &json!({"name": "first"})).json();
    assert!(created["key"].as_str().unwrap().starts_with("arb_live_"), "{created}");
    assert_eq!(keys()[0]["name"], "first");
    let path = format!("/session/keys/{}", created["kid"].as_str().unwrap());
    assert_eq!(site.ask("DELETE", &path, &cookie).status, 204);
}

fn the_version(site: &Site) {
    let document = site.ask("GET", "/openapi.json", &[]).json();
    let paths = document["paths"].as_object().unwrap().keys();
    let versioned = paths.filter(|path| path.starts_with("/v1/") || path.starts_with("/api/v1/"));
    assert!(versioned.count() > 60);
    for path in ["/arbs", "/api/arbs", "/v2/arbs"] {
        assert_eq!(site.ask("GET", path, &[("x-api-key", &site.running.key)]).status, 404, "{path}");
    }
}
