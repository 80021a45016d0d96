//! What a poll shows of the market, and the scores beside it: as the poll that everything after it takes, or as The Odds API's JSON.
//!
//! Both have the same content; a test decodes the JSON and compares it with the poll. Nothing is decided
//! here.

use std::fmt::Write as _;

use arb_model::{OddsFormat, Price, Time};
use arb_schemas::records::{Coverage, Event, LiveScore, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::{Micros, to_rfc3339};

use super::super::source::Poll;
use super::book::Book;
use super::card::{Card, Priced};
use super::fixture::Fixture;
use super::schedule::Life;

/// As a poll.
pub(super) fn poll(at: Micros, fixtures: &[&Fixture], books: &[Book]) -> Poll {
    let event = |fixture: &&Fixture| {
        let offers = fixture.cards(at, books).flat_map(|(book, card)| offers(&fixture.life, book, &card));
        (event(&fixture.life), offers.collect())
    };
    let events = fixtures.iter().map(event).collect();
    Poll { received_at: at, league: None, coverage: Coverage::ALL, events }
}

/// The score of a match in play; a goal of the step that is not over is not in it.
pub(super) fn score(fixture: &Fixture, at: Micros, source: &str) -> Option<LiveScore> {
    let period = Some(fixture.life.period(at)?);
    let Event { id, sport, league, home, away, .. } = event(&fixture.life);
    let [home_points, away_points] = fixture.points();
    Some(LiveScore {
        event: id.to_string(),
        sport: sport.to_string(),
        league: league.to_string(),
        home: home.to_string(),
        away: away.to_string(),
        home_points,
        away_points,
        period,
        source: source.to_owned(),
        reported_at: at,
    })
}

fn event(life: &Life) -> Event {
    let league = life.sport.league;
    Event {
        id: (&*life.id).into(),
        sport: league.split('_').next().unwrap_or_default().into(),
        league: league.into(),
        home: (&*life.home).into(),
        away: (&*life.away).into(),
        commence_time: Time(life.starts_at),
    }
}

fn offers(life: &Life, book: &Book, card: &Card) -> Vec<Offer> {
    let offers = card.markets(has_spreads(life, book)).map(|offered| Offer {
        book: book.key.clone(),
        market: offered.market.to_owned(),
        last_seen_at: card.seen_at,
        price_moved_at: None,
        link: None,
        odds_format: OddsFormat::American,
        ticks: offered.prices.iter().filter_map(|price| tick(book, card, offered.side, *price)).collect(),
    });
    offers.collect()
}

/// A spread's line is the home side's, whichever side's price it is.
fn tick(book: &Book, card: &Card, side: Side, (outcome, odds, line): Priced) -> Option<Tick> {
    let line = if outcome == Outcome::Away { line.map(|line| -line) } else { line };
    let price = Price::from_american(odds.into()).ok()?.millionths().into();
    let limit = limit(book, card, side, outcome);
    Some(Tick { outcome, side, line, price, status: Status::Active, limit })
}

/// The largest stake at a price, in minor units.
fn limit(book: &Book, card: &Card, side: Side, outcome: Outcome) -> Option<i64> {
    book.limit(card.seen_at, side as u64 * 16 + outcome as u64)
}

/// Handicaps of football with a draw are for some books only.
fn has_spreads(life: &Life, book: &Book) -> bool {
    !life.sport.has_draw || book.is_asian
}

/// As a line of a recording.
pub(super) fn line(at: Micros, fixtures: &[&Fixture], books: &[Book]) -> String {
    let mut out = format!(r#"{{"polled_at":"{}","events":["#, to_rfc3339(at));
    for (index, fixture) in fixtures.iter().enumerate() {
        write_event(&mut out, index, fixture, at, books);
    }
    out.push_str("]}");
    out
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

fn write_event(out: &mut String, index: usize, fixture: &Fixture, at: Micros, books: &[Book]) {
    let Life { id, sport, home, away, starts_at, .. } = &fixture.life;
    let _ = write!(
        out,
        r#"{}{{"id":"{id}","sport_key":"{}","commence_time":"{}","home_team":"{home}","away_team":"{away}","bookmakers":["#,
        comma(index),
        sport.league,
        to_rfc3339(*starts_at),
    );
    for (index, (book, card)) in fixture.cards(at, books).enumerate() {
        write_book(out, index, &fixture.life, book, &card);
    }
    out.push_str("]}");
}

fn write_book(out: &mut String, index: usize, life: &Life, book: &Book, card: &Card) {
    let (key, seen) = (&book.key, to_rfc3339(card.seen_at));
    let comma_before = comma(index);
    let _ =
        write!(out, r#"{comma_before}{{"key":"{key}","title":"{key}","last_update":"{seen}","markets":["#);
    for (index, offered) in card.markets(has_spreads(life, book)).enumerate() {
        let (comma_before, market) = (comma(index), offered.key());
        let _ = write!(out, r#"{comma_before}{{"key":"{market}","last_update":"{seen}","outcomes":["#);
        for (index, price) in offered.prices.iter().enumerate() {
            out.push_str(comma(index));
            write_price(out, life, price, limit(book, card, offered.side, price.0));
        }
        out.push_str("]}");
    }
    out.push_str("]}");
}

fn write_price(out: &mut String, life: &Life, &(outcome, odds, point): &Priced, limit: Option<i64>) {
    let name = match outcome {
        Outcome::Home => &life.home,
        Outcome::Away => &life.away,
        Outcome::Over => "Over",
        Outcome::Under => "Under",
        Outcome::Draw | Outcome::Unknown => "Draw",
    };
    let _ = write!(out, r#"{{"name":"{name}","price":{odds}"#);
    if let Some(point) = point {
        let _ = write!(out, ",\"point\":{}", f64::from(point) / 1e3);
    }
    if let Some(minor) = limit {
        let _ = write!(out, ",\"bet_limit\":{}.{:02}", minor / 100, minor % 100);
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use arb_model::Faults;
    use arb_schemas::time::SECOND;

    use super::super::{Settings, Simulator, Source};
    use crate::the_odds_api::{Decoder, OddsFormat};

    #[test]
    fn the_json_decodes_to_the_poll() {
        let settings = Settings { every: 617 * SECOND, events: 20, exchange: true, ..Settings::default() };
        let (mut polls, mut lines) = (Simulator::new(settings), Simulator::new(settings));
        let mut faults = Faults::default();
        for _ in 0..200 {
            let poll = polls.next_poll(&mut faults).unwrap();
            let decoded = Decoder::new(OddsFormat::American).recorded(&lines.next_line(), &mut faults);
            assert_eq!(decoded, poll);
        }
        assert!(faults.is_empty(), "{faults}");
    }
}
