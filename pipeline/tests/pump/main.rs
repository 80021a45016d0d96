//! The pump alone against a simulated log, through every fault that a log has: what it publishes must be what an
//! undisturbed pump publishes, each record once and in order.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod producer;
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
        let expected = Simulation::undisturbed(market).run().unwrap();
        assert!(expected.committed(FEED_EVENTS.name) > 10, "market {market} says little");
        assert!(expected.committed(DEAD_TICKS.name) > 0 && expected.committed(ARBS_BOARD.name) > 10);
        for seed in 0..RUNS / 8 {
            let mut simulation = Simulation::disturbed(market, seed);
            let world =
                simulation.run().unwrap_or_else(|error| panic!("market {market} seed {seed}: {error}"));
            seen.extend(simulation.faults());
            assert_same(&world, &expected, market, seed);
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
