//! What a browser reads by its session: what is refused, and that a refusal costs nothing. What an answer costs is tested with an owner of
//! the quota, by `tests/node/page.mjs`.

use super::*;

#[test]
fn what_a_session_is_refused_costs_nothing() {
    let site = Site::new();
    site.test.app.picks().ready();
    let browser = site.sign_up("two@example.com");
    for (path, status) in [
        ("/session/bots/none", 404),
        ("/session/picks/none", 404),
        ("/session/arbs/history", 503),
        ("/session/arbs/history", 503),
        ("/session/arbs/none/prices", 503),
    ] {
        let answer = site.browse(&browser, &Method::GET, path, &json!({}));
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
    }
    let hedge = json!({"placed": [{"book": "alpha", "outcome": "home", "stake": 50, "price": 2.1}]});
    assert_eq!(site.browse(&browser, &Method::POST, "/session/arbs/none/hedge", &hedge).status, 404);
    assert_eq!(site.browse(&browser, &Method::HEAD, "/session/bots", &json!({})).status, 200);
    let usage = site.browse(&browser, &Method::GET, "/session/usage", &json!({})).json();
    assert_eq!((&usage["used"], &usage["keys"]), (&json!(0), &json!({})));
}

/// How much of the feed was real is of no account: who has none is not refused, though there is no history here.
#[test]
fn the_truth_of_the_feed_needs_no_account() {
    let site = Site::new();
    assert_eq!(site.send(&Method::GET, "/truth", &[], &[]).status, 503);
}
