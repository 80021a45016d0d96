//! A broker that loses the markers of a commit in some partitions and keeps them in others: the next owner commits what was
//! committed, so that nobody sees less than before.

use std::collections::BTreeMap;

use arb_kafka::{LeaseNote, TickOutput};
use arb_process::machine::OddsMachine;
use arb_runtime::machine::Machine;
use arb_schemas::topics::{ARBS_BOARD, FEED_EVENTS, ODDS_TICKS, PROCESS_STATE, SIGNALS, Topic};

use crate::kafka::{committed, ends, read_all, wait_until_settled};
use crate::kill::poll;
use crate::markers::{cut_marker, ends_with_marker};
use crate::processor::wait_for_poll;
use crate::standby::written;
use crate::support::lease_holder::LeaseHolder;
use crate::support::processors::wait_until_saved;
use crate::support::program::Role;
use crate::support::results::{Feed, fold};
use crate::support::stack::Broker;
use crate::support::{recordings, wait_for};

/// What readers of committed records see.
#[derive(PartialEq)]
struct Seen {
    feed: Feed,
    folds: BTreeMap<(&'static str, i32, String), Vec<u8>>,
    offsets: Vec<Option<i64>>,
}

impl Seen {
    fn by(broker: &Broker) -> Self {
        let topics = [ARBS_BOARD, SIGNALS, PROCESS_STATE];
        Self {
            feed: Feed::of(&broker.kafka),
            folds: topics.into_iter().flat_map(|topic| fold(&broker.kafka, topic.name)).collect(),
            offsets: committed(&broker.kafka, "arb-process"),
        }
    }
}

fn processor(broker: &Broker, log: &str, commit_records: &str) -> Role {
    let at = [broker.kafka.at(), broker.kafka.named(), "--commit-interval-ms", "60000"];
    let arguments = [&at[..], &["--commit-records", commit_records]].concat();
    Role::start("process", &arguments, &broker.path(log))
}

/// A processor is killed when it has processed everything; then the broker loses the last markers of these topics in a partition.
fn is_the_same_after_losing(topics: &[Topic], polls: u64, commit_records: &str) {
    let broker = Broker::own();
    let [recording, later] = [33, 34].map(|seed| recordings::simulated(broker.scratch.path(), seed, polls));
    broker.ingest(&recording, &[]);
    let mut process = processor(&broker, "first.log", commit_records);
    let last = arb_schemas::time::parse_rfc3339(&poll(polls - 1)).unwrap();
    wait_for_poll(&broker, last, || process.assert_runs());
    wait_until_saved(&broker.kafka);
    process.kill();
    for topic in [FEED_EVENTS, ARBS_BOARD, SIGNALS, PROCESS_STATE] {
        wait_until_settled(&broker.kafka, &topic);
    }
    let before = Seen::by(&broker);
    let partition = before.feed.longest();

    broker.kill();
    for topic in topics {
        cut_marker(&broker.partition_folder(topic.name, partition));
    }
    broker.restart();
    for topic in topics {
        let (stable, end) = ends(&broker.kafka, topic.name, partition);
        assert!(stable < end, "{} is not open: {stable} {end}", topic.name);
    }

    let mut process = processor(&broker, "second.log", commit_records);
    let outputs = <OddsMachine as Machine>::TOPICS.written();
    wait_for("nothing is open", || {
        process.assert_runs();
        let settled = |topic: &Topic| {
            let (stable, end) = ends(&broker.kafka, topic.name, partition);
            stable == end
        };
        outputs.clone().all(settled).then_some(())
    });
    wait_for("all is as before", || (Seen::by(&broker) == before).then_some(()));
    let log = std::fs::read_to_string(broker.path("second.log")).unwrap();
    let repeated = log.matches("the marker of a commit is lost").count();
    assert_eq!(repeated, topics.len(), "{log}");
    // It goes on from there.
    broker.ingest(&later, &[]);
    wait_for("it processes more", || {
        process.assert_runs();
        (committed(&broker.kafka, "arb-process") != before.offsets).then_some(())
    });
    process.stop();
}

#[test]
fn a_commit_that_the_feed_has_lost_is_committed_again() {
    is_the_same_after_losing(&[FEED_EVENTS], 20, "20");
}

#[test]
fn a_commit_that_the_changelog_has_lost_is_committed_again() {
    is_the_same_after_losing(&[PROCESS_STATE], 20, "20");
}

#[test]
fn a_commit_of_which_the_group_has_the_offset_alone_is_committed_again() {
    is_the_same_after_losing(&[FEED_EVENTS, ARBS_BOARD, SIGNALS, PROCESS_STATE], 20, "20");
}

/// The broker loses the marker of the group's partition alone: the records of the transaction are there, and its note is hidden.
#[test]
fn a_note_whose_marker_the_group_has_lost_is_read_from_the_records() {
    let broker = Broker::own();
    let join = || LeaseHolder::join(&broker.kafka.cluster());
    let note = |count: i64| LeaseNote { count, text: count.to_string() };
    let record = |count: i64| TickOutput {
        partition: 0,
        key: "key".to_owned(),
        value: vec![b'0', u8::try_from(count).unwrap()],
    };
    let mut holder = join();
    assert_eq!(holder.take_over(), LeaseNote::default());
    for count in [1, 2] {
        holder.write(&[record(count)], &note(count)).unwrap();
    }
    wait_until_settled(&broker.kafka, &ODDS_TICKS);
    broker.kill();
    drop(holder);
    let ticks = broker.partition_folder(ODDS_TICKS.name, 0);
    let of_offsets = |partition: i32| ticks.with_file_name(format!("__consumer_offsets-{partition}"));
    let ended: Vec<_> = (0..4).map(of_offsets).filter(|folder| ends_with_marker(folder)).collect();
    assert_eq!(ended.len(), 1, "the group is in one partition: {ended:?}");
    cut_marker(&ended[0]);
    broker.restart();

    let mut holder = join();
    assert_eq!(holder.take_over(), note(2));
    holder.write(&[record(3)], &note(3)).unwrap();
    let values: Vec<_> =
        read_all(&broker.kafka, ODDS_TICKS.name).into_iter().map(|record| record.value).collect();
    assert_eq!(values, [1, 2, 3].map(|count| record(count).value));
}

/// A transaction of all that there is, of which only the last records name the end.
#[test]
fn a_large_commit_that_the_feed_has_lost_is_committed_again() {
    is_the_same_after_losing(&[FEED_EVENTS], 120, "100000");
}

#[test]
fn a_poll_whose_marker_the_ticks_have_lost_is_committed_again() {
    let (broker, straight, partition) = (Broker::own(), Broker::start(), 1);
    let recording = recordings::simulated(broker.scratch.path(), 35, 20);
    let halves = ["--until", "--after"].map(|half| [half, "2026-01-01T00:45:00Z"]);
    broker.ingest(&recording, &halves[0]);
    let before = written(&broker);
    broker.kill();
    cut_marker(&broker.partition_folder(ODDS_TICKS.name, partition));
    broker.restart();
    let (stable, end) = ends(&broker.kafka, ODDS_TICKS.name, partition);
    assert!(stable < end, "the last poll is open: {stable} {end}");
    broker.ingest(&recording, &halves[1]);

    for half in &halves {
        straight.ingest(&recording, half);
    }
    let (found, mut expected) = (written(&broker), written(&straight));
    // The record by which the commit was repeated is there once more: it is late.
    let of_before = before[&partition].len();
    let (records, repeated) = (expected.get_mut(&partition).unwrap(), found[&partition][of_before].clone());
    assert!(before[&partition].contains(&repeated));
    records.insert(of_before, repeated);
    assert!(found == expected, "nothing else is there twice, and nothing is missing");
}
