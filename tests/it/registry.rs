//! The schema registry of the API: the official client reads a message of every version of every record with its URL alone,
//! and what `arb topics register` asks of a registry that exists.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use arb_schemas::records::{AccountKey, ArbWindow};
use arb_schemas::registry::{self, PublishedSchema};
use arb_schemas::topics::{self, ACCOUNTS, FEED_EVENTS, Topic};
use arb_schemas::wire::decode;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::local_up::LocalHome;
use crate::support::program::{arb, run};
use crate::support::python;
use crate::support::root;
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::topics::create;

/// Reads the topics from their beginnings with the client's own deserializer; prints `topic`, `key` and the record of each.
const READ_ALL: &str = r"
import json, sys
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext
brokers, url, count, *topics = sys.argv[1:]
read = AvroDeserializer(SchemaRegistryClient({'url': url}))
consumer = Consumer({'bootstrap.servers': brokers, 'group.id': 'analysts', 'auto.offset.reset': 'earliest'})
consumer.subscribe(topics)
for _ in range(int(count)):
    message = consumer.poll(180)
    if message is None or message.error(): sys.exit(f'no message: {message and message.error()}')
    record = read(message.value(), SerializationContext(message.topic(), MessageField.VALUE))
    print(json.dumps([message.topic(), message.key().decode(), record], default=str))
consumer.close()
";

/// Reads topics from their beginnings until each has given a record, and then for some seconds; prints how many of each.
const READ_SOME: &str = r"
import sys, time
from confluent_kafka import Consumer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext
brokers, url, *topics = sys.argv[1:]
read = AvroDeserializer(SchemaRegistryClient({'url': url}))
consumer = Consumer({'bootstrap.servers': brokers, 'group.id': 'analysts', 'auto.offset.reset': 'earliest'})
consumer.subscribe(topics)
counts, begun, whole = dict.fromkeys(topics, 0), time.time(), None
while time.time() < (whole + 5 if whole else begun + 170):
    message = consumer.poll(1)
    if message is None or message.error() or message.value() is None: continue
    try: read(message.value(), SerializationContext(message.topic(), MessageField.VALUE))
    except Exception as error: sys.exit(f'{message.topic()} {message.key()}: {error!r}')
    counts[message.topic()] += 1
    if whole is None and all(counts.values()): whole = time.time()
print(counts)
if whole is None: sys.exit(f'topics without a record: {counts}')
consumer.close()
";

/// The checked-in message of a version.
fn golden(schema: &PublishedSchema) -> Vec<u8> {
    let path = root().join(format!("schemas/golden/{:?}.v{}.bin", schema.record, schema.version));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What the copy of a topic is called in Kafka.
fn copy(kafka: &Environment, topic: &Topic) -> String {
    kafka.name(&format!("copy.{}", topic.name))
}

/// A topic for each topic of the catalogue, with a message of each version that it may hold. The API does not read these.
fn written(kafka: &Environment) -> Vec<(String, PublishedSchema)> {
    let producer: BaseProducer = kafka.client().set("enable.idempotence", "true").create().unwrap();
    let topics: Vec<_> = topics::ALL.iter().map(|topic| copy(kafka, topic)).collect();
    create(kafka, &topics);
    let mut written = Vec::new();
    for schema in registry::all() {
        for topic in schema.topics() {
            let (topic, key) = (copy(kafka, topic), schema.id.to_string());
            let value = golden(&schema);
            producer.send(BaseRecord::to(&topic).key(&key).payload(&value)).unwrap();
            written.push((topic, schema));
        }
    }
    producer.flush(std::time::Duration::from_mins(1)).unwrap();
    written
}

#[test]
fn the_official_client_reads_every_version_of_every_record_by_one_url() {
    let broker = Broker::start();
    let key = Key::new(&broker, "pro");
    let serve = Serve::start(&broker, &key, "serve", &[]);
    let written = written(&broker.kafka);
    let types: BTreeSet<_> = written.iter().map(|(_, schema)| schema.id).collect();
    assert_eq!(types.len(), registry::all().count(), "each version is in a topic of the catalogue");
    let (url, count) = (format!("http://{}/registry", serve.listen), written.len().to_string());
    let topics: BTreeSet<_> = written.iter().map(|(topic, _)| topic.clone()).collect();
    let arguments: Vec<_> =
        [&broker.kafka.brokers, &url, &count].into_iter().chain(&topics).map(String::as_str).collect();
    let read = python::run_by(&python::avro_client(), READ_ALL, &arguments);
    let mut found = BTreeMap::new();
    for line in read.lines() {
        let (topic, id, record): (String, String, Value) = serde_json::from_str(line).unwrap();
        found.insert((topic, id), record);
    }
    let wanted: Vec<_> =
        written.iter().map(|(topic, schema)| (topic.clone(), schema.id.to_string())).collect();
    assert!(wanted.iter().all(|wanted| found.contains_key(wanted)) && found.len() == written.len());
    for (topic, schema) in &written {
        let record = &found[&(topic.clone(), schema.id.to_string())];
        assert!(record.as_object().is_some_and(|fields| !fields.is_empty()), "{schema:?}: {record}");
    }
    agrees(&found, &copy(&broker.kafka, &FEED_EVENTS), "ArbWindow");
    agrees(&found, &copy(&broker.kafka, &ACCOUNTS), "AccountKey");
}

/// Compares some values of the newest version with what the program reads.
fn agrees(found: &BTreeMap<(String, String), Value>, topic: &str, name: &str) {
    let schema = registry::all().filter(|schema| format!("{:?}", schema.record) == name).last().unwrap();
    let (record, message) = (&found[&(topic.to_owned(), schema.id.to_string())], golden(&schema));
    if name == "ArbWindow" {
        let window: ArbWindow = decode(&message).unwrap();
        assert_eq!(record["entry"]["id"], *window.entry.id);
        assert_eq!(record["entry"]["margin"], window.entry.margin);
        assert_eq!(record["entry"]["legs"].as_array().unwrap().len(), window.entry.legs.len());
    } else {
        let key: AccountKey = decode(&message).unwrap();
        assert_eq!((&record["kid"], &record["account"]), (&json!(key.kid), &json!(key.account)));
    }
}

/// Every record that the roles of `arb up` write, and not only those that a test makes up: its library of Avro makes dates of times.
#[test]
fn the_official_client_reads_what_the_roles_write() {
    let local = LocalHome::new();
    let mut running = local.replay(57, 60, "2026-01-01T03:00:00Z");
    running.board_at("2026-01-01T03:00:00Z");
    let (kafka, url) = (local.kafka(), format!("{}/registry", running.url));
    // Not what only scans, deliveries, picks and events in play fill, nor dead letters, which may be anything.
    let all = topics::ALL;
    let is_filled = |topic: &&Topic| {
        let others = ["scan.", "webhook.", "picks.", "scores."];
        !others.iter().any(|start| topic.name.starts_with(start))
            && topic.name.rsplit('.').next() != Some("dlq")
    };
    let topics: Vec<_> = all.iter().filter(is_filled).map(|topic| kafka.name(topic.name)).collect();
    let arguments: Vec<_> =
        [&*kafka.brokers, &*url].into_iter().chain(topics.iter().map(String::as_str)).collect();
    let read = python::run_by(&python::avro_client(), READ_SOME, &arguments);
    assert!(read.contains("process.state.v1"), "{read}");
    running.signal(Signal::TERM);
    assert!(running.child.wait().unwrap().success(), "{}", running.output());
    local.everything_ends();
}

#[test]
fn schemas_are_listed_with_their_ids_and_topics() {
    let listed = run(arb().args(["topics", "schemas"])).out;
    let window = registry::all().filter(|schema| schema.subject() == "arb.v1.ArbWindow").last().unwrap();
    let line = format!("| {} | `arb.v1.ArbWindow` | {} | feed.events.v1 |", window.id, window.version);
    assert!(listed.lines().any(|listed| listed == line), "{line}\n{listed}");
    let all: Vec<Value> =
        serde_json::from_str(&run(arb().args(["topics", "schemas", "--json"])).out).unwrap();
    assert_eq!(all.len(), registry::all().count());
    let found = all.iter().find(|schema| schema["id"] == window.id).unwrap();
    assert_eq!(found["schema"], window.text);
    assert_eq!(found["references"][0]["subject"], "arb.v1.BoardEntry");
}

/// What a registry was asked: method, path, and body.
type Asked = (String, String, Value);

/// A registry that has one version of one subject, with the id that is given, and takes everything else.
fn small_registry(subject: &'static str, id: u32) -> (String, Arc<Mutex<Vec<Asked>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (url, asked) = (format!("http://{}", listener.local_addr().unwrap()), Arc::default());
    let record = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let record = Arc::clone(&record);
            std::thread::spawn(
                move || while answer(stream.as_ref().unwrap(), (subject, id), &record).is_some() {},
            );
        }
    });
    (url, asked)
}

/// Answers a request; nothing when the connection has ended.
fn answer(stream: &TcpStream, (subject, id): (&str, u32), asked: &Mutex<Vec<Asked>>) -> Option<()> {
    let mut lines = BufReader::new(stream);
    let (mut head, mut line, mut length) = (String::new(), String::new(), 0);
    lines.read_line(&mut head).ok().filter(|read| *read > 0)?;
    while lines.read_line(&mut line).ok()? > 2 {
        let text = line.to_lowercase();
        length = text.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().unwrap());
        line.clear();
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    let mut words = head.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let has = path == format!("/subjects/{subject}/versions/1");
    let (status, text) = match &*method {
        "GET" if has => (200, json!({"id": id, "version": 1})),
        "GET" => (404, json!({"error_code": 40401, "message": "Subject not found"})),
        _ => (200, json!({})),
    };
    asked.lock().unwrap().push((method, path, body));
    let text = text.to_string();
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    (&mut &*stream).write_all((head + &text).as_bytes()).ok()
}

#[test]
fn a_registry_that_exists_receives_what_it_does_not_have() {
    let frame = registry::all().next().unwrap();
    assert_eq!((frame.subject().as_str(), frame.version), ("arb.v1.Frame", 1));
    let (url, asked) = small_registry("arb.v1.Frame", frame.id);
    let out = run(arb().args(["topics", "register", "--registry", &url])).out;
    let all = registry::all().count();
    assert_eq!(out, format!("{} of {all} schemas were added, the others were there\n", all - 1));
    let asked = asked.lock().unwrap();
    let added: Vec<_> = asked.iter().filter(|(method, ..)| method == "POST").collect();
    assert_eq!(added.len(), all - 1);
    let place = |id: u32| added.iter().position(|(.., body)| body["id"] == id).unwrap();
    for schema in registry::all() {
        for reference in schema.references() {
            assert!(place(reference.id) < place(schema.id), "{reference:?} before {schema:?}");
        }
    }
    let mode = |to: &str| asked.iter().filter(|(_, _, body)| body["mode"] == to).count();
    assert!(mode("IMPORT") > 10 && mode("IMPORT") == mode("READWRITE"));
}

#[test]
fn a_registry_that_uses_an_id_otherwise_is_not_changed() {
    let (url, asked) = small_registry("arb.v1.Frame", 100_001);
    let refused = run(arb().args(["topics", "register", "--registry", &url]));
    assert!(!refused.success && refused.err.contains("has the id 100001 there"), "{}", refused.err);
    assert!(asked.lock().unwrap().iter().all(|(method, ..)| method == "GET"));
}
