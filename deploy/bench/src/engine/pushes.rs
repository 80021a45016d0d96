//! A push feed in memory, for the engine alone: one tick a record, twelve books that the table knows, a part of the prices moving.
//!
//! One line in ten of each round has an arb. It never claims to be lifelike.

use arb_model::Time;
use arb_schemas::TickRecord;
use arb_schemas::records::{Coverage, Event, Frame, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::{Micros, SECOND};

const EVENTS: u64 = 500;
const BOOKS: [&str; 12] = [
    "alderbet",
    "beechonline",
    "birchodds",
    "cedarline",
    "daleplay",
    "elmwager",
    "firstakes",
    "grovebet",
    "heathodds",
    "laurelbet",
    "lowline",
    "nettlebet",
];
const SIDES: [Outcome; 2] = [Outcome::Over, Outcome::Under];
/// Of so many rounds an event has an arb in one.
const PERIOD: u64 = 10;
/// The time of the first tick, and between two.
const BEGIN: Micros = 1_800_000_000 * SECOND;
const STEP: Micros = 50;
/// A large odd number: its products look drawn by lot.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// So many ticks, of which so many in a hundred have another price than the one before.
pub(super) fn ticks(count: u64, moving: u64) -> Vec<TickRecord> {
    (0..count).map(|number| TickRecord::Frame(tick(number, moving))).collect()
}

fn tick(number: u64, moving: u64) -> Frame {
    let a_event = BOOKS.len() as u64 * 2;
    let (round, slot) = (number / (EVENTS * a_event), number % (EVENTS * a_event));
    let event = slot % EVENTS;
    // Each event begins with another quote, so that what opens and closes windows comes evenly.
    let quote = (slot / EVENTS + event) % a_event;
    let (book, side) = (quote / 2, SIDES[usize::from(quote % 2 == 1)]);
    let lot = number.wrapping_mul(SPREAD) >> 40;
    let moved = if lot % 100 < moving { i64::try_from(lot % 7).unwrap_or(0) * 10_000 } else { 0 };
    let is_arb = quote == 0 && (event / PERIOD + round).is_multiple_of(PERIOD);
    let usual = 1_900_000 + i64::try_from(book).unwrap_or(0) * 5_000 + moved;
    let (price, at) =
        (if is_arb { 2_200_000 } else { usual }, BEGIN + i64::try_from(number).unwrap_or(0) * STEP);
    let (outcome, line, status, limit) = (side, Some(2_500), Status::Active, None);
    Frame {
        source: "bench".to_owned(),
        received_at: at,
        poll_index: None,
        push: None,
        event: Event {
            id: format!("bench-{event}").as_str().into(),
            sport: "soccer".into(),
            league: "soccer_bench".into(),
            home: "H".into(),
            away: "A".into(),
            commence_time: Time(BEGIN + 24 * 3_600 * SECOND),
        },
        coverage: Coverage { books: Some(vec![]), markets: Some(vec![]) },
        offers: vec![Offer {
            book: BOOKS[usize::try_from(book).unwrap_or(0)].to_owned(),
            market: "totals".to_owned(),
            last_seen_at: at,
            price_moved_at: None,
            ticks: vec![Tick { outcome, side: Side::Back, line, price, status, limit }],
        }],
    }
}
