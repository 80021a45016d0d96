//! The HTTP API: authentication, errors, and pages.

use serde_json::json;

use crate::support::http::{Answer, once_it_knows, request};
use crate::support::recordings;
use crate::support::serve::Key;
use crate::support::stack::Stack;

/// What an instance answers that knows its accounts.
fn ask(method: &str, url: &str, headers: &[(&str, &str)]) -> Answer {
    once_it_knows(|| request(method, url, headers)).unwrap()
}

/// A problem of this status and type, with an id, whose type resolves.
fn assert_problem(stack: &Stack, answer: &Answer, status: u16, name: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    let body = answer.json();
    assert_eq!((&body["status"], &body["type"]), (&json!(status), &json!(format!("/problems/{name}"))));
    assert!(body["title"].is_string() && body["detail"].is_string());
    assert_eq!(answer.header("x-request-id").len(), 16);
    let page = ask("GET", &format!("{}/problems/{name}", stack.url), &[]);
    assert_eq!(page.status, 200);
}

fn unauthorized(stack: &Stack) {
    let url = format!("{}/v1/arbs", stack.url);
    let wrong = stack.key.replace("arb_live_", "arb_live_x");
    let bearer = format!("Bearer {wrong}");
    // Well formed, with its checksum, but not in the topic.
    let foreign = format!("Bearer {}", Key::foreign(&stack.broker).text);
    let refused: [&[(&str, &str)]; 7] = [
        &[],
        &[("authorization", &bearer)],
        &[("authorization", &foreign)],
        &[("authorization", "Bearer ")],
        &[("authorization", &stack.key)],
        &[("authorization", "Basic dXNlcjpwYXNz")],
        &[("x-api-key", &stack.key)],
    ];
    for headers in refused {
        let answer = ask("GET", &url, headers);
        assert_problem(stack, &answer, 401, "unauthorized");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        assert!(!answer.body.contains(&stack.key));
    }
    let of_nobody = ask("GET", &url, &[("authorization", &foreign)]);
    assert_eq!(of_nobody.json()["detail"], "The key is not valid.");
    let other_header = ask("GET", &url, &[("x-api-key", &stack.key)]);
    assert!(other_header.json()["detail"].as_str().unwrap().contains("Authorization"));
    let right = format!("Bearer {}", stack.key);
    let both = |other: &str| ask("GET", &url, &[("authorization", &right), ("x-api-key", other)]);
    assert_problem(stack, &both("arb_live_other"), 400, "invalid-request");
    assert_eq!(both(&stack.key).status, 200);
    let lower_case = format!("bearer {}", stack.key);
    assert_eq!(ask("GET", &url, &[("authorization", &lower_case)]).status, 200);
}

fn invalid_requests(stack: &Stack) {
    for (query, name) in [
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=many", "limit"),
        ("limit=1&limit=2", "limit"),
        ("cursor=nonsense", "cursor"),
        ("sort=best", "sort"),
        ("colour=red", "colour"),
    ] {
        let answer = stack.get(&format!("/v1/arbs?{query}"));
        assert_problem(stack, &answer, 400, "invalid-request");
        assert_eq!(answer.json()["invalid_params"][0]["name"], name, "{query}");
    }
    assert_problem(stack, &stack.get("/v1/nothing"), 404, "not-found");
    assert_problem(stack, &stack.get("/problems/nothing"), 404, "not-found");
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        let answer = ask(method, &format!("{}/v1/arbs", stack.url), &[]);
        assert_problem(stack, &answer, 405, "method-not-allowed");
        assert_eq!(answer.header("allow"), "GET, HEAD, OPTIONS");
    }
    for path in ["/livez", "/readyz"] {
        let answer = ask("HEAD", &format!("{}{path}", stack.url), &[]);
        assert_eq!((answer.status, &*answer.body), (200, ""), "{path}");
    }
}

fn pages(stack: &Stack) {
    let whole = stack.get("/v1/arbs?limit=500").json();
    let whole = whole["arbs"].as_array().unwrap();
    assert!(whole.len() > 2, "a board of {} is too small to check pages", whole.len());
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = stack.get(&format!("/v1/arbs?limit=1{cursor}")).json();
        paged.extend(page["arbs"].as_array().unwrap().iter().cloned());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(&paged, whole);
}

#[test]
fn the_surface_is_as_documented() {
    let stack = Stack::start("board");
    let empty = stack.get("/v1/arbs").json();
    assert_eq!(empty, json!({"as_of": null, "stale": false, "arbs": [], "next_cursor": null, "polls": []}));
    let recording = recordings::simulated(stack.broker.scratch.path(), 41, 54);
    stack.broker.ingest(&recording, &[]);
    let board = stack.board_at("2026-01-01T04:25:00Z");
    assert_eq!(board["as_of"], "2026-01-01T04:25:00Z");
    unauthorized(&stack);
    invalid_requests(&stack);
    pages(&stack);
}
