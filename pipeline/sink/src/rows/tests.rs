//! Records and their rows, by example.

use arb_model::fixtures::{self, price};
use arb_model::{Points, Time};
use arb_schemas::records::{
    Coverage, EdgeSignal, Frame, Heartbeat, Offer, Outcome, PollEnd, Side, SignalQuote, Status, Tick,
    WindowGrade,
};
use arb_schemas::time::parse_rfc3339;
use arb_schemas::topics::{FEED_EVENTS, ODDS_TICKS, WEBHOOK_DELIVERIES};
use arb_schemas::wire::encode;

use super::*;

const AT: Coordinates<'static> = Coordinates { topic: "t", topic_id: "id", partition: 3, offset: 17 };

fn offer(market: &str) -> Offer {
    let tick = |outcome, price, limit| Tick {
        outcome,
        side: Side::Back,
        line: Some(2_500),
        price,
        status: Status::Active,
        limit,
    };
    Offer {
        book: "alpha".into(),
        market: market.into(),
        last_seen_at: 5,
        price_moved_at: None,
        link: None,
        odds_format: arb_model::OddsFormat::Unknown,
        ticks: vec![tick(Outcome::Over, 1_900_000, Some(2_150)), tick(Outcome::Under, -7, None)],
    }
}

fn frame(markets: &[&str]) -> Frame {
    Frame {
        source: "s".into(),
        received_at: 10,
        poll_index: None,
        push: None,
        event: fixtures::event(),
        coverage: Coverage::ALL,
        offers: markets.iter().map(|market| offer(market)).collect(),
    }
}

#[test]
fn a_frame_is_a_row_a_tick() {
    let message = encode(&frame(&["totals_h1", "player_points"])).unwrap();
    let made = read(&ODDS_TICKS, &message);
    assert_eq!((made.rows(), made.time()), (Some((Table::Ticks, 4)), Some(10)));
    let DecodedRecord::Frame(view) = made else { panic!("{made:?}") };
    let rows: Vec<_> = tick_rows(AT, &view).collect();
    let reason_text: Vec<_> =
        rows.iter().map(|row| (row.row_index, row.market, row.period, row.outcome, row.price)).collect();
    assert_eq!(
        reason_text,
        [
            (0, "totals", "h1", "over", 1_900_000),
            (1, "totals", "h1", "under", -7),
            (2, "player_points", "unknown", "over", 1_900_000),
            (3, "player_points", "unknown", "under", -7),
        ],
        "no tick is left out, whatever its content"
    );
    assert_eq!((rows[0].bet_limit, rows[1].bet_limit), (Some(2_150), None));
    assert_eq!((rows[0].kafka_partition, rows[0].kafka_offset, rows[0].polled), (3, 17, false));
}

#[test]
fn the_ends_of_polls_and_heartbeats_have_no_rows() {
    let beat = encode(&Heartbeat { source: "s".into(), at: i64::MAX }).unwrap();
    let end =
        PollEnd { source: "s".into(), received_at: 1, league: None, coverage: Coverage::ALL, frames: 0 };
    for message in [beat, encode(&end).unwrap(), encode(&frame(&[])).unwrap()] {
        assert_eq!(read(&ODDS_TICKS, &message).rows(), None);
    }
}

#[test]
fn an_invalid_record_of_a_topic_is_rejected() {
    let message = encode(&frame(&["h2h"])).unwrap();
    let mut longer = message.clone();
    longer.push(0);
    for (topic, message, reason) in [
        (&ODDS_TICKS, &b""[..], "not in the Confluent wire format"),
        (&ODDS_TICKS, &longer, "1 bytes follow the record"),
        (&FEED_EVENTS, &message, "a Frame where a ArbWindow was expected"),
    ] {
        let made = read(topic, message);
        assert!(matches!(&made, DecodedRecord::Rejected(reason_text) if reason_text == reason), "{made:?}");
        assert_eq!(made.rows(), Some((Table::Rejected, 1)));
    }
}

#[test]
fn hostile_times_are_rejected_with_their_record() {
    let at = |text| parse_rfc3339(text).unwrap();
    let changed = |change: &dyn Fn(&mut Frame)| {
        let mut frame = frame(&["h2h"]);
        change(&mut frame);
        match read(&ODDS_TICKS, &encode(&frame).unwrap()) {
            DecodedRecord::Rejected(reason) => reason,
            made => panic!("{made:?}"),
        }
    };
    let reason_text = changed(&|frame| frame.received_at = at("2100-01-01T00:00:00Z"));
    assert!(reason_text.starts_with("received_at 2100-01-01T00:00:00Z is not between"), "{reason_text}");
    let reason_text = changed(&|frame| frame.offers[0].last_seen_at = i64::MAX);
    assert!(reason_text.starts_with("last_seen_at "), "{reason_text}");
    let reason_text = changed(&|frame| frame.offers[0].price_moved_at = Some(i64::MIN));
    assert!(reason_text.starts_with("price_moved_at "), "{reason_text}");
    let reason_text = changed(&|frame| frame.event.commence_time = Time(i64::MIN));
    assert!(reason_text.starts_with("commence_time "), "{reason_text}");
}

fn changed(change: &str) -> SignalChange {
    let quote = |role: &str, book: &str| SignalQuote {
        price_from: (role == "leader").then(|| price(2_300_000)),
        ..fixtures::quote(role, book, 2_100_000)
    };
    let signal = EdgeSignal {
        id: "s".into(),
        line: Some(Points(2_500)),
        outcome: None,
        bets: vec![quote("bet", "alpha")],
        evidence: vec![quote("leader", "beta"), quote("other", "gamma")],
        fair: vec![fixtures::chance("shin", 0.49)],
        updated_at: Time(9),
        ..fixtures::signal()
    };
    SignalChange { change: change.into(), signal }
}

#[test]
fn a_signal_is_a_row_with_its_bets_and_what_says_so_apart() {
    let message = encode(&changed("updated")).unwrap();
    let made = read(&FEED_EVENTS, &message);
    assert_eq!((made.rows(), made.time()), (Some((Table::SignalTransitions, 1)), Some(9)));
    let DecodedRecord::Signal(changed) = made else { panic!("{made:?}") };
    let row = signal_row(AT, &changed);
    assert_eq!((row.kafka_partition, row.kafka_offset, row.signal_id, row.at), (3, 17, "s", Time(9)));
    assert_eq!((row.transition, row.reason, row.outcome, row.line), ("updated", "", "", Some(Points(2_500))));
    assert_eq!((&*row.bet_book, &*row.bet_price), (&["alpha"][..], &[price(2_100_000)][..]));
    assert_eq!(
        (&*row.evidence_role, &*row.evidence_book),
        (&["leader", "other"][..], &["beta", "gamma"][..])
    );
    assert_eq!(row.evidence_price_from, [Some(price(2_300_000)), None]);
    assert_eq!((&*row.fair_method, &*row.fair_probability), (&["shin"][..], &[0.49][..]));
}

#[test]
fn the_end_of_a_signal_is_a_reason() {
    for reason in ["expired", "faded", "followed", "withdrawn", "event_ended", "superseded"] {
        let changed = changed(reason);
        let row = signal_row(AT, &changed);
        assert_eq!((row.transition, row.reason), ("closed", reason));
    }
    let opened = changed("opened");
    assert_eq!((signal_row(AT, &opened).transition, signal_row(AT, &opened).reason), ("opened", ""));
}

#[test]
fn hostile_times_of_a_signal_are_rejected_with_it() {
    let reason_text = |change: &dyn Fn(&mut EdgeSignal)| {
        let mut changed = changed("opened");
        change(&mut changed.signal);
        match read(&FEED_EVENTS, &encode(&changed).unwrap()) {
            DecodedRecord::Rejected(reason) => reason.split(' ').next().unwrap().to_owned(),
            made => panic!("{made:?}"),
        }
    };
    assert_eq!(reason_text(&|signal| signal.updated_at = Time(-1)), "updated_at");
    assert_eq!(reason_text(&|signal| signal.opened_at = Time(i64::MIN)), "opened_at");
    assert_eq!(reason_text(&|signal| signal.expires_at = Time(i64::MAX)), "expires_at");
    assert_eq!(reason_text(&|signal| signal.event.commence_time = Time(i64::MAX)), "commence_time");
    assert_eq!(reason_text(&|signal| signal.bets[0].last_seen_at = Time(i64::MAX)), "last_seen_at");
    assert_eq!(reason_text(&|signal| signal.evidence[1].price_moved_at = Time(i64::MIN)), "price_moved_at");
}

#[test]
fn a_grading_is_a_row_with_what_each_leg_paid() {
    let graded = fixtures::window_grading();
    let message = encode(&graded).unwrap();
    let made = read(&FEED_EVENTS, &message);
    let at = graded.grade.at;
    assert_eq!((made.rows(), made.time()), (Some((Table::WindowGradings, 1)), Some(at.0)));
    let row = grading_row(AT, &graded);
    assert_eq!((row.kafka_offset, row.grade, row.state, row.at), (17, 2, "settled", at));
    assert_eq!(
        (&*row.leg_book, &*row.leg_settlement),
        (&["alpha", "beta"][..], &["half_lost", "half_won"][..])
    );
    assert_eq!((&*row.leg_returned, row.returned), (&[Some(0.25), Some(0.75)][..], Some(1.0)));
    let mut open = graded.clone();
    open.grade = WindowGrade { legs: vec![], returned: None, ..open.grade };
    let row = grading_row(AT, &open);
    assert_eq!((&*row.leg_settlement, &*row.leg_returned), (&["", ""][..], &[None, None][..]), "one a leg");
    let rejected = |change: &dyn Fn(&mut WindowGrading)| {
        let mut graded = graded.clone();
        change(&mut graded);
        matches!(read(&FEED_EVENTS, &encode(&graded).unwrap()), DecodedRecord::Rejected(_))
    };
    assert!(rejected(&|graded| graded.grade.at = Time(-1)));
    assert!(rejected(&|graded| graded.window.opened_at = Time(i64::MIN)));
    assert!(rejected(&|graded| graded.window.event.commence_time = Time(i64::MAX)));
}

#[test]
fn an_entry_of_the_delivery_log_is_a_row_and_fits_by_its_times() {
    let entry = WebhookDelivery {
        delivery: "msg_1".into(),
        endpoint: "whk_1".into(),
        kind: "arb_window".into(),
        subject: "w".into(),
        sequence: 7,
        attempt: 2,
        outcome: "failed".into(),
        status: Some(503),
        latency: 12_000,
        answer: "busy".into(),
        next_at: Some(30),
        created_at: 10,
        at: 20,
    };
    let message = encode(&entry).unwrap();
    let made = read(&WEBHOOK_DELIVERIES, &message);
    assert_eq!((made.rows(), made.time()), (Some((Table::WebhookDeliveries, 1)), Some(20)));
    let DecodedRecord::Delivery(read_back) = made else { panic!("{made:?}") };
    let row = delivery_row(AT, &read_back);
    assert_eq!((row.kafka_offset, row.delivery, row.endpoint, row.attempt), (17, "msg_1", "whk_1", 2));
    assert_eq!((row.outcome, row.status, row.latency, row.answer), ("failed", Some(503), 12_000, "busy"));
    assert_eq!((row.next_at, row.created_at, row.at), (Some(Time(30)), Time(10), Time(20)));
    for (field, entry) in [
        ("at ", WebhookDelivery { at: -1, ..entry.clone() }),
        ("created_at ", WebhookDelivery { created_at: i64::MIN, ..entry.clone() }),
        ("next_at ", WebhookDelivery { next_at: Some(i64::MAX), ..entry }),
    ] {
        match read(&WEBHOOK_DELIVERIES, &encode(&entry).unwrap()) {
            DecodedRecord::Rejected(reason) => assert!(reason.starts_with(field), "{reason}"),
            made => panic!("{made:?}"),
        }
    }
}

/// The stored bytes of each type of record that a topic of the sink has, in each of its versions, are no rejected record.
#[test]
fn every_record_of_its_topics_is_known() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/golden");
    for topic in &crate::sources::TOPICS {
        for record in topic.records {
            let stored: Vec<_> = (1..10)
                .filter_map(|version| std::fs::read(folder.join(format!("{record:?}.v{version}.bin"))).ok())
                .collect();
            assert!(!stored.is_empty(), "{record:?}");
            for message in stored {
                let made = read(topic, &message);
                assert!(!matches!(made, DecodedRecord::Rejected(_)), "{record:?}: {made:?}");
            }
        }
    }
}
