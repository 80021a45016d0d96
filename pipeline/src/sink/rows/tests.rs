//! Records and their rows, by example.

use arb_schemas::records::{Coverage, Event, Frame, Heartbeat, Offer, Outcome, PollEnd, Side, Status, Tick};
use arb_schemas::time::parse_rfc3339;
use arb_schemas::topics::{FEED_EVENTS, ODDS_TICKS};
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
        ticks: vec![tick(Outcome::Over, 1_900_000, Some(2_150)), tick(Outcome::Under, -7, None)],
    }
}

fn frame(markets: &[&str]) -> Frame {
    Frame {
        source: "s".into(),
        received_at: 10,
        poll_index: None,
        event: Event {
            id: "e".into(),
            sport: "soccer".into(),
            league: "l".into(),
            home: "H".into(),
            away: "A".into(),
            commence_time: 0,
        },
        coverage: Coverage::ALL,
        offers: markets.iter().map(|market| offer(market)).collect(),
    }
}

#[test]
fn a_frame_is_a_row_a_tick() {
    let message = encode(&frame(&["totals_h1", "player_points"])).unwrap();
    let made = read(&ODDS_TICKS, &message);
    assert_eq!((made.rows(), made.time()), (Some((Table::Ticks, 4)), Some(10)));
    let Made::Frame(view) = made else { panic!("{made:?}") };
    let rows: Vec<_> = tick_rows(AT, &view).collect();
    let said: Vec<_> =
        rows.iter().map(|row| (row.row_index, row.market, row.period, row.outcome, row.price)).collect();
    assert_eq!(
        said,
        [
            (0, "totals", "h1", "over", 1_900_000),
            (1, "totals", "h1", "under", -7),
            (2, "player_points", "unknown", "over", 1_900_000),
            (3, "player_points", "unknown", "under", -7),
        ],
        "no tick is left out, whatever it says"
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
fn what_is_no_record_of_its_topic_is_rejected() {
    let message = encode(&frame(&["h2h"])).unwrap();
    let mut longer = message.clone();
    longer.push(0);
    for (topic, message, reason) in [
        (&ODDS_TICKS, &b""[..], "not in the Confluent wire format"),
        (&ODDS_TICKS, &longer, "1 bytes follow the record"),
        (&FEED_EVENTS, &message, "a Frame where a ArbWindow was expected"),
    ] {
        let made = read(topic, message);
        assert!(matches!(&made, Made::Rejected(said) if said == reason), "{made:?}");
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
            Made::Rejected(reason) => reason,
            made => panic!("{made:?}"),
        }
    };
    let said = changed(&|frame| frame.received_at = at("2100-01-01T00:00:00Z"));
    assert!(said.starts_with("received_at 2100-01-01T00:00:00Z is not between"), "{said}");
    let said = changed(&|frame| frame.offers[0].last_seen_at = i64::MAX);
    assert!(said.starts_with("last_seen_at "), "{said}");
    let said = changed(&|frame| frame.offers[0].price_moved_at = Some(i64::MIN));
    assert!(said.starts_with("price_moved_at "), "{said}");
    let said = changed(&|frame| frame.event.commence_time = i64::MIN);
    assert!(said.starts_with("commence_time "), "{said}");
}
