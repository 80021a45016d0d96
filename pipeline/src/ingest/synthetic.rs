//! A small seeded market that does not exist, for a first look and for tests without recordings.
//!
//! It writes the JSON that The Odds API would, so that everything after it is the real thing. The same seed gives
//! the same polls. It never claims to be lifelike.

use std::fmt::Write as _;

use arb_schemas::time::{Micros, SECOND, to_rfc3339};
use fastrand::Rng;

use super::source::{Poll, Source, SourceError};
use super::the_odds_api::{Decoder, OddsFormat};
use crate::faults::Faults;

const BOOKS: [&str; 8] =
    ["alderbet", "birchodds", "cedarline", "daleplay", "elmwager", "firstakes", "grovebet", "heathodds"];
const LEAGUES: [&str; 2] = ["soccer_synthetic_league", "americanfootball_synthetic_league"];
/// Events on offer at one time.
const EVENTS: i64 = 12;
/// Polls that an event is on offer.
const LIFE: i64 = 120;
/// Of them, those before it begins.
const PRE_MATCH: i64 = 80;
/// Polls that pass before the first one.
const WARM_UP: usize = 20;
/// How far a book's belief may lie from the truth, in log-odds.
const ERROR: f64 = 0.11;
/// Lines of totals around which events play: whole, half and quarter ones.
const TOTALS: [f64; 4] = [2.0, 2.25, 2.5, 3.0];
/// Lines of spreads.
const SPREADS: [f64; 4] = [-1.5, -1.0, 0.0, 2.5];

/// The market, as a source of polls.
pub struct Synthetic {
    rng: Rng,
    at: Micros,
    every: Micros,
    polls: i64,
    events: Vec<Event>,
    quotes: Vec<Quote>,
}

/// One event: its sides' strength drifts from poll to poll.
struct Event {
    number: i64,
    league: &'static str,
    born: i64,
    starts_at: Micros,
    /// Log-odds of home against away.
    strength: f64,
    total: f64,
    spread: f64,
}

/// What one book offers of one event: what it believes, since when, and whether it shows it.
struct Quote {
    belief: f64,
    seen_at: Micros,
    is_open: bool,
}

impl Synthetic {
    /// A market whose first poll is at `start`, and then one each `every`.
    #[must_use]
    pub fn new(seed: u64, start: Micros, every: Micros) -> Self {
        let mut market =
            Self { rng: Rng::with_seed(seed), at: start, every, polls: 0, events: vec![], quotes: vec![] };
        for index in 0..EVENTS {
            // Of all ages, so that some are in play and some are about to end from the start.
            let age = LIFE * index / EVENTS;
            let event = market.event(index, -age);
            let quotes = BOOKS.map(|_| Quote { belief: event.strength, seen_at: start, is_open: true });
            market.quotes.extend(quotes);
            market.events.push(event);
        }
        // Books agree at first; let them drift apart before anyone looks.
        (0..WARM_UP).for_each(|_| market.advance());
        market
    }

    /// The next poll, as a line of a recording.
    #[must_use]
    pub fn next_line(&mut self) -> String {
        let at = self.at;
        self.advance();
        let events: Vec<_> = (0..self.events.len()).map(|event| self.write_event(event)).collect();
        self.at += self.every;
        self.polls += 1;
        format!("{{\"polled_at\":\"{}\",\"events\":[{}]}}", to_rfc3339(at), events.join(","))
    }

    fn event(&mut self, number: i64, born: i64) -> Event {
        let pick = |rng: &mut Rng, of: &[f64]| rng.choice(of).copied().unwrap_or_default();
        Event {
            number,
            league: LEAGUES[usize::try_from(number).unwrap_or(0) % LEAGUES.len()],
            born,
            starts_at: self.at + (born + PRE_MATCH - self.polls) * self.every,
            strength: self.rng.f64() * 2.0 - 1.0,
            total: pick(&mut self.rng, &TOTALS),
            spread: pick(&mut self.rng, &SPREADS),
        }
    }

    /// Lets strengths drift, books follow at their own pace, quotes come and go, and events end.
    fn advance(&mut self) {
        for index in 0..self.events.len() {
            if self.polls - self.events[index].born >= LIFE {
                let number = self.events[index].number + EVENTS;
                self.events[index] = self.event(number, self.polls);
            }
            let step = if self.at >= self.events[index].starts_at { 0.12 } else { 0.02 };
            self.events[index].strength += (self.rng.f64() - 0.5) * step;
        }
        for (index, quote) in self.quotes.iter_mut().enumerate() {
            let strength = self.events[index / BOOKS.len()].strength;
            if self.rng.f64() < 0.6 {
                quote.seen_at = self.at - self.rng.i64(0..30) * SECOND;
                if self.rng.f64() < 0.5 {
                    quote.belief = strength + (self.rng.f64() - 0.5) * 2.0 * ERROR;
                }
            }
            quote.is_open = self.rng.f64() > 0.02;
        }
    }

    fn write_event(&self, index: usize) -> String {
        let event = &self.events[index];
        let (home, away) = (format!("Home {}", event.number), format!("Away {}", event.number));
        let quotes = &self.quotes[index * BOOKS.len()..][..BOOKS.len()];
        let books = BOOKS.iter().zip(quotes).filter(|(_, quote)| quote.is_open);
        let books: Vec<_> =
            books.map(|(book, quote)| write_book(event, book, quote, [&home, &away])).collect();
        format!(
            r#"{{"id":"synthetic-{}","sport_key":"{}","commence_time":"{}","home_team":"{home}","away_team":"{away}","bookmakers":[{}]}}"#,
            event.number,
            event.league,
            to_rfc3339(event.starts_at),
            books.join(",")
        )
    }
}

fn write_book(event: &Event, book: &str, quote: &Quote, [home, away]: [&str; 2]) -> String {
    let seen = to_rfc3339(quote.seen_at);
    let wins = 1.0 / (1.0 + (-quote.belief).exp());
    let mut markets = String::new();
    let mut market = |key: &str, outcomes: &[(&str, f64, Option<f64>)]| {
        let comma = if markets.is_empty() { "" } else { "," };
        let outcomes: Vec<_> = outcomes.iter().map(write_outcome).collect();
        let outcomes = outcomes.join(",");
        let _ = write!(markets, r#"{comma}{{"key":"{key}","last_update":"{seen}","outcomes":[{outcomes}]}}"#);
    };
    if event.league == LEAGUES[0] {
        let draw = 0.26;
        let rest = 1.0 - draw;
        market("h2h", &[(home, wins * rest, None), (away, (1.0 - wins) * rest, None), ("Draw", draw, None)]);
    } else {
        market("h2h", &[(home, wins, None), (away, 1.0 - wins, None)]);
        let covers = 0.5 + (wins - 0.5) * 0.3;
        let line = event.spread;
        market("spreads", &[(home, covers, Some(line)), (away, 1.0 - covers, Some(-line))]);
    }
    let over = 0.5 + (wins - 0.5) * 0.2;
    market("totals", &[("Over", over, Some(event.total)), ("Under", 1.0 - over, Some(event.total))]);
    format!(r#"{{"key":"{book}","title":"{book}","last_update":"{seen}","markets":[{markets}]}}"#)
}

fn write_outcome((name, probability, point): &(&str, f64, Option<f64>)) -> String {
    let point = point.map(|point| format!(",\"point\":{point}")).unwrap_or_default();
    format!(r#"{{"name":"{name}","price":{}{point}}}"#, american(*probability))
}

/// American odds for a probability, with the book's margin of 4 %.
fn american(probability: f64) -> i64 {
    let decimal = 1.0 / (probability * 1.04).clamp(0.005, 0.97);
    #[allow(clippy::cast_possible_truncation)] // Between 1.03 and 200.
    if decimal >= 2.0 { ((decimal - 1.0) * 100.0) as i64 } else { (-100.0 / (decimal - 1.0)) as i64 }
}

impl Source for Synthetic {
    fn name(&self) -> &'static str {
        "synthetic"
    }

    fn next_poll(&mut self, faults: &mut Faults) -> Result<Option<Poll>, SourceError> {
        let line = self.next_line();
        Ok(Decoder::new(OddsFormat::American).recorded(&line, faults))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(seed: u64) -> Vec<String> {
        let mut market = Synthetic::new(seed, 0, 300 * SECOND);
        (0..300).map(|_| market.next_line()).collect()
    }

    #[test]
    fn a_seed_gives_the_same_market() {
        assert_eq!(lines(1), lines(1));
        assert_ne!(lines(1), lines(2));
    }

    #[test]
    fn polls_are_what_the_api_would_send() {
        let mut market = Synthetic::new(1, 0, 300 * SECOND);
        let mut faults = Faults::default();
        let mut markets = std::collections::BTreeSet::new();
        for index in 0..300 {
            let poll = market.next_poll(&mut faults).unwrap().expect("a poll");
            assert_eq!((poll.received_at, poll.events.len()), (index * 300 * SECOND, 12));
            let offers = poll.events.into_iter().flat_map(|(_, offers)| offers);
            markets.extend(offers.map(|offer| offer.market));
        }
        assert!(faults.is_empty(), "{faults}");
        assert!(markets.iter().eq(["h2h", "spreads", "totals"]));
    }
}
