//! A broker that has lost the markers of aborted transactions shows records twice: no reader of the feed or of the dead letters
//! makes anything of the second.

use std::collections::BTreeSet;

use arb_runtime::fail_point::Point;
use arb_runtime::feed_mark::FeedMark;
use arb_schemas::records::{ArbWindow, CloseSignal, LineMovement, SignalChange, StaleAlert};
use arb_schemas::topics::DEAD_TICKS;
use arb_schemas::wire::{RecordType, decode};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use crate::support::environment::Environment;
use crate::support::feed::{Name, Writer, name, one_of_each, opened};
use crate::support::program::{arb, run};
use crate::support::serve::{Key, Serve};
use crate::support::sinks::Ground;
use crate::support::stack::Broker;
use crate::support::{PATIENCE, wait_for};

const TABLES: [&str; 4] = ["window_transitions", "line_movements", "stale_alerts", "signal_transitions"];

fn sequence(value: &[u8]) -> i64 {
    match RecordType::of(value).unwrap() {
        RecordType::LineMovement => decode::<LineMovement>(value).unwrap().sequence,
        RecordType::StaleAlert => decode::<StaleAlert>(value).unwrap().sequence,
        RecordType::CloseSignal => decode::<CloseSignal>(value).unwrap().sequence,
        RecordType::SignalChange => decode::<SignalChange>(value).unwrap().signal.sequence,
        _ => decode::<ArbWindow>(value).unwrap().entry.sequence,
    }
}

/// Writes records in one transaction, each with its number.
fn write(writer: &Writer, partition: i32, records: &[Vec<u8>]) {
    let mark = |value: &Vec<u8>| FeedMark { epoch: 1_782_000_000_000, sequence: sequence(value) };
    let marked: Vec<_> = records.iter().map(|value| (mark(value), value.clone())).collect();
    writer.write_marked(partition, &marked);
}

/// Ten records from a number on, the first five of them twice: what was left behind, and what was written again.
fn write_twice(writer: &Writer, partition: i32, from: i64) {
    let records = [one_of_each("soccer_test", from), one_of_each("soccer_test", from + 5)].concat();
    write(writer, partition, &records[..5]);
    write(writer, partition, &records);
}

/// An id of the same offsets, of which no mark is known.
fn without_marks(id: &str) -> String {
    let bytes = URL_SAFE_NO_PAD.decode(id).unwrap();
    let (mut offsets, mut at) = (bytes[..17].to_vec(), 17);
    let skip = |at: &mut usize| {
        let from = *at;
        while bytes[*at] >= 0x80 {
            *at += 1;
        }
        *at += 1;
        from..*at
    };
    while at < bytes.len() {
        offsets.extend(&bytes[skip(&mut at)]);
        offsets.push(0);
        at += 1;
        for _ in 0..2 * bytes[at - 1] {
            skip(&mut at);
        }
    }
    URL_SAFE_NO_PAD.encode(offsets)
}

fn assert_sent(serve: &Serve, id: &str, expected: &[Name], what: &str) {
    let got: Vec<_> = serve.stream("", Some(id)).take(expected.len()).iter().map(name).collect();
    assert!(got == expected, "{what}: {got:?}");
}

#[test]
fn streams_deliver_each_event_once_wherever_they_resume() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    let first = Serve::start(&broker, &key, "first", &[]);
    let mut live = first.stream("", None);
    assert_eq!(live.next().unwrap().name, "snapshot");
    // A position that no mark is known of.
    let mut points = vec![live.last_id.clone().unwrap()];
    write_twice(&writer, 0, 1);
    write_twice(&writer, 0, 11);
    let open = opened("open", "soccer_test", 21);
    writer.write_board(0, "open", &open);
    write(&writer, 0, &[open]);
    let events = live.take(21);
    let names: Vec<_> = events.iter().map(name).collect();
    assert_eq!(
        names.iter().map(|(_, _, sequence)| *sequence).collect::<Vec<_>>(),
        (1..=21).collect::<Vec<_>>()
    );
    points.extend(events.into_iter().map(|event| event.id.unwrap()));

    // Another instance that reads all of it, and one whose memory is so small that Kafka is read for every client.
    let second = Serve::start(&broker, &key, "second", &[]);
    let small = Serve::start(&broker, &key, "small", &["--stream-events", "1"]);
    let instances = [("first", &first), ("second", &second), ("small", &small)];
    for (had, id) in points.iter().enumerate().take(21) {
        for (which, serve) in instances {
            assert_sent(serve, id, &names[had..], &format!("{which} after {had}"));
            // Right before the repeated records only a mark identifies them, and an instance that has dropped
            // them.
            if which != "small" || ![5, 15].contains(&had) {
                assert_sent(
                    serve,
                    &without_marks(id),
                    &names[had..],
                    &format!("{which}, without marks, after {had}"),
                );
            }
        }
    }
    for (which, serve) in instances {
        // The board is read beside the feed.
        wait_for(&format!("the snapshot of {which} is the board"), || {
            let snapshot = serve.stream("", None).next().unwrap().json();
            let open: Vec<_> =
                snapshot["arbs"].as_array().unwrap().iter().map(|entry| entry["id"].clone()).collect();
            if open == ["open"] { Ok(()) } else { Err(open) }
        });
    }
}

/// The numbers of the first partition in each table, in the order of their records.
fn rows(ground: &Ground) -> Vec<Vec<i64>> {
    let of = |table: &str| {
        let sql = format!("SELECT sequence FROM arb_store.{table} ORDER BY kafka_offset");
        let rows = ground.clickhouse.query_as("migrator", &sql);
        rows.iter().map(|row| row["sequence"].as_i64().unwrap()).collect()
    };
    TABLES.map(of).into()
}

/// The numbers that the tables must have of records up to a number: five kinds in turn, the first and fourth are windows.
fn expected(last: i64) -> Vec<Vec<i64>> {
    let of = |kinds: &[i64]| (1..=last).filter(|n| kinds.contains(&((n - 1) % 5))).collect();
    [&[0, 3][..], &[1], &[2], &[4]].map(of).into()
}

#[test]
fn clickhouse_has_every_transition_once_though_the_sink_is_killed_in_between() {
    let ground = Ground::start();
    let writer = Writer::new(&ground.broker.kafka);
    let (mut from, mut killed) = (1, BTreeSet::new());
    for point in Point::SINK {
        write_twice(&writer, 0, from);
        from += 10;
        let kill = format!("{}:2", point.key());
        let small = ["--batch-rows", "3", "--batch-interval-ms", "50", "--kill-at", &kill];
        let mut sink = ground.sink("sink.log", &small);
        wait_for("it is killed, or all is there", || {
            // What is killed after the last row leaves nothing to be done.
            let died = sink.died();
            killed.extend(died.then(|| point.key()));
            (died || rows(&ground) == expected(from - 1)).then_some(())
        });
    }
    assert!(killed.len() > 3, "killed at {killed:?} only");
    let mut sink = ground.sink("last.log", &["--batch-rows", "3", "--batch-interval-ms", "50"]);
    wait_for("all rows are there", || {
        sink.assert_runs();
        (rows(&ground).concat().len() >= expected(from - 1).concat().len()).then_some(())
    });
    // What comes then is settled after the doubles before it.
    write(&writer, 0, &one_of_each("soccer_test", from));
    wait_for("the last rows are there", || (rows(&ground).concat().contains(&(from + 4))).then_some(()));
    sink.stop();
    assert_eq!(rows(&ground), expected(from + 4));
}

fn write_letters(kafka: &Environment, epoch: &str, offsets: &[&str]) {
    // Each once and in this order, also when an acknowledgement is late.
    let (mut config, topic) = (kafka.client(), kafka.name(DEAD_TICKS.name));
    let producer: BaseProducer = config.set("enable.idempotence", "true").create().unwrap();
    for offset in offsets {
        let header = |headers: OwnedHeaders, (key, value)| headers.insert(Header { key, value: Some(value) });
        let named = [("arb-reason", "ahead"), ("arb-offset", *offset), ("arb-epoch", epoch)];
        let headers = named.into_iter().fold(OwnedHeaders::new(), header);
        let record = BaseRecord::<str, str>::to(&topic).partition(1).payload("none").headers(headers);
        producer.send(record).map_err(|(error, _)| error).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
}

#[test]
fn a_letter_that_is_there_twice_is_sent_again_once() {
    let broker = Broker::start();
    let dlq = |action: &str| run(arb().args(["dlq", action, broker.kafka.at(), broker.kafka.named()]));
    write_letters(&broker.kafka, "5", &["3", "8", "3", "8", "9"]);
    let listed = dlq("list");
    assert!(listed.success, "{}", listed.err);
    assert_eq!(listed.out.lines().count(), 4, "a head and three letters: {}", listed.out);
    assert!(dlq("replay").out.contains("3 sent again"));
    // The mark of the last one lies beside the offset.
    write_letters(&broker.kafka, "5", &["8", "9", "10"]);
    write_letters(&broker.kafka, "6", &["0"]);
    let output = dlq("replay");
    assert!(output.out.contains("2 sent again"), "{} {}", output.out, output.err);
}
