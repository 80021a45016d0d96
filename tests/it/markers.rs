//! A broker that loses the markers of a transaction: its records stay open although the coordinator holds it
//! for aborted. A processor ends the transactions of its id; one of another producer is reported, and Kafka's
//! tool ends it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use arb_process::machine::OddsMachine;
use arb_runtime::machine::Machine;
use arb_schemas::time::parse_rfc3339;
use arb_schemas::topics::{FEED_EVENTS, Topic};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use crate::kafka::{ends, read_all};
use crate::processor::wait_for_poll;
use crate::support::program::{Role, run};
use crate::support::stack::{Broker, kafka_libraries};
use crate::support::{recordings, wait_for};

/// The partition that is damaged.
const PARTITION: i32 = 0;
const MINUTE: Duration = Duration::from_mins(1);

/// A producer that has taken over an id.
fn producer(broker: &Broker, id: &str) -> BaseProducer {
    let mut config = broker.kafka.client();
    config.set("transactional.id", broker.kafka.name(id));
    let producer: BaseProducer = config.create().unwrap();
    producer.init_transactions(MINUTE).unwrap();
    producer
}

/// Begins a transaction and writes a record to each topic.
fn write(broker: &Broker, producer: &BaseProducer, topics: &[Topic], key: &str) {
    producer.begin_transaction().unwrap();
    for topic in topics {
        // A processor names the transaction so; nothing says that it was committed, however far the state has come.
        let origin = Header { key: "arb-transaction", value: Some("arb-process-0:0:1") };
        let topic = broker.kafka.name(topic.name);
        let record = BaseRecord::to(&topic).partition(PARTITION).key(key).payload("nothing of ours");
        let record = record.headers(OwnedHeaders::new().insert(origin));
        producer.send(record).map_err(|(error, _)| error).unwrap();
    }
    producer.flush(MINUTE).unwrap();
}

fn is_settled(broker: &Broker, topic: Topic) -> bool {
    let (stable, end) = ends(&broker.kafka, topic.name, PARTITION);
    stable == end
}

/// Files of a folder that end so.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is = |path: &PathBuf| endings.iter().any(|end| path.to_str().is_some_and(|path| path.ends_with(end)));
    let mut found: Vec<_> = entries.filter(is).collect();
    found.sort();
    found
}

/// Where the last batch of a segment begins, if it is a marker.
fn last_marker(log: &Path) -> Option<u64> {
    let bytes = fs::read(log).unwrap();
    let (mut next, mut last) = (0, None);
    while next < bytes.len() {
        // Base offset, then the length of what follows; attributes after leader epoch, magic and checksum.
        let length = u32::from_be_bytes(bytes[next + 8..next + 12].try_into().unwrap());
        (last, next) = (Some(next), next + 12 + usize::try_from(length).unwrap());
    }
    let last = last?;
    let attributes = u16::from_be_bytes(bytes[last + 21..last + 23].try_into().unwrap());
    (attributes & (1 << 5) != 0).then_some(last as u64)
}

fn last_segment(folder: &Path) -> PathBuf {
    files(folder, &[".log"]).pop().unwrap()
}

/// Whether a partition ends with a marker.
pub(crate) fn ends_with_marker(folder: &Path) -> bool {
    last_marker(&last_segment(folder)).is_some()
}

/// Cuts the last batch off a partition, which must be a marker, and removes what was derived from it.
pub(crate) fn cut_marker(folder: &Path) {
    let log = last_segment(folder);
    let last = last_marker(&log).unwrap_or_else(|| panic!("{}: the last batch is no marker", log.display()));
    File::options().write(true).open(&log).unwrap().set_len(last).unwrap();
    for derived in files(folder, &[".snapshot", ".index", ".timeindex", ".txnindex"]) {
        fs::remove_file(derived).unwrap();
    }
}

/// A transaction of an id with a record in a partition of each topic is aborted, and the broker loses its markers.
fn lose_markers(broker: &Broker, id: &str, topics: &[Topic]) {
    let old = producer(broker, id);
    write(broker, &old, topics, "old");
    old.abort_transaction(MINUTE).unwrap();
    drop(old);
    for topic in topics {
        wait_for("the transaction has its marker", || is_settled(broker, *topic).then_some(()));
    }
    broker.kill();
    for topic in topics {
        cut_marker(&broker.partition_folder(topic.name, PARTITION));
    }
    broker.restart();
    for topic in topics {
        let (stable, end) = ends(&broker.kafka, topic.name, PARTITION);
        assert!(stable < end, "{}: {stable} {end}", topic.name);
    }
}

fn keys(broker: &Broker, topic: Topic) -> Vec<String> {
    let records = read_all(&broker.kafka, topic.name).into_iter();
    records.map(|record| String::from_utf8(record.key).unwrap()).collect()
}

#[test]
fn the_next_commit_of_an_id_takes_along_what_has_lost_its_abort_marker() {
    let broker = Broker::own();
    lose_markers(&broker, "somebody", &[FEED_EVENTS]);
    assert!(keys(&broker, FEED_EVENTS).is_empty());
    let next = producer(&broker, "somebody");
    write(&broker, &next, &[FEED_EVENTS], "new");
    next.commit_transaction(MINUTE).unwrap();
    wait_for("it is committed", || is_settled(&broker, FEED_EVENTS).then_some(()));
    assert_eq!(
        keys(&broker, FEED_EVENTS),
        ["old", "new"],
        "this is the fault of which processors defend themselves"
    );
}

#[test]
fn a_processor_aborts_what_its_id_has_left_open_before_it_works() {
    let topics = <OddsMachine as Machine>::TOPICS;
    let own = [topics.changelog, topics.dead_letters];
    let outputs: Vec<_> = topics.outputs.iter().copied().chain(own).copied().collect();
    let broker = Broker::own();
    lose_markers(&broker, &format!("arb-process-{PARTITION}"), &outputs);
    broker.ingest(&recordings::simulated(broker.scratch.path(), 33, 20), &[]);
    let log = broker.path("process.log");
    let mut process = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &log);
    let last = parse_rfc3339("2026-01-01T01:35:00Z").unwrap();
    wait_for_poll(&broker, last, || process.assert_runs());
    process.stop();
    for topic in outputs {
        wait_for("nothing is open", || is_settled(&broker, topic).then_some(()));
        let keys = keys(&broker, topic);
        assert!(!keys.iter().any(|key| key == "old" || key == "adopted"), "{}: {keys:?}", topic.name);
    }
    // It came that far, so it has aborted them: nobody else would.
    let output = fs::read_to_string(log).unwrap();
    println!("{}", output.lines().find(|line| line.contains("transactional ids adopted")).unwrap());
}

/// Runs Kafka's tool for transactions, as docs/operations/hanging-transactions.md has it.
fn tool(broker: &Broker, arguments: &[&str]) -> String {
    let mut java = Command::new("java");
    java.arg("-cp").arg(kafka_libraries().join("*")).arg("org.apache.kafka.tools.TransactionsCommand");
    let output = run(java.args(["--bootstrap-server", &broker.kafka.brokers]).args(arguments));
    assert!(output.success, "{}{}", output.out, output.err);
    println!("{arguments:?}\n{}", output.out);
    output.out
}

#[test]
fn a_transaction_of_a_stranger_is_reported_and_ended_by_the_tool() {
    let broker = Broker::own();
    lose_markers(&broker, "stranger", &[FEED_EVENTS]);
    let log = broker.path("process.log");
    let mut process = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &log);
    let output = || fs::read_to_string(&log).unwrap();
    wait_for("it is reported", || {
        output().contains("an open transaction holds this partition back").then_some(())
    });
    assert!(output().contains(FEED_EVENTS.name) && !output().contains("partitions taken"), "{}", output());
    // Younger than any that the tool takes for hanging by default.
    let found = tool(&broker, &["find-hanging", "--broker-id", "1", "--max-transaction-timeout", "0"]);
    let topic = broker.kafka.name(FEED_EVENTS.name);
    let line = found.lines().find(|line| line.starts_with(&topic)).unwrap();
    let start = line.split_whitespace().nth(5).unwrap();
    let partition = PARTITION.to_string();
    let at = ["--topic", &topic, "--partition", &partition];
    tool(&broker, &[&["describe-producers"][..], &at].concat());
    tool(&broker, &[&["abort"][..], &at, &["--start-offset", start]].concat());
    wait_for("it continues", || {
        process.assert_runs();
        output().contains("partitions taken").then_some(())
    });
    process.stop();
    assert!(keys(&broker, FEED_EVENTS).is_empty());
}
