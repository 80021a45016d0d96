//! Wrong clocks: of the instance that writes timers, of the broker, and of both for a minute. No month turns and nothing ends by them.

use arb_accounts::codec;
use arb_accounts::command::{Actor, Command};
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::plan::Plan;
use arb_schemas::topics::ACCOUNTS;
use arb_simulated_log::{Scenario, Simulation, World, WrongClock};

use crate::support::{BEGIN, DAY, account, create, hash, new_key, open, request};

/// What the machine keeps after an account, a session and a key were made, and after these timers.
fn kept(timers: &[(i64, i64)]) -> Vec<String> {
    let mut world = World::new(1);
    world.push(0, codec::encode_timer(BEGIN).unwrap());
    let commands: [(Actor, Command); 3] = [
        (Actor::Operator, create(1, Plan::Free)),
        (Actor::Anonymous, open(&account(1), &hash(1), 0)),
        (Actor::Operator, Command::CreateKey(new_key(&account(1), "00000001"))),
    ];
    for (number, (actor, command)) in commands.into_iter().enumerate() {
        world.push(0, codec::encode_request(&request(&format!("r{number}"), actor, command)).unwrap());
    }
    for (timer, appended_at) in timers {
        world.push_at(0, codec::encode_timer(*timer).unwrap(), *appended_at);
    }
    let mut simulation =
        Simulation::<AccountsMachine>::new(AccountsConfig::default(), world, Scenario::Undisturbed);
    let world = simulation.run().unwrap();
    let state = world.state(ACCOUNTS.name);
    let (_, clock) = state.iter().find(|((_, key), _)| *key == b"clock").unwrap();
    let clock = codec::decode_part(b"clock", clock).unwrap().unwrap();
    let keys = state.keys().map(|(_, key)| String::from_utf8_lossy(key).into_owned());
    keys.chain([format!("{clock:?}")]).collect()
}

#[test]
fn no_wrong_clock_ends_anything_or_turns_the_month() {
    let right: Vec<_> = WrongClock::Both.timers(BEGIN, 0);
    let expected = kept(&right);
    assert!(expected.iter().any(|key| key.starts_with("session/")), "{expected:?}");
    for wrong in WrongClock::ALL {
        assert_eq!(kept(&wrong.timers(BEGIN, 40 * DAY)), expected, "{wrong:?}");
    }
}
