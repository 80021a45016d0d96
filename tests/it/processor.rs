//! The processor: that its output is the input's alone, and where it must stop rather than guess.

use std::collections::BTreeSet;
use std::time::Duration;

use arb_kafka::partition_of;
use arb_schemas::records::BoardProgress;
use arb_schemas::time::parse_rfc3339;
use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, DEFAULT_PARTITIONS, FEED_EVENTS};
use arb_schemas::wire;
use rdkafka::message::Message;

use crate::kafka::{Record, commit_by_hand, read_all, reader, wait_until_settled, without_epoch, write};
use crate::support::program::{Role, arb, run};
use crate::support::stack::{Broker, Stack};
use crate::support::{recordings, wait_for_steps};
use crate::up::whenever;

#[test]
fn it_continues_at_its_position() {
    let mut stack = Stack::start("board");
    let recording = recordings::simulated(stack.broker.scratch.path(), 31, 50);
    stack.broker.ingest(&recording, &["--until", "2026-01-01T02:00:00Z"]);
    stack.board_at("2026-01-01T02:00:00Z");
    stack.process.stop();
    stack.broker.ingest(&recording, &["--after", "2026-01-01T02:00:00Z"]);
    let mut again = Role::start(
        "process",
        &[stack.broker.kafka.at(), stack.broker.kafka.named()],
        &stack.broker.path("again"),
    );
    let board = stack.board_at("2026-01-01T04:05:00Z");
    again.stop();
    let raw =
        run(arb().args(["process", "--policy", "raw", stack.broker.kafka.at(), stack.broker.kafka.named()]));
    assert!(!raw.success && raw.err.contains("were made with --policy board"), "{}", raw.err);
    let straight = Stack::start("board");
    straight.broker.ingest(&recording, &["--until", "2026-01-01T02:00:00Z"]);
    straight.broker.ingest(&recording, &["--after", "2026-01-01T02:00:00Z"]);
    assert_eq!(whenever(straight.board_at("2026-01-01T04:05:00Z")), whenever(board));
    assert!(whole_feed(&stack.broker) == whole_feed(&straight.broker), "the feed");
}

/// The feed, once every transaction on it has ended.
fn whole_feed(broker: &Broker) -> Vec<Record> {
    wait_until_settled(&broker.kafka, &FEED_EVENTS);
    read_all(&broker.kafka, FEED_EVENTS.name).into_iter().map(without_epoch).collect()
}

#[test]
fn offsets_that_the_changelog_does_not_know_are_refused() {
    let broker = Broker::start();
    let recording = recordings::simulated(broker.scratch.path(), 34, 5);
    broker.ingest(&recording, &[]);
    commit_by_hand(&broker.kafka, "arb-process", 0, 3);
    let output = run(arb().args(["process", broker.kafka.at(), broker.kafka.named()]));
    let sentence = "arb: partition 0: the group has committed offset 3 of odds.ticks.v1, and process.state.v1 is \
                    that of no offset";
    assert!(!output.success && output.err.contains(sentence), "{}", output.err);
}

#[test]
fn an_unreadable_record_is_dead_lettered_with_its_reason_and_the_rest_is_processed() {
    let broker = Broker::start();
    let recording = recordings::simulated(broker.scratch.path(), 32, 20);
    write(&broker.kafka, &[("stranger", b"{\"odds\": 2}")]);
    broker.ingest(&recording, &[]);
    let mut process =
        Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &broker.path("process.log"));
    let last = parse_rfc3339("2026-01-01T01:35:00Z").unwrap();
    wait_for_poll(&broker, last, || process.assert_runs());
    wait_until_settled(&broker.kafka, &DEAD_TICKS);
    let dead = read_all(&broker.kafka, DEAD_TICKS.name);
    let partition = partition_of("stranger", DEFAULT_PARTITIONS);
    assert_eq!(dead.len(), 1);
    assert_eq!((dead[0].partition, &*dead[0].key), (partition, b"stranger".as_slice()));
    assert_eq!(dead[0].value, b"{\"odds\": 2}");
    let mut headers: Vec<_> = dead[0].headers.iter().map(|(key, value)| (&**key, &**value)).collect();
    let (name, epoch) = headers.pop().unwrap();
    assert!(name == "arb-epoch" && epoch.parse::<i64>().unwrap() > 1_700_000_000_000, "{name}: {epoch}");
    assert_eq!(
        headers,
        [
            ("arb-reason", "unreadable"),
            ("arb-error", "not in the Confluent wire format"),
            ("arb-topic", "odds.ticks.v1"),
            ("arb-partition", &*partition.to_string()),
            ("arb-offset", "0"),
        ]
    );
}

#[test]
fn a_pump_that_hangs_is_ended_by_its_watchdog() {
    let broker = Broker::start();
    broker.ingest(&recordings::simulated(broker.scratch.path(), 35, 2), &[]);
    // Reached only by a processor that has its partitions and a record; until then it must move, also on a slow machine.
    let stall = ["--stall-at", "process:2", "--watchdog-ms", "20000"];
    let output = run(arb().args(["process", broker.kafka.at(), broker.kafka.named()]).args(stall));
    assert!(output.err.contains("partitions taken"), "{}", output.err);
    assert!(!output.success && output.err.contains("has not moved for 20 s and is ended"), "{}", output.err);
}

/// Waits until every partition of the board contains a poll, and looks at something else meanwhile.
pub(crate) fn wait_for_poll(broker: &Broker, received_at: i64, mut each: impl FnMut()) {
    let (board, partitions) = reader(&broker.kafka, ARBS_BOARD.name);
    let (mut found, mut last) = (BTreeSet::new(), None);
    wait_for_steps("every partition of the board contains the poll", || {
        each();
        // Not all there is: something else is to be looked at while the board moves.
        for _ in 0..500 {
            let Some(polled) = board.poll(Duration::from_millis(20)) else { break };
            if let Ok(record) = polled
                && let Ok(progress) = wire::decode::<BoardProgress>(record.payload().unwrap_or_default())
            {
                last = last.max(Some(progress.received_at));
                if progress.received_at == received_at {
                    found.insert(record.partition());
                }
            }
        }
        if found.len() == partitions { Ok(()) } else { Err((found.len(), last)) }
    });
}

/// The whole feed of a recording, processed in transactions of so many records, and the processor's log.
fn feed(records: &str, fail_point: &[&str]) -> (Vec<Record>, String) {
    let broker = Broker::start();
    let recording = recordings::simulated(broker.scratch.path(), 33, 40);
    broker.ingest(&recording, &[]);
    let limits = [
        broker.kafka.at(),
        broker.kafka.named(),
        "--commit-records",
        records,
        "--commit-interval-ms",
        "60000",
    ];
    let log = broker.path("process.log");
    let mut process = Role::start("process", &[&limits, fail_point].concat(), &log);
    let last = parse_rfc3339("2026-01-01T03:15:00Z").unwrap();
    wait_for_poll(&broker, last, || process.assert_runs());
    process.stop();
    (whole_feed(&broker), std::fs::read_to_string(log).unwrap())
}

#[test]
fn the_output_does_not_depend_on_where_transactions_are_cut_or_aborted() {
    let (whole, _) = feed("1000000", &[]);
    assert!(whole.len() > 30, "a feed of {} is too short for a comparison", whole.len());
    for records in ["1", "7", "1000"] {
        assert!(feed(records, &[]).0 == whole, "{records} records a transaction");
    }
    let (aborted, output) = feed("7", &["--abort-each", "3"]);
    assert!(output.contains(" aborts="), "{output}");
    assert!(aborted == whole, "each third transaction aborted");
}
