//! The ticks of the job that is written for other engines (`pipeline::peers`), as our records: tick by tick the same markets, books, outcomes
//! and prices, drawn by the same numbers.
//!
//! Their books have no names that any table knows: each is one of the shipped table's here. It never claims to be lifelike.

use anyhow::{Context, bail};
use arb_model::Time;
use arb_process::books;
use arb_schemas::records::{Coverage, Event, Frame, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::{Micros, SECOND};

/// The first number that their generator begins with.
const SEED: u64 = 12_345;
const BOOKS: u64 = 40;
const OUTCOMES: [Outcome; 3] = [Outcome::Home, Outcome::Draw, Outcome::Away];
/// By outcome, in thousandths.
const PRICES: [u64; 3] = [2_600, 3_400, 3_300];

/// Which of their two generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Of throughput: 20,000 markets, of which a fifth have four ticks in five.
    Full,
    /// Of latency: 500 markets, whose prices have more steps.
    Paced,
}

/// Their market.
#[derive(Debug)]
pub(crate) struct PeerMarket {
    shape: Shape,
    state: u64,
    books: Vec<String>,
    starts_at: Micros,
}

impl PeerMarket {
    /// A market without any ticks yet, all of whose events begin in a day.
    pub(crate) fn new(shape: Shape, now: Micros) -> anyhow::Result<Self> {
        let table = books::shipped().context("the shipped table of books")?;
        let books: Vec<_> =
            table.keys().into_iter().map(str::to_owned).take(usize::try_from(BOOKS)?).collect();
        if books.len() < usize::try_from(BOOKS)? {
            bail!("the table has {} books only", books.len());
        }
        Ok(Self { shape, state: SEED, books, starts_at: now + 24 * 3_600 * SECOND })
    }

    /// The next tick, observed at a time.
    pub(crate) fn next(&mut self, at: Micros) -> Frame {
        let market = self.market();
        let outcome = self.below(3);
        let book = usize::try_from(self.below(BOOKS)).unwrap_or(0);
        let price = self.price(PRICES[usize::try_from(outcome).unwrap_or(0)]);
        if self.shape == Shape::Full {
            // Whether theirs has a line, which their job does not look at.
            self.below(2);
        }
        let outcome = OUTCOMES[usize::try_from(outcome).unwrap_or(0)];
        let (line, status, limit) = (None, Status::Active, None);
        Frame {
            source: "bench".to_owned(),
            received_at: at,
            poll_index: None,
            push: None,
            event: self.event(market),
            coverage: Coverage { books: Some(vec![]), markets: Some(vec![]) },
            offers: vec![Offer {
                book: self.books[book].clone(),
                market: "h2h".to_owned(),
                last_seen_at: at,
                price_moved_at: None,
                link: None,
                odds_format: arb_model::OddsFormat::Unknown,
                ticks: vec![Tick { outcome, side: Side::Back, line, price, status, limit }],
            }],
        }
    }

    fn market(&mut self) -> u64 {
        match self.shape {
            Shape::Full => {
                let is_of_all = self.below(5) == 0;
                self.below(if is_of_all { 20_000 } else { 4_000 })
            }
            Shape::Paced => self.below(500),
        }
    }

    /// In millionths.
    fn price(&mut self, of_outcome: u64) -> i64 {
        let price = match self.shape {
            Shape::Full => of_outcome * (930 + self.below(90)),
            Shape::Paced => of_outcome * (9_300 + self.below(900)) / 10,
        };
        i64::try_from(price).unwrap_or_default()
    }

    /// The next number below this one: Marsaglia's xorshift with 13, 7, 17.
    fn below(&mut self, limit: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % limit
    }

    fn event(&self, number: u64) -> Event {
        Event {
            id: format!("epl:2026-11-21:arsenal-chelsea:{number:06}").into(),
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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_same_numbers_give_the_same_ticks() {
        let ticks = |shape| {
            let mut market = PeerMarket::new(shape, 0).unwrap();
            (0..20_000).map(|at| market.next(at)).collect::<Vec<_>>()
        };
        for (shape, markets) in [(Shape::Full, 4_000..20_000), (Shape::Paced, 500..501)] {
            let frames = ticks(shape);
            assert_eq!(frames, ticks(shape));
            let events: BTreeSet<_> = frames.iter().map(|frame| frame.event.id.to_string()).collect();
            let books: BTreeSet<_> = frames.iter().map(|frame| frame.offers[0].book.clone()).collect();
            assert!(markets.contains(&events.len()) && books.len() == 40, "{}", events.len());
            let prices = frames.iter().map(|frame| frame.offers[0].ticks[0].price);
            assert!(prices.clone().min() >= Some(2_418_000) && prices.max() <= Some(3_468_000));
        }
    }
}
