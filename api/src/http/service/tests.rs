//! Requests to a table that only tests have.

mod table;

use std::future::poll_fn;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use arb_runtime::stop::Stop;
use bytes::Bytes;
use futures_util::{Stream, stream};
use hyper::body::Body;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use warp::http::{HeaderMap, HeaderValue, Method};

use self::table::{ROUTES, Shelf};
use super::{Head, Service, Surroundings};
use crate::App;
use crate::fixtures::TestApp;
use crate::http::cors::Cors;
use crate::http::server::drain::Drain;
use crate::http::server::{Caps, Limits, listen, serve_routes};
use crate::http::site::{Site, UrlScheme};

const MAX_BODY: usize = 64;

/// All of a response's body.
async fn text(body: impl Body<Data = Bytes>) -> String {
    let (mut body, mut bytes) = (pin!(body), Vec::new());
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        bytes.extend(frame.ok().unwrap().into_data().ok().unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

fn field<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers[name].to_str().unwrap()
}

/// A caller of that table, with a quota of three requests.
struct Client {
    test: TestApp,
    service: Arc<Service<Shelf>>,
    runtime: tokio::runtime::Runtime,
}

fn surroundings(app: &App) -> Surroundings {
    let site = Site::new("127.0.0.1:8080".parse().unwrap(), UrlScheme::Http, &[]).unwrap();
    Surroundings { usage: Arc::clone(&app.usage), cors: Cors::default(), site, drain: Drain::default() }
}

/// Status, header fields and body.
type Received = (u16, HeaderMap, String);

impl Client {
    fn new() -> Self {
        let test = TestApp::new(1, 10, Duration::from_secs(1));
        let service =
            Service::new(&ROUTES, Shelf("shelf"), Arc::clone(&test.app.authority), surroundings(&test.app));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { test, service, runtime }
    }

    fn send(
        &self,
        method: &Method,
        path: &str,
        fields: &[(&'static str, &str)],
        body: impl Stream<Item = Result<&'static [u8], ()>>,
    ) -> Received {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(*name, value.parse().unwrap());
        }
        headers.entry("host").or_insert(HeaderValue::from_static("localhost"));
        let head = Head { method, path, query: "", headers: &headers };
        let response = self.runtime.block_on(self.service.respond(&head, body, None));
        let (parts, body) = response.into_parts();
        let body = self.runtime.block_on(text(body));
        (parts.status.as_u16(), parts.headers, body)
    }

    /// With the key, and a body in pieces.
    fn ask(
        &self,
        method: &Method,
        path: &str,
        fields: &[(&'static str, &str)],
        pieces: &[&'static str],
    ) -> Received {
        let fields = [&[("x-api-key", &*self.test.key)][..], fields].concat();
        let pieces: Vec<_> = pieces.iter().map(|piece| Ok(piece.as_bytes())).collect();
        self.send(method, path, &fields, stream::iter(pieces))
    }

    fn used(&self) -> u64 {
        let caller = self.test.app.authority.caller(&self.test.key, None).unwrap();
        self.test.app.usage.status(&caller).used
    }
}

/// The table behind a port.
struct Listening<'a> {
    client: &'a Client,
    address: SocketAddr,
    stop: Stop,
    server: JoinHandle<()>,
}

impl<'a> Listening<'a> {
    fn new(client: &'a Client) -> Self {
        let stop = Stop::default();
        let (routes, stopped) = (Arc::clone(&client.service).filter(), stop.clone());
        let listener = client.runtime.block_on(async { listen((Ipv4Addr::LOCALHOST, 0).into()) }).unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits::new(Caps::equal(10), Duration::from_secs(10));
        let server =
            client.runtime.spawn(async move { serve_routes(listener, routes, limits, &stopped).await });
        Self { client, address, stop, server }
    }

    /// What is received on a connection of its own for what is sent.
    fn exchange(&self, sent: &str) -> String {
        self.client.runtime.block_on(async {
            let (mut stream, mut received) = (TcpStream::connect(self.address).await.unwrap(), Vec::new());
            stream.write_all(sent.as_bytes()).await.unwrap();
            // What comes after the response may be a reset, where it did not wait for the body.
            let _ = stream.read_to_end(&mut received).await;
            String::from_utf8(received).unwrap()
        })
    }

    fn end(self) {
        self.stop.stop();
        self.client.runtime.block_on(self.server).unwrap();
    }
}

const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");

#[test]
fn a_chunked_body_is_read_and_its_answer_costs_the_price_of_its_row() {
    let client = Client::new();
    let pieces = ["{\"sport\": \"soccer\",", " \"markets\": [\"h2h\"]}"];
    let (status, headers, body) = client.ask(&Method::POST, "/api/v1/scans", &[JSON], &pieces);
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, body), (200, json!({"shelf": "shelf", "sport": "soccer", "markets": ["h2h"]})));
    assert_eq!((field(&headers, "x-requests-used"), client.used()), ("2", 2));
    // One is left, which is too little for another.
    let (status, headers, _) = client.ask(&Method::POST, "/api/v1/scans", &[JSON], &["{}"]);
    assert_eq!((status, field(&headers, "x-requests-remaining"), client.used()), (429, "1", 2));
}

#[test]
fn a_body_that_is_none_of_the_row_s_is_refused_for_nothing() {
    let client = Client::new();
    let long = "x".repeat(MAX_BODY + 1);
    let long: &'static str = long.leak();
    for (fields, pieces, expected) in [
        (&[][..], &["{}"][..], 415),
        (&[("content-type", "text/json")], &["{}"], 415),
        (&[JSON, ("content-length", "65")], &[], 413),
        // Chunked: it has no length, and needs none.
        (&[JSON], &[long], 413),
        (&[JSON], &["{", long], 413),
        (&[JSON], &[], 400),
        (&[JSON], &["[]"], 400),
        (&[JSON], &["{\"sport\""], 400),
    ] {
        let (status, headers, body) = client.ask(&Method::POST, "/api/v1/scans", fields, pieces);
        assert_eq!(status, expected, "{fields:?} {pieces:?}: {body}");
        assert_eq!(headers["content-type"], "application/problem+json");
    }
    let broken = stream::iter([Ok(&b"{"[..]), Err(())]);
    let fields = [("x-api-key", &*client.test.key), JSON];
    assert_eq!(client.send(&Method::POST, "/api/v1/scans", &fields, broken).0, 400);
    assert_eq!(client.used(), 0);
}

#[test]
fn a_field_that_is_unknown_or_of_another_type_is_named() {
    let client = Client::new();
    for (text, name, reason) in [
        ("{\"sports\": \"soccer\"}", "sports", "is unknown"),
        ("{\"sport\": 1}", "sport", "must be text"),
        ("{\"markets\": [1]}", "markets", "must be an array of text"),
    ] {
        let (status, _, body) = client.ask(&Method::POST, "/api/v1/scans", &[JSON], &[text]);
        let body: Value = serde_json::from_str(&body).unwrap();
        let expected = json!([{"name": name, "reason": reason}]);
        assert_eq!((status, &body["invalid_params"]), (400, &expected), "{text}");
    }
    assert_eq!(client.used(), 0);
}

#[test]
fn a_body_is_read_only_when_nothing_else_refuses_the_request() {
    let client = Client::new();
    let unread = || {
        stream::poll_fn(|_| -> std::task::Poll<Option<Result<&'static [u8], ()>>> { panic!("it was read") })
    };
    let key = ("x-api-key", &*client.test.key);
    for (method, path, fields, expected) in [
        (Method::POST, "/api/v1/scans", &[JSON][..], 401),
        (Method::POST, "/api/v1/nothing", &[key, JSON], 404),
        (Method::PUT, "/api/v1/scans", &[key, JSON], 405),
        (Method::POST, "/api/v1/scans", &[key], 415),
        (Method::DELETE, "/api/v1/scans/7", &[key, JSON], 200),
    ] {
        let (status, ..) = client.send(&method, path, fields, unread());
        assert_eq!(status, expected, "{method} {path}");
    }
}

#[test]
fn a_path_has_the_methods_of_its_rows_and_says_which() {
    let client = Client::new();
    for (method, path, allow) in [
        (Method::GET, "/api/v1/scans", "POST, OPTIONS"),
        (Method::GET, "/v1/scans", "POST, OPTIONS"),
        (Method::POST, "/api/v1/scans/7", "GET, HEAD, DELETE, OPTIONS"),
        (Method::DELETE, "/open/7", "GET, HEAD, OPTIONS"),
    ] {
        let (status, headers, body) = client.ask(&method, path, &[], &[]);
        assert_eq!((status, field(&headers, "allow")), (405, allow), "{method} {path}");
        assert!(body.contains(&format!("This path answers {allow}.")), "{body}");
    }
}

#[test]
fn a_parameter_is_handed_over_and_a_literal_goes_before_it() {
    let client = Client::new();
    for (path, text, used) in [
        ("/api/v1/scans/7", "shelf 7", 1),
        ("/api/v1/scans/last", "shelf last", 1),
        ("/open/a%20b", "shelf a b", 1),
        ("/open/feed%3a%C3%A9%2F2%ff", "shelf feed:é/2\u{fffd}", 1),
        ("/api/v1/scans/8", "shelf 8", 2),
    ] {
        let (status, _, body) = client.ask(&Method::GET, path, &[], &[]);
        assert_eq!((status, &*body, client.used()), (200, text, used), "{path}");
    }
    let caller = client.test.app.authority.caller(&client.test.key, None).unwrap();
    let routes = client.test.app.usage.spent(&caller.account).routes;
    assert_eq!(routes.into_iter().collect::<Vec<_>>(), [("/api/v1/scans/{id}".to_owned(), 2)]);
}

/// What waits for its body is looked at twice, and counted once.
#[test]
fn a_request_with_a_body_is_one_request_of_the_burst() {
    let client = Client::new();
    let plans = client.test.folder.path().join("plans.json");
    std::fs::write(plans, r#"{"free": {"requests": 10, "per_second": 1, "burst": 5}}"#).unwrap();
    client.test.app.usage.reload_plans();
    let listening = Listening::new(&client);
    let sent = |id: usize| {
        let key = &client.test.key;
        let head = format!("host: a\r\nx-api-key: {key}\r\nconnection: close\r\n");
        let post = format!(
            "POST /api/v1/scans HTTP/1.1\r\n{head}content-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}"
        );
        let received = listening.exchange(&if id == 0 {
            post
        } else {
            format!("GET /api/v1/scans/{id} HTTP/1.1\r\n{head}\r\n")
        });
        let left = received.split("ratelimit: ").nth(1).unwrap().lines().next().unwrap().to_owned();
        (received.starts_with("HTTP/1.1 200 "), left.split(';').nth(1).unwrap().to_owned())
    };
    assert_eq!(
        (sent(0), sent(1), sent(0)),
        ((true, "r=4".into()), (true, "r=3".into()), (true, "r=2".into()))
    );
    listening.end();
}

/// A body as it arrives over a connection: chunked bodies need no length, and a body that is too long is 413
/// in both encodings.
#[test]
fn bodies_are_read_from_connections() {
    let client = Client::new();
    let listening = Listening::new(&client);
    let long = "x".repeat(MAX_BODY + 1);
    for (framing, body, expected) in [
        ("content-length: 2", "{}".to_owned(), 200),
        ("transfer-encoding: chunked", "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n".to_owned(), 429),
        ("transfer-encoding: chunked", format!("{:x}\r\n{long}\r\n0\r\n\r\n", long.len()), 413),
        (&format!("content-length: {}", long.len()), long.clone(), 413),
        ("transfer-encoding: chunked", "nonsense\r\n".to_owned(), 400),
        ("x-no-body: 1", String::new(), 400),
    ] {
        let key = &client.test.key;
        let head =
            format!("POST /api/v1/scans HTTP/1.1\r\nhost: a\r\nx-api-key: {key}\r\nconnection: close\r\n");
        let sent = format!("{head}content-type: application/json\r\n{framing}\r\n\r\n{body}");
        let received = listening.exchange(&sent);
        assert!(received.starts_with(&format!("HTTP/1.1 {expected} ")), "{framing} {body}: {received}");
    }
    listening.end();
}

#[test]
fn each_scheme_has_the_paths_of_its_rows() {
    let client = Client::new();
    let bearer = format!("Bearer {}", client.test.key);
    let fields = [("authorization", &*bearer), JSON];
    let send =
        |method: &Method, path: &str| client.send(method, path, &fields, stream::iter([Ok(&b"{}"[..])])).0;
    assert_eq!(send(&Method::POST, "/v1/scans"), 200);
    assert_eq!(send(&Method::GET, "/v1/scans/7"), 404, "by x-api-key alone");
    assert_eq!(send(&Method::POST, "/api/v1/scans"), 401);
}

#[test]
fn what_is_deprecated_says_so_to_whoever_uses_it() {
    let client = Client::new();
    let ask = |method: &Method, path: &str, query: &str, key: &str| {
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", key.parse().unwrap());
        headers.entry("host").or_insert(HeaderValue::from_static("localhost"));
        let head = Head { method, path, query, headers: &headers };
        let body = stream::empty::<Result<&[u8], ()>>();
        client.runtime.block_on(client.service.respond(&head, body, None))
    };
    let key = &*client.test.key;
    for (method, query, key, status, since, until, links) in [
        (Method::GET, "", key, 200, "@1796083200", "Wed, 30 Jun 2027 00:00:00 GMT", 1),
        (Method::HEAD, "", key, 200, "@1796083200", "Wed, 30 Jun 2027 00:00:00 GMT", 1),
        (Method::GET, "old=1", key, 200, "@1795478400", "Sun, 31 Jan 2027 00:00:00 GMT", 2),
        // Who is refused learns it too.
        (Method::GET, "", "nonsense", 401, "@1796083200", "Wed, 30 Jun 2027 00:00:00 GMT", 1),
    ] {
        let answer = ask(&method, "/api/v1/old", query, key);
        assert_eq!(answer.status(), status);
        let fields = [field(answer.headers(), "deprecation"), field(answer.headers(), "sunset")];
        assert_eq!(fields, [since, until], "{method} {query}");
        assert_eq!(answer.headers().get_all("link").iter().count(), links, "{method} {query}");
    }
    for (method, path) in
        [(Method::GET, "/api/v1/scans/last"), (Method::OPTIONS, "/api/v1/old"), (Method::PUT, "/api/v1/old")]
    {
        assert!(!ask(&method, path, "old=1", key).headers().contains_key("deprecation"), "{method} {path}");
    }
}
