//! Streams of boards of own books, asked for as a caller would.

use serde_json::Value;
use warp::http::header::RETRY_AFTER;

use super::own_books::{Own, four};
use super::*;

/// An API whose feed is read too.
fn api() -> Own {
    let own = Own::with_boards(&four(), 100);
    own.api.app.streams().begin();
    own
}

fn ask(own: &Own, key: &str, method: &Method, query: &str) -> Response {
    own.api.send_with(key, (method, "/v1/stream", query), &[])
}

fn used(own: &Own) -> u64 {
    own.api.app.usage.status(&own.api.app.authority.caller(&own.api.key, None).unwrap()).used
}

#[test]
fn a_stream_of_own_books_costs_what_such_a_board_costs_and_an_account_has_two() {
    let own = api();
    let open = |query| ask(&own, &own.api.key, &Method::GET, query);
    let first = open("books=c,d&commissions=c:1&min_margin=0.01&heartbeat_seconds=5&conflate_ms=5000");
    assert_eq!(
        (first.status(), first.headers()[CONTENT_TYPE].to_str().unwrap()),
        (StatusCode::OK, "text/event-stream")
    );
    assert_eq!(used(&own), 3);
    assert_eq!(ask(&own, &own.api.key, &Method::HEAD, "books=a").status(), StatusCode::OK);
    let (second, same) = (open("total_stake=500"), open("total_stake=500&verified=true"));
    assert_eq!((second.status(), same.status(), used(&own)), (StatusCode::OK, StatusCode::OK, 9));
    let third = open("books=a");
    assert_eq!(
        (third.status(), third.headers()[RETRY_AFTER].to_str().unwrap()),
        (StatusCode::TOO_MANY_REQUESTS, "60")
    );
    let problem: Value = json(third);
    assert_eq!(
        problem["detail"],
        "The account watches 2 boards of own books at this instance, as many as it may: ask GET /v1/arbs for another one each minute."
    );
    drop(first);
    assert_eq!((open("books=a").status(), used(&own)), (StatusCode::OK, 12));
}

#[test]
fn what_such_a_stream_has_not_is_refused() {
    let own = api();
    for query in [
        "books=nobody",
        "books=",
        "total_stake=0",
        "books=a&event=arb_window",
        "books=a&kind=steam",
        "books=a&sort=margin",
        "books=a&max_age=9",
        "books=a&book=nobody",
        "books=a&last_event_id=AnS1L9DJy0FIlMGRhFbbfoQAAAAAAAAAAA",
    ] {
        let answer = ask(&own, &own.api.key, &Method::GET, query);
        assert_eq!((answer.status(), used(&own)), (StatusCode::BAD_REQUEST, 0), "{query}");
    }
    assert_eq!(ask(&own, &own.test_key(), &Method::GET, "books=a").status(), StatusCode::FORBIDDEN);
    assert_eq!(
        own.api.ask(&Method::GET, "/v1/arbs/changes", "books=a", None).0.status(),
        StatusCode::BAD_REQUEST
    );
    own.api.app.boards.quotes.fail();
    assert_eq!(ask(&own, &own.api.key, &Method::GET, "books=a").status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ask(&own, &own.api.key, &Method::GET, "").status(), StatusCode::OK, "the feed is served");
}
