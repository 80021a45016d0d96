//! Webhooks end to end: an endpoint is created over HTTP, verified, and receives the events of the feed, signed, however often the
//! deliverer is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

mod caps;
mod circuit;
mod faults;
mod history;
mod hooks;

use crate::support::metrics::Admin;
use crate::support::ports::port;
use crate::support::program::{Role, arb};
use crate::support::receiver::{Manner, Posted, Receiver};
use crate::support::wait::{pace, wait_for, wait_for_steps};
use crate::support::{node, python, recordings, root};
use hooks::{Hooks, feed_events, start_deliverer};
pub(crate) use hooks::{create_account, create_account_at};

/// Requests by their ids: the bytes of one id never differ.
fn by_id(posted: &[Posted]) -> BTreeMap<String, String> {
    let mut bodies = BTreeMap::new();
    for one in posted {
        let body = bodies.entry(one.id().to_owned()).or_insert_with(|| one.body.clone());
        assert_eq!(*body, one.body, "{}", one.id());
    }
    bodies
}

/// The types of events.
fn kinds(posted: &[Posted]) -> BTreeSet<String> {
    posted.iter().map(|one| one.json()["type"].as_str().unwrap().to_owned()).collect()
}

/// Waits until events of these types have come, whatever else.
fn wait_for_kinds(receiver: &Receiver, wanted: &[&str]) {
    wait_for(&format!("events of the types {wanted:?}"), || {
        let come = kinds(&receiver.posted());
        wanted.iter().all(|kind| come.contains(*kind)).then_some(())
    });
}

/// Waits until events of so many ids have come: all that there are.
fn wait_for_ids(receiver: &Receiver, count: usize) {
    wait_for_steps(&format!("{count} events"), || {
        let come = by_id(&receiver.posted()).len();
        if come >= count { Ok(()) } else { Err(come) }
    });
}

/// Waits until so many requests have come.
fn wait_for_requests(receiver: &Receiver, count: usize) {
    wait_for_steps(&format!("{count} requests"), || {
        let come = receiver.posted().len();
        if come >= count { Ok(()) } else { Err(come) }
    });
}

/// Waits until nothing new has come for a while, in which what must not come would have.
fn settled(receiver: &Receiver, quiet: Duration) -> Vec<Posted> {
    let (mut count, mut since) = (usize::MAX, Instant::now());
    wait_for("the receiver has all", || {
        let posted = receiver.posted();
        if posted.len() != count {
            (count, since) = (posted.len(), Instant::now());
        }
        (count > 0 && since.elapsed() >= quiet).then_some(posted)
    })
}

#[test]
fn an_endpoint_is_created_verified_and_receives_signed_events() {
    let hooks = Hooks::start(1);
    let receiver = Receiver::start(Manner::Status(200, ""));
    let created = hooks.endpoint(&receiver, &json!({}));
    assert_eq!(receiver.challenges().len(), 1);
    assert!(created["secret"].as_str().unwrap().starts_with("whsec_"));
    hooks.play(7, 30);
    wait_for_kinds(&receiver, &["arb_window", "close_signal"]);
    let posted = settled(&receiver, Duration::from_secs(5));
    let bodies = by_id(&posted);
    assert_eq!(bodies.len(), posted.len(), "each once");
    println!("{} events of {:?}", posted.len(), kinds(&posted));
    for one in &posted {
        assert_eq!(one.headers["content-type"], "application/json");
        assert!(one.headers["webhook-signature"].starts_with("v1,"));
        assert!(one.json()["data"].is_object() && one.json()["timestamp"].is_string());
    }
    // Another account sees none of it.
    let other = create_account(&hooks.broker, &hooks.url, "other@example.com");
    let path = format!("/v1/webhooks/{}", created["id"].as_str().unwrap());
    for (method, body) in [("GET", None), ("DELETE", None), ("PATCH", Some(json!({"paused": true})))] {
        assert_eq!(hooks.ask_as(&other, method, &path, body.as_ref()).0, 404, "{method}");
    }
    let (_, rotated) = hooks.ask("POST", &format!("{path}/rotate"), Some(&json!({})));
    assert_ne!(rotated["secret"], created["secret"]);
    let (_, listed) = hooks.ask("GET", "/v1/webhooks", None);
    assert_eq!(listed["webhooks"].as_array().unwrap().len(), 1);
    assert!(listed["webhooks"][0]["secret"].is_null());
    assert_eq!(hooks.ask("DELETE", &path, None).0, 204);
    assert_eq!(hooks.ask("GET", &path, None).0, 404);
}

/// What becomes of a delivery by the receiver's answer: outcome, status, and a part of the kept answer.
#[test]
fn each_answer_of_a_receiver_has_its_outcome() {
    let hooks = Hooks::start(1);
    let elsewhere = Receiver::start(Manner::Status(200, ""));
    let redirect: &'static str = format!("location: {}\r\n", elsewhere.url).leak();
    let manners = [
        (Manner::Status(200, ""), "delivered", 200, "an answer"),
        (Manner::Status(204, ""), "delivered", 204, ""),
        (Manner::Status(301, redirect), "failed", 301, "an answer"),
        (Manner::Status(410, ""), "gone", 410, "an answer"),
        (Manner::Status(429, "retry-after: 77\r\n"), "failed", 429, "an answer"),
        (Manner::Status(500, ""), "failed", 500, "an answer"),
        (Manner::Hang, "failed", 0, "no answer within 15 s"),
        (Manner::Reset, "failed", 0, "connection"),
        // 2xx alone is success: what follows it is not waited for.
        (Manner::Flood, "delivered", 200, "xxxx"),
        (Manner::Drip, "delivered", 200, "xx"),
    ];
    let receivers = manners.each_ref().map(|(manner, ..)| Receiver::start(manner.clone()));
    let paths = receivers.each_ref().map(|receiver| {
        let created = hooks.endpoint(receiver, &json!({"policy": "durable"}));
        format!("/v1/webhooks/{}", created["id"].as_str().unwrap())
    });
    for path in &paths {
        let (status, answer) = hooks.ask("POST", &format!("{path}/test"), Some(&json!({})));
        assert_eq!(status, 202, "{answer}");
    }
    for ((manner, outcome, status, answer), path) in manners.iter().zip(&paths) {
        let entry = wait_for("the attempt is in the log", || {
            let (_, log) = hooks.ask("GET", &format!("{path}/deliveries"), None);
            let entries = log["deliveries"].as_array().unwrap();
            entries.iter().rfind(|entry| entry["attempt"] == 1).cloned()
        });
        assert_eq!(entry["outcome"], *outcome, "{manner:?}: {entry}");
        assert_eq!(entry["status"].as_u64().unwrap_or(0), *status, "{manner:?}: {entry}");
        let kept = entry["answer"].as_str().unwrap();
        assert!(kept.contains(answer) && kept.len() <= 4_096, "{manner:?}: {entry}");
        let next = &entry["next_attempt_at"];
        assert_eq!(next.is_null(), *outcome != "failed", "{manner:?}: {entry}");
        if *status == 429 {
            assert!(seconds_between(&entry["at"], next) >= 76, "Retry-After counts: {entry}");
        }
    }
    assert!(elsewhere.posted().is_empty(), "a redirect is not followed");
    // It is disabled by a command that the entry of the log does not wait for.
    wait_for("the gone one is disabled", || {
        (hooks.ask("GET", &paths[3], None).1["state"] == "disabled").then_some(())
    });
}

/// Whole seconds from one time to another of the same day or the next.
fn seconds_between(from: &Value, to: &Value) -> i64 {
    let time = |value: &Value| arb_schemas::time::parse_rfc3339(value.as_str().unwrap()).unwrap();
    (time(to) - time(from)) / arb_schemas::time::SECOND
}

/// Verifies each request of the input, a JSON object a line, by the library of Standard Webhooks for Python; and refuses each one with a
/// changed body.
const VERIFY_IN_PYTHON: &str = r#"
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
verified = 0
for line in sys.stdin:
    request = json.loads(line)
    webhook = Webhook(request["secret"])
    webhook.verify(request["body"], request["headers"])
    try:
        webhook.verify(request["body"] + " ", request["headers"])
        sys.exit("a changed body was verified")
    except WebhookVerificationError:
        verified += 1
print(verified)
"#;

/// The same by the library for JavaScript.
const VERIFY_IN_JAVASCRIPT: &str = r#"
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
let verified = 0;
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const { secret, body, headers } = JSON.parse(line);
  const webhook = new Webhook(secret);
  webhook.verify(body, headers);
  try { webhook.verify(body + " ", headers); } catch { verified += 1; }
}
console.log(verified);
"#;

#[test]
fn official_libraries_verify_what_receivers_get_also_while_two_secrets_sign() {
    let hooks = Hooks::start(1);
    let receiver = Receiver::start(Manner::Status(200, ""));
    let created = hooks.endpoint(&receiver, &json!({}));
    let path = format!("/v1/webhooks/{}", created["id"].as_str().unwrap());
    hooks.play(7, 10);
    wait_for_ids(&receiver, 9);
    let before = settled(&receiver, Duration::from_secs(3));
    let (status, rotated) =
        hooks.ask("POST", &format!("{path}/rotate"), Some(&json!({"overlap_seconds": 600})));
    assert_eq!(status, 200, "{rotated}");
    let both = wait_for("both secrets sign", || {
        assert_eq!(hooks.ask("POST", &format!("{path}/test"), Some(&json!({}))).0, 202);
        let posted = settled(&receiver, Duration::from_secs(1));
        posted.into_iter().next_back().filter(|one| one.headers["webhook-signature"].contains(' '))
    });
    let (old, new) = (created["secret"].clone(), rotated["secret"].clone());
    let requests = before.iter().map(|one| (one, &old)).chain([(&both, &old), (&both, &new)]);
    let lines: Vec<_> = requests
        .map(|(one, secret)| json!({"secret": secret, "body": one.body, "headers": one.headers}).to_string())
        .collect();
    let (input, count) = (lines.join("\n"), lines.len().to_string());
    assert!(lines.len() > 10, "{count}");
    let python = python::run_with(&python::webhooks(), VERIFY_IN_PYTHON, &input);
    assert_eq!(python.trim(), count);
    assert_eq!(node::run(VERIFY_IN_JAVASCRIPT, &input).trim(), count);
    for line in &lines {
        let request: Value = serde_json::from_str(line).unwrap();
        let mut headers = ureq::http::HeaderMap::new();
        for (name, value) in request["headers"].as_object().unwrap() {
            let name: ureq::http::HeaderName = name.parse().unwrap();
            headers.insert(name, value.as_str().unwrap().parse().unwrap());
        }
        let webhook = standardwebhooks::Webhook::new(request["secret"].as_str().unwrap()).unwrap();
        webhook.verify(request["body"].as_str().unwrap().as_bytes(), &headers).unwrap();
    }
}

#[test]
fn a_developer_listens_and_verifies_with_the_secret_that_is_printed() {
    let hooks = Hooks::start(0);
    let receiver = Receiver::start(Manner::Status(200, ""));
    let mut listen = arb();
    listen.args([
        "listen",
        "--site",
        &hooks.url,
        "--forward",
        &receiver.url,
        "--query",
        "event=arb_window,close_signal,line_movement,edge_signal",
    ]);
    let mut listen = listen.env("ARB_KEY", &hooks.key).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(listen.stdout.take().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap();
    let secret = first.strip_prefix("events are signed with ").unwrap();
    // It is sent what comes from then on.
    Admin::of(&hooks.broker.path("serve.log"))
        .page_when("it listens", |page| page.sum("arb_serve_streams", &[]) > 0.5);
    hooks.play(7, 10);
    let printed = lines.next().unwrap();
    let wanted = ["arb_window", "close_signal", "edge_signal", "line_movement"];
    wait_for_kinds(&receiver, &wanted);
    wait_for_requests(&receiver, 6);
    let posted = settled(&receiver, Duration::from_secs(2));
    listen.kill().unwrap();
    listen.wait().unwrap();
    assert!(printed.contains(posted[0].id()) && printed.contains(" 200 "), "{printed}");
    let lines: Vec<_> = posted
        .iter()
        .map(|one| json!({"secret": secret, "body": one.body, "headers": one.headers}).to_string())
        .collect();
    assert_eq!(node::run(VERIFY_IN_JAVASCRIPT, &lines.join("\n")).trim(), lines.len().to_string());
    assert_eq!(kinds(&posted).iter().collect::<Vec<_>>(), wanted);
}

/// The receiver of docs/api/webhooks.md, as it stands there.
#[test]
fn the_receiver_of_the_documents_is_verified_and_receives() {
    let hooks = Hooks::start(1);
    let page = std::fs::read_to_string(root().join("docs/api/webhooks.md")).unwrap();
    let code = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let port = port().to_string();
    let body =
        json!({"url": format!("http://127.0.0.1:{port}/hook"), "events": ["arb_window", "close_signal"]});
    let (status, created) = hooks.ask("POST", "/v1/webhooks", Some(&body));
    assert_eq!(status, 201, "{created}");
    let mut receiver = python::command(&python::webhooks(), code);
    receiver.env("SECRET", created["secret"].as_str().unwrap()).env("PORT", &port);
    let mut receiver = receiver.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    hooks.wait_for_state(&created, "active");
    hooks.play(7, 10);
    let lines = BufReader::new(receiver.stdout.take().unwrap()).lines().map_while(Result::ok);
    let printed: Vec<_> = lines.take(5).collect();
    receiver.kill().unwrap();
    receiver.wait().unwrap();
    let distinct: BTreeSet<_> = printed.iter().collect();
    assert!(printed.len() == 5 && distinct.len() > 1, "{printed:?}");
    for line in &printed {
        let (kind, window) = line.split_once(' ').unwrap();
        assert!(["arb_window", "close_signal"].contains(&kind) && window.len() == 32, "{line}");
    }
}
