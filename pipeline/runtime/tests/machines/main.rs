//! The example machine on a simulated log, through every fault that a log has.
//!
//! The other machines have tests of their own through the same log: `pipeline/process/tests/pump`,
//! `pipeline/accounts/tests/machine/disturbed.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../examples/counter.rs"]
#[allow(dead_code, unreachable_pub)]
mod counter;
mod last_resort;
mod takeover;

use std::collections::BTreeMap;

use arb_schemas::topics::{DEAD_TICKS, FEED_EVENTS, PROCESS_STATE};
use arb_simulated_log::{Kind, World, run_disturbed};
use counter::Counter;

/// The runs of each machine, each with different faults.
const RUNS: u64 = 1_000;

/// Key and value of each record of a topic, by partition.
fn texts(world: &World, topic: &str) -> Vec<(i32, String, String)> {
    let text = |bytes: &Option<Vec<u8>>| String::from_utf8(bytes.clone().unwrap_or_default()).unwrap();
    let log = world.log(topic).into_iter();
    log.flat_map(|(id, records)| {
        records.into_iter().map(move |(key, value, _)| (id, text(key), text(value))).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn the_example_runs() {
    counter::main().unwrap();
}

/// Words of two partitions, and now and then a record that is none.
fn words() -> World {
    let mut world = World::new(2);
    for index in 0..120 {
        let outcome = ["home", "draw", "away"][index * index % 3];
        world.push(i32::from(index % 5 == 0), outcome.into());
        if index % 40 == 7 {
            world.push(1, vec![0xff]);
        }
    }
    world
}

#[test]
fn a_counter_counts_each_word_once_whatever_happens() {
    let (seen, expected) = run_disturbed::<Counter>(&(), &words(), 0..RUNS).unwrap();
    assert_eq!(seen, Kind::ALL.into_iter().collect(), "a kind of fault never happened");
    assert_eq!(expected.committed(DEAD_TICKS.name), 3);
    let mut last = BTreeMap::new();
    for (partition, word, count) in texts(&expected, FEED_EVENTS.name) {
        last.insert((partition, word), count.parse::<u64>().unwrap());
    }
    assert_eq!(last.values().sum::<u64>(), 120);
    assert_eq!(
        expected.state(PROCESS_STATE.name).len(),
        last.len() + 2,
        "a key for each word, and the partitions"
    );
}
