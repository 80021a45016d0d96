//! The odds machine on a simulated log, through every fault that a log has: what it publishes must be what an
//! undisturbed one publishes, each record once and in order.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod limits;
mod market;
mod scans;
mod superseded;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_engine::market::Policy;
use arb_process::machine::{OddsConfig, OddsMachine};
use arb_runtime::feed_mark::{EPOCH, FeedMark, SEQUENCE};
use arb_schemas::records::ScanResult;
use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, FEED_EVENTS, PROCESS_STATE, SCAN_RESULTS};
use arb_schemas::wire::decode;
use arb_simulated_log::compare::difference;
use arb_simulated_log::{Kind, Scenario, Simulation, World, Written};

/// The number of runs, each with different faults.
const RUNS: u64 = 2_000;

fn config() -> OddsConfig {
    OddsConfig { policy: Policy::Board, books: Arc::default() }
}

fn simulation(input: &World, scenario: Scenario) -> Simulation<OddsMachine> {
    Simulation::new(config(), input.clone(), scenario)
}

#[test]
fn whatever_happens_the_output_is_that_of_an_undisturbed_run() {
    let mut seen = BTreeSet::new();
    for market in 0..8 {
        let input = market::market(market);
        let expected = simulation(&input, Scenario::Undisturbed).run().unwrap();
        assert!(expected.committed(FEED_EVENTS.name) > 10, "market {market} has too few records");
        assert!(expected.committed(DEAD_TICKS.name) > 0 && expected.committed(ARBS_BOARD.name) > 10);
        for seed in 0..RUNS / 8 {
            let mut simulation = simulation(&input, Scenario::Disturbed(seed));
            let world =
                simulation.run().unwrap_or_else(|error| panic!("market {market} seed {seed}: {error}"));
            seen.extend(simulation.faults());
            assert_eq!(difference::<OddsMachine>(&world, &expected), None, "market {market} seed {seed}");
            assert_numbered(&world);
        }
    }
    assert_eq!(seen, Kind::ALL.into_iter().collect(), "a kind of fault never happened");
}

/// Shows that the fault of lost markers is one: a producer that leaves them alone publishes something else.
#[test]
fn without_the_abort_of_what_was_left_open_the_output_differs() {
    let input = market::market(0);
    let expected = simulation(&input, Scenario::Undisturbed).run().unwrap();
    let (mut doubled, mut stuck) = (0, 0);
    for seed in 0..100 {
        match simulation(&input, Scenario::WithoutAborts(seed)).run() {
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

/// The reasons in the dead letters, in order.
fn reasons(world: &World) -> Vec<String> {
    let letters = world.log(DEAD_TICKS.name).into_iter().filter(|(partition, _)| *partition == 0);
    let errors =
        letters.flat_map(|(_, letters)| letters.into_iter().map(|(_, _, headers)| headers[1].1.clone()));
    errors.filter(|error| !error.starts_with("not in")).collect()
}

#[test]
fn a_record_beyond_a_limit_is_dead_lettered_and_never_ends_a_pump() {
    let input = market::at_limits();
    let expected = simulation(&input, Scenario::Undisturbed).run().unwrap();
    assert_eq!(reasons(&expected), limits::REASONS);
    let longest = expected.state(PROCESS_STATE.name).values().map(|value| value.len()).max();
    assert!(longest.is_some_and(|longest| longest < arb_schemas::limits::VALUE));
    for seed in 0..24 {
        let world = simulation(&input, Scenario::Disturbed(seed)).run().unwrap();
        assert_eq!(difference::<OddsMachine>(&world, &expected), None, "seed {seed}");
    }
}

#[test]
fn scans_are_answered_once_and_alike_whatever_happens() {
    for market in 0..4 {
        let input = scans::market(market);
        let expected = simulation(&input, Scenario::Undisturbed).run().unwrap();
        for (partition, written) in expected.log(SCAN_RESULTS.name) {
            let results: Vec<ScanResult> =
                written.iter().map(|(_, value, _)| decode(value.as_ref().unwrap()).unwrap()).collect();
            assert_eq!(results.len(), scans::ENDED, "market {market} partition {partition}");
            let is_whole = |result: &ScanResult| {
                result
                    .sources
                    .iter()
                    .all(|source| source.outcome == "polled" && source.asked == source.quotes)
            };
            assert!(results.iter().all(is_whole), "every quote on offer is from the poll for the scan");
            assert!(results.iter().any(|result| result.events > 0));
        }
        for seed in 0..60 {
            let world = simulation(&input, Scenario::Disturbed(seed)).run().unwrap();
            assert_eq!(difference::<OddsMachine>(&world, &expected), None, "market {market} seed {seed}");
        }
    }
}

/// The records of the dead letters by their error.
fn refused_pushes(world: &World) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, letters) in world.log(DEAD_TICKS.name) {
        for (_, _, headers) in letters {
            *counts.entry(headers[1].1.clone()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn pushed_updates_are_taken_in_once_whatever_happens() {
    for market in 0..3 {
        let input = market::pushed(market);
        let expected = simulation(&input, Scenario::Undisturbed).run().unwrap();
        let refused = refused_pushes(&expected);
        let of = |error: &str| {
            refused.iter().filter(|(key, _)| key.contains(error)).map(|(_, count)| count).sum::<usize>()
        };
        let conflicts = of("gave this sequence to another update");
        assert!(conflicts > 50 && conflicts == of("its event is not known"), "{refused:?}");
        for seed in 0..60 {
            let world = simulation(&input, Scenario::Disturbed(seed)).run().unwrap();
            assert_eq!(difference::<OddsMachine>(&world, &expected), None, "market {market} seed {seed}");
        }
    }
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
