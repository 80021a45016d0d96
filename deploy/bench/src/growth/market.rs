//! A market of any size for the engine alone: so many quotes of so many books, each confirmed each 30 s of event time.
//!
//! Made so that its size is all that differs: what happens to a quote does not depend on how many there are, nor on how
//! many books. In the simulated market it does (more books are more arbs), and a quarter of a million quotes of that take a
//! minute to make. It never claims to be lifelike.

use std::time::{Duration, Instant};

use arb_engine::Engine;
use arb_engine::effect::Effect;
use arb_engine::input::Coordinate;
use arb_engine::market::Policy;
use arb_model::Faults;
use arb_model::Time;
use arb_process::codec::as_input;
use arb_schemas::TickRecord;
use arb_schemas::records::{Coverage, Event, Frame, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::{Micros, SECOND};

use crate::meter::allocated;

const SIDES: [Outcome; 2] = [Outcome::Over, Outcome::Under];
/// Within which every quote is confirmed once.
const PASS: Micros = 30 * SECOND;
/// A price moves in one pass of so many.
const MOVES: usize = 10;
/// An event has a window in one pass of so many.
const WINDOWS: usize = 100;
/// Records a transaction.
const CUT: usize = 1_000;
/// Ticks of a round, at the least: else a small market's would be over at once.
const ROUND: usize = 400_000;
const START: Micros = 1_780_000_000 * SECOND;
/// All events begin then.
const BEGIN: Micros = START + 7 * 24 * 3_600 * SECOND;

/// The market.
pub(crate) struct Market {
    events: usize,
    books: Vec<String>,
    pass: usize,
    offset: i64,
}

/// What it cost.
pub(super) struct Cost {
    /// By round.
    pub(super) ns_a_tick: Vec<f64>,
    pub(super) bytes_a_quote: f64,
}

impl Market {
    /// Of so many quotes of so many books.
    pub(crate) fn new(quotes: usize, books: usize) -> Self {
        let names = (0..books).map(|number| format!("book{number:02}")).collect();
        Self { events: quotes / (books * SIDES.len()), books: names, pass: 0, offset: 0 }
    }

    fn quotes(&self) -> usize {
        self.events * self.books.len() * SIDES.len()
    }

    /// Lets an engine run through it: until all is known and has moved once, and then so many rounds that count.
    pub(super) fn cost(mut self, rounds: u32) -> anyhow::Result<Cost> {
        let before = allocated()?;
        let mut engine = Engine::new(Policy::Board);
        for _ in 0..2 {
            self.run_through(&mut engine);
        }
        let bytes_a_quote = allocated()?.saturating_sub(before) as f64 / self.quotes() as f64;
        let passes = ROUND.div_ceil(self.quotes());
        let ns_a_tick = (0..rounds).map(|_| {
            let took: Duration = (0..passes).map(|_| self.run_through(&mut engine)).sum();
            took.as_nanos() as f64 / (passes * self.quotes()) as f64
        });
        Ok(Cost { ns_a_tick: ns_a_tick.collect(), bytes_a_quote })
    }

    /// Confirms every quote once; how long the engine took.
    fn run_through(&mut self, engine: &mut Engine) -> Duration {
        let mut took = Duration::ZERO;
        for first in (0..self.events).step_by(CUT) {
            let records: Vec<_> = (first..self.events.min(first + CUT))
                .map(|event| TickRecord::Frame(self.frame(event)))
                .collect();
            took += transact(engine, &records, self.offset);
            self.offset += i64::try_from(records.len()).unwrap_or(0);
        }
        self.pass += 1;
        took
    }

    /// The frames of the next pass, one an event.
    pub(crate) fn pass(&mut self) -> Vec<Frame> {
        let frames = (0..self.events).map(|event| self.frame(event)).collect();
        self.pass += 1;
        frames
    }

    /// The ticks of an event in this pass.
    fn frame(&self, event: usize) -> Frame {
        let at = |number: usize| i64::try_from(number).unwrap_or(0);
        let received_at = START + at(self.pass) * PASS + at(event) * PASS / at(self.events).max(1);
        let offers = self.books.iter().enumerate().map(|(book, name)| Offer {
            book: name.clone(),
            market: "totals".to_owned(),
            last_seen_at: received_at,
            price_moved_at: None,
            link: None,
            odds_format: arb_model::OddsFormat::Unknown,
            ticks: (0..SIDES.len()).map(|side| self.tick(event, book, side)).collect(),
        });
        Frame {
            source: "bench".to_owned(),
            received_at,
            poll_index: None,
            push: None,
            event: Event {
                id: format!("bench-{event}").into(),
                sport: "soccer".into(),
                league: "soccer_bench".into(),
                home: format!("Home {event}").into(),
                away: format!("Away {event}").into(),
                commence_time: Time(BEGIN),
            },
            coverage: Coverage { books: Some(vec![]), markets: Some(vec![]) },
            offers: offers.collect(),
        }
    }

    fn tick(&self, event: usize, book: usize, side: usize) -> Tick {
        let number = (event * self.books.len() + book) * SIDES.len() + side;
        let has_window = book == 0 && side == 0 && (event + self.pass).is_multiple_of(WINDOWS);
        // How often it has moved, which decides between two prices that are close.
        let moved = (number + self.pass) / MOVES;
        let price = match (has_window, moved.is_multiple_of(2)) {
            (true, _) => 2_300_000,
            (false, true) => 1_900_000,
            (false, false) => 1_910_000,
        };
        Tick {
            outcome: SIDES[side],
            side: Side::Back,
            line: Some(2_500),
            price,
            status: Status::Active,
            limit: None,
        }
    }
}

/// Lets an engine process records, the first at this offset, and commit them; how long that took it.
pub(super) fn transact(engine: &mut Engine, records: &[TickRecord], first: i64) -> Duration {
    let mut faults = Faults::default();
    let inputs: Vec<_> = records.iter().map(|record| as_input(record, &mut faults)).collect();
    let mut effects: Vec<Effect> = Vec::new();
    let started = Instant::now();
    for (input, offset) in inputs.iter().zip(first..) {
        effects.clear();
        let at = Coordinate { topic: "odds.ticks.v1", partition: 0, offset };
        std::hint::black_box(engine.step(at, input, &mut effects));
    }
    engine.commit();
    started.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_holds_as_many_quotes_as_are_meant() {
        for (quotes, books) in [(2_000, 10), (2_000, 4), (4_000, 20)] {
            let mut market = Market::new(quotes, books);
            let mut engine = Engine::new(Policy::Board);
            for _ in 0..3 {
                market.run_through(&mut engine);
            }
            let size = engine.size();
            assert_eq!((size.quotes, size.events), (quotes, quotes / books / 2), "{books}");
            assert!(size.windows > 0 && size.windows <= size.events / WINDOWS + 1, "{}", size.windows);
        }
    }

    #[test]
    fn one_price_in_ten_moves() {
        let mut market = Market::new(2_000, 10);
        let prices = |market: &Market| -> Vec<_> {
            let offers = (0..market.events).flat_map(|event| market.frame(event).offers);
            offers.flat_map(|offer| offer.ticks).map(|tick| tick.price).collect()
        };
        let before = prices(&market);
        market.pass += 1;
        let moved = before.iter().zip(prices(&market)).filter(|(before, after)| **before != *after).count();
        // Beside them one window ends and another begins.
        assert!(moved.abs_diff(before.len() / MOVES) <= 2, "{moved} of {}", before.len());
    }
}
