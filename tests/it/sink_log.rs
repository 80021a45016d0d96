//! A sink whose log changes below it, cut or recreated, and commits that are never accepted: it ends with an
//! error, and the next start reports what is lost and continues.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use arb_kafka::{Commit, Error, LeaseNote, Mark, SinkConsumer, SinkEvent, partition_of, topic_id};
use arb_schemas::topics::{DEFAULT_PARTITIONS, ODDS_TICKS};
use arb_schemas::wire::encode;
use arb_sink::sources::TOPICS;
use rdkafka::topic_partition_list::Offset;
use rustix::process::Signal;
use serde_json::Value;

use crate::kafka::{committed, write};
use crate::sink::SMALL;
use crate::support::feed::frame;
use crate::support::lease_holder::LeaseHolder;
use crate::support::metrics::Admin;
use crate::support::sinks::Ground;
use crate::support::stack::Broker;
use crate::support::topics::{delete_before, recreate};
use crate::support::wait_for;

/// All records have this key, so that they are of one partition.
const KEY: &str = "event";
const JANUARY: i64 = 1_767_225_600_000_000;

/// Publishes frames of one tick each; a frame's number is its offset.
fn publish(ground: &Ground, frames: Range<i64>) {
    let frames: Vec<_> = frames.map(|at| encode(&frame(JANUARY + at)).unwrap()).collect();
    let records: Vec<_> = frames.iter().map(|value| (KEY, value.as_slice())).collect();
    write(&ground.broker.kafka, &records);
}

/// The places of ticks: topic id and offset.
fn places(ticks: &[Value]) -> Vec<(String, i64)> {
    let place =
        |row: &Value| (row["topic_id"].as_str().unwrap().to_owned(), row["kafka_offset"].as_i64().unwrap());
    ticks.iter().map(place).collect()
}

/// The sentence with which a sink ended.
fn sentence(ground: &Ground, log: &str) -> String {
    let log = ground.log(log);
    log.lines().find(|line| line.starts_with("arb: ")).unwrap_or_else(|| panic!("{log}")).to_owned()
}

/// ClickHouse hangs, so the sink reads no more than it may hold; meanwhile Kafka deletes records that it has
/// not read.
#[test]
fn a_sink_whose_place_is_cut_off_ends_and_the_next_says_what_is_lost() {
    let ground = Ground::own_clickhouse();
    let kafka = &ground.broker.kafka;
    publish(&ground, 0..10);
    let arguments = [&SMALL[..], &["--insert-timeout-ms", "2000"]].concat();
    let mut sink = ground.sink("cut.log", &arguments);
    wait_for("the first rows are there", || ground.count("ticks").filter(|rows| *rows == 10));
    ground.clickhouse.freeze();
    publish(&ground, 10..1_000);
    let admin = Admin::of(&ground.broker.path("cut.log"));
    admin.page_when("it reads no more", |page| page.sum("arb_sink_paused_partitions", &[]) > 0.0);
    let all = places(&ground.expected()["ticks"]);
    let partition = partition_of(KEY, DEFAULT_PARTITIONS);
    delete_before(kafka, ODDS_TICKS.name, partition, Offset::Offset(900));
    let left = ground.expected();
    assert_eq!((all.len(), left["ticks"].len()), (1_000, 100));
    ground.clickhouse.thaw();
    wait_for("it ends", || sink.died().then_some(()));
    let output = sentence(&ground, "cut.log");
    assert!(
        output.contains("Kafka no longer has the place from which a partition was to be read"),
        "{output}"
    );

    let index = usize::try_from(partition).unwrap();
    let settled = committed(kafka, "arb-sink")[index].unwrap();
    let mut next = ground.sink("next.log", &SMALL);
    let admin = Admin::of(&ground.broker.path("next.log"));
    let page = admin.page_when("the lost records are reported", |page| {
        page.sum("arb_sink_lost_records_total", &[]) > 0.0
    });
    assert_eq!(page.sum("arb_sink_lost_records_total", &[]).to_string(), (900 - settled).to_string());
    publish(&ground, 1_000..1_050);
    let left: BTreeSet<_> = places(&ground.expected()["ticks"]).into_iter().collect();
    wait_for("what was still there is there, and what comes", || {
        next.assert_runs();
        let found: BTreeSet<_> = places(&ground.found()["ticks"]).into_iter().collect();
        left.is_subset(&found).then_some(())
    });
    next.stop();
    let found = ground.found();
    let found = places(&found["ticks"]);
    let once: BTreeSet<_> = found.iter().cloned().collect();
    assert_eq!(found.len(), once.len(), "no row twice");
    let made: BTreeSet<_> = all.into_iter().chain(left).collect();
    assert!(once.is_subset(&made), "no row of nothing");
}

/// Deleted and created again at once, with a longer log: librdkafka reads on from the old place, without an error.
#[test]
fn a_topic_recreated_below_a_sink_ends_it_and_the_next_reads_all_of_it() {
    let ground = Ground::start();
    let kafka = &ground.broker.kafka;
    publish(&ground, 0..10);
    let mut sink = ground.sink("old.log", &SMALL);
    wait_for("the first rows are there", || ground.count("ticks").filter(|rows| *rows == 10));
    // It sees the old topic and then the new one, and nothing between.
    sink.signal(Signal::STOP);
    wait_for("it is frozen", || sink.is_frozen().then_some(()));
    let old = topic_id(&kafka.cluster(), &ODDS_TICKS).unwrap();
    recreate(kafka, &ODDS_TICKS);
    publish(&ground, 0..50);
    assert_ne!(topic_id(&kafka.cluster(), &ODDS_TICKS).unwrap(), old);
    sink.signal(Signal::CONT);
    wait_for("it ends", || sink.died().then_some(()));
    let output = sentence(&ground, "old.log");
    assert!(output.contains("odds.ticks.v1 was recreated while it was read"), "{output}");

    let expected = ground.expected();
    let id = expected["ticks"][0]["topic_id"].clone();
    let of_the_new = || {
        let mut rows = ground.found().remove("ticks").unwrap();
        rows.retain(|row| row["topic_id"] == id);
        rows
    };
    let mut next = ground.sink("new.log", &SMALL);
    wait_for("all of the new topic is there", || {
        next.assert_runs();
        (of_the_new().len() >= 50).then_some(())
    });
    next.stop();
    assert_eq!(of_the_new(), expected["ticks"]);
    let found = places(&ground.found()["ticks"]);
    let once: BTreeSet<_> = found.iter().collect();
    assert_eq!(found.len(), once.len(), "no row twice");
}

/// Where nothing was ever read the old offset is the new one too, and stays: it never causes an error.
#[test]
fn a_recreated_empty_topic_is_detected_too() {
    let ground = Ground::start();
    let mut sink = ground.sink("empty.log", &SMALL);
    wait_for("it reads", || ground.log("empty.log").contains("partitions taken").then_some(()));
    recreate(&ground.broker.kafka, &ODDS_TICKS);
    wait_for("it ends", || sink.died().then_some(()));
    let output = sentence(&ground, "empty.log");
    assert!(output.contains("odds.ticks.v1 was recreated while it was read"), "{output}");
}

/// The broker keeps 4,096 bytes beside an offset: a longer note is refused, now and for ever.
#[test]
fn a_commit_that_will_never_be_taken_is_an_error_of_whoever_makes_it() {
    let broker = Broker::start();
    let (long, wait) = ("x".repeat(5_000), Duration::from_millis(100));
    let mut sink = SinkConsumer::join(&broker.kafka.cluster(), "a-sink", &TOPICS).unwrap();
    let sources = wait_for("it is a member", || match sink.next(wait, &mut |_| ()).unwrap() {
        SinkEvent::Assigned(sources) => Some(sources),
        _ => None,
    });
    let places: Vec<_> = sources.iter().map(|source| (*source, 0)).collect();
    sink.start_paused(&places).unwrap();
    let mark = |at: usize, note: &str| Mark { source: sources[at], offset: 0, note: note.to_owned() };
    let refused =
        [vec![mark(0, &long)], vec![mark(0, &long), mark(1, "")], vec![mark(0, ""), mark(1, &long)]];
    let waits = || true;
    assert_eq!(sink.mark(&[mark(0, ""), mark(1, "")], &waits).unwrap(), Commit::Taken);
    for marks in refused {
        let error = sink.mark(&marks, &waits).unwrap_err();
        assert!(matches!(error, Error::Commit(_)), "{error}");
        assert!(error.to_string().contains("trying again will not help"), "{error}");
    }

    let mut holder = LeaseHolder::join(&broker.kafka.cluster());
    let note = |count, text: &str| LeaseNote { count, text: text.to_owned() };
    assert_eq!(holder.take_over(), note(0, ""));
    holder.write(&[], &note(1, "1")).unwrap();
    let error = holder.write(&[], &note(2, &long)).unwrap_err();
    assert!(matches!(error, Error::Client(_)), "{error}");
    assert_eq!(holder.take_over(), note(1, "1"));
    holder.write(&[], &note(2, "2")).unwrap();
}
