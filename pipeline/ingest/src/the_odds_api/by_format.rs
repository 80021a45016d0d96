//! The requests of a poll, one for each format in which books make their prices, and their answers as one poll.
//!
//! The API rounds where it converts: an American integer that it makes of decimal odds, and a decimal of two digits that it makes of American ones.
//! Regions whose books all make American odds are asked for in them, the others in decimal odds. A request costs one credit for each market
//! in each of its regions, so that two cost as much as one for all. Of a book that both answers name, the prices in its own format count. It never converts a price.
//!
//! Source: The Odds API v4, "Usage quota costs" (<https://the-odds-api.com/liveapi/guides/v4/>).

use std::collections::{BTreeSet, HashMap};

use arb_model::Faults;
use arb_schemas::records::{Event, Offer};

use super::newest::{add_event, keep_newest};
use super::{Decoder, OddsFormat};
use crate::source::Poll;

/// What makes its prices as American odds; anything else is asked for in decimal odds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AmericanOdds {
    /// Books, by key.
    pub books: BTreeSet<String>,
    /// Regions of the API all of whose books are among them.
    pub regions: BTreeSet<String>,
}

/// One request of a poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddsRequest {
    /// In which its prices are asked for, and read.
    pub odds_format: OddsFormat,
    /// Whose books are asked for.
    pub regions: Vec<String>,
}

impl AmericanOdds {
    /// The requests for these regions: at most one in each format, each region in one of them.
    ///
    /// ```
    /// use arb_ingest::the_odds_api::{AmericanOdds, OddsFormat};
    ///
    /// let american = AmericanOdds { regions: ["us".to_owned()].into(), ..AmericanOdds::default() };
    /// let requests = american.requests(&["eu", "us"].map(str::to_owned));
    /// assert_eq!(requests[0].regions, ["us"]);
    /// assert_eq!(requests[1].odds_format, OddsFormat::Decimal);
    /// ```
    #[must_use]
    pub fn requests(&self, regions: &[String]) -> Vec<OddsRequest> {
        let of = |odds_format, is_american| {
            let regions = regions.iter().filter(|region| self.regions.contains(*region) == is_american);
            let regions: Vec<_> = regions.cloned().collect();
            (!regions.is_empty()).then_some(OddsRequest { odds_format, regions })
        };
        [of(OddsFormat::American, true), of(OddsFormat::Decimal, false)].into_iter().flatten().collect()
    }

    fn format_of(&self, book: &str) -> OddsFormat {
        if self.books.contains(book) { OddsFormat::American } else { OddsFormat::Decimal }
    }

    /// The answers of one poll's requests, each read in its own format, as a poll with the time of the last; `None` without any.
    #[must_use]
    pub fn merged(&self, mut answers: Vec<Poll>, faults: &mut Faults) -> Option<Poll> {
        if answers.len() > 1 {
            self.leave_out_converted(&mut answers);
        }
        let mut answers = answers.into_iter();
        let mut merged = answers.next()?;
        for answer in answers {
            let events = merged.events.iter().enumerate();
            let places: HashMap<_, _> = events.map(|(place, (event, _))| (event.id.clone(), place)).collect();
            merged.received_at = answer.received_at;
            for (event, offers) in answer.events {
                match places.get(&event.id) {
                    Some(place) => {
                        let known = &mut merged.events[*place];
                        add_event(known, event, offers, faults);
                        keep_newest(&mut known.1, faults);
                    }
                    None => merged.events.push((event, offers)),
                }
            }
        }
        Some(merged)
    }

    /// Leaves out the offers in another format than their book's where another answer has them in its own.
    fn leave_out_converted(&self, answers: &mut [Poll]) {
        let is_own = |offer: &Offer| offer.odds_format == self.format_of(&offer.book);
        let key = |event: &Event, offer: &Offer| (event.id.clone(), offer.book.clone(), offer.market.clone());
        let mut own = BTreeSet::new();
        for (event, offers) in answers.iter().flat_map(|answer| &answer.events) {
            let priced = offers.iter().filter(|offer| is_own(offer) && !offer.ticks.is_empty());
            own.extend(priced.map(|offer| key(event, offer)));
        }
        for (event, offers) in answers.iter_mut().flat_map(|answer| &mut answer.events) {
            offers.retain(|offer| is_own(offer) || !own.contains(&key(event, offer)));
        }
    }
}

impl OddsRequest {
    /// The decoder of its answer.
    #[must_use]
    pub fn decoder(&self) -> Decoder {
        Decoder::new(self.odds_format)
    }

    /// Its format as the API writes it.
    #[must_use]
    pub fn format_key(&self) -> &'static str {
        if self.odds_format == OddsFormat::American { "american" } else { "decimal" }
    }
}

#[cfg(test)]
mod tests {
    use arb_model::Price;

    use super::*;

    fn american() -> AmericanOdds {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        AmericanOdds { books: set(&["draftkings", "lowvig"]), regions: set(&["us", "us2"]) }
    }

    fn words(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn each_region_is_asked_for_once_in_the_format_of_its_books() {
        let requests = |regions: &[&str]| {
            let requests = american().requests(&words(regions));
            requests
                .iter()
                .map(|request| format!("{} {}", request.format_key(), request.regions.join(",")))
                .collect::<Vec<_>>()
        };
        assert_eq!(requests(&["us"]), ["american us"]);
        assert_eq!(requests(&["uk", "us", "au", "us2"]), ["american us,us2", "decimal uk,au"]);
        assert_eq!(requests(&["eu"]), ["decimal eu"]);
        assert_eq!(requests(&[]), [""; 0]);
    }

    /// A book, and its prices of both sides.
    type Prices<'a> = (&'a str, &'a str, &'a str);

    /// An answer with prices of books on both sides of events.
    fn answer(format: OddsFormat, at: i64, events: &[(&str, &[Prices<'_>])]) -> Poll {
        let book = |(book, home, away): &(&str, &str, &str)| {
            format!(
                r#"{{"key":"{book}","last_update":"2026-06-21T20:00:00Z","markets":[{{"key":"h2h","outcomes":[{{"name":"H","price":{home}}},{{"name":"A","price":{away}}}]}}]}}"#
            )
        };
        let event = |(id, books): &(&str, &[(&str, &str, &str)])| {
            let books = books.iter().map(book).collect::<Vec<_>>().join(",");
            format!(
                r#"{{"id":"{id}","sport_key":"icehockey_nhl","commence_time":"2026-06-21T22:00:00Z","home_team":"H","away_team":"A","bookmakers":[{books}]}}"#
            )
        };
        let events = format!("[{}]", events.iter().map(event).collect::<Vec<_>>().join(","));
        Decoder::new(format).answer(&events, at, &mut Faults::default()).unwrap()
    }

    #[test]
    fn each_answer_is_read_in_its_own_format_and_of_a_book_in_both_its_own_counts() {
        let us = answer(
            OddsFormat::American,
            5,
            &[
                ("e", &[("draftkings", "-108", "-112"), ("pinnacle", "-105", "-105")]),
                ("us", &[("lowvig", "150", "-180")]),
            ],
        );
        let eu = answer(
            OddsFormat::Decimal,
            7,
            &[
                ("eu", &[("unibet", "1.5", "2.6")]),
                (
                    "e",
                    &[
                        ("draftkings", "1.93", "1.89"),
                        ("pinnacle", "1.952", "1.952"),
                        ("lowvig", "2.5", "1.56"),
                    ],
                ),
            ],
        );
        let mut faults = Faults::default();
        let poll = american().merged(vec![us, eu], &mut faults).unwrap();
        assert_eq!((poll.received_at, faults.is_empty()), (7, true), "{faults}");
        let found: Vec<_> = poll
            .events
            .iter()
            .flat_map(|(event, offers)| {
                offers.iter().map(move |offer| {
                    let price = Price::from_millionths(offer.ticks[0].price).unwrap().decimal();
                    (event.id.to_string(), offer.book.clone(), offer.odds_format, price)
                })
            })
            .collect();
        let of = |event: &str, book: &str, format, price| (event.to_owned(), book.to_owned(), format, price);
        assert_eq!(
            found,
            [
                of("e", "draftkings", OddsFormat::American, 1.925_925),
                of("e", "pinnacle", OddsFormat::Decimal, 1.952),
                of("e", "lowvig", OddsFormat::Decimal, 2.5),
                of("us", "lowvig", OddsFormat::American, 2.5),
                of("eu", "unibet", OddsFormat::Decimal, 1.5),
            ]
        );
        assert!(american().merged(vec![], &mut faults).is_none());
    }
}
