//! Wrong clocks: of the instance that writes timers, of the broker, and of both for a minute. Nothing that is pending ends by them.

use arb_schemas::records::WebhookTimer;
use arb_schemas::topics::{WEBHOOK_DELIVERIES, WEBHOOK_STATE};
use arb_simulated_log::{Scenario, Simulation, World, WrongClock};

use super::*;

#[test]
fn no_wrong_clock_expires_what_is_pending() {
    for wrong in WrongClock::ALL {
        let mut world = World::new(1);
        world.push(0, wire::encode(&WebhookTimer { at: START }).unwrap());
        let Task::Event(event) = event(1, START, ("arb_window", "w", "live")) else { unreachable!() };
        world.push(0, wire::encode(&event).unwrap());
        for (timer, appended_at) in wrong.timers(START, 30 * 86_400 * SECOND) {
            world.push_at(0, wire::encode(&WebhookTimer { at: timer }).unwrap(), appended_at);
        }
        let schedule = Schedule::new(|| START);
        let mut simulation = Simulation::<DeliverMachine>::new(schedule, world, Scenario::Undisturbed);
        let world = simulation.run().unwrap();
        assert_eq!(world.committed(WEBHOOK_DELIVERIES.name), 0, "{wrong:?}: nothing has expired");
        assert!(
            world.state(WEBHOOK_STATE.name).keys().any(|(_, key)| key.starts_with(b"delivery/")),
            "{wrong:?}"
        );
    }
}
