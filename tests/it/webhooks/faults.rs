//! Webhooks while something is wrong: deliverers that are killed, a broker that goes away, receivers that are down or dead.

use arb_schemas::topics::FEED_EVENTS;
use arb_schemas::wire::RecordType;

use super::*;
use crate::kafka::read_all;
use crate::support::stack::Broker;

/// Types of events that are records of the feed.
const FEED: [&str; 5] = ["arb_window", "line_movement", "stale_alert", "close_signal", "edge_signal"];

/// Ids of the events of the feed, as those that an endpoint without filters is sent: as many as there are records.
fn assert_all(posted: &[Posted], hooks: &Hooks, what: &str) {
    let (ids, expected) = (by_id(posted).len(), feed_events(&hooks.broker));
    println!("{what}: {expected} events, {} requests", posted.len());
    assert_eq!(ids, expected, "{what}");
}

/// Every event reaches both endpoints, one of which is served by a receiver that fails at first, whatever is killed; what arrives
/// twice has the same id and the same bytes.
fn killed(kills: usize, seed: u64) {
    let mut hooks = Hooks::start(2);
    let (steady, flaky) =
        (Receiver::start(Manner::Status(200, "")), Receiver::start(Manner::Status(500, "")));
    let durable = json!({"policy": "durable", "events": FEED});
    let first = hooks.endpoint(&steady, &durable);
    let second = hooks.endpoint(&flaky, &durable);
    // As long as the kills take: 5 minutes a poll, at 1200 times its speed.
    let recording = recordings::simulated(hooks.broker.scratch.path(), seed, 8 * kills as u64);
    let mut rng = fastrand::Rng::with_seed(seed);
    std::thread::scope(|scope| {
        let broker = &hooks.broker;
        let ingest = scope.spawn(|| broker.ingest_at("1200", &recording, &[]));
        // Once its circuit is open: an event that fails twice is sent again after five minutes.
        scope.spawn(|| {
            wait_for_requests(&flaky, 5);
            flaky.set(Manner::Status(204, ""));
        });
        for kill in 0..kills {
            pace("between two kills", Duration::from_millis(rng.u64(700..2_500)));
            let index = kill % 2;
            hooks.deliver[index].as_mut().unwrap().kill();
            hooks.deliver[index] = Some(start_deliverer(broker, index));
        }
        ingest.join().unwrap();
    });
    let expected = hooks.wait_until_taken_in();
    for (receiver, what) in [(&steady, "the steady receiver"), (&flaky, "the flaky one")] {
        wait_for_ids(receiver, expected);
        assert_all(&settled(receiver, Duration::from_secs(3)), &hooks, what);
    }
    assert_ne!(first["id"], second["id"]);
}

#[test]
fn deliverers_that_are_killed_lose_nothing() {
    killed(8, 9);
}

/// `cargo test -p arb-tests --test it -- --ignored --nocapture killed_twenty_times`
#[test]
#[ignore = "two minutes"]
fn deliverers_that_are_killed_twenty_times_lose_nothing() {
    killed(20, 20);
}

#[test]
fn an_endpoint_that_was_disabled_is_told_to_another_one_once() {
    let hooks = Hooks::start(2);
    let (gone, told) = (Receiver::start(Manner::Status(410, "")), Receiver::start(Manner::Status(200, "")));
    hooks.endpoint(&told, &json!({"events": ["endpoint.disabled"]}));
    let disabled = hooks.endpoint(&gone, &json!({"description": "the old one"}));
    hooks.play(7, 10);
    let posted = settled(&told, Duration::from_secs(5));
    assert_eq!(posted.len(), 1, "{posted:?}");
    let event = posted[0].json();
    assert_eq!((&event["type"], &event["data"]["id"]), (&json!("endpoint.disabled"), &disabled["id"]));
    assert_eq!(event["data"]["description"], "the old one");
}

/// While a receiver is down its windows close: with `live` it is sent the closes alone, with `durable` everything.
#[test]
fn a_window_that_closes_while_its_endpoint_is_down() {
    let hooks = Hooks::start(1);
    let receivers = ["live", "durable"].map(|policy| {
        let receiver = Receiver::start(Manner::Status(503, ""));
        hooks.endpoint(&receiver, &json!({"policy": policy, "events": ["arb_window", "close_signal"]}));
        receiver
    });
    hooks.play(7, 12);
    // While both are down: what comes of a window is known before the next attempt.
    hooks.wait_until_taken_in();
    for receiver in &receivers {
        wait_for("it was tried", || (!receiver.posted().is_empty()).then_some(()));
        receiver.set(Manner::Status(200, ""));
    }
    let windows = feed_kinds(&hooks, &[RecordType::ArbWindow, RecordType::CloseSignal]);
    let ended = feed_kinds(&hooks, &[RecordType::CloseSignal]);
    // Also those of requests that were refused.
    wait_for_ids(&receivers[1], windows);
    wait_for("every close is taken", || {
        let taken = taken(&receivers[0]).into_iter().filter(|one| one.json()["type"] == "close_signal");
        (by_id(&taken.collect::<Vec<_>>()).len() >= ended).then_some(())
    });
    settled(&receivers[0], Duration::from_secs(5));
    let (durable, live) = (receivers[1].posted(), &taken(&receivers[0]));
    println!("{windows} events, {} of them taken with `live`", live.len());
    let about = |posted: &[Posted], kind: &str| -> BTreeSet<String> {
        let events = posted.iter().map(Posted::json).filter(|event| event["type"] == kind);
        events.map(|event| event["data"]["id"].as_str().unwrap().to_owned()).collect()
    };
    let closed = about(&durable, "close_signal");
    assert!(!closed.is_empty() && closed.is_subset(&about(&durable, "arb_window")), "{closed:?}");
    assert_eq!(about(live, "close_signal"), closed);
    let late = about(live, "arb_window");
    assert!(late.is_disjoint(&closed), "the window had closed: {late:?} {closed:?}");
}

/// The requests that a receiver answered with success.
fn taken(receiver: &Receiver) -> Vec<Posted> {
    receiver.posted().into_iter().filter(|posted| posted.is_taken).collect()
}

/// How many records of these types the feed has.
fn feed_kinds(hooks: &Hooks, kinds: &[RecordType]) -> usize {
    let feed = read_all(&hooks.broker.kafka, FEED_EVENTS.name);
    feed.iter().filter(|record| kinds.contains(&RecordType::of(&record.value).unwrap())).count()
}

#[test]
fn a_broker_that_goes_away_delays_events_and_loses_none() {
    let mut hooks = Hooks::on(Broker::own(), 1, &[]);
    let receiver = Receiver::start(Manner::Status(200, ""));
    hooks.endpoint(&receiver, &json!({"policy": "durable", "events": FEED}));
    hooks.play(7, 10);
    settled(&receiver, Duration::from_secs(1));
    receiver.set(Manner::Status(503, ""));
    hooks.play(8, 10);
    hooks.broker.kill();
    pace("the broker is away", Duration::from_secs(10));
    receiver.set(Manner::Status(200, ""));
    hooks.broker.restart();
    hooks.play(9, 10);
    wait_for("every event has arrived", || {
        hooks.tend();
        (hooks.is_processed() && by_id(&receiver.posted()).len() == feed_events(&hooks.broker)).then_some(())
    });
    assert_all(&settled(&receiver, Duration::from_secs(5)), &hooks, "after the broker came back");
}

/// Of the endpoints of so many accounts, 100 each, a tenth are dead: the others receive everything, while the dead ones are left alone
/// more and more.
fn tenth_dead(accounts: usize) {
    const OF_AN_ACCOUNT: usize = 100;
    let hooks = Hooks::start(1);
    let (healthy, dead) = (Receiver::start(Manner::Status(200, "")), Receiver::start(Manner::Hang));
    let others = (1..accounts)
        .map(|other| create_account(&hooks.broker, &hooks.url, &format!("other{other}@example.com")));
    let keys: Vec<_> = std::iter::once(hooks.key.clone()).chain(others).collect();
    for (account, key) in keys.iter().enumerate() {
        for at in 0..OF_AN_ACCOUNT {
            let receiver = if at % 10 == 0 { &dead } else { &healthy };
            let body = json!({"url": format!("{}/{account}/{at}", receiver.url), "events": ["close_signal"]});
            let (status, created) = hooks.ask_as(key, "POST", "/v1/webhooks", Some(&body));
            assert_eq!(status, 201, "{created}");
        }
    }
    wait_for("all are verified", || {
        let are_all = |receiver: &Receiver, endpoints| receiver.challenges().len() >= endpoints;
        (are_all(&healthy, 90 * accounts) && are_all(&dead, 10 * accounts)).then_some(())
    });
    hooks.play(7, 20);
    hooks.wait_until_taken_in();
    let (endpoints, closes) = (90 * accounts, feed_kinds(&hooks, &[RecordType::CloseSignal]));
    wait_for_ids(&healthy, endpoints * closes);
    let posted = settled(&healthy, Duration::from_secs(5));
    let ids = by_id(&posted).len();
    let to_dead = dead.posted().len();
    println!("{closes} events to each of {endpoints}, {} requests; {to_dead} to dead ones", posted.len());
    assert!(closes > 3 && ids == endpoints * closes, "{ids}");
}

#[test]
fn dead_endpoints_keep_nothing_from_the_others() {
    tenth_dead(2);
}

/// `cargo test -p arb-tests --test it -- --ignored --nocapture a_hundred_dead`
#[test]
#[ignore = "a minute"]
fn a_hundred_dead_endpoints_of_a_thousand_keep_nothing_from_the_others() {
    tenth_dead(10);
}
