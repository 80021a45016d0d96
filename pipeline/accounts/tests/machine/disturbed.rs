//! The machine on a simulated log: kills, lost markers, commits in doubt, expulsions; nothing is lost or done twice.

use std::collections::BTreeSet;

use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_schemas::topics::{ACCOUNT_AUDIT, ACCOUNTS, DEAD_ACCOUNT_COMMANDS};
use arb_simulated_log::{Kind, World, run_disturbed};

use crate::properties::log;

#[test]
fn every_output_is_that_of_an_undisturbed_run() {
    let mut world = World::new(1);
    for message in log(8, 120) {
        world.push(0, message);
    }
    world.push(0, b"no command".to_vec());
    let config = AccountsConfig { max_accounts: 3 };
    let (seen, expected) = run_disturbed::<AccountsMachine>(&config, &world, 0..600).unwrap();
    assert_eq!(seen, Kind::ALL.into_iter().collect::<BTreeSet<_>>(), "a kind of fault never happened");
    assert_eq!(expected.committed(DEAD_ACCOUNT_COMMANDS.name), 1);
    assert!(expected.committed(ACCOUNT_AUDIT.name) > 10);
    let kinds: BTreeSet<_> = expected
        .state(ACCOUNTS.name)
        .keys()
        .map(|(_, key)| String::from_utf8_lossy(key).split('/').next().unwrap().to_owned())
        .collect();
    assert!(kinds.is_superset(&["account", "clock", "partition", "reply"].map(str::to_owned).into()));
}
