//! A market whose ticks come one by one, made so that what happens in it is known.
//!
//! With five books [`QUOTES`] quotes come round and round, and one tick in fifty opens or closes a window. It never claims to be
//! lifelike.

use arb_model::Time;
use arb_schemas::records::{Coverage, Event, Frame, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::{Micros, SECOND};

const EVENTS: u64 = 500;
/// Books that the shipped table knows.
const BOOKS: [&str; 12] = [
    "alderbet",
    "birchodds",
    "cedarline",
    "daleplay",
    "elmwager",
    "beechonline",
    "firstakes",
    "grovebet",
    "heathodds",
    "laurelbet",
    "lowline",
    "nettlebet",
];
/// The first books alone, unless all are asked for.
const FEW: usize = 5;
const SIDES: [Outcome; 2] = [Outcome::Over, Outcome::Under];
/// Quotes of the few books.
pub(crate) const QUOTES: u64 = EVENTS * FEW as u64 * SIDES.len() as u64;
/// Of so many rounds an event has a window in one.
const PERIOD: u64 = 10;
/// A large odd number: its products look drawn by lot.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A market whose ticks come one by one.
#[derive(Debug)]
pub(crate) struct PushMarket {
    starts_at: Micros,
    ticks: u64,
    books: &'static [&'static str],
    /// Of so many in a hundred ticks the price is another one than before.
    moving: u64,
}

impl PushMarket {
    /// A market without any ticks yet, all of whose events begin in a day.
    pub(crate) fn new(now: Micros) -> Self {
        Self { starts_at: now + 24 * 3_600 * SECOND, ticks: 0, books: &BOOKS[..FEW], moving: 0 }
    }

    /// The same with all twelve books, and so many prices in a hundred that move.
    pub(crate) fn moving(self, moving: u64) -> Self {
        Self { books: &BOOKS, moving, ..self }
    }

    /// The next tick, observed at a time.
    pub(crate) fn next(&mut self, at: Micros) -> Frame {
        let an_event = self.books.len() as u64 * SIDES.len() as u64;
        let (round, slot) = (self.ticks / (EVENTS * an_event), self.ticks % (EVENTS * an_event));
        let event = slot % EVENTS;
        // Each event begins with another quote, so that what opens and closes windows comes evenly.
        let quote = (slot / EVENTS + event) % an_event;
        let lot = self.ticks.wrapping_mul(SPREAD) >> 40;
        self.ticks += 1;
        let (book, side) = (quote / 2, SIDES[usize::from(quote % 2 == 1)]);
        let is_arb = quote == 0 && (event / PERIOD + round).is_multiple_of(PERIOD);
        let steps = if lot % 100 < self.moving { book + lot % 7 * 2 } else { book };
        let price = if is_arb { 2_200_000 } else { 1_900_000 + i64::try_from(steps).unwrap_or(0) * 5_000 };
        let (outcome, line, status, limit) = (side, Some(2_500), Status::Active, None);
        Frame {
            source: "bench".to_owned(),
            received_at: at,
            poll_index: None,
            push: None,
            event: self.event(event),
            coverage: Coverage { books: Some(vec![]), markets: Some(vec![]) },
            offers: vec![Offer {
                book: self.books[usize::try_from(book).unwrap_or(0)].to_owned(),
                market: "totals".to_owned(),
                last_seen_at: at,
                price_moved_at: None,
                link: None,
                ticks: vec![Tick { outcome, side: Side::Back, line, price, status, limit }],
            }],
        }
    }

    fn event(&self, number: u64) -> Event {
        Event {
            id: format!("bench-{number}").into(),
            sport: "soccer".into(),
            league: "soccer_bench".into(),
            home: format!("Home {number}").into(),
            away: format!("Away {number}").into(),
            commence_time: Time(self.starts_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tick_in_fifty_changes_a_window() {
        let mut market = PushMarket::new(0);
        let (mut open, mut changes) = (vec![false; usize::try_from(EVENTS).unwrap()], 0);
        for at in 0..i64::try_from(QUOTES * PERIOD).unwrap() {
            let frame = market.next(at);
            let tick = frame.offers[0].ticks[0];
            if frame.offers[0].book == BOOKS[0] && tick.outcome == Outcome::Over {
                let event: usize = frame.event.id.strip_prefix("bench-").unwrap().parse().unwrap();
                changes += u64::from(open[event] != (tick.price > 2_000_000));
                open[event] = tick.price > 2_000_000;
            }
        }
        // Those that begin with a window had none before.
        assert!((changes * 50).abs_diff(QUOTES * PERIOD) <= 50 * EVENTS / PERIOD, "{changes}");
    }
}
