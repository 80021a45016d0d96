//! The test market as keys see it: the same bytes every time, uncharged, and apart from the live one.

use std::time::Duration;

use arb_accounts::directory::Part;
use arb_accounts::key::Mode;
use arb_accounts::secrets::{self, KEY_RANDOM};
use arb_feed::fixtures::entry;
use arb_schemas::records::BoardProgress;
use futures_util::stream;
use serde_json::Value;
use warp::http::{HeaderMap, HeaderValue, Method};

use super::*;
use crate::fixtures::{TestApp, api_key};
use crate::http::request::Head;

/// What is answered a test key, to the byte.
const ARBS: &str = include_str!("arbs.json");
const SIGNALS: &str = include_str!("signals.json");
const STREAM: &str = include_str!("stream.txt");

/// Compares an answer with its file. Where `WRITE_TEST_MARKET` is set it writes the file: after the records were replaced, and
/// never else, for integrations expect these answers.
#[expect(clippy::disallowed_methods, reason = "a switch of this test alone, which no program reads")]
fn is_golden(name: &str, answer: &str, expected: &str) {
    if std::env::var_os("WRITE_TEST_MARKET").is_some() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/test_market");
        std::fs::write(folder.join(name), answer).unwrap();
        return;
    }
    assert!(answer == expected, "{name} is not what is answered: {answer}");
}

/// An API whose live board has an entry of its own, and a test key.
fn app() -> (TestApp, String) {
    let test = TestApp::new(1, 10, Duration::from_millis(100));
    test.app.begin([entry("live", 0.02)], BoardProgress { source: "s".into(), received_at: 1 });
    let pepper = test.app.authority.pepper();
    let key = secrets::new_key(Mode::Test, &[8; KEY_RANDOM]);
    let (_, mut stored) = api_key(pepper, 8, "acc_0000000000000001");
    let kid = secrets::parse_key(&key).unwrap().kid.to_owned();
    (stored.kid, stored.hmac, stored.mode) = (kid, pepper.hmac(&key), Mode::Test);
    test.app.authority.replica().put(Part::Key(stored));
    (test, key)
}

/// Headers and body of an answer; of a stream all up to its first heartbeat.
fn ask(test: &TestApp, key: &str, path: &str, last: &str) -> (HeaderMap, String) {
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", key.parse().unwrap());
    if !last.is_empty() {
        headers.insert("last-event-id", last.parse().unwrap());
    }
    headers.entry("host").or_insert(HeaderValue::from_static("localhost"));
    let head = Head { method: &Method::GET, path, query: "", headers: &headers };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let body = stream::iter([Ok::<_, ()>(&b""[..])]);
        let (parts, body) = test.app.service().respond(&head, body, None).await.into_parts();
        assert_eq!(parts.status, 200, "{path}");
        (parts.headers, read(body).await)
    })
}

/// A body to its end, or to the end of its first heartbeat.
async fn read(body: impl hyper::body::Body<Data = bytes::Bytes>) -> String {
    let (mut body, mut text) = (std::pin::pin!(body), Vec::new());
    let heartbeat = |text: &[u8]| text.windows(16).any(|part| part == b"event: heartbeat");
    while !(heartbeat(&text) && text.ends_with(b"\n\n"))
        && let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await
    {
        text.extend(frame.ok().unwrap().into_data().ok().unwrap());
    }
    String::from_utf8(text).unwrap()
}

#[test]
fn its_lists_are_always_the_same_and_are_not_charged() {
    let (test, key) = app();
    for (name, expected) in [("arbs.json", ARBS), ("signals.json", SIGNALS)] {
        let path = &*format!("/api/v1/{}", name.trim_end_matches(".json"));
        // More often than the quota of three would allow.
        for _ in 0..5 {
            let (headers, body) = ask(&test, &key, path, "");
            let of = |name: &str| headers[name].to_str().unwrap().to_owned();
            assert_eq!(
                (of("x-requests-used"), of("x-requests-remaining"), of("x-plan")),
                ("0".into(), "3".into(), "free".into())
            );
            is_golden(name, &body, expected);
        }
    }
    assert_eq!(test.app.usage.spent("acc_0000000000000001").requests, 0);
    let (_, usage) = ask(&test, &key, "/api/v1/usage", "");
    let usage: Value = serde_json::from_str(&usage).unwrap();
    assert_eq!((&usage["used"], &usage["remaining"]), (&0.into(), &3.into()));
}

#[test]
fn its_stream_is_always_the_same_and_resumes_where_it_was_left() {
    let (test, key) = app();
    for _ in 0..2 {
        is_golden("stream.txt", &ask(&test, &key, "/api/v1/stream", "").1, STREAM);
    }
    // The id of each event, and all that comes after it.
    let ids = STREAM.match_indices("id: ").map(|(at, _)| STREAM[at + 4..].split_once('\n').unwrap());
    let rests: Vec<_> = ids.map(|(id, rest)| (id, rest.strip_prefix('\n').unwrap())).collect();
    assert!(rests.len() > 59);
    for (id, rest) in rests.iter().take(rests.len() - 1) {
        assert_eq!(ask(&test, &key, "/api/v1/stream", id).1, **rest);
    }
}

#[test]
fn a_live_key_sees_nothing_of_it_and_a_test_key_nothing_else() {
    let (test, key) = app();
    let (_, live) = ask(&test, &test.key, "/api/v1/arbs", "");
    let (_, tested) = ask(&test, &key, "/api/v1/arbs", "");
    let ids = |text: &str| -> Vec<String> {
        let page: Value = serde_json::from_str(text).unwrap();
        page["arbs"].as_array().unwrap().iter().map(|arb| arb["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&live), ["live"]);
    assert!(!ids(&tested).is_empty() && !ids(&tested).contains(&"live".to_owned()));
    assert_eq!(test.app.usage.spent("acc_0000000000000001").requests, 1);
}

#[test]
fn its_windows_are_arbs_and_its_events_change_them() {
    let authority = app().0.app.authority;
    let market = TestMarket::new(&authority, Duration::from_secs(1));
    let entries = market.lists.board.entries();
    assert_eq!((entries.len(), market.lists.signals.len()), (6, 8));
    for entry in &entries {
        assert!(entry.margin > 0.0 && entry.implied_probability < 1.0, "{}", entry.id);
    }
    for kind in ["arb_window", "line_movement", "stale_alert", "close_signal", "edge_signal"] {
        assert!(STREAM.contains(&format!("event: {kind}\n")), "{kind}");
    }
}

#[test]
fn a_market_of_wrong_records_is_not_shown() {
    let authority = app().0.app.authority;
    let market = TestMarket::new(&authority, Duration::from_secs(1));
    for wrong in ["arbs.board.v1 !", "nothing.v1 AAAA", "signals.v1 AAAA", "nonsense"] {
        assert!(market.read(wrong).is_err(), "{wrong}");
    }
}
