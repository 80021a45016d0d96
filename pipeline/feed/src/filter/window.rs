//! The filters by what a window has in each of its events: those that the board, streams and endpoints have in common.
//!
//! It never looks at a clock: what changes without an event of the feed cannot be filtered by.

use arb_model::{FilterValues, Money};
use arb_schemas::records::BoardEntry;
use serde::{Deserialize, Serialize};

use super::parameter::{Number, Parameter};
use super::query::{Query, QueryRow};
use super::sport::{LEAGUE, SPORT, Sport};
use crate::event::About;
use crate::row;

/// The parameter of an event.
pub const EVENT_ID: &Parameter<String> =
    &Parameter::name("event_id", "An event.", "must be the id of an event");
/// The parameter of a market family.
pub const MARKET: &Parameter<String> = &Parameter::name(
    "market",
    "A market family: h2h, h2h_3_way, draw_no_bet, spreads or totals; another one is 400.",
    "must be a market family",
);
/// The parameter of a book.
pub const BOOK: &Parameter<String> = &Parameter::name(
    "book",
    "A book, as GET /v1/books lists them; one that does not exist is 400.",
    "must be the key of a book",
);
/// The parameter of the flags.
pub const VERIFIED: &Parameter<bool> = &Parameter::truth("verified", "Whether all flags hold.");
/// The parameter of the start.
pub const IN_PLAY: &Parameter<bool> = &Parameter::truth("in_play", "Whether the event has begun.");
/// The parameter of the margin.
pub const MIN_MARGIN: &Parameter<Number> =
    &Parameter::number("min_margin", "The least margin: 0.02 is 2 %.", (None, None))
        .because("must be a number, a fraction: 0.02 is 2 %");
/// The parameter of the total stake.
pub const MIN_STAKE: &Parameter<Number> =
    &Parameter::number("min_stake", "The least total stake within limits.", (Some(0.0), None))
        .because("must be an amount of money, at least 0");

/// Each applies where it is given. Numbers are kept as their bits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowFilter {
    /// The sport, or the league.
    pub sport: Sport,
    /// The league.
    pub league: Sport,
    /// The event.
    pub event_id: Option<String>,
    /// The family of the market.
    pub market: Option<String>,
    /// At which a leg is.
    pub book: Option<String>,
    /// Whether all flags hold.
    pub verified: Option<bool>,
    /// Whether the event has begun.
    pub in_play: Option<bool>,
    /// The least margin.
    pub min_margin: Option<u64>,
    /// The least total stake, in units of the entry's currency.
    pub min_stake: Option<u64>,
}

impl Query for WindowFilter {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(SPORT => sport),
        row!(LEAGUE => league),
        row!(EVENT_ID => event_id),
        row!(MARKET => market),
        row!(BOOK => book),
        row!(VERIFIED => verified),
        row!(IN_PLAY => in_play),
        row!(MIN_MARGIN => min_margin),
        row!(MIN_STAKE => min_stake),
    ];
}

impl WindowFilter {
    /// Whether an open window is shown. A limit that nobody states bounds no stake.
    #[must_use]
    pub fn includes(&self, entry: &BoardEntry) -> bool {
        let is = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|wanted| wanted == is);
        let is_at = |book: &String| entry.legs.iter().any(|leg| *leg.book == **book);
        self.is_in((&entry.event.sport, &entry.event.league))
            && is(&self.event_id, &entry.event.id)
            && is(&self.market, entry.market.as_str())
            && self.book.as_ref().is_none_or(is_at)
            && self.verified.is_none_or(|verified| verified == entry.verified)
            && self.in_play.is_none_or(|in_play| in_play == entry.in_play)
            && self.reaches(entry.margin, entry.total_stake_max)
    }

    /// Whether a sport and a league are what is asked for.
    #[must_use]
    pub fn is_in(&self, (sport, league): (&str, &str)) -> bool {
        self.sport.is(sport, league) && self.league.is(league, league)
    }

    /// Whether what no transition changes is what is asked for. What an event does not have excludes it not.
    #[must_use]
    pub fn is_about(&self, about: &About<'_>) -> bool {
        let is = |wanted: &Option<String>, is: Option<&str>| match (wanted, is) {
            (Some(wanted), Some(is)) => wanted == is,
            _ => true,
        };
        self.is_in((about.sport, about.league))
            && is(&self.event_id, Some(about.event_id))
            && is(&self.market, about.market)
            && is(&self.book, about.book)
    }

    /// Whether a window with these values is shown.
    #[must_use]
    pub fn includes_values(&self, values: &FilterValues) -> bool {
        self.book.as_ref().is_none_or(|book| values.books.iter().any(|at| **at == **book))
            && self.verified.is_none_or(|verified| verified == values.verified)
            && self.in_play.is_none_or(|in_play| in_play == values.in_play)
            && self.reaches(values.margin, values.total_stake_max)
    }

    /// Bytes of the names in it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let names = [&self.event_id, &self.market, &self.book].into_iter().flatten();
        self.sport.bytes() + self.league.bytes() + names.map(String::len).sum::<usize>()
    }

    /// Whether the margin and the stake are within what is asked.
    fn reaches(&self, margin: f64, total_stake_max: Option<Money>) -> bool {
        let reaches = |least: Option<u64>, is: f64| least.is_none_or(|least| is >= f64::from_bits(least));
        reaches(self.min_margin, margin)
            && total_stake_max.is_none_or(|most| reaches(self.min_stake, most.0 as f64 / 100.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(parameters: &[(&str, &str)]) -> WindowFilter {
        let mut wanted = WindowFilter::default();
        for (name, value) in parameters {
            assert!(wanted.take(name, value).unwrap(), "{name}={value}");
        }
        wanted
    }

    #[test]
    fn every_value_that_changes_is_compared() {
        let values = FilterValues {
            margin: 0.03,
            verified: true,
            in_play: false,
            total_stake_max: Some(Money(12_345)),
            books: vec!["alpha".into(), "beta".into()],
        };
        for (parameter, expected) in [
            (("book", "beta"), true),
            (("book", "gamma"), false),
            (("verified", "true"), true),
            (("verified", "false"), false),
            (("in_play", "false"), true),
            (("in_play", "true"), false),
            (("min_margin", "0.03"), true),
            (("min_margin", "0.0301"), false),
            (("min_stake", "123.45"), true),
            (("min_stake", "123.46"), false),
            (("sport", "tennis"), true),
        ] {
            assert_eq!(wanted(&[parameter]).includes_values(&values), expected, "{parameter:?}");
        }
        let unlimited = FilterValues { total_stake_max: None, ..values };
        assert!(wanted(&[("min_stake", "1e9")]).includes_values(&unlimited), "nobody states a limit");
    }

    #[test]
    fn what_an_event_does_not_have_excludes_it_not() {
        let whole = About {
            sport: "soccer",
            league: "soccer_epl",
            event_id: "e",
            market: Some("h2h"),
            book: Some("alpha"),
        };
        let bare = About { market: None, book: None, ..whole };
        for (parameter, [of_whole, of_bare]) in [
            (("sport", "soccer"), [true, true]),
            (("sport", "tennis"), [false, false]),
            (("league", "soccer_epl"), [true, true]),
            (("event_id", "f"), [false, false]),
            (("market", "totals"), [false, true]),
            (("market", "h2h"), [true, true]),
            (("book", "beta"), [false, true]),
            (("min_margin", "0.5"), [true, true]),
        ] {
            let filter = wanted(&[parameter]);
            assert_eq!(
                [filter.is_about(&whole), filter.is_about(&bare)],
                [of_whole, of_bare],
                "{parameter:?}"
            );
        }
    }
}
