//! The frame that is read in place is the frame: whatever its reader understands, Avro's own reads alike.
#![allow(clippy::unwrap_used)]

use arb_model::{OddsFormat, Time};
use arb_schemas::records::{Coverage, Event, Frame, Offer, Outcome, Push, Side, Status, Tick};
use arb_schemas::view::{self, FrameView};
use arb_schemas::wire;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Short, long, and of more than one byte a letter.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), vec(any::<char>(), 0..80).prop_map(|all| all.into_iter().collect())]
}

fn tick() -> impl Strategy<Value = Tick> {
    use Outcome::{Away, Draw, Home, Over, Under};
    let outcome = prop::sample::select(vec![Outcome::Unknown, Home, Draw, Away, Over, Under]);
    let side = prop::sample::select(vec![Side::Unknown, Side::Back, Side::Lay]);
    let status = prop::sample::select(vec![Status::Unknown, Status::Active, Status::Suspended]);
    let tick = (outcome, side, option::of(any::<i32>()), any::<i64>(), status, option::of(any::<i64>()));
    tick.prop_map(|(outcome, side, line, price, status, limit)| Tick {
        outcome,
        side,
        line,
        price,
        status,
        limit,
    })
}

fn offer() -> impl Strategy<Value = Offer> {
    let formats = vec![OddsFormat::Unknown, OddsFormat::Decimal, OddsFormat::American];
    let format = prop::sample::select(formats);
    let offer = (
        name(),
        name(),
        any::<i64>(),
        option::of(any::<i64>()),
        vec(tick(), 0..5),
        option::of(name()),
        format,
    );
    offer.prop_map(|(book, market, last_seen_at, price_moved_at, ticks, link, odds_format)| Offer {
        book,
        market,
        last_seen_at,
        price_moved_at,
        ticks,
        link,
        odds_format,
    })
}

fn frame() -> impl Strategy<Value = Frame> {
    let event = (name(), name(), name(), name(), name(), any::<i64>());
    let event = event.prop_map(|(id, sport, league, home, away, commence_time)| Event {
        id: id.into(),
        sport: sport.into(),
        league: league.into(),
        home: home.into(),
        away: away.into(),
        commence_time: Time(commence_time),
    });
    let names = || option::of(vec(name(), 0..4));
    let coverage = (names(), names()).prop_map(|(books, markets)| Coverage { books, markets });
    let push = option::of((any::<i64>(), any::<bool>()))
        .prop_map(|push| push.map(|(sequence, names_event)| Push { sequence, names_event }));
    let frame = (name(), any::<i64>(), option::of(any::<i32>()), event, coverage, vec(offer(), 0..5), push);
    frame.prop_map(|(source, received_at, poll_index, event, coverage, offers, push)| Frame {
        source,
        received_at,
        poll_index,
        event,
        coverage,
        offers,
        push,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn a_frame_is_read_as_it_was_written(frame in frame()) {
        let message = wire::encode(&frame).unwrap();
        prop_assert_eq!(view::frame(&message), Some(FrameView::from(&frame)));
    }

    #[test]
    fn damaged_bytes_are_read_as_avro_reads_them(
        frame in frame(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in option::of(any::<prop::sample::Index>()),
        tail in vec(any::<u8>(), 0..3),
    ) {
        let mut message = wire::encode(&frame).unwrap();
        for (place, byte) in damage {
            let place = place.index(message.len());
            message[place] = byte;
        }
        if let Some(cut) = cut {
            message.truncate(cut.index(message.len() + 1));
        }
        message.extend(tail);
        if let Some(view) = view::frame(&message) {
            let read = wire::decode::<Frame>(&message).unwrap();
            prop_assert_eq!(view, FrameView::from(&read));
        }
    }
}
