//! The pump alone against a simulated log, through every fault that a log has: what it publishes must be what an
//! undisturbed pump publishes, each record once and in order.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod limits;
mod simulation;
mod world;

use std::collections::BTreeSet;

use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, FEED_EVENTS};

use simulation::{Kind, Simulation};
use world::World;

/// How many runs, each with faults of its own.
const RUNS: u64 = 2_000;

#[test]
fn whatever_happens_the_output_is_that_of_an_undisturbed_run() {
    let mut seen = BTreeSet::new();
    for market in 0..8 {
        let expected = Simulation::undisturbed(market).run();
        assert!(expected.committed(FEED_EVENTS.name) > 10, "market {market} says little");
        assert!(expected.committed(DEAD_TICKS.name) > 0 && expected.committed(ARBS_BOARD.name) > 10);
        for seed in 0..RUNS / 8 {
            let mut simulation = Simulation::disturbed(market, seed);
            let world = simulation.run();
            seen.extend(simulation.faults());
            assert_same(&world, &expected, market, seed);
        }
    }
    assert_eq!(seen, Kind::ALL.into_iter().collect(), "a kind of fault never happened");
}

/// What the dead letters say, in their order.
fn reasons(world: &World) -> Vec<String> {
    let letters = world.log(DEAD_TICKS.name).into_iter().filter(|(partition, _)| *partition == 0);
    let errors = letters.flat_map(|(_, letters)| letters.iter().map(|(_, _, headers)| headers[1].1.clone()));
    errors.filter(|error| !error.starts_with("not in")).collect()
}

#[test]
fn what_is_beyond_a_limit_is_put_aside_and_never_ends_a_pump() {
    let expected = Simulation::at_limits(None).run();
    assert_eq!(reasons(&expected), limits::REASONS);
    let longest = expected.state().values().map(|value| value.len()).max();
    assert!(longest.is_some_and(|longest| longest < arb_schemas::limits::VALUE));
    for seed in 0..24 {
        let world = Simulation::at_limits(Some(seed)).run();
        assert_same(&world, &expected, 0, seed);
    }
}

fn assert_same(world: &World, expected: &World, market: u64, seed: u64) {
    for topic in [ARBS_BOARD, FEED_EVENTS, DEAD_TICKS] {
        assert!(
            world.log(topic.name) == expected.log(topic.name),
            "{} market {market} seed {seed}",
            topic.name
        );
    }
    assert!(world.state() == expected.state(), "the state: market {market} seed {seed}");
    assert!(world.offsets() == expected.offsets(), "the offsets: market {market} seed {seed}");
}
