//! The Odds API v4: its JSON as polls. The live poller and recordings share this decoder.
//!
//! A malformed part drops only itself and is counted by its field: events are split first, and each is parsed alone. A poll whose `events` is no
//! whole array is no poll, so that a broken response never reads as "nothing is offered". Of a price that it gives twice the newest counts. The price format is a setting, never
//! guessed. An outcome's `bet_limit`, which exchanges mostly have, is an amount of the book's currency, of a
//! lay taken to be the backer's stake; one that is no amount is counted and left out, and its price stays. The `link` of a market,
//! else of its bookmaker, is that of its offer, under the same rule; those of outcomes are not read (ADR 054).
//!
//! Source: The Odds API, "Odds API documentation v4", `GET /v4/sports/{sport}/odds`, with `includeBetLimits` and
//! `includeLinks`.

mod fields;
mod json;
mod newest;
mod other_format;
pub mod scores;

use std::collections::HashMap;

pub use arb_model::OddsFormat;
use arb_model::{Faults, Market, Price, PriceError, Time, fixed_point};
use arb_schemas::json_parts;
use arb_schemas::records::{Coverage, Event, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::{EVENT_TIMES, Micros, parse_rfc3339};
use serde_json::value::RawValue;

use self::fields::{array, line, link, minor_units, object, string, time};
pub(super) use self::fields::{event_time, record_time};
use self::json::{Lenient, Raw, member, part, text};
use self::newest::add_event;
pub(super) use self::newest::keep_newest;
pub(super) use self::other_format::refuse_american;
use super::source::Poll;

/// The suffix of exchanges' lay markets, whose prices are the other side of the plain market's.
const LAY: &str = "_lay";

/// Decodes answers whose prices have one format.
#[derive(Debug, Clone, Copy)]
pub struct Decoder {
    format: OddsFormat,
}

/// What a bookmaker states for those of its markets that do not.
struct StatedOfBook<'a> {
    book: &'a str,
    last_update: Option<Raw<'a>>,
    link: Option<String>,
}

/// The teams of an event, to match outcomes by name.
pub(super) struct Sides<'a> {
    pub(super) home: &'a str,
    pub(super) away: &'a str,
}

/// A parsed market key, without the suffix for lays.
pub(super) struct MarketKey<'a> {
    pub(super) key: &'a str,
    kind: Market,
    side: Side,
}

impl<'a> MarketKey<'a> {
    /// `None` for a market that is not in the catalogue, which is counted.
    pub(super) fn read(key: &'a str, faults: &mut Faults) -> Option<Self> {
        let (key, side) = key.strip_suffix(LAY).map_or((key, Side::Back), |key| (key, Side::Lay));
        let kind = Market::parse(key);
        if kind.is_none() {
            faults.count("market.key", "unknown");
        }
        Some(Self { key, kind: kind?, side })
    }
}

/// A price on an outcome as it is written.
pub(super) struct Quote<'a> {
    pub(super) name: &'a str,
    pub(super) price: Option<&'a str>,
    pub(super) point: Option<&'a str>,
    pub(super) limit: Option<&'a str>,
}

impl Decoder {
    /// A decoder for a format.
    #[must_use]
    pub fn new(format: OddsFormat) -> Self {
        Self { format }
    }

    /// A recorded poll: `{"polled_at": ..., "events": [...]}`. `None` when the line is no poll.
    pub fn recorded(self, line: &str, faults: &mut Faults) -> Option<Poll> {
        let Some(members) = json_parts::members(json_parts::without_mark(line)) else {
            faults.count("line", "is no JSON");
            return None;
        };
        let polled_at = member(&members, "polled_at", faults)?;
        let received_at = time(serde_json::from_str(polled_at).ok(), "polled_at", faults)?;
        let received_at = record_time(received_at, "polled_at", faults)?;
        self.answer(member(&members, "events", faults)?, received_at, faults)
    }

    /// An answer of the API, an array of events. `None` when it is no such array.
    ///
    /// ```
    /// use arb_ingest::the_odds_api::{Decoder, OddsFormat};
    /// use arb_model::Faults;
    ///
    /// let mut faults = Faults::default();
    /// let decoder = Decoder::new(OddsFormat::Decimal);
    /// let poll = decoder.answer("[]", 1_000_000, &mut faults).unwrap();
    /// assert_eq!((poll.events.len(), poll.ticks()), (0, 0), "a valid poll without offers");
    /// assert!(decoder.answer("{\"message\": \"no\"}", 1_000_000, &mut faults).is_none(), "no poll");
    /// ```
    pub fn answer(self, events: &str, received_at: Micros, faults: &mut Faults) -> Option<Poll> {
        let Some(events) = json_parts::elements(json_parts::without_mark(events)) else {
            faults.count("events", "is no array");
            return None;
        };
        let mut decoded: Vec<(Event, Vec<Offer>)> = Vec::with_capacity(events.len());
        let mut places = HashMap::with_capacity(events.len());
        for event in events {
            let parsed = part(event, "event", faults).and_then(|event| self.event(event, faults));
            let Some((info, offers)) = parsed else { continue };
            let place = *places.entry(info.id.clone()).or_insert(decoded.len());
            match decoded.get_mut(place) {
                Some(earlier) => {
                    faults.count("event", "listed twice");
                    add_event(earlier, info, offers, faults);
                }
                None => decoded.push((info, offers)),
            }
        }
        for (_, offers) in &mut decoded {
            if self.format == OddsFormat::Decimal {
                refuse_american(offers, faults);
            }
            keep_newest(offers, faults);
        }
        let (coverage, odds_format) = (Coverage::ALL, self.format);
        Some(Poll { received_at, league: None, coverage, odds_format, events: decoded })
    }

    fn event(self, event: Lenient<json::Event<'_>>, faults: &mut Faults) -> Option<(Event, Vec<Offer>)> {
        let event = object(event, "event", faults)?;
        let league = string(event.sport_key, "sport_key", faults)?;
        let info = Event {
            id: (&*string(event.id, "id", faults)?).into(),
            // Leagues are named sport_league.
            sport: league.split('_').next().unwrap_or_default().into(),
            league: (&*league).into(),
            home: (&*string(event.home_team, "home_team", faults)?).into(),
            away: (&*string(event.away_team, "away_team", faults)?).into(),
            commence_time: Time(time(event.commence_time, "commence_time", faults)?),
        };
        let sides = Sides { home: &info.home, away: &info.away };
        let mut offers = Vec::new();
        for bookmaker in array(event.bookmakers, "bookmakers", faults) {
            self.bookmaker(bookmaker, &sides, &mut offers, faults);
        }
        Some((info, offers))
    }

    fn bookmaker(
        self,
        bookmaker: Lenient<json::Bookmaker<'_>>,
        sides: &Sides<'_>,
        offers: &mut Vec<Offer>,
        faults: &mut Faults,
    ) {
        let Some(bookmaker) = object(bookmaker, "bookmaker", faults) else { return };
        let Some(book) = string(bookmaker.key, "bookmaker.key", faults) else { return };
        let link = bookmaker.link.and_then(|raw| link(raw, faults));
        let stated = StatedOfBook { book: &book, last_update: bookmaker.last_update, link };
        for market in array(bookmaker.markets, "markets", faults) {
            offers.extend(self.market(market, &stated, sides, faults));
        }
    }

    fn market(
        self,
        market: Lenient<json::Market<'_>>,
        of_book: &StatedOfBook<'_>,
        sides: &Sides<'_>,
        faults: &mut Faults,
    ) -> Option<Offer> {
        let market = object(market, "market", faults)?;
        let key = string(market.key, "market.key", faults)?;
        let market_key = MarketKey::read(&key, faults)?;
        let own = market.last_update.and_then(text).and_then(|text| parse_rfc3339(&text));
        let last_seen_at = match own {
            Some(at) if EVENT_TIMES.contains(&at) => at,
            Some(_) => time(market.last_update, "last_update", faults)?,
            None => time(of_book.last_update, "last_update", faults)?,
        };
        let mut ticks: Vec<Tick> = Vec::with_capacity(3);
        for outcome in array(market.outcomes, "outcomes", faults) {
            let Some(tick) = self.outcome(outcome, &market_key, sides, faults) else { continue };
            add(&mut ticks, tick, faults);
        }
        Some(Offer {
            book: of_book.book.to_owned(),
            market: market_key.key.to_owned(),
            last_seen_at,
            price_moved_at: None,
            ticks,
            link: market.link.and_then(|raw| link(raw, faults)).or_else(|| of_book.link.clone()),
        })
    }

    fn outcome(
        self,
        outcome: Lenient<json::Outcome<'_>>,
        market: &MarketKey<'_>,
        sides: &Sides<'_>,
        faults: &mut Faults,
    ) -> Option<Tick> {
        let outcome = object(outcome, "outcome", faults)?;
        let name = string(outcome.name, "outcome.name", faults)?;
        let quote = Quote {
            name: &name,
            price: outcome.price.map(RawValue::get),
            point: outcome.point.map(RawValue::get),
            limit: outcome.bet_limit.map(RawValue::get),
        };
        self.tick(&quote, market, sides, faults)
    }

    /// The parsed price. `None` when it is malformed, which is counted.
    pub(super) fn tick(
        self,
        quote: &Quote<'_>,
        market: &MarketKey<'_>,
        sides: &Sides<'_>,
        faults: &mut Faults,
    ) -> Option<Tick> {
        let Some(what) = sides.outcome(quote.name) else {
            faults.count("outcome.name", "unknown");
            return None;
        };
        let has_line = market.kind.family.has_line();
        let line = if has_line { Some(line(quote.point, market.kind, what, faults)?) } else { None };
        let tick = Tick {
            outcome: what,
            side: market.side,
            line,
            price: self.price(quote.price, faults)?,
            status: Status::Active,
            limit: quote.limit.and_then(|limit| minor_units(limit, faults)),
        };
        if tick.bet(market.kind).is_none() {
            faults.count("outcome.name", "not of this market");
            return None;
        }
        Some(tick)
    }

    fn price(self, price: Option<&str>, faults: &mut Faults) -> Option<i64> {
        let Some(price) = price else {
            faults.count("price", "missing");
            return None;
        };
        // Of decimal prices none is below 0, and a price below -100 is one of the other format.
        let is_american = american(price).is_ok() && price.starts_with('-');
        let price = match self.format {
            OddsFormat::Decimal => Price::from_decimal(price),
            OddsFormat::American => american(price),
            OddsFormat::Unknown => Err(PriceError::NotANumber),
        };
        match price {
            Ok(price) => Some(price.millionths().into()),
            Err(PriceError::OutOfRange) if self.format == OddsFormat::Decimal && is_american => {
                let (field, problem) = other_format::FAULT;
                faults.count(field, problem);
                None
            }
            Err(PriceError::OutOfRange) => {
                faults.count("price", "out of range");
                None
            }
            Err(PriceError::NotANumber) => {
                faults.count("price", "is no odds");
                None
            }
        }
    }
}

impl Sides<'_> {
    fn outcome(&self, name: &str) -> Option<Outcome> {
        match name {
            _ if name == self.home => Some(Outcome::Home),
            _ if name == self.away => Some(Outcome::Away),
            "Draw" => Some(Outcome::Draw),
            "Over" => Some(Outcome::Over),
            "Under" => Some(Outcome::Under),
            _ => None,
        }
    }
}

/// American odds are whole numbers, however they are written.
fn american(text: &str) -> Result<Price, PriceError> {
    const DIGITS: usize = 9;
    let whole = 10_i64.pow(9);
    let odds = fixed_point(text, DIGITS).filter(|odds| odds % whole == 0).ok_or(PriceError::NotANumber)?;
    Price::from_american(odds / whole)
}

/// Adds a tick to those of an offer; of two for one bet the last holds.
pub(super) fn add(ticks: &mut Vec<Tick>, tick: Tick, faults: &mut Faults) {
    if let Some(earlier) = ticks.iter().position(|earlier| is_same_bet(earlier, &tick)) {
        faults.count("outcome", "listed twice");
        ticks.remove(earlier);
    }
    ticks.push(tick);
}

fn is_same_bet(a: &Tick, b: &Tick) -> bool {
    (a.outcome, a.side, a.line) == (b.outcome, b.side, b.line)
}

#[cfg(test)]
mod tests;
