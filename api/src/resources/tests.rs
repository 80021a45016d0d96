//! Accounts, sessions and keys, asked as browsers and programs would, with the accounts machine beside the API.

use std::sync::Arc;
use std::time::Duration;

use arb_accounts::directory::Part;
use arb_accounts::key::ApiKey;
use arb_accounts::scope::Scope;
use arb_schemas::records::BoardProgress;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use warp::http::{HeaderMap, HeaderValue, Method};

use super::Resources;
use crate::access::sign_up::SignUp;
use crate::fixtures::{TestApp, api_key, run_machine};
use crate::http::request::Head;
use crate::http::service::Service;
use crate::routes::ROUTES;
use crate::stream::Streams;
use crate::stream::source::Source;

mod by_session;
mod every_answer;
mod fuzz;
mod hedge;
mod influence;
mod matrix;
mod modes;
mod owasp;
mod registry;
mod ticks;

const PASSWORD: &str = "correct horse battery";
const HOST: &str = "127.0.0.1:8080";
const COOKIE: &str = "arb_session_8080";

/// An API with its machine.
struct Site {
    test: TestApp,
    service: Arc<Service<Resources>>,
    runtime: Runtime,
}

/// A response.
struct Received {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl Received {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The value of the cookie that it sets.
    fn cookie(&self) -> String {
        let set = self.headers["set-cookie"].to_str().unwrap();
        set.split(';').next().unwrap().strip_prefix(COOKIE).unwrap()[1..].to_owned()
    }
}

/// A browser that has signed in.
struct Browser {
    cookie: String,
    csrf: String,
}

impl Site {
    fn new() -> Self {
        Self::with(SignUp::Open)
    }

    fn with(sign_up: SignUp) -> Self {
        let streams = Streams::new(Source::by_hand(1), 10, Duration::from_secs(1));
        let test = TestApp::with_sign_up(1, streams, sign_up);
        test.app.begin([], BoardProgress { source: "s".into(), received_at: 1 });
        Self::of(test)
    }

    /// Reached under other names.
    fn at(site: crate::http::site::Site) -> Self {
        let mut test = TestApp::new(1, 10, Duration::from_secs(1));
        test.app = test.app.reached_at(site);
        Self::of(test)
    }

    fn of(test: TestApp) -> Self {
        run_machine(&test.app);
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Self { service: test.app.service(), test, runtime }
    }

    fn send(&self, method: &Method, path: &str, fields: &[(&'static str, &str)], body: &[u8]) -> Received {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, value.parse().unwrap());
        }
        headers.entry("host").or_insert(HeaderValue::from_static("localhost"));
        let head = Head { method, path, query: "", headers: &headers };
        let (service, body) = (&self.service, stream::iter([Ok::<_, ()>(body)]));
        self.runtime.block_on(async {
            let (parts, body) = service.respond(&head, body, None).await.into_parts();
            let body = if parts.headers.get("content-type").is_some_and(|of| of == "text/event-stream") {
                String::new()
            } else {
                text(body).await
            };
            Received { status: parts.status.as_u16(), headers: parts.headers, body }
        })
    }

    /// With a key.
    fn with_key(&self, key: &str, method: &Method, path: &str, body: &Value) -> Received {
        let fields = [("x-api-key", key), ("content-type", "application/json")];
        self.send(method, path, &fields, body.to_string().as_bytes())
    }

    /// As a browser does without a session.
    fn post(&self, path: &str, body: &Value) -> Received {
        let fields = [("host", HOST), ("content-type", "application/json")];
        self.send(&Method::POST, path, &fields, body.to_string().as_bytes())
    }

    /// As a browser does that has signed in.
    fn browse(&self, browser: &Browser, method: &Method, path: &str, body: &Value) -> Received {
        let cookie = format!("{COOKIE}={}", browser.cookie);
        let fields = [
            ("host", HOST),
            ("content-type", "application/json"),
            ("cookie", &*cookie),
            ("x-csrf-token", &*browser.csrf),
        ];
        self.send(method, path, &fields, body.to_string().as_bytes())
    }

    fn sign_up(&self, email: &str) -> Browser {
        let signed_up = self.post("/session/signup", &json!({"email": email, "password": PASSWORD}));
        assert_eq!(signed_up.status, 201, "{}", signed_up.body);
        self.log_in(email)
    }

    fn log_in(&self, email: &str) -> Browser {
        let logged_in = self.post("/session", &json!({"email": email, "password": PASSWORD}));
        assert_eq!(logged_in.status, 200, "{}", logged_in.body);
        let csrf = logged_in.json()["csrf_token"].as_str().unwrap().to_owned();
        Browser { cookie: logged_in.cookie(), csrf }
    }

    /// Puts a key with changes into the topic; the key.
    fn key(&self, random: u8, account: &str, change: impl FnOnce(&mut ApiKey)) -> String {
        let (key, mut stored) = api_key(self.test.app.authority.pepper(), random, account);
        change(&mut stored);
        self.test.app.authority.replica().put(Part::Key(stored));
        key
    }
}

async fn text(body: impl hyper::body::Body<Data = bytes::Bytes>) -> String {
    let (mut body, mut bytes) = (std::pin::pin!(body), Vec::new());
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await {
        bytes.extend(frame.ok().unwrap().into_data().ok().unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn from_sign_up_to_revocation() {
    let site = Site::new();
    let browser = site.sign_up("Two@Example.com");
    let shown = site.browse(&browser, &Method::GET, "/session", &json!({})).json();
    assert_eq!((&shown["email"], &shown["plan"]), (&json!("two@example.com"), &json!("free")));
    let none = site.browse(&browser, &Method::GET, "/session/keys", &json!({}));
    assert_eq!(none.json(), json!({"keys": []}));
    let scopes = json!(["board:read", "usage:read", "keys:manage"]);
    let created =
        site.browse(&browser, &Method::POST, "/session/keys", &json!({"name": "bot", "scopes": scopes}));
    assert_eq!((created.status, &created.headers["cache-control"]), (201, &"no-store".parse().unwrap()));
    let (key, kid) = (created.json()["key"].clone(), created.json()["kid"].clone());
    let (key, kid) = (key.as_str().unwrap(), kid.as_str().unwrap());
    assert_eq!(site.with_key(key, &Method::GET, "/api/v1/arbs", &json!({})).status, 200);
    let usage = site.browse(&browser, &Method::GET, "/session/usage", &json!({})).json();
    assert_eq!((&usage["used"], &usage["keys"][kid]), (&json!(1), &json!(1)));
    let listed = site.with_key(key, &Method::GET, "/api/v1/keys", &json!({}));
    assert!(!listed.body.contains(key) && listed.json()["keys"][0]["last_used_at"].is_string());
    let path = format!("/api/v1/keys/{kid}/rotate");
    let rotated = site.with_key(key, &Method::POST, &path, &json!({"grace_seconds": 60}));
    assert_eq!(rotated.status, 201, "{}", rotated.body);
    let new = rotated.json()["key"].as_str().unwrap().to_owned();
    for key in [key, &new] {
        assert_eq!(site.with_key(key, &Method::GET, "/api/v1/account", &json!({})).status, 200);
    }
    let path = format!("/session/keys/{kid}");
    assert_eq!(site.browse(&browser, &Method::DELETE, &path, &json!({})).status, 204);
    assert_eq!(site.with_key(key, &Method::GET, "/api/v1/account", &json!({})).status, 401);
    assert_eq!(site.browse(&browser, &Method::DELETE, "/session", &json!({})).status, 204);
    assert_eq!(site.browse(&browser, &Method::GET, "/session", &json!({})).status, 401);
    assert_eq!(site.with_key(&new, &Method::GET, "/api/v1/arbs", &json!({})).status, 200);
}

#[test]
fn a_creation_that_is_sent_again_is_the_same_key() {
    let site = Site::new();
    let ask = |idempotency: &str, body: Value| {
        let fields = [
            ("x-api-key", &*site.test.key),
            ("content-type", "application/json"),
            ("idempotency-key", idempotency),
        ];
        site.send(&Method::POST, "/api/v1/keys", &fields, body.to_string().as_bytes())
    };
    let first = ask("one", json!({"name": "a"}));
    assert_eq!(first.status, 201, "{}", first.body);
    assert_eq!(ask("one", json!({"name": "a"})).json(), first.json());
    assert_eq!(ask("one", json!({"name": "b"})).status, 409);
    assert_ne!(ask("two", json!({"name": "a"})).json()["key"], first.json()["key"]);
    assert_eq!(ask("", json!({"name": "a"})).status, 400);
    let keys = site.with_key(&site.test.key, &Method::GET, "/api/v1/keys", &json!({})).json();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 3);
}

#[test]
fn a_cookie_opens_no_route_for_keys_and_a_key_none_for_sessions() {
    let site = Site::new();
    let browser = site.sign_up("two@example.com");
    for path in ["/v1/arbs", "/api/v1/arbs", "/api/v1/keys", "/api/v1/account"] {
        assert_eq!(site.browse(&browser, &Method::GET, path, &json!({})).status, 401, "{path}");
    }
    let bearer = format!("Bearer {}", site.test.key);
    for path in ["/session", "/session/keys", "/session/usage"] {
        let fields = [("host", HOST), ("authorization", &*bearer), ("x-api-key", &*site.test.key)];
        assert_eq!(site.send(&Method::GET, path, &fields, b"").status, 401, "{path}");
    }
}

#[test]
fn requests_of_other_hosts_and_origins_and_without_a_token_are_refused() {
    let site = Site::new();
    let browser = site.sign_up("two@example.com");
    let cookie = format!("{COOKIE}={}", browser.cookie);
    let ask = |fields: &[(&'static str, &str)]| {
        let fields = [&[("cookie", &*cookie), ("content-type", "application/json")][..], fields].concat();
        site.send(&Method::POST, "/session/keys", &fields, b"{}").status
    };
    let token = ("x-csrf-token", &*browser.csrf);
    assert_eq!(ask(&[("host", "evil.example"), token]), 403);
    assert_eq!(ask(&[("host", HOST)]), 403);
    assert_eq!(ask(&[("host", HOST), ("x-csrf-token", &browser.cookie)]), 403);
    assert_eq!(ask(&[("host", HOST), ("origin", "https://evil.example"), token]), 403);
    assert_eq!(ask(&[("host", HOST), ("sec-fetch-site", "cross-site"), token]), 403);
    assert_eq!(ask(&[("host", HOST), ("origin", "http://127.0.0.1:8080"), token]), 201);
    let rebound = [("host", "evil.example:8080"), ("cookie", &*cookie)];
    assert_eq!(site.send(&Method::GET, "/session/keys", &rebound, b"").status, 403);
}

#[test]
fn a_bankroll_is_the_accounts_in_every_browser() {
    let site = Site::new();
    let (one, other) = (site.sign_up("two@example.com"), site.log_in("two@example.com"));
    let shown =
        |browser| site.browse(browser, &Method::GET, "/session", &json!({})).json()["bankroll"].clone();
    assert_eq!(shown(&other), Value::Null);
    let set = json!({"total": 400.5, "currency": "EUR", "rounding": 1});
    let kept = json!({"total": 400.5, "currency": "EUR", "rounding": 1.0});
    let answer = site.browse(&one, &Method::PUT, "/session/bankroll", &set);
    assert_eq!((answer.status, answer.json()), (200, kept.clone()));
    for (field, wrong) in [
        ("total", json!({"rounding": 1})),
        ("total", json!({"total": 0.001, "rounding": 1})),
        ("total", json!({"total": -5, "rounding": 1})),
        ("total", json!({"total": 1e300, "rounding": 1})),
        ("currency", json!({"total": 5, "currency": "euro", "rounding": 1})),
        ("rounding", json!({"total": 5, "rounding": 0})),
        ("stake", json!({"total": 5, "rounding": 1, "stake": 2})),
    ] {
        let answer = site.browse(&one, &Method::PUT, "/session/bankroll", &wrong);
        let name = &answer.json()["invalid_params"][0]["name"];
        assert_eq!((answer.status, name), (400, &json!(field)), "{wrong}: {}", answer.body);
    }
    assert_eq!((shown(&one), shown(&other)), (kept.clone(), kept));
    let without =
        site.browse(&other, &Method::PUT, "/session/bankroll", &json!({"total": 100, "rounding": 0.01}));
    assert_eq!((without.status, shown(&one)["currency"].clone()), (200, Value::Null));
}

#[test]
fn another_password_ends_the_other_sessions_and_changes_the_cookie() {
    let site = Site::new();
    let (one, other) = (site.sign_up("two@example.com"), site.log_in("two@example.com"));
    let body = json!({"current_password": PASSWORD, "new_password": "another horse battery"});
    let wrong = json!({"current_password": "wrong horse battery", "new_password": "another horse battery"});
    assert_eq!(site.browse(&one, &Method::POST, "/session/password", &wrong).status, 401);
    let changed = site.browse(&one, &Method::POST, "/session/password", &body);
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_ne!(changed.cookie(), one.cookie);
    for browser in [&one, &other] {
        assert_eq!(site.browse(browser, &Method::GET, "/session", &json!({})).status, 401);
    }
    let old = site.post("/session", &json!({"email": "two@example.com", "password": PASSWORD}));
    assert_eq!(old.status, 401);
}
