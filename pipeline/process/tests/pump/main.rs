//! The pump alone against a simulated log, through every fault that a log has: what it publishes must be what an
//! undisturbed pump publishes, each record once and in order.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod limits;
mod producer;
mod simulation;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use arb_process::codec::state::{self, StateRecord};
use arb_runtime::feed_mark::{EPOCH, FeedMark, SEQUENCE};
use arb_schemas::records::StatePartition;
use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, FEED_EVENTS};
use simulation::{Kind, Simulation};
use world::{World, Written};

/// How many runs, each with faults of its own.
const RUNS: u64 = 2_000;

#[test]
fn whatever_happens_the_output_is_that_of_an_undisturbed_run() {
    let mut seen = BTreeSet::new();
    for market in 0..8 {
        let expected = Simulation::undisturbed(market).run().unwrap();
        assert!(expected.committed(FEED_EVENTS.name) > 10, "market {market} says little");
        assert!(expected.committed(DEAD_TICKS.name) > 0 && expected.committed(ARBS_BOARD.name) > 10);
        for seed in 0..RUNS / 8 {
            let mut simulation = Simulation::disturbed(market, seed);
            let world =
                simulation.run().unwrap_or_else(|error| panic!("market {market} seed {seed}: {error}"));
            seen.extend(simulation.faults());
            assert_same(&world, &expected, market, seed);
            assert_numbered(&world);
        }
    }
    assert_eq!(seen, Kind::ALL.into_iter().collect(), "a kind of fault never happened");
}

/// Shows that the fault of lost markers is one: a producer that leaves them alone publishes something else.
#[test]
fn without_the_abort_of_what_was_left_open_the_output_differs() {
    let expected = Simulation::undisturbed(0).run().unwrap();
    let (mut doubled, mut stuck) = (0, 0);
    for seed in 0..100 {
        match Simulation::without_aborts(0, seed).run() {
            Ok(world) if world.committed(FEED_EVENTS.name) > expected.committed(FEED_EVENTS.name) => {
                doubled += 1;
            }
            Ok(_) => {}
            Err(_) => stuck += 1,
        }
    }
    println!("of 100 runs {doubled} published records twice, {stuck} ended with an error");
    assert!(doubled > 10, "{doubled}");
}

/// What the dead letters say, in their order.
fn reasons(world: &World) -> Vec<String> {
    let letters = world.log(DEAD_TICKS.name).into_iter().filter(|(partition, _)| *partition == 0);
    let errors =
        letters.flat_map(|(_, letters)| letters.into_iter().map(|(_, _, headers)| headers[1].1.clone()));
    errors.filter(|error| !error.starts_with("not in")).collect()
}

#[test]
fn what_is_beyond_a_limit_is_put_aside_and_never_ends_a_pump() {
    let expected = Simulation::at_limits(None).run().unwrap();
    assert_eq!(reasons(&expected), limits::REASONS);
    let longest = expected.state().values().map(|value| value.len()).max();
    assert!(longest.is_some_and(|longest| longest < arb_schemas::limits::VALUE));
    for seed in 0..24 {
        let world = Simulation::at_limits(Some(seed)).run().unwrap();
        assert_same(&world, &expected, 0, seed);
    }
}

fn assert_same(world: &World, expected: &World, market: u64, seed: u64) {
    for topic in [ARBS_BOARD, FEED_EVENTS, DEAD_TICKS] {
        assert!(
            without_epochs(world, topic.name) == without_epochs(expected, topic.name),
            "{} market {market} seed {seed}",
            topic.name
        );
    }
    assert!(
        state_without_epochs(world) == state_without_epochs(expected),
        "the state: market {market} seed {seed}"
    );
    assert!(world.offsets() == expected.offsets(), "the offsets: market {market} seed {seed}");
}

/// A topic's records but for the epochs in their headers, in which runs differ.
fn without_epochs(world: &World, topic: &str) -> Vec<(i32, Vec<Written>)> {
    let header = |(name, text): &(&'static str, String)| match *name {
        SEQUENCE => (SEQUENCE, FeedMark::parse(text).unwrap().sequence.to_string()),
        EPOCH => (EPOCH, String::new()),
        _ => (*name, text.clone()),
    };
    let record = |(key, value, headers): &Written| {
        (key.clone(), value.clone(), headers.iter().map(header).collect::<Vec<_>>())
    };
    let of_partition = |(id, records): (i32, Vec<&Written>)| (id, records.into_iter().map(record).collect());
    world.log(topic).into_iter().map(of_partition).collect()
}

fn state_without_epochs(world: &World) -> BTreeMap<(i32, &[u8]), Vec<u8>> {
    let value = |value: &[u8]| match state::parse(value).unwrap() {
        StateRecord::Partition(partition) => {
            state::progress(&StatePartition { epoch: 0, ..partition }, 0).unwrap().value.unwrap()
        }
        StateRecord::Saved(_) => value.to_vec(),
    };
    world.state().into_iter().map(|(key, saved)| (key, value(saved))).collect()
}

/// Each partition of the feed is numbered 1, 2, 3 and so on in one epoch, which its dead letters have too, however often
/// the partition was restored.
fn assert_numbered(world: &World) {
    let header = |record: &Written, name| {
        let found = record.2.iter().find(|(header, _)| *header == name);
        found.map(|(_, text)| text.clone()).unwrap()
    };
    let mut epochs = BTreeMap::new();
    for (id, records) in world.log(FEED_EVENTS.name) {
        let marks: Vec<_> =
            records.iter().map(|record| FeedMark::parse(&header(record, SEQUENCE)).unwrap()).collect();
        let epoch = *epochs.entry(id).or_insert(marks[0].epoch);
        let numbers = (1..).map(|sequence| FeedMark { epoch, sequence });
        assert!(numbers.take(marks.len()).eq(marks), "partition {id}");
    }
    for (id, letters) in world.log(DEAD_TICKS.name) {
        let expected =
            epochs.entry(id).or_insert_with(|| header(letters[0], EPOCH).parse().unwrap()).to_string();
        assert!(letters.iter().all(|letter| header(letter, EPOCH) == expected), "dead letters of {id}");
    }
}
