//! Frames at, just below and far above each limit, and an event that grows past those over many frames.

use arb_engine::caps::{FRAME_TICKS, LINE_BOOKS, NAME_BYTES};
use arb_model::Time;
use arb_schemas::limits;
use arb_schemas::records::{Coverage, Event, Frame, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::wire::encode;

/// The reasons in the dead letters of these frames, in order.
pub(crate) const REASONS: [&str; 10] = [
    "more than 10000 ticks in a frame: refused",
    "more than 10000 ticks in a frame: refused",
    "a name of more than 256 bytes: refused",
    "a name of more than 256 bytes: refused",
    "1048577 bytes long, more than 1048576",
    "3145728 bytes, more than 2031616",
    "more than 256 books on a line: 1 ticks left out",
    "more than 256 books on a line: 44 ticks left out",
    "more than 256 books on a line: 100 ticks left out",
    "more than 256 books on a line: 100 ticks left out",
];

fn offer(book: String, line: i32, ticks: usize, at: Micros) -> Offer {
    let tick = |index: usize| Tick {
        outcome: Outcome::Over,
        side: Side::Back,
        line: Some(line),
        price: 1_900_000 + i64::try_from(index % 7).unwrap(),
        status: Status::Active,
        limit: None,
    };
    let ticks = (0..ticks).map(tick).collect();
    Offer {
        book,
        market: "totals".into(),
        last_seen_at: at,
        price_moved_at: None,
        ticks,
        link: None,
        odds_format: arb_model::OddsFormat::Unknown,
    }
}

fn frame(id: &str, offers: Vec<Offer>, at: Micros) -> Frame {
    let (sport, league, home, away) = ("soccer".into(), "l".into(), "h".into(), "a".into());
    let event = Event { id: id.into(), sport, league, home, away, commence_time: Time(at + 86_400 * SECOND) };
    let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    Frame { source: "limits".into(), received_at: at, poll_index: None, event, coverage, offers, push: None }
}

/// Books on one line, from one number to another.
fn books(from: usize, to: usize, at: Micros) -> Vec<Offer> {
    (from..to).map(|book| offer(format!("book-{book}"), 2_500, 1, at)).collect()
}

/// A message of so many bytes that begins as a frame does.
fn bytes(length: usize, at: Micros) -> Vec<u8> {
    let mut message = encode(&frame("long", vec![], at)).unwrap();
    message.resize(length, 0);
    message
}

/// The messages, in their order, from a moment on.
pub(crate) fn messages(from: Micros) -> Vec<Vec<u8>> {
    let mut at = from;
    let mut next = |make: &dyn Fn(Micros) -> Frame| {
        at += SECOND;
        encode(&make(at)).unwrap()
    };
    let mut messages = Vec::new();
    for ticks in [FRAME_TICKS - 1, FRAME_TICKS, FRAME_TICKS + 1, 64_000] {
        messages.push(next(&|at| frame("ticks", vec![offer("b".into(), 2_500, ticks, at)], at)));
    }
    for length in [NAME_BYTES - 1, NAME_BYTES, NAME_BYTES + 1, 100_000] {
        messages.push(next(&|at| frame("name", vec![offer("n".repeat(length), 2_500, 1, at)], at)));
    }
    messages.extend([limits::INPUT + 1, 3 * 1024 * 1024].map(|length| bytes(length, from)));
    for count in [LINE_BOOKS - 1, LINE_BOOKS, LINE_BOOKS + 1] {
        messages.push(next(&|at| frame("books", books(0, count, at), at)));
    }
    for grown in 1..6 {
        messages.push(next(&|at| frame("grows", books(100 * (grown - 1), 100 * grown, at), at)));
    }
    messages
}
