//! Test keys, limits of plans, invitations, and requests that are sent again.

use super::*;
use crate::files::reload::Reloaded;

/// A test key that was created at a session.
fn test_key(site: &Site, browser: &Browser) -> String {
    let scopes = json!(["board:read", "stream:read", "usage:read", "keys:manage"]);
    let body = json!({"name": "tests", "mode": "test", "scopes": scopes});
    let created = site.browse(browser, &Method::POST, "/session/keys", &body);
    assert_eq!((created.status, &created.json()["mode"]), (201, &json!("test")), "{}", created.body);
    created.json()["key"].as_str().unwrap().to_owned()
}

#[test]
fn a_test_key_is_created_like_another_and_manages_test_keys_alone() {
    let site = Site::new();
    let browser = site.sign_up("two@example.com");
    let key = test_key(&site, &browser);
    assert!(key.starts_with("arb_test_"));
    let live = site.browse(&browser, &Method::POST, "/session/keys", &json!({"name": "live"})).json();
    let arbs = site.with_key(&key, &Method::GET, "/api/v1/arbs", &json!({}));
    assert_eq!((arbs.status, arbs.json()["arbs"].as_array().unwrap().len()), (200, 6));
    let listed = site.with_key(&key, &Method::GET, "/api/v1/keys", &json!({})).json();
    assert_eq!(listed["keys"].as_array().unwrap().len(), 1, "{listed}");
    let path = format!("/api/v1/keys/{}", live["kid"].as_str().unwrap());
    assert_eq!(site.with_key(&key, &Method::DELETE, &path, &json!({})).status, 404);
    let scopes = json!(["board:read"]);
    let more = |body: Value| site.with_key(&key, &Method::POST, "/api/v1/keys", &body);
    assert_eq!(more(json!({"scopes": scopes})).json()["mode"], "test", "what a test key creates is one");
    assert_eq!(more(json!({"scopes": scopes, "mode": "live"})).status, 403);
    assert_eq!(more(json!({"scopes": scopes, "mode": "none"})).status, 400);
    let rotated =
        site.with_key(&key, &Method::POST, &format!("/api/v1/keys/{}/rotate", &key[9..17]), &json!({}));
    assert!(rotated.json()["key"].as_str().unwrap().starts_with("arb_test_"));
    assert_eq!(site.with_key(&key, &Method::GET, "/api/v1/arbs", &json!({})).status, 401);
    let usage = site.browse(&browser, &Method::GET, "/session/usage", &json!({})).json();
    assert_eq!(usage["used"], 0);
}

#[test]
fn a_key_that_asks_too_often_waits_and_is_charged_nothing() {
    let site = Site::new();
    let file = site.test.folder.path().join("plans.json");
    std::fs::write(&file, r#"{"free": {"requests": 100, "per_second": 1, "burst": 2, "streams": 1}}"#)
        .unwrap();
    site.test.app.usage.reload_plans();
    let ask = |key: &str| site.with_key(key, &Method::GET, "/api/v1/arbs", &json!({}));
    let statuses: Vec<_> = (0..3).map(|_| ask(&site.test.key).status).collect();
    assert_eq!(statuses, [200, 200, 429]);
    let refused = ask(&site.test.key);
    assert_eq!(
        (refused.json()["type"].as_str(), &refused.headers["retry-after"]),
        (Some("/problems/rate-limited"), &"1".parse().unwrap())
    );
    assert_eq!(refused.headers["x-requests-used"], "2");
    assert_eq!(refused.headers["ratelimit-policy"], "\"burst\";q=2;w=2");
    assert_eq!(refused.headers["ratelimit"], "\"burst\";r=0;t=1");
    let other = site.key(2, "acc_0000000000000001", |_| {});
    let first = ask(&other);
    assert_eq!((first.status, &first.headers["ratelimit"]), (200, &"\"burst\";r=1;t=1".parse().unwrap()));
    let surface = site.send(&Method::GET, "/v1/arbs", &[("authorization", &format!("Bearer {other}"))], b"");
    assert_eq!(surface.headers["ratelimit"], "\"burst\";r=0;t=2", "both surfaces have it");
    std::fs::write(&file, r#"{"free": {"requests": 100, "per_second": 0}}"#).unwrap();
    site.test.app.usage.reload_plans();
    assert!(!ask(&other).headers.contains_key("ratelimit"), "a plan without a limit");
}

#[test]
fn an_account_has_as_many_streams_as_its_plan_allows() {
    let site = Site::new();
    let file = site.test.folder.path().join("plans.json");
    std::fs::write(&file, r#"{"free": {"requests": 100, "streams": 1}}"#).unwrap();
    site.test.app.usage.reload_plans();
    let held = site.test.app.stream.place("acc_0000000000000001", 1);
    let other = site.key(2, "acc_0000000000000001", |_| {});
    for key in [&site.test.key, &other] {
        let refused = site.with_key(key, &Method::GET, "/api/v1/stream", &json!({}));
        let kind = refused.json()["type"].as_str().map(str::to_owned);
        assert_eq!((refused.status, kind.as_deref()), (429, Some("/problems/too-many-streams")));
        assert!(refused.headers.contains_key("retry-after") && refused.headers["x-requests-used"] == "0");
    }
    let usage = || site.with_key(&other, &Method::GET, "/api/v1/usage", &json!({})).json();
    assert_eq!(usage()["open_streams"], 1);
    drop(held);
    assert_eq!(usage()["open_streams"], 0);
    for _ in 0..3 {
        let opened = site.with_key(&other, &Method::GET, "/api/v1/stream", &json!({}));
        assert_eq!(opened.status, 200, "one that has ended is not counted");
    }
}

#[test]
fn an_invitation_is_good_for_one_account() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("invitations");
    std::fs::write(&file, "first-token\nsecond-token\n").unwrap();
    let site = Site::with(SignUp::Invite(Reloaded::open(file).unwrap()));
    let sign_up = |email: &str, invitation: &str| {
        let body = json!({"email": email, "password": PASSWORD, "invitation": invitation});
        site.post("/session/signup", &body).status
    };
    assert_eq!(sign_up("a@example.com", "third-token"), 403);
    assert_eq!(sign_up("a@example.com", "first-token"), 201);
    assert_eq!(sign_up("b@example.com", "first-token"), 403);
    assert_eq!(sign_up("a@example.com", "second-token"), 409, "a refused sign-up does not use it");
    assert_eq!(sign_up("b@example.com", " second-token "), 201);
}

#[test]
fn a_log_in_that_is_sent_again_is_the_same_session() {
    let site = Site::new();
    site.sign_up("two@example.com");
    let log_in = |idempotency: &str, password: &str| {
        let fields = [("host", HOST), ("content-type", "application/json"), ("idempotency-key", idempotency)];
        let body = json!({"email": "two@example.com", "password": password}).to_string();
        site.send(&Method::POST, "/session", &fields, body.as_bytes())
    };
    let first = log_in("one", PASSWORD);
    assert_eq!((first.status, first.cookie()), (200, log_in("one", PASSWORD).cookie()));
    assert_ne!(log_in("two", PASSWORD).cookie(), first.cookie());
    assert_eq!(log_in("one", "wrong horse battery").status, 401, "the password is checked each time");
    let browser =
        Browser { cookie: first.cookie(), csrf: first.json()["csrf_token"].as_str().unwrap().to_owned() };
    assert_eq!(site.browse(&browser, &Method::DELETE, "/session", &json!({})).status, 204);
    assert_eq!(log_in("one", PASSWORD).status, 409, "a session that has ended is not opened again");
}
