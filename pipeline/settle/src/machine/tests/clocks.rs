//! Wrong clocks: of the instance that writes timers, of the broker, and of both for a minute. No pick is graded by them for good.

use arb_schemas::topics::{FEED_EVENTS, PICKS};
use arb_simulated_log::{Scenario, Simulation, WrongClock};

use super::*;

#[test]
fn no_wrong_clock_grades_an_open_pick() {
    for wrong in WrongClock::ALL {
        let (begin, mut world) = (START - HOUR, World::new(1));
        world.push(0, wire::encode(&PickTimer { at: begin }).unwrap());
        world.push(0, wire::encode(&candidate()).unwrap());
        for (timer, appended_at) in wrong.timers(begin, 60 * 24 * HOUR) {
            world.push_at(0, wire::encode(&PickTimer { at: timer }).unwrap(), appended_at);
        }
        let mut simulation =
            Simulation::<SettleMachine>::new(Clauses::default(), world, Scenario::Undisturbed);
        let world = simulation.run().unwrap();
        let written = (world.committed(PICKS.name), world.committed(FEED_EVENTS.name));
        assert_eq!(written, (1, 1), "{wrong:?}: it is published, and nothing else");
    }
}
