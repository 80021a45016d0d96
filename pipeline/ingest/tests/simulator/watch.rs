//! Observations of the market poll by poll, without the engine: ages, withdrawals, books that move together.
//!
//! It counts; it judges nothing.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use arb_ingest::simulator::{Model, Settings, Simulator};
use arb_ingest::source::{Poll, Source, SourceError};
use arb_model::Faults;
use arb_schemas::records::{Offer, Outcome};
use arb_schemas::time::{Micros, SECOND};

/// Pairs of books of one operator, and one of two operators.
pub(crate) const PAIRS: [(&str, &str); 3] =
    [("lowline", "beechonline"), ("nettlebet", "laurelbet"), ("birchodds", "daleplay")];

/// What was counted.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Seconds since each market's `last_update`, before a match and in play.
    pub(crate) ages: [Vec<f64>; 2],
    /// Quotes that a poll had and the next one not, and all that it had: before, in play.
    pub(crate) withdrawn: [(u64, u64); 2],
    /// Of each pair, moves of the first book's price of home before a match, and those the second made too.
    pub(crate) moves: [(u64, u64); PAIRS.len()],
    /// Three-way offers, and those without their draw.
    pub(crate) three_way: (u64, u64),
    /// Each market of each sport.
    pub(crate) markets: Vec<(String, String)>,
    /// Ticks.
    pub(crate) ticks: u64,
    /// When the feed last saw a book's prices of an event, by the [`key`] of poll, event and book.
    pub(crate) confirmed_at: HashMap<u64, Micros>,
}

/// A number for a poll, an event and a book.
pub(crate) fn key(at: Micros, event: &str, book: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (at, event, book).hash(&mut hasher);
    hasher.finish()
}

/// Some polls of the market, as irregular as those of recordings, which it looks at as they go by.
pub(crate) struct Watched {
    market: Simulator,
    at: Micros,
    left: u32,
    lots: fastrand::Rng,
    last: HashMap<String, (bool, Vec<Offer>)>,
    pub(crate) seen: Seen,
}

impl Watched {
    pub(crate) fn new(seed: u64, model: Model, polls: u32) -> Self {
        let start = 1_700_000_000 * SECOND + i64::try_from(seed).unwrap() * 100 * 86_400 * SECOND;
        let market = Simulator::with_model(Settings { seed, start, ..Settings::default() }, model);
        let lots = fastrand::Rng::with_seed(seed);
        Self { market, at: start, left: polls, lots, last: HashMap::new(), seen: Seen::default() }
    }

    /// Gaps as in the recordings: a tenth of five minutes, the rest a quarter of an hour, give or take.
    fn gap(&mut self) -> Micros {
        let seconds = if self.lots.f64() < 0.1 { 310 } else { self.lots.i64(872..932) };
        seconds * SECOND
    }

    fn inspect(&mut self, poll: &Poll) {
        let mut now = HashMap::new();
        for (event, offers) in &poll.events {
            let in_play = event.commence_time.0 <= poll.received_at;
            for offer in offers {
                let age = poll.received_at - offer.last_seen_at;
                self.seen.ages[usize::from(in_play)].push(age as f64 / SECOND as f64);
                self.seen.ticks += offer.ticks.len() as u64;
                if !self.seen.has(&event.sport, &offer.market) {
                    self.seen.markets.push((event.sport.to_string(), offer.market.clone()));
                }
                if event.sport == "soccer" && offer.market == "h2h" {
                    self.seen.three_way.0 += 1;
                    self.seen.three_way.1 += u64::from(offer.ticks.len() == 2);
                }
                let key = key(poll.received_at, &event.id, &offer.book);
                self.seen.confirmed_at.insert(key, offer.last_seen_at);
            }
            if let Some((was_in_play, before)) = self.last.get(&*event.id)
                && *was_in_play == in_play
            {
                self.seen.compare(in_play, before, offers);
            }
            now.insert(event.id.to_string(), (in_play, offers.clone()));
        }
        self.last = now;
    }
}

impl Seen {
    fn has(&self, sport: &str, market: &str) -> bool {
        self.markets.iter().any(|known| (&*known.0, &*known.1) == (sport, market))
    }

    fn compare(&mut self, in_play: bool, before: &[Offer], now: &[Offer]) {
        let of = |offers: &[Offer], book: &str, market: &str| -> Option<usize> {
            offers.iter().position(|offer| offer.book == book && offer.market == market)
        };
        for old in before {
            let new = of(now, &old.book, &old.market).map(|at| &now[at]);
            for tick in &old.ticks {
                let stays = new.is_some_and(|new| {
                    new.ticks.iter().any(|other| (other.outcome, other.line) == (tick.outcome, tick.line))
                });
                let (gone, all) = &mut self.withdrawn[usize::from(in_play)];
                *gone += u64::from(!stays);
                *all += 1;
            }
        }
        if in_play {
            return;
        }
        let moved = |book: &str| {
            let home = |offers: &[Offer]| {
                let offer = &offers[of(offers, book, "h2h")?];
                offer.ticks.iter().find(|tick| tick.outcome == Outcome::Home).map(|tick| tick.price)
            };
            Some(home(before)? != home(now)?)
        };
        for (pair, (leader, other)) in PAIRS.iter().enumerate() {
            if let (Some(true), Some(too)) = (moved(leader), moved(other)) {
                self.moves[pair].0 += 1;
                self.moves[pair].1 += u64::from(too);
            }
        }
    }
}

impl Source for Watched {
    fn name(&self) -> &str {
        self.market.name()
    }

    fn next_poll(&mut self, _: &mut Faults) -> Result<Option<Poll>, SourceError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let poll = self.market.poll_at(self.at);
        self.at += self.gap();
        self.inspect(&poll);
        Ok(Some(poll))
    }
}
