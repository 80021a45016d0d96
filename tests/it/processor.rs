//! The processor: where it must stop rather than guess, and that its output is the input's alone.

use std::collections::BTreeSet;

use arb_pipeline::kafka::partition_of;
use arb_schemas::records::BoardProgress;
use arb_schemas::time::parse_rfc3339;
use arb_schemas::topics::{ARBS_BOARD, DEFAULT_PARTITIONS, FEED_EVENTS};
use arb_schemas::wire;

use crate::kafka::{Record, read_all, write};
use crate::support::program::{Role, arb, run};
use crate::support::stack::{Broker, Stack};
use crate::support::{recordings, wait_for};

#[test]
fn it_does_not_go_on_from_a_state_that_it_lost() {
    let mut stack = Stack::start("board");
    let recording = recordings::synthetic(stack.broker.scratch.path(), 31, 50);
    stack.broker.ingest(&recording, &[]);
    stack.board_at("2026-01-01T04:05:00Z");
    stack.process.stop();
    let again = run(arb().args(["process", "--brokers", &stack.broker.brokers]));
    assert!(!again.success);
    assert!(again.err.contains("has been processed up to offset"), "{}", again.err);
    assert!(again.err.contains("start with empty topics"), "{}", again.err);
}

#[test]
fn a_record_that_is_none_stops_it_before_anything_of_its_partition_is_published() {
    let broker = Broker::start();
    let recording = recordings::synthetic(broker.scratch.path(), 32, 20);
    write(&broker.brokers, &[("stranger", b"{\"odds\": 2}")]);
    broker.ingest(&recording, &[]);
    let said = run(arb().args(["process", "--brokers", &broker.brokers]));
    assert!(!said.success);
    assert!(said.err.contains("offset 0: not in the Confluent wire format"), "{}", said.err);
    let partition = partition_of("stranger", DEFAULT_PARTITIONS);
    for topic in [ARBS_BOARD, FEED_EVENTS] {
        let records = read_all(&broker.brokers, topic.name);
        assert!(records.iter().all(|record| record.partition != partition), "{}", topic.name);
    }
}

/// Whether every partition of the board contains a poll.
fn board_contains(broker: &Broker, received_at: i64) -> bool {
    let mut partitions = BTreeSet::new();
    for record in read_all(&broker.brokers, ARBS_BOARD.name) {
        if let Ok(progress) = wire::decode::<BoardProgress>(&record.value)
            && progress.received_at == received_at
        {
            partitions.insert(record.partition);
        }
    }
    i32::try_from(partitions.len()) == Ok(DEFAULT_PARTITIONS)
}

/// The whole feed of a recording, processed in transactions of so many records, and what the processor said.
fn feed(records: &str, fail_point: &[&str]) -> (Vec<Record>, String) {
    let broker = Broker::start();
    let recording = recordings::synthetic(broker.scratch.path(), 33, 40);
    broker.ingest(&recording, &[]);
    let limits = ["--brokers", &broker.brokers, "--commit-records", records, "--commit-interval-ms", "60000"];
    let log = broker.path("process.log");
    let mut process = Role::start("process", &[&limits, fail_point].concat(), &log);
    let last = parse_rfc3339("2026-01-01T03:15:00Z").unwrap();
    wait_for("the last poll is processed", || {
        process.assert_runs();
        board_contains(&broker, last).then_some(())
    });
    process.stop();
    (read_all(&broker.brokers, FEED_EVENTS.name), std::fs::read_to_string(log).unwrap())
}

#[test]
fn the_output_does_not_depend_on_where_transactions_are_cut_or_aborted() {
    let (whole, _) = feed("1000000", &[]);
    assert!(whole.len() > 30, "a feed of {} says little", whole.len());
    for records in ["1", "7"] {
        assert!(feed(records, &[]).0 == whole, "{records} records a transaction");
    }
    let (aborted, said) = feed("7", &["--abort-each", "3"]);
    assert!(said.contains("aborts=") && !said.contains("aborts=0"), "{said}");
    assert!(aborted == whole, "each third transaction aborted");
}
