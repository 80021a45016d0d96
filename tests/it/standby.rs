//! Ingest started twice: one instance publishes a source, the other stands by and continues at its position.

use std::collections::BTreeMap;
use std::time::Duration;

use arb_schemas::TickRecord;
use arb_schemas::topics::ODDS_TICKS;
use rustix::process::Signal;

use crate::kafka::{ends, read_all};
use crate::kill::POLLS;
use crate::support::broker_faults::BrokerFault;
use crate::support::program::{Role, SHIPPED_SESSION, arb, run};
use crate::support::stack::Broker;
use crate::support::{recordings, wait_for};

/// An instance, and what it logs.
struct Instance<'a> {
    role: Role,
    broker: &'a Broker,
    name: &'static str,
}

impl<'a> Instance<'a> {
    fn start(broker: &'a Broker, name: &'static str, arguments: &[&str]) -> Self {
        let arguments = [&[broker.kafka.at(), broker.kafka.named()], arguments].concat();
        let role = Role::start("ingest", &arguments, &broker.path(name));
        Self { role, broker, name }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.broker.path(self.name)).unwrap()
    }

    fn wait_for_log(&self, sentence: &str) {
        wait_for(sentence, || self.log().contains(sentence).then_some(()));
    }
}

/// How often each partition has the end of each poll of a source, by the time of the poll.
fn poll_ends(broker: &Broker, source: &str) -> BTreeMap<(i32, i64), usize> {
    let mut ends = BTreeMap::new();
    for record in read_all(&broker.kafka, ODDS_TICKS.name) {
        if let TickRecord::PollEnd(end) = TickRecord::decode(&record.value).unwrap()
            && end.source.contains(source)
        {
            *ends.entry((record.partition, end.received_at)).or_default() += 1;
        }
    }
    ends
}

fn are_all_once(ends: &BTreeMap<(i32, i64), usize>) -> bool {
    ends.values().all(|count| *count == 1)
}

/// The holder of the lease, and the standby instance.
fn by_turn(mut pair: [Instance<'_>; 2]) -> [Instance<'_>; 2] {
    let publishes = |instance: &Instance<'_>| instance.log().matches("this instance publishes").count();
    let standby = |instance: &Instance<'_>| instance.log().contains("standing by");
    let holder = wait_for("one publishes and the other stands by", || {
        (0..2).find(|index| publishes(&pair[*index]) > 0 && standby(&pair[1 - *index]))
    });
    if holder == 1 {
        pair.reverse();
    }
    pair
}

#[test]
fn a_recording_is_published_once_by_two_instances_and_after_a_kill_by_the_other() {
    let broker = Broker::start();
    let recording = recordings::simulated(broker.scratch.path(), 42, POLLS);
    let recording = recording.to_str().unwrap();
    // Four polls a second: both must have begun before the end.
    let arguments = ["--replay", recording, "--speed", "1200"];
    let start = |name| Instance::start(&broker, name, &arguments);
    let [mut holder, mut standby] = by_turn([start("first.log"), start("second.log")]);
    wait_for("forty polls", || (poll_ends(&broker, "simulated").len() > 4 * 40).then_some(()));
    holder.role.kill();
    standby.wait_for_log("this instance publishes");
    wait_for("the other ends", || standby.role.died().then_some(()));
    assert_is_published_once(&broker, recording, true);
}

/// The end of a partition, which grows while anything is published.
fn end(broker: &Broker) -> i64 {
    ends(&broker.kafka, ODDS_TICKS.name, 0).1
}

/// Waits until more is published.
fn wait_for_more(broker: &Broker) {
    let before = end(broker);
    wait_for("more is published", || (end(broker) > before + 40).then_some(()));
}

/// The keys and values of a partition, in their order.
type Written = Vec<(Vec<u8>, Vec<u8>)>;

/// The records of each partition.
pub(crate) fn written(broker: &Broker) -> BTreeMap<i32, Written> {
    let mut records = BTreeMap::<_, Written>::new();
    for record in read_all(&broker.kafka, ODDS_TICKS.name) {
        records.entry(record.partition).or_default().push((record.key, record.value));
    }
    records
}

/// Fails unless each partition has the records that it has of one instance that nothing happens to, in their order; all of them where the
/// recording was played to its end.
fn assert_is_published_once(broker: &Broker, recording: &str, is_whole: bool) {
    let straight = Broker::start();
    straight.ingest(recording.as_ref(), &[]);
    let (found, expected) = (written(broker), written(&straight));
    for (partition, expected) in &expected {
        let found = &found[partition];
        let count = if is_whole { expected.len() } else { found.len().min(expected.len()) };
        let (found, expected) = (&found[..], &expected[..count]);
        let differs = found.iter().zip(expected).position(|(found, expected)| found != expected);
        let told = |at: &[(Vec<u8>, Vec<u8>)]| differs.map(|index| TickRecord::decode(&at[index].1));
        assert!(
            found == expected,
            "partition {partition}: {} records, expected {}; at {differs:?} {:?}, expected {:?}",
            found.len(),
            expected.len(),
            told(found),
            told(expected)
        );
    }
}

#[test]
fn a_holder_that_is_frozen_beyond_its_lease_writes_nothing_when_it_wakes() {
    let broker = Broker::start();
    let recording = recordings::simulated(broker.scratch.path(), 45, 6 * POLLS);
    let recording = recording.to_str().unwrap();
    // Fifty heartbeats and polls a second, for longer than this takes.
    let arguments = ["--replay", recording, "--speed", "1500", SHIPPED_SESSION];
    let start = |name| Instance::start(&broker, name, &arguments);
    let [mut holder, mut standby] = by_turn([start("first.log"), start("second.log")]);
    wait_for_more(&broker);
    holder.role.signal(Signal::STOP);
    wait_for("it is frozen", || holder.role.is_frozen().then_some(()));
    standby.wait_for_log("this instance publishes");
    wait_for_more(&broker);
    holder.role.signal(Signal::CONT);
    holder.wait_for_log("the lease is lost");
    wait_for_more(&broker);
    holder.role.stop();
    standby.role.stop();
    assert_is_published_once(&broker, recording, false);
}

#[test]
fn a_recording_is_published_once_through_kills_and_freezes_of_the_broker() {
    let broker = Broker::own();
    let recording = recordings::simulated(broker.scratch.path(), 46, 6 * POLLS);
    let recording = recording.to_str().unwrap();
    let mut instance =
        Instance::start(&broker, "ingest.log", &["--replay", recording, "--speed", "5000", SHIPPED_SESSION]);
    for fault in [
        BrokerFault::Kill(Duration::ZERO),
        BrokerFault::Freeze(Duration::from_secs(12)),
        BrokerFault::Kill(Duration::from_secs(2)),
        BrokerFault::Kill(Duration::from_millis(300)),
    ] {
        wait_for_more(&broker);
        fault.strike(&broker);
    }
    wait_for_more(&broker);
    instance.role.stop();
    assert_is_published_once(&broker, recording, false);
}

#[test]
fn an_instance_that_ends_hands_over_and_what_is_complete_is_published_again_only_on_purpose() {
    let broker = Broker::start();
    let recording = recordings::simulated(broker.scratch.path(), 43, 60);
    // A poll a second: all three must have begun before the end.
    let arguments = ["--replay", recording.to_str().unwrap(), "--speed", "300"];
    let start = |name, arguments: &[&str]| Instance::start(&broker, name, arguments);
    let [mut holder, standby] = by_turn([start("first.log", &arguments), start("second.log", &arguments)]);
    holder.role.stop();
    standby.wait_for_log("this instance publishes");
    // It joins when half is published, and stands by, or takes over: either way every record is published
    // once.
    let third = start("third.log", &arguments);
    let mut both = [standby, third];
    wait_for("both end", || both.iter_mut().all(|instance| instance.role.died()).then_some(()));
    let sentence = "another instance has published the source to its end";
    assert_eq!(both.iter().filter(|instance| instance.log().contains(sentence)).count(), 1);
    let ends = poll_ends(&broker, "simulated");
    assert!(ends.len() == 4 * 60 && are_all_once(&ends), "{ends:?}");
    // Started after the end, it was asked for once more.
    let mut again = arb();
    again.args(["ingest", broker.kafka.at(), broker.kafka.named(), "--replay"]).arg(&recording);
    assert!(run(again.args(["--speed", "max"])).success);
    assert!(poll_ends(&broker, "simulated").values().all(|count| *count == 2));
}

#[test]
fn of_two_simulated_markets_one_publishes_and_the_other_goes_on_by_the_clock() {
    let broker = Broker::start();
    let arguments = ["--every", "1", "--events", "8", "--books", "4"];
    let start = |name| Instance::start(&broker, name, &arguments);
    let [mut holder, standby] = by_turn([start("first.log"), start("second.log")]);
    wait_for("three polls", || (poll_ends(&broker, "simulated").len() >= 4 * 3).then_some(()));
    holder.role.kill();
    let before = poll_ends(&broker, "simulated").len();
    standby.wait_for_log("this instance publishes");
    let ends = wait_for("more polls", || {
        Some(poll_ends(&broker, "simulated")).filter(|ends| ends.len() >= before + 4 * 3)
    });
    assert!(are_all_once(&ends), "{ends:?}");
}
