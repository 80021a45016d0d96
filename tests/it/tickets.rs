//! Streams of pages of other origins: tickets over two instances, preflights, and what a filtered stream is sent.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use arb_schemas::topics::{DEFAULT_PARTITIONS, FEED_EVENTS};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::topic_partition_list::TopicPartitionList;
use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::feed::{Writer, changed, opened};
use crate::support::http::{once_it_knows, send};
use crate::support::ports::port;
use crate::support::python;
use crate::support::serve::{Key, Serve};
use crate::support::sse::Sse;
use crate::support::stack::Broker;
use crate::support::wait_for;

const ORIGIN: &str = "https://app.example";

/// Asks for a ticket; the query of a stream with it.
pub(crate) fn ticket(serve: &Serve, key: &Key, origin: &str, filters: &str) -> String {
    let answer = issue(serve, key, origin, filters);
    let query = answer["query"].as_str().unwrap();
    format!("{query}&ticket={}", answer["ticket"].as_str().unwrap()).trim_start_matches('&').to_owned()
}

fn issue(serve: &Serve, key: &Key, origin: &str, filters: &str) -> Value {
    let filters: Value = serde_json::from_str(filters).unwrap();
    let body = json!({"origin": origin, "filters": filters}).to_string().into_bytes();
    let fields = [("x-api-key", &*key.text), ("content-type", "application/json")];
    let url = format!("http://{}/api/v1/stream/tickets", serve.listen);
    let answer = once_it_knows(|| send("POST", &url, &fields, body.clone())).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()
}

/// A stream by a ticket; it is asked for again while the instance does not know whether keys are valid.
fn open(serve: &Serve, query: &str, origin: &str, last: Option<&str>) -> Sse {
    let mut headers = vec![("origin", origin)];
    headers.extend(last.map(|last| ("last-event-id", last)));
    let path = format!("/v1/stream?{query}");
    wait_for("the instance can answer", || {
        Some(Sse::connect(&serve.listen, &path, &headers)).filter(|stream| stream.status != 503)
    })
}

#[test]
fn a_ticket_is_spent_once_over_all_instances_and_good_for_reconnections() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    let serve = |name| Serve::start(&broker, &key, name, &["--cors-origins", ORIGIN]);
    let (one, two) = (serve("one"), serve("two"));
    let query = ticket(&one, &key, ORIGIN, r#"{"min_margin": "0.02", "sport": "soccer"}"#);
    assert_eq!(open(&two, &query, "https://evil.example", None).status, 403);
    assert_eq!(open(&two, &query.replace("0.02", "0.01"), ORIGIN, None).status, 403);
    assert_eq!(open(&two, &format!("{query}0"), ORIGIN, None).status, 401);
    // Two instances at one time: one of them has it.
    let (a, b) = std::thread::scope(|scope| {
        let a = scope.spawn(|| open(&one, &query, ORIGIN, None));
        let b = open(&two, &query, ORIGIN, None);
        (a.join().unwrap(), b)
    });
    let mut statuses = [a.status, b.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403]);
    let (mut stream, serve) = if a.status == 200 { (a, &two) } else { (b, &one) };
    assert_eq!(stream.header("access-control-allow-origin"), ORIGIN);
    assert_eq!(stream.next().unwrap().name, "snapshot");
    let last = stream.last_id.clone().unwrap();
    drop(stream);
    writer.write(0, &[opened("w", "soccer_test", 1)]);
    let mut again = open(serve, &query, ORIGIN, Some(&last));
    assert_eq!((again.status, again.next_event().unwrap().json()["id"].clone()), (200, json!("w")));
    key.take_away();
    let rest: Vec<_> = std::iter::from_fn(|| again.next_event()).map(|event| event.name).collect();
    assert_eq!(rest.last().map(String::as_str), Some("key_revoked"), "{rest:?}");
    assert_eq!(open(serve, &query, ORIGIN, Some(&last)).status, 401);
}

#[test]
fn pages_of_named_origins_may_ask_and_others_may_not() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let serve = Serve::start(&broker, &key, "serve", &["--cors-origins", ORIGIN]);
    let preflight = |origin| {
        let headers = [("origin", origin), ("access-control-request-method", "GET")];
        serve.ask("OPTIONS", "/api/v1/arbs", &headers)
    };
    let answer = preflight(ORIGIN);
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (204, ORIGIN));
    assert!(answer.header("access-control-allow-headers").contains("last-event-id"));
    assert!(answer.header("access-control-expose-headers").contains("x-requests-remaining"));
    let quota =
        ["x-requests-remaining", "x-requests-used", "x-plan"].map(|name| answer.header(name).to_owned());
    assert_eq!(quota, ["0", "0", "none"]);
    let other = preflight("https://evil.example");
    assert_eq!((other.status, other.header("access-control-allow-origin")), (204, ""), "without leave");
}

#[test]
fn a_filtered_stream_is_sent_what_leaves_and_a_conflated_one_the_latest_state() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    let serve = Serve::start(&broker, &key, "serve", &[]);
    let mut filtered = serve.stream("min_margin=0.02", None);
    let mut conflated = serve.stream("min_margin=0.02&conflate_ms=3000&heartbeat_seconds=60", None);
    assert_eq!(filtered.next().unwrap().name, "snapshot");
    let first = conflated.next().unwrap();
    assert_eq!(first.name, "snapshot");
    let mut margins = vec![(None, 0.01), (Some(0.01), 0.03)];
    margins.extend([(Some(0.03), 0.025), (Some(0.025), 0.03)].repeat(10));
    margins.extend([(Some(0.03), 0.01), (Some(0.01), 0.005)]);
    let mut records: Vec<_> =
        (1..).zip(margins).map(|(sequence, margins)| changed("w", sequence, margins)).collect();
    records.push(changed("x", 100, (None, 0.05)));
    let begun = Instant::now();
    writer.write(0, &records);
    let is = |event: &crate::support::sse::Event| {
        let data = event.json();
        format!("{} {}", data["id"].as_str().unwrap(), data["change"].as_str().unwrap())
    };
    let sent: Vec<_> = filtered.take(23).iter().map(is).collect();
    assert_eq!(sent, [&["w updated"; 21][..], &["w left", "x opened"]].concat());
    // Resumed anywhere, it is the same.
    let mut resumed = serve.stream("min_margin=0.02", first.id.as_deref());
    assert_eq!(resumed.take(23).iter().map(is).collect::<Vec<_>>(), sent);
    // At once what was there first, and three seconds later the latest state of all that came since.
    let mut open = std::collections::BTreeSet::new();
    let mut events = 0;
    while open != ["x".to_owned()].into() {
        let event = conflated.next_event().unwrap();
        let data = event.json();
        let id = data["id"].as_str().unwrap().to_owned();
        if data["change"] == "left" {
            open.remove(&id)
        } else {
            open.insert(id)
        };
        events += 1;
    }
    // At most one of each window each three seconds, however long all this takes.
    let most = 2 * (begun.elapsed().as_secs() / 3 + 2);
    assert!(events <= most, "{events} events, at most {most}");
    let last = conflated.last_id.unwrap();
    let mut after = serve.stream("min_margin=0.02&conflate_ms=50", Some(&last));
    writer.write(0, &[changed("y", 101, (None, 0.05))]);
    assert_eq!(is(&after.next_event().unwrap()), "y opened", "nothing is sent again");
}

/// What Kafka's tools see of a group: the committed offsets of the feed's partitions; none of a group that is not there.
fn committed(kafka: &Environment, group: &str) -> Vec<i64> {
    let consumer: BaseConsumer = kafka.client().set("group.id", kafka.name(group)).create().unwrap();
    let mut partitions = TopicPartitionList::new();
    partitions.add_partition_range(&kafka.name(FEED_EVENTS.name), 0, DEFAULT_PARTITIONS - 1);
    let committed = consumer.committed_offsets(partitions, Duration::from_mins(1)).unwrap();
    committed
        .elements()
        .iter()
        .filter_map(|element| element.offset().to_raw().filter(|at| *at >= 0))
        .collect()
}

#[test]
fn the_reader_of_the_feed_commits_to_a_group_that_ends_with_the_instance() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    let mut serve = Serve::start(&broker, &key, "serve", &["--feed-group", "arb-serve-of-a-test"]);
    writer.write(2, &[opened("w", "soccer_test", 1)]);
    let after = |offsets: &[i64]| offsets.len() == 4 && offsets[2] > 0;
    wait_for("the position is committed", || {
        after(&committed(&broker.kafka, "arb-serve-of-a-test")).then_some(())
    });
    serve.role.stop();
    assert_eq!(committed(&broker.kafka, "arb-serve-of-a-test"), [0; 0]);
}

/// Reads a stream by httpx-sse and prints the windows, and resumes by the last id when the server ends.
const HTTPX_SSE: &str = r#"
import json, os, sys, time, httpx
from httpx_sse import connect_sse
last, seen = "", []
while len(seen) < 2:
    headers = {"x-api-key": os.environ["ARB_TEST_KEY"]} | ({"Last-Event-ID": last} if last else {})
    try:
        with httpx.Client(timeout=30) as client, connect_sse(client, "GET", sys.argv[1], headers=headers) as source:
            for event in source.iter_sse():
                last = event.id or last
                if event.event == "snapshot": print("snapshot", flush=True)
                if event.event == "arb_window": seen.append(event.json()["id"])
                if len(seen) == 2: break
    except httpx.TransportError:
        time.sleep(0.2)
print(json.dumps(seen), flush=True)
"#;

#[test]
fn pythons_httpx_sse_comes_back_after_a_restart_and_misses_nothing() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    let listen = format!("127.0.0.1:{}", port());
    let serve = || Serve::launch_at(&listen, &broker, &key, "serve", &[]);
    let mut running = serve();
    wait_for("it serves", || running.is_ready().then_some(()));
    let url = format!("http://{listen}/api/v1/stream?market=h2h&heartbeat_seconds=1");
    let mut python = Command::new(python::sse_client());
    python.args(["-c", HTTPX_SSE, &url]).env("ARB_TEST_KEY", &key.text).stdout(Stdio::piped());
    let mut python = python.spawn().unwrap();
    let mut lines = BufReader::new(python.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert_eq!(lines.next().unwrap(), "snapshot");
    writer.write(0, &[opened("w0", "soccer_test", 1)]);
    running.role.stop();
    // While no server listens.
    writer.write(1, &[opened("w1", "soccer_test", 2)]);
    running = serve();
    assert_eq!(lines.next().unwrap(), r#"["w0", "w1"]"#);
    assert!(python.wait().unwrap().success());
    drop(running);
}
