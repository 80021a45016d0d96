//! Names in queries: one that does not exist is refused for nothing, wherever a request may name something.

use arb_accounts::account::Account;
use arb_accounts::directory::Part;
use warp::http::{Method, StatusCode};

use super::{Api, json};
use crate::fixtures::account;

/// By route, the parameters that name something, each with a name that does not exist.
const NAMELESS: [(&str, &[&str]); 9] = [
    (
        "/v1/arbs",
        &[
            "sport=socer",
            "league=soccer_nowhere",
            "market=moneyline",
            "book=bet365",
            "books=alpha,bet365",
            "commissions=bet365:2",
        ],
    ),
    ("/v1/signals", &["sport=socer", "market=moneyline", "book=bet365"]),
    ("/v1/arbs/history", &["sport=socer", "league=soccer_nowhere", "market=moneyline", "book=bet365"]),
    ("/v1/arbs/changes", &["sport=socer", "league=socer_x", "market=moneyline", "book=bet365"]),
    ("/v1/stream", &["sport=socer", "league=socer_x", "market=moneyline", "book=bet365"]),
    ("/v1/events", &["sport=socer", "league=soccer_nowhere"]),
    ("/v1/events/6/odds", &["market=moneyline", "book=bet365"]),
    ("/v1/picks", &["sport=socer", "league=soccer_nowhere"]),
    (
        "/v1/scan",
        &[
            "sport=socer",
            "league=soccer_nowhere",
            "event_group=soccer_nowhere/2026-11-26",
            "sport=soccer&markets=h2h,moneyline",
            "sport=soccer&books=bet365",
        ],
    ),
];

#[test]
fn a_name_that_does_not_exist_is_refused_on_every_route_for_nothing() {
    let api = Api::new();
    let plan = r#"{"free": {"requests": 1000, "per_second": 0, "connections": 0}}"#;
    std::fs::write(api.folder.path().join("plans.json"), plan).unwrap();
    api.app.usage.reload_plans();
    for (path, queries) in NAMELESS {
        for query in queries {
            let (refused, used) = api.ask(&Method::GET, path, query, None);
            assert_eq!((refused.status(), used), (StatusCode::BAD_REQUEST, 0), "{path}?{query}");
            let problem = json(refused);
            assert_eq!(problem["type"], "/problems/invalid-request");
            let named = query.rsplit('&').next().unwrap().split('=').next().unwrap();
            let refused = &problem["invalid_params"][0];
            assert_eq!(refused["name"], named, "{path}?{query}");
            assert!(refused["reason"].as_str().unwrap().contains("known; there are: "), "{refused}");
        }
    }
}

#[test]
fn a_book_that_has_a_price_or_is_granted_exists() {
    let own = Api::new();
    let status = |query: &str| own.ask(&Method::HEAD, "/v1/arbs", query, None).0.status();
    assert_eq!((status("book=alpha"), status("book=acme")), (StatusCode::OK, StatusCode::BAD_REQUEST));
    let granted = account("acc_0000000000000001", "one@example.com");
    own.app.authority.replica().put(Part::Account(Account {
        books: vec!["acme".into()],
        is_public: true,
        ..granted
    }));
    assert_eq!((status("book=acme"), status("books=alpha,acme")), (StatusCode::OK, StatusCode::OK));
}
