//! Records that could not be processed: dead-lettered byte for byte, listed, sent again.

use arb_model::Time;
use arb_schemas::records::{
    ArbWindow, BoardProgress, Coverage, Event, Frame, Heartbeat, Offer, Outcome, Side, Status, Tick,
};
use arb_schemas::time::SECOND;
use arb_schemas::topics::{DEAD_TICKS, FEED_EVENTS, ODDS_TICKS};
use arb_schemas::wire;

use crate::kafka::{read_all, wait_until_settled, write};
use crate::support::program::{Role, arb, run};
use crate::support::stack::Broker;
use crate::support::wait_for;

#[test]
fn letters_are_listed_and_sent_again_once() {
    let broker = Broker::start();
    let arb_dlq = |arguments: &[&str]| {
        run(arb().arg("dlq").args(arguments).args([broker.kafka.at(), broker.kafka.named()]))
    };
    let foreign = wire::encode(&BoardProgress { source: "s".into(), received_at: 1 }).unwrap();
    let good = wire::encode(&Heartbeat { source: "s".into(), at: 1 }).unwrap();
    write(&broker.kafka, &[("a", b"{\"odds\": 2}"), ("b", &foreign), ("c", b""), ("d", &good)]);
    let _process =
        Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &broker.path("process.log"));
    wait_for("three letters", || (read_all(&broker.kafka, DEAD_TICKS.name).len() == 3).then_some(()));
    let listed = arb_dlq(&["list"]);
    assert!(listed.success, "{}", listed.err);
    assert_eq!(listed.out.lines().count(), 4, "{}", listed.out);
    for error in ["not in the Confluent wire format", "a BoardProgress where a Frame was expected"] {
        assert!(listed.out.contains(&format!("unreadable\t{error}")), "{}", listed.out);
    }
    assert_eq!(arb_dlq(&["replay"]).out, "3 sent again\n");
    // They are no better than before.
    wait_for("six letters", || (read_all(&broker.kafka, DEAD_TICKS.name).len() == 6).then_some(()));
    let ticks = read_all(&broker.kafka, ODDS_TICKS.name);
    for (key, value) in [("a", b"{\"odds\": 2}".as_slice()), ("b", &foreign), ("c", b"")] {
        let same = ticks.iter().filter(|record| record.key == key.as_bytes() && record.value == value);
        assert_eq!(same.count(), 2, "{key}");
    }
    assert_eq!(arb_dlq(&["list"]).out.lines().count(), 4, "those of the second time");
    assert_eq!(arb_dlq(&["list", "--all"]).out.lines().count(), 7);
    assert!(!arb_dlq(&["replay", "--partition", "0", "--offset", "99"]).success);
}

#[test]
fn a_frame_of_which_something_was_left_out_is_put_aside_and_the_rest_counts() {
    let broker = Broker::start();
    let tick = |outcome, price| Tick {
        outcome,
        side: Side::Back,
        line: None,
        price,
        status: Status::Active,
        limit: None,
    };
    let offer = |book: &str, last_seen_at, ticks| Offer {
        book: book.into(),
        market: "h2h".into(),
        last_seen_at,
        price_moved_at: None,
        link: None,
        odds_format: arb_model::OddsFormat::Unknown,
        ticks,
    };
    let event = Event {
        id: "e".into(),
        sport: "baseball".into(),
        league: "baseball_mlb".into(),
        home: "H".into(),
        away: "A".into(),
        commence_time: Time(1_000 * SECOND),
    };
    let frame = wire::encode(&Frame {
        source: "s".into(),
        received_at: 100 * SECOND,
        poll_index: None,
        push: None,
        event,
        coverage: Coverage::ALL,
        offers: vec![
            offer("alpha", 99 * SECOND, vec![tick(Outcome::Home, 2_500_000), tick(Outcome::Away, 2_500_000)]),
            offer("future", 106 * SECOND, vec![tick(Outcome::Home, 9_000_000)]),
            offer("beta", 99 * SECOND, vec![tick(Outcome::Home, 1)]),
        ],
    });
    let frame = frame.unwrap();
    write(&broker.kafka, &[("e", &frame)]);
    let _process =
        Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &broker.path("process.log"));
    let dead = wait_for("a letter", || read_all(&broker.kafka, DEAD_TICKS.name).pop());
    assert!(dead.value == frame && dead.key == b"e");
    let header = |name: &str| &dead.headers.iter().find(|(key, _)| key == name).unwrap().1;
    assert_eq!(header("arb-reason"), "partly-left-out");
    assert_eq!(header("arb-error"), "last_seen_at in the future: 1, price out of range: 1");
    wait_until_settled(&broker.kafka, &FEED_EVENTS);
    let feed = read_all(&broker.kafka, FEED_EVENTS.name);
    let window: ArbWindow = wire::decode(&feed[0].value).unwrap();
    assert!(window.entry.legs.iter().all(|leg| leg.book == "alpha"));
}
