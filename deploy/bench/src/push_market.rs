//! A market whose ticks come one by one, made so that what happens in it is known.
//!
//! [`QUOTES`] quotes of twelve books that the shipped table knows, with accounts in four currencies, come round and round; one tick in fifty, or
//! somewhat more, opens or closes a window. Lines are as The Odds API has them: three books in four have the event's main line,
//! the others one beside it. It never claims to be lifelike otherwise.

use arb_model::Time;
use arb_schemas::records::{Coverage, Event, Frame, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::{Micros, SECOND};

pub(crate) const EVENTS: u64 = 500;
/// By their accounts' currency: USD, AUD, GBP, EUR. The exchange takes a commission.
const BOOKS: [&str; 12] = [
    "draftkings",
    "fanduel",
    "betmgm",
    "betrivers",
    "sportsbet",
    "tab",
    "coral",
    "williamhill",
    "pinnacle",
    "betsson",
    "unibet_eu",
    "betfair_ex_uk",
];
const SIDES: [Outcome; 2] = [Outcome::Over, Outcome::Under];
/// Quotes of an event.
const AN_EVENT: u64 = (BOOKS.len() * SIDES.len()) as u64;
pub(crate) const QUOTES: u64 = EVENTS * AN_EVENT;
/// Of so many in a hundred ticks the price is another one than before: two cases.
pub(crate) const MOVING: [u64; 2] = [2, 50];
/// Of so many rounds an event has a window in one.
const PERIOD: u64 = 4;
/// Main lines of totals, as often as events have them, in thousandths.
const LINES: [i32; 8] = [2_500, 3_000, 2_500, 2_000, 2_500, 3_500, 2_250, 2_750];
/// The first book that has another line than the main one.
const BESIDE: u64 = 9;
/// Between two lines.
const A_LINE: i32 = 500;
/// A large odd number: its products look drawn by lot.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A market whose ticks come one by one.
#[derive(Debug)]
pub(crate) struct PushMarket {
    starts_at: Micros,
    ticks: u64,
    /// Of so many in a hundred ticks the price is another one than before.
    moving: u64,
}

impl PushMarket {
    /// A market without any ticks yet, all of whose events begin in a day; so many prices in a hundred move.
    pub(crate) fn new(now: Micros, moving: u64) -> Self {
        Self { starts_at: now + 24 * 3_600 * SECOND, ticks: 0, moving }
    }

    /// The next tick, observed at a time.
    pub(crate) fn next(&mut self, at: Micros) -> Frame {
        let (round, slot) = (self.ticks / QUOTES, self.ticks % QUOTES);
        let event = slot % EVENTS;
        // Each event begins with another quote, so that what opens and closes windows comes evenly.
        let quote = (slot / EVENTS + event) % AN_EVENT;
        let lot = self.ticks.wrapping_mul(SPREAD) >> 40;
        self.ticks += 1;
        let (book, side) = (quote / 2, SIDES[usize::from(quote % 2 == 1)]);
        let is_arb = quote == 0 && (event / PERIOD + round).is_multiple_of(PERIOD);
        let steps = if lot % 100 < self.moving { book + lot % 7 * 2 } else { book };
        let price = if is_arb { 2_200_000 } else { 1_900_000 + i64::try_from(steps).unwrap_or(0) * 5_000 };
        let (outcome, line, status, limit) = (side, Some(line(event, book)), Status::Active, None);
        Frame {
            source: "bench".to_owned(),
            received_at: at,
            poll_index: None,
            push: None,
            event: self.event(event),
            coverage: Coverage { books: Some(vec![]), markets: Some(vec![]) },
            offers: vec![Offer {
                book: BOOKS[usize::try_from(book).unwrap_or(0)].to_owned(),
                market: "totals".to_owned(),
                last_seen_at: at,
                price_moved_at: None,
                link: None,
                odds_format: arb_model::OddsFormat::Unknown,
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

/// The line of a book: the event's main one, or one above or below it.
fn line(event: u64, book: u64) -> i32 {
    let main = LINES[usize::try_from(event).unwrap_or(0) % LINES.len()];
    match book {
        ..BESIDE => main,
        BESIDE => main - A_LINE,
        _ => main + A_LINE,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use arb_process::books::shipped;

    use super::*;

    #[test]
    fn one_tick_in_fifty_changes_a_window() {
        let mut market = PushMarket::new(0, 0);
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

    #[test]
    fn the_table_knows_every_book_and_they_have_several_currencies() {
        let books = shipped().unwrap();
        let currencies: BTreeSet<_> =
            BOOKS.iter().map(|book| books.get(book).currency.clone().unwrap()).collect();
        assert_eq!(currencies.len(), 4, "{currencies:?}");
    }

    #[test]
    fn three_books_in_four_have_the_main_line() {
        let lines: Vec<_> = (0..BOOKS.len() as u64).map(|book| line(5, book)).collect();
        assert_eq!(lines.iter().filter(|line| **line == 3_500).count(), 9);
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), 3);
    }
}
