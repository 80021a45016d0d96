//! The second surface: its header, the quota on every response, and what costs something.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arb_schemas::time::month;
use serde_json::{Value, json};

use crate::support::feed::{Writer, opened};
use crate::support::http::Answer;
use crate::support::program::run;
use crate::support::serve::{Key, Serve};
use crate::support::sse::Sse;
use crate::support::stack::Broker;
use crate::support::wait::{pace, wait_for};

/// Remaining, used and plan, from the headers.
fn quota(answer: &Answer) -> (u64, u64, String) {
    let number = |name| answer.header(name).parse().unwrap_or_else(|_| panic!("{name}: {}", answer.status));
    (number("x-requests-remaining"), number("x-requests-used"), answer.header("x-plan").to_owned())
}

struct Surface {
    serve: Serve,
    key: Key,
    broker: Broker,
}

impl Surface {
    fn start(plan: &str, plans: &Value) -> Self {
        keep_clear_of_the_turn_of_the_month();
        let broker = Broker::start();
        let key = Key::new(&broker, plan);
        std::fs::write(broker.path("plans.json"), plans.to_string()).unwrap();
        let serve = Serve::start(&broker, &key, "serve", &[]);
        Self { serve, key, broker }
    }

    fn with_key(&self, method: &str, path: &str) -> Answer {
        self.serve.ask(method, path, &[("x-api-key", &self.key.text)])
    }

    /// An answer as curl has it, decoded; `-I` asks for its head. It is asked for again while the instance does not know its accounts.
    fn curl(&self, path: &str, arguments: &[&str]) -> Fetched {
        wait_for("curl has an answer", || {
            Some(self.curl_once(path, arguments)).filter(|fetched| fetched.status() != "503")
        })
    }

    fn curl_once(&self, path: &str, arguments: &[&str]) -> Fetched {
        let head = self.broker.path("head.txt");
        let output = run(Command::new("curl")
            .args(["-s", "--compressed", "-H", "accept-encoding:", "-D"])
            .arg(&head)
            .args(["-H", &format!("x-api-key: {}", self.key.text)])
            .args(arguments)
            .arg(format!("http://{}{path}", self.serve.listen)));
        assert!(output.success, "{path} {arguments:?}: {}", output.err);
        Fetched { head: std::fs::read_to_string(head).unwrap(), body: output.out }
    }

    fn stream(&self, headers: &[(&str, &str)]) -> Sse {
        wait_for("a stream is opened", || {
            let stream = Sse::connect(&self.serve.listen, "/api/v1/stream", headers);
            Some(stream).filter(|stream| stream.status != 503)
        })
    }
}

/// The status of a request whose head is sent as it is.
fn status_of_head(listen: &str, fields: &[&str]) -> u16 {
    let mut stream = TcpStream::connect(listen).unwrap();
    let lines = fields.join("\r\n");
    write!(stream, "GET /v1/arbs?limit=1 HTTP/1.1\r\n{lines}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_head_that_may_be_read_in_two_ways_is_refused() {
    let broker = Broker::start();
    let key = Key::new(&broker, "pro");
    let serve = Serve::start(&broker, &key, "serve", &[]);
    assert_eq!(serve.get("/v1/arbs").status, 200);
    let host = format!("host: {}", serve.listen);
    let bearer = format!("authorization: Bearer {}", key.text);
    let other = "authorization: Bearer arb_live_other";
    for (fields, expected) in [
        (&[&*host, &*bearer][..], 200),
        (&[&*bearer], 400),
        (&[&*host, "host: evil.example", &*bearer], 400),
        (&["host: evil.example", &*host, &*bearer], 400),
        (&[&*host, &*bearer, other], 400),
        (&[&*host, other, &*bearer], 400),
        (&[&*host, &*bearer, &*bearer], 400),
    ] {
        assert_eq!(status_of_head(&serve.listen, fields), expected, "{fields:?}");
    }
}

/// An answer that curl received.
struct Fetched {
    head: String,
    /// Decoded; of a request for the head that head again.
    body: String,
}

impl Fetched {
    fn status(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    /// A field; empty where there is none.
    fn header(&self, name: &str) -> &str {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.filter(|(field, _)| *field == name).map(|(_, value)| value).next().unwrap_or("")
    }
}

/// Usage is reset at the month's turn, as it should be: tests that count do not begin within the last minutes
/// before it.
fn keep_clear_of_the_turn_of_the_month() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let end = month(i64::try_from(now.as_micros()).unwrap()).unwrap().1;
    let left = Duration::from_micros(end.unsigned_abs()).saturating_sub(now);
    if left < Duration::from_mins(5) {
        println!("the month ends in {} s", left.as_secs());
        pace("the month ends", left + Duration::from_secs(1));
    }
}

#[test]
fn the_quota_is_on_every_response() {
    let surface = Surface::start("pro", &json!({"pro": 50}));
    let key = &*surface.key.text;
    let bearer = format!("Bearer {key}");
    let ask = |path, headers: &[_]| surface.serve.ask("GET", path, headers);
    let none = (0, 0, "none".to_owned());
    // A caller without a valid key has no plan, whatever the response.
    for (path, headers, status) in [
        ("/api/v1/arbs", &[][..], 401),
        ("/api/v1/arbs", &[("x-api-key", "arb_live_nonsense")], 401),
        ("/api/v1/arbs", &[("authorization", &bearer)], 401),
        ("/api/v1/arbs", &[("x-api-key", key), ("authorization", "Bearer other")], 400),
        ("/api/v1/stream", &[], 401),
        ("/api/v1/usage", &[], 401),
        ("/api/v1/nothing", &[], 404),
    ] {
        let answer = ask(path, headers);
        assert_eq!((answer.status, quota(&answer)), (status, none.clone()), "{path} {headers:?}");
    }
    let other = ask("/api/v1/arbs", &[("authorization", &bearer)]);
    assert!(other.json()["detail"].as_str().unwrap().contains("x-api-key"), "{}", other.body);
    assert_eq!(other.header("www-authenticate"), "ApiKey");
    // Refused requests are free, and the headers show it.
    for (method, path, status) in [
        ("GET", "/api/v1/arbs?sort=1", 400),
        ("GET", "/api/v1/arbs?sport=", 400),
        ("GET", "/api/v1/arbs?market=moneyline", 400),
        ("GET", "/api/v1/signals?market=moneyline", 400),
        ("GET", "/api/v1/stream?market=moneyline", 400),
        ("GET", "/api/v1/stream?event=all", 400),
        ("GET", "/api/v1/stream?last_event_id=17", 400),
        ("GET", "/api/v1/usage?x=1", 400),
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/v1", 404),
        ("POST", "/api/v1/arbs", 405),
        ("GET", "/api/v1/usage", 200),
        ("HEAD", "/api/v1/usage", 200),
    ] {
        let answer = surface.with_key(method, path);
        let expected = (50, 0, "pro".to_owned());
        assert_eq!((answer.status, quota(&answer)), (status, expected), "{method} {path}");
    }
    // Answers cost one each; so does a stream, as its header shows; on either surface.
    let both = ask("/api/v1/arbs", &[("x-api-key", key), ("authorization", &bearer)]);
    assert_eq!((both.status, quota(&both)), (200, (49, 1, "pro".to_owned())));
    let stream = surface.stream(&[("x-api-key", key)]);
    assert_eq!((stream.status, stream.header("x-requests-remaining")), (200, "48"));
    assert_eq!((stream.header("x-requests-used"), stream.header("x-plan")), ("2", "pro"));
    assert_eq!(
        (stream.header("content-type"), stream.header("cache-control")),
        ("text/event-stream", "no-store")
    );
    assert_eq!(stream.header("x-accel-buffering"), "no");
    assert_eq!(surface.serve.get("/v1/arbs").header("x-plan"), "", "the first surface has no quota headers");
    for path in ["/api/v1/arbs", "/api/v1/stream"] {
        let head = surface.with_key("HEAD", path);
        assert_eq!((head.status, quota(&head)), (200, (47, 3, "pro".to_owned())), "HEAD {path} is free");
    }
    let usage = surface.with_key("GET", "/api/v1/usage").json();
    assert_eq!(
        (&usage["plan"], &usage["quota"], &usage["used"], &usage["remaining"]),
        (&json!("pro"), &json!(50), &json!(3), &json!(47))
    );
    assert_eq!(usage["routes"], json!({"/v1/arbs": 1, "/api/v1/arbs": 1, "/api/v1/stream": 1}));
    let (start, end) = (usage["period_start"].as_str().unwrap(), usage["period_end"].as_str().unwrap());
    assert!(start.ends_with("-01T00:00:00Z") && end.ends_with("-01T00:00:00Z") && start < end, "{usage}");
}

#[test]
fn a_spent_quota_is_refused_until_the_month_ends_and_outlives_a_restart() {
    let mut surface = Surface::start("free", &json!({"free": 2}));
    assert_eq!(surface.with_key("GET", "/api/v1/arbs").status, 200);
    assert_eq!(surface.serve.get("/v1/arbs").status, 200, "the other surface spends the same");
    surface.serve.role.stop();
    surface.serve = Serve::start(&surface.broker, &surface.key, "serve", &[]);
    for path in ["/api/v1/arbs", "/api/v1/stream"] {
        let refused = surface.with_key("GET", path);
        assert_eq!((refused.status, quota(&refused)), (429, (0, 2, "free".to_owned())), "{path}");
        assert_eq!(refused.json()["type"], "/problems/quota-exceeded");
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=31 * 86_400).contains(&wait), "{wait}");
    }
    assert_eq!(surface.serve.get("/v1/arbs").status, 429);
    assert_eq!(surface.serve.get("/v1/stream").status, 429);
    assert_eq!(
        surface.with_key("GET", "/api/v1/arbs?limit=0").status,
        400,
        "an invalid value is reported all the same"
    );
    assert_eq!(surface.with_key("GET", "/api/v1/usage").json()["remaining"], 0);
    let page = surface.serve.ask("GET", "/problems/quota-exceeded", &[]);
    assert!(page.body.contains("Retry-After"), "{}", page.body);
}

#[test]
fn an_answer_that_the_caller_has_is_304_and_free() {
    let surface = Surface::start("pro", &json!({"pro": 50}));
    let writer = Writer::new(&surface.broker.kafka);
    let ask = |known: &str| {
        let headers = [("x-api-key", &*surface.key.text), ("if-none-match", known)];
        surface.serve.ask("GET", "/api/v1/arbs?limit=1", &headers)
    };
    let first = surface.with_key("GET", "/api/v1/arbs?limit=1");
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    assert_eq!(
        (first.header("cache-control"), first.header("vary")),
        ("private, no-cache", "accept, accept-encoding, authorization, x-api-key")
    );
    for known in [&tag, &tag["W/".len()..], "*", &format!("\"a,b\", {tag}")] {
        let same = ask(known);
        assert_eq!((same.status, quota(&same)), (304, (49, 1, "pro".to_owned())), "{known}");
        assert_eq!((same.header("etag"), &*same.body), (&*tag, ""));
        assert_eq!(same.header("x-request-id").len(), 16);
    }
    let stranger = surface.serve.ask("GET", "/api/v1/arbs?limit=1", &[("if-none-match", &tag)]);
    assert_eq!(stranger.status, 401, "whether it has changed is none else's business");
    assert_eq!(surface.serve.get("/v1/arbs?limit=1").header("etag"), tag, "on either surface");
    writer.write_board(0, "a", &opened("a", "soccer_a", 1));
    let changed = wait_for("the board has changed", || Some(ask(&tag)).filter(|answer| answer.status == 200));
    assert_ne!(changed.header("etag"), tag);
    assert_eq!(quota(&changed), (47, 3, "pro".to_owned()), "an answer costs what it costs");
    assert_eq!(ask(changed.header("etag")).status, 304);
}

#[test]
fn both_surfaces_serve_the_same_board_by_sport_and_by_league() {
    let surface = Surface::start("pro", &json!({}));
    let writer = Writer::new(&surface.broker.kafka);
    let leagues = ["soccer_a", "soccer_b", "tennis_a"];
    let mut stream = surface.stream(&[("x-api-key", &surface.key.text)]);
    assert_eq!(stream.next().unwrap().name, "snapshot");
    for (sequence, league) in (1..).zip(leagues) {
        writer.write_board(0, league, &opened(league, league, sequence));
    }
    let ids = |path: &str| -> Vec<String> {
        let answer = surface.serve.get(path);
        assert_eq!(answer.status, 200, "{path} {}", answer.body);
        let arbs = answer.json()["arbs"].as_array().unwrap().clone();
        arbs.iter().map(|arb| arb["id"].as_str().unwrap().to_owned()).collect()
    };
    wait_for("the board has all three", || (ids("/v1/arbs").len() == 3).then_some(()));
    for base in ["/v1/arbs", "/api/v1/arbs"] {
        assert_eq!(ids(base), leagues);
        assert_eq!(ids(&format!("{base}?sport=soccer")), ["soccer_a", "soccer_b"]);
        assert_eq!(ids(&format!("{base}?sport=soccer_b")), ["soccer_b"]);
        assert_eq!(ids(&format!("{base}?sport=soccer_epl")), [""; 0]);
        let refused = surface.serve.get(&format!("{base}?sport=socc"));
        assert_eq!(refused.status, 400, "{}", refused.body);
        let reason = refused.json()["invalid_params"][0]["reason"].to_string();
        assert!(reason.contains("soccer, soccer_a, soccer_b"), "{reason}");
    }
    let page = surface.serve.get("/api/v1/arbs?sport=soccer&limit=1").json();
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = surface.serve.get(&format!("/v1/arbs?sport=soccer&limit=1&cursor={cursor}")).json();
    assert_eq!((&next["arbs"][0]["id"], &next["next_cursor"]), (&json!("soccer_b"), &Value::Null));
    for other in ["", "&sport=tennis", "&sport=soccer_a"] {
        let refused = surface.serve.get(&format!("/api/v1/arbs?cursor={cursor}{other}"));
        assert_eq!(refused.status, 400, "{other}");
        assert_eq!(refused.json()["invalid_params"][0]["name"], "cursor");
    }
}

#[test]
fn compressed_conditional_and_head_answers_agree_by_curls_decoders() {
    let surface = Surface::start("pro", &json!({}));
    let writer = Writer::new(&surface.broker.kafka);
    for number in 1..=20 {
        let id = format!("window-{number}");
        writer.write_board(0, &id, &opened(&id, "soccer_a", number));
    }
    let board = wait_for("the board has all", || {
        let page = surface.with_key("GET", "/api/v1/arbs");
        (page.json()["arbs"].as_array().unwrap().len() == 20).then_some(page)
    });
    let plain = surface.curl("/api/v1/arbs", &[]);
    assert!(plain.body == board.body, "curl received {}", plain.body);
    let books = surface.curl("/api/v1/books", &[]);
    assert_ne!(books.header("etag"), plain.header("etag"));
    for (path, accept, other) in [
        ("/api/v1/arbs", "accept: application/json", &books),
        ("/api/v1/arbs", "accept: text/csv", &books),
        ("/api/v1/arbs?limit=7&odds_format=american", "accept: */*", &plain),
        ("/api/v1/books", "accept: */*", &plain),
    ] {
        let ask = |fields: &[&str]| surface.curl(path, &[&["-H", accept], fields].concat());
        let plain = ask(&[]);
        assert_eq!((plain.status(), plain.header("content-encoding")), ("200", ""), "{path}");
        let known = format!("if-none-match: \"x\", {}", plain.header("etag"));
        let unknown = format!("if-none-match: {}", other.header("etag"));
        for coding in ["identity", "gzip", "br", "zstd"] {
            let case = format!("{path} {accept} {coding}");
            let encoding = format!("accept-encoding: {coding}");
            let whole = ask(&["-H", &encoding]);
            assert_eq!((whole.status(), whole.body == plain.body), ("200", true), "{case}: {}", whole.body);
            let sent: usize = whole.header("content-length").parse().unwrap();
            // What a coding does not make a third as large is sent as it is; a table of few rows may be.
            let coded = whole.header("content-encoding");
            let may_be_plain = coding == "identity" || accept.contains("csv");
            assert!(coded == coding || may_be_plain && coded.is_empty(), "{case}: {coded}");
            let (most, least) = if coded.is_empty() { (1, 1) } else { (3, 1_000) };
            let whole_bytes = plain.body.len();
            assert!(sent * most <= whole_bytes && sent * least >= whole_bytes, "{case}: {sent} bytes");
            let (head, same) = (ask(&["-I", "-H", &encoding]), ask(&["-H", &encoding, "-H", &known]));
            let head_of_same = ask(&["-I", "-H", &encoding, "-H", &known]);
            let changed = ask(&["-H", &encoding, "-H", &unknown]);
            for (answer, status) in
                [(&head, "200"), (&changed, "200"), (&same, "304"), (&head_of_same, "304")]
            {
                assert_eq!(answer.status(), status, "{case}");
                for name in ["etag", "vary", "cache-control"] {
                    assert_eq!(answer.header(name), plain.header(name), "{case}: {name} of {status}");
                }
            }
            for name in ["content-length", "content-encoding", "content-type"] {
                assert_eq!(head.header(name), whole.header(name), "{case}: {name} of HEAD");
            }
            assert_eq!(changed.body, plain.body, "{case}");
            assert_eq!((&*same.body, same.header("content-encoding")), ("", ""), "{case}");
        }
    }
}

#[test]
fn silence_is_broken_by_a_comment_and_a_heartbeat_with_an_id() {
    let surface = Surface::start("pro", &json!({}));
    let mut stream = surface.stream(&[("x-api-key", &surface.key.text)]);
    let snapshot = stream.next().unwrap();
    for count in 1..=3 {
        let heartbeat = stream.next().unwrap();
        assert_eq!(
            (&*heartbeat.name, heartbeat.json()),
            ("heartbeat", json!({"as_of": null, "stale": false}))
        );
        assert_eq!((heartbeat.id.as_ref(), stream.comments), (snapshot.id.as_ref(), count));
    }
}

#[test]
fn keys_and_plans_that_change_are_those_that_count() {
    let surface = Surface::start("pro", &json!({"pro": 50}));
    let status = |key: &str| surface.serve.ask("GET", "/api/v1/usage", &[("x-api-key", key)]).status;
    let new = Key::new(&surface.broker, "free");
    wait_for("the new key counts", || (status(&new.text) == 200).then_some(()));
    assert_eq!(status(&surface.key.text), 200, "so does the old one");
    new.take_away();
    wait_for("it counts no more", || (status(&new.text) == 401).then_some(()));
    assert_eq!(status(&surface.key.text), 200);
    std::fs::write(surface.broker.path("plans.json"), r#"{"pro": 7}"#).unwrap();
    wait_for("the new quota counts", || {
        (surface.with_key("GET", "/api/v1/usage").json()["quota"] == 7).then_some(())
    });
    // A file that is not a file of plans changes nothing.
    std::fs::write(surface.broker.path("plans.json"), "nonsense").unwrap();
    wait_for("it is printed", || {
        let output = std::fs::read_to_string(surface.broker.path("serve.log")).unwrap();
        output.contains("the file cannot be read: its last content stays in use").then_some(())
    });
    assert_eq!(status(&surface.key.text), 200);
}
