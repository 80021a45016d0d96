//! Pushed odds without Kafka: what is charged, what is refused, and what becomes of a batch that is not acknowledged.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use arb_accounts::directory::Part;
use arb_accounts::scope::Scope;
use arb_kafka::{self as kafka, PushReceipt};
use arb_runtime::stop::Stop;
use arb_schemas::records::Frame;
use arb_schemas::wire::decode;
use serde_json::json;
use warp::http::Method;

use super::{Received, Site};
use crate::fixtures::{account, api_key};
use crate::pushes::PushLog;

/// How a log answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Broker {
    Acknowledges,
    Fails,
    IsFull,
}

/// What was sent.
type SentLog = Arc<Mutex<Vec<(i32, String, Vec<u8>)>>>;

struct Log(Broker, SentLog);

impl PushLog for Log {
    fn send(
        &self,
        partition: i32,
        key: &str,
        value: &[u8],
        receipt: &Arc<PushReceipt>,
    ) -> Result<bool, kafka::Error> {
        if self.0 == Broker::IsFull {
            return Ok(false);
        }
        self.1.lock().unwrap().push((partition, key.to_owned(), value.to_vec()));
        receipt.expect();
        receipt.report(self.0 == Broker::Acknowledges);
        Ok(true)
    }

    fn serve(&self, _: Duration) {}
}

/// An API with a log, and a key of an account to which a source is granted.
fn site(broker: Broker, source: Option<&str>) -> (Site, String, SentLog) {
    let (site, sent) = (Site::new(), SentLog::default());
    let (stop, log) = (Stop::default(), Log(broker, Arc::clone(&sent)));
    stop.stop();
    // It is stopped at once: the log needs nobody who serves it.
    site.test.app.write_pushes(log, &stop);
    let authority = &site.test.app.authority;
    let id = "acc_0000000000000009";
    let mut pusher = account(id, "pusher@example.com");
    (pusher.source, pusher.books) = (source.map(str::to_owned), vec!["acme".into()]);
    pusher.granted = vec![Scope::TicksWrite];
    let (key, mut stored) = api_key(authority.pepper(), 9, id);
    stored.permissions.scopes = vec![Scope::TicksWrite];
    authority.replica().put(Part::Account(pusher));
    authority.replica().put(Part::Key(stored));
    (site, key, sent)
}

fn push(site: &Site, key: &str, body: &str) -> Received {
    let fields = [("x-api-key", key), ("content-type", "application/x-ndjson; charset=utf-8")];
    site.send(&Method::POST, "/api/v1/ticks", &fields, body.as_bytes())
}

fn line(outcome: &str) -> String {
    let line = json!({"event": "e", "book": "acme", "market": "h2h", "outcome": outcome, "price": 2.1, "sequence": 7});
    format!("{line}\n")
}

fn used(received: &Received) -> &str {
    received.headers["x-requests-used"].to_str().unwrap()
}

#[test]
fn an_acknowledged_batch_is_charged_one_request_and_is_the_sources() {
    let (site, key, sent) = site(Broker::Acknowledges, Some("acme"));
    let received = push(&site, &key, &[line("home"), line("yes"), line("away")].concat());
    let errors = json!([{"line": 2, "field": "outcome", "reason": "must be an outcome of the market"}]);
    assert_eq!(received.json(), json!({"accepted": 2, "updates": 1, "rejected": 1, "errors": errors}));
    assert_eq!((received.status, used(&received)), (200, "1"));
    let sent = sent.lock().unwrap();
    let [(0, event, value)] = &sent[..] else { panic!("{sent:?}") };
    let frame: Frame = decode(value).unwrap();
    assert_eq!(
        (event.as_str(), frame.source.as_str(), frame.offers[0].book.as_str()),
        ("e", "push/acme", "acme:acme")
    );
    assert!(!frame.push.unwrap().names_event);
}

#[test]
fn dead_letters_are_those_of_the_callers_source_and_cost_nothing() {
    let (site, key, _) = site(Broker::Acknowledges, Some("acme"));
    let get = |key: &str| site.send(&Method::GET, "/api/v1/ticks/dead-letters", &[("x-api-key", key)], b"");
    assert_eq!(get(&key).status, 503, "they are not read yet");
    site.test.app.push_letters.has_read();
    let received = get(&key);
    assert_eq!(received.json(), json!({"source": "acme", "dead_letters": []}));
    assert_eq!((received.status, used(&received)), (200, "0"));
    assert_eq!(get(&site.test.key).status, 403, "a key without the scope");
    let (without, key, _) = self::site(Broker::Acknowledges, None);
    let received = without.send(&Method::GET, "/api/v1/ticks/dead-letters", &[("x-api-key", &*key)], b"");
    assert_eq!(received.status, 403, "an account without a source");
}

#[test]
fn lines_may_come_as_one_json_document() {
    let (site, key, sent) = site(Broker::Acknowledges, Some("acme"));
    let json = [("x-api-key", &*key), ("content-type", "application/json")];
    let post = |body: &str| site.send(&Method::POST, "/api/v1/ticks", &json, body.as_bytes());
    let lines = [line("home"), line("yes"), line("away")];
    let received = post(&format!("{{\"lines\": [{}]}}", lines.join(",")));
    let errors = json!([{"line": 2, "field": "outcome", "reason": "must be an outcome of the market"}]);
    assert_eq!(received.json(), json!({"accepted": 2, "updates": 1, "rejected": 1, "errors": errors}));
    assert_eq!(sent.lock().unwrap().len(), 1);
    for wrong in
        ["", "[]", "{}", "{\"lines\": {}}", "{\"lines\": [], \"lines\": []}", "{\"lines\": [], \"more\": 1}"]
    {
        let received = post(wrong);
        assert_eq!((received.status, used(&received)), (400, "1"), "{wrong}");
    }
    assert_eq!(post("{\"lines\": []}").status, 400);
    assert_eq!(post("{\"lines\": [7]}").status, 422);
    assert_eq!(sent.lock().unwrap().len(), 1, "none of these was sent");
}

#[test]
fn what_is_not_acknowledged_costs_nothing_and_is_to_be_sent_again() {
    for (broker, status) in [(Broker::Fails, 503), (Broker::IsFull, 429)] {
        let (site, key, _) = site(broker, Some("acme"));
        let received = push(&site, &key, &line("home"));
        assert_eq!((received.status, used(&received)), (status, "0"), "{broker:?}");
        assert_eq!(received.headers["retry-after"], "1");
    }
}

/// Where the machine stands still between the two, there is room again: then it is asked once more.
#[test]
fn a_source_sends_so_many_lines_and_then_waits() {
    let (site, key, _) = site(Broker::Acknowledges, Some("acme"));
    let gate = &site.test.app.pushes;
    let body = line("home").repeat(9_000);
    let refused = (0..50).find_map(|_| {
        while gate.lines.count("push/acme", 10_000).is_ok() {}
        Some(push(&site, &key, &body)).filter(|received| received.status == 429)
    });
    let refused = refused.unwrap();
    assert!(refused.headers.contains_key("retry-after") && refused.body.contains("10000 lines a second"));
    assert_eq!(gate.lines.count("push/other", 10_000), Ok(()), "each source has its own");
}

#[test]
fn a_refused_request_sends_nothing() {
    let (site, key, sent) = site(Broker::Acknowledges, Some("acme"));
    let received = push(&site, &key, &line("yes"));
    assert_eq!((received.status, used(&received)), (422, "0"));
    assert_eq!(received.json()["type"], "/problems/unprocessable");
    assert_eq!(received.json()["errors"][0]["line"], 1);
    assert_eq!(push(&site, &key, "\n").status, 400);
    let text = [("x-api-key", &*key), ("content-type", "text/plain")];
    assert_eq!(site.send(&Method::POST, "/api/v1/ticks", &text, line("home").as_bytes()).status, 415);
    assert_eq!(push(&site, &site.test.key, &line("home")).status, 403, "a key without the scope");
    assert!(sent.lock().unwrap().is_empty());
    let (without, key, sent) = self::site(Broker::Acknowledges, None);
    assert_eq!(push(&without, &key, &line("home")).status, 403, "an account without a source");
    assert!(sent.lock().unwrap().is_empty());
}

#[test]
fn a_spent_quota_sends_nothing() {
    let (site, key, sent) = site(Broker::Acknowledges, Some("acme"));
    for _ in 0..3 {
        assert_eq!(push(&site, &key, &line("home")).status, 200);
    }
    let received = push(&site, &key, &line("home"));
    assert_eq!((received.status, used(&received)), (429, "3"));
    assert_eq!(sent.lock().unwrap().len(), 3);
}
