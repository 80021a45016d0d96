//! Every input at its limits: whatever comes, and however often, what the machine keeps and publishes fits its records.

use arb_accounts::codec;
use arb_accounts::command::{Actor, Command};
use arb_accounts::directory::Part;
use arb_accounts::endpoint::{EVENTS, EndpointSettings, EndpointState, Policy};
use arb_accounts::ledger::{MAX_ASKERS, MAX_KEYS, OTHER_KEYS};
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::plan::Plan;
use arb_accounts::quota::{ChargedTo, Charges, LeaseQuota, LeaseReport, SettleQuota};
use arb_runtime::dead_letters::Reason;
use arb_schemas::limits;
use arb_schemas::time::{Micros, SECOND, month};
use arb_simulated_log::Bounded;
use fastrand::Rng;
use serde_json::Value;

use crate::properties::command;
use crate::support::{BEGIN, DAY, account, create, kid, new_key, request, revoke};

/// A text of so many bytes; one in three is of characters that are three bytes.
fn text(rng: &mut Rng) -> String {
    let length = [0, 1, 64, 100, 200, 254, 500, 2_000, 2_048, 16_384, 70_000, 1_900_000][rng.usize(0..12)];
    if rng.u8(0..3) == 0 { "\u{fffd}".repeat(length / 3) } else { "a".repeat(length) }
}

/// Changes one of the leaves of a command, or a list, to something at or beyond its limits.
fn stretch(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Object(fields) => {
            let names: Vec<_> = fields.keys().filter(|name| *name != "command").cloned().collect();
            if let Some(name) = rng.choice(names) {
                stretch(&mut fields[&name], rng);
            }
        }
        Value::Array(items) if !items.is_empty() && rng.bool() => {
            let index = rng.usize(0..items.len());
            stretch(&mut items[index], rng);
        }
        Value::Array(items) => {
            let item = items.first().cloned().unwrap_or_else(|| text(rng).into());
            let most = 4_000_000 / item.to_string().len();
            *items = vec![item; most.min([0, 1, 100, 101, 200, 201, 20_000][rng.usize(0..7)])];
        }
        Value::String(known) => {
            // Ids and hashes are found by, so that they stay now and then.
            let longer = format!("{known}{}", text(rng));
            *value = if rng.bool() { longer.into() } else { text(rng).into() };
        }
        Value::Number(_) => *value = [0, 1, i64::from(u32::MAX), i64::MAX][rng.usize(0..4)].into(),
        Value::Null => *value = if rng.bool() { text(rng).into() } else { i64::MAX.into() },
        Value::Bool(is) => *is = !*is,
    }
}

fn settings(rng: &mut Rng) -> EndpointSettings {
    EndpointSettings {
        url: format!("https://example.com/{}", "p".repeat([0, 2_028, 2_029][rng.usize(0..3)])),
        description: "\u{fffd}".repeat([0, 500, 501][rng.usize(0..3)]),
        events: EVENTS[..rng.usize(1..=EVENTS.len())].iter().map(|event| (*event).to_owned()).collect(),
        filters: "f".repeat([0, 2_000, 2_001][rng.usize(0..3)]),
        policy: Policy::Live,
        is_ordered: rng.bool(),
        rate_limit: Some(rng.u32(0..102)),
        is_paused: rng.bool(),
    }
}

fn about_endpoints(rng: &mut Rng) -> Command {
    let (account, endpoint) = (account(rng.u8(0..2)), format!("whk_{:016}", rng.u8(0..2)));
    match rng.u8(0..4) {
        0 => Command::CreateEndpoint { account, endpoint, settings: settings(rng) },
        1 => Command::UpdateEndpoint { account, endpoint, settings: settings(rng) },
        2 => Command::RotateEndpoint { account, endpoint, overlap_seconds: rng.u32(..) },
        _ => Command::SetEndpointState {
            endpoint,
            revision: rng.u64(0..4),
            state: EndpointState::Disabled,
            reason: Some(text(rng)),
        },
    }
}

#[test]
fn every_command_at_its_limits_fits_its_records() {
    let (mut longest, mut sent) = (0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let config = AccountsConfig::default();
        let mut bounded = Bounded::<AccountsMachine>::new(&config);
        for index in 0..120 {
            let mut one = command(&mut rng, index);
            if rng.bool() {
                one.command = about_endpoints(&mut rng);
            }
            if rng.u8(0..3) > 0 {
                let mut value = serde_json::to_value(&one.command).unwrap();
                stretch(&mut value, &mut rng);
                one.command = serde_json::from_value(value).unwrap_or(one.command);
            }
            match rng.u8(0..20) {
                0 => one.id = text(&mut rng),
                1 => one.address = text(&mut rng),
                2 => one.actor = Actor::Key(text(&mut rng)),
                3 => one.sent_at = [i64::MIN, 0, i64::MAX][rng.usize(0..3)],
                _ => {}
            }
            let Ok(message) = codec::encode_request(&one) else { continue };
            sent += 1;
            bounded.step(&message).unwrap_or_else(|error| panic!("seed {seed}: {error}: {one:?}"));
        }
        longest = longest.max(bounded.longest());
        bounded.restore(&config).unwrap();
    }
    assert!(sent > 2_000, "{sent} commands fit a record");
    assert!(longest < limits::VALUE / 8, "{longest}");
}

/// A machine with an account and a key.
fn bounded() -> Bounded<AccountsMachine> {
    let mut bounded = Bounded::new(&AccountsConfig::default());
    bounded.step(&codec::encode_timer(BEGIN).unwrap()).unwrap();
    operator(&mut bounded, 0, create(1, Plan::Enterprise));
    operator(&mut bounded, 1, Command::CreateKey(new_key(&account(1), &kid(1))));
    bounded
}

fn operator(bounded: &mut Bounded<AccountsMachine>, number: u32, command: Command) {
    let message = codec::encode_request(&request(&format!("r{number}"), Actor::Operator, command)).unwrap();
    assert!(bounded.step(&message).unwrap().is_empty());
}

fn lease(instance: &str, number: u64, key: u32) -> Vec<u8> {
    let (instance, account, kid) = (instance.to_owned(), account(1), kid(key));
    let ask = LeaseQuota { instance, number, account, kid, quota: 1 << 40, cost: 1, wanted: 1 << 20 };
    codec::encode_lease(&ask).unwrap()
}

fn settle(instance: &str, number: u64, charges: Charges, is_returned: bool) -> Vec<u8> {
    let (account, period) = (account(1), month(BEGIN).unwrap().0);
    let leases = vec![LeaseReport { account, period, number, is_returned, charges }];
    codec::encode_settlement(&SettleQuota { instance: instance.to_owned(), leases }).unwrap()
}

fn charged(days: i64, routes: usize, length: usize) -> Charges {
    let route = |number: usize| format!("{number:04}{}", "r".repeat(length.saturating_sub(4)));
    let of = |day| (0..routes).map(move |number| ChargedTo { day, route: route(number) });
    (0..days).flat_map(of).map(|to| (to, 1)).collect()
}

/// Made, used and revoked, as often as anybody likes: each key would be a line of the ledger, which is one record.
#[test]
fn keys_that_are_made_used_and_revoked_do_not_grow_the_ledger() {
    let mut bounded = bounded();
    let mut lengths = Vec::new();
    for number in 2..5_000_u32 {
        operator(&mut bounded, 3 * number, Command::CreateKey(new_key(&account(1), &kid(number))));
        bounded.step(&lease("i", u64::from(number), number)).unwrap();
        bounded.step(&settle("i", u64::from(number), charged(1, 1, 1), true)).unwrap();
        operator(&mut bounded, 3 * number + 1, revoke(&account(1), &kid(number)));
        lengths.push(codec::encode_part(&ledger(&bounded)).unwrap().len());
    }
    assert!(lengths[1_500..].iter().all(|length| *length <= lengths[1_500] + 8), "{:?}", lengths.last());
    let Part::Usage(ledger) = ledger(&bounded) else { unreachable!() };
    assert_eq!((ledger.keys.iter().len(), ledger.settled), (MAX_KEYS + 1, 4_998));
    assert_eq!(ledger.keys.iter().map(|(_, key)| key.requests).sum::<u64>(), 4_998, "none is lost");
    assert_eq!(ledger.keys.get(OTHER_KEYS).map(|key| key.requests), Some(3_998));
    assert_eq!(ledger.keys.get(&kid(4_999)).map(|key| key.requests), Some(1));
    bounded.restore(&AccountsConfig::default()).unwrap();
}

fn ledger(bounded: &Bounded<AccountsMachine>) -> Part {
    let ledger = bounded.machine.directory().ledger(&account(1), month(BEGIN).unwrap().0);
    Part::Usage(ledger.cloned().unwrap())
}

/// Instances, leases, days and routes: what would be too many is refused, and the ledger is as before.
#[test]
fn a_ledger_is_never_longer_than_its_record() {
    for seed in 0..2 {
        let mut rng = Rng::with_seed(seed);
        let (mut bounded, mut letters, mut now) = (bounded(), 0, BEGIN);
        let instance = |rng: &mut Rng| format!("{:0>64}", rng.u32(0..2_000));
        for number in 1..1_500 {
            let name = instance(&mut rng);
            bounded.step(&lease(&name, number, 1)).unwrap();
            let (days, routes, length) = match rng.u8(0..12) {
                0 => (rng.i64(60..70), rng.usize(1..6), 64),
                1 => (1, rng.usize(200..300), 128),
                2 => (1, 1, [128, 129, 60_000][rng.usize(0..3)]),
                _ => (2, rng.usize(1..20), 20),
            };
            let message = settle(&name, number, charged(days, routes, length), rng.u8(0..8) == 0);
            let reasons = bounded.step(&message).unwrap();
            assert!(reasons.iter().all(|reason| *reason == Reason::Refused));
            letters += reasons.len();
            if rng.u8(0..100) == 0 {
                now += SECOND;
                bounded.step(&codec::encode_timer(now).unwrap()).unwrap();
            }
        }
        assert!(letters > 0, "seed {seed}");
        let Part::Usage(ledger) = ledger(&bounded) else { unreachable!() };
        assert!(ledger.askers.len() <= MAX_ASKERS && ledger.settled + ledger.outstanding() <= 1 << 40);
        assert_eq!(ledger.days.values().sum::<u64>(), ledger.settled, "what is refused is not noted in part");
        bounded.restore(&AccountsConfig::default()).unwrap();
    }
}

#[test]
fn no_time_is_too_far_away() {
    for at in [i64::MIN, -1, 0, 1, i64::MAX - DAY, i64::MAX] {
        let mut bounded = bounded();
        bounded.step(&lease("i", 1, 1)).unwrap();
        bounded.step(&codec::encode_timer(at).unwrap()).unwrap();
        bounded.step(&lease("i", u64::try_from(i64::MAX).unwrap(), 1)).unwrap();
        let at: Micros = bounded.machine.directory().clock();
        assert!(at >= BEGIN);
        bounded.restore(&AccountsConfig::default()).unwrap();
    }
}
