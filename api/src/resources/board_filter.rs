//! The filters and the order that a request of the board asks for.
//!
//! It never changes an entry, nor its rank: a filtered page shows each entry as the whole board does, or as the whole board of the
//! caller's own books does (`user_query`).

use arb_feed::filter::parameter::{Number, Parameter};
use arb_feed::filter::sport::{LEAGUE, SPORT};
use arb_feed::filter::window::{
    BOOK, EVENT_ID, IN_PLAY, MARKET, MIN_MARGIN, MIN_STAKE, VERIFIED, WindowFilter,
};
use arb_feed::view::OddsFormat;
use arb_schemas::records::BoardEntry;
use arb_schemas::time::{Micros, SECOND};
use serde::{Deserialize, Serialize};

use crate::http::query::{Query, QueryRow, row};
use crate::lists::known_names::Named;
use crate::lists::listed::{ListFilter, Listed};
use crate::resources::parameters::ODDS_FORMAT;
use crate::resources::rank::Rank;
use crate::resources::user_query::{BOOKS, COMMISSIONS, TOTAL_STAKE, UserQuery};

/// Why a list's parameter is none of a stream.
const NO_ORDER: &str = "is no parameter of a stream: events have the order of the feed";
const NO_AGE: &str =
    "is no parameter of a stream: ages change without an event; see last_seen_at of the legs";
const NO_FORMAT: &str = "is no parameter of a stream: its odds are decimal";
const NO_BOARD: &str = "is no parameter here: the windows are those of all books";

const MAX_AGE: &Parameter<Number> =
    &Parameter::number("max_age", "The most seconds since any leg was confirmed.", (Some(0.0), None))
        .because("must be a number of seconds, at least 0");
const SORT: &Parameter<Sort> =
    &Parameter::keys("sort", "The order.", &["rank", "margin", "ttl_seconds", "opened_at", "commence_time"])
        .defaulting("rank");

/// The filters of a request; a filter applies where it is given. Numbers are kept as their bits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoardFilter {
    window: WindowFilter,
    /// Seconds; of every leg.
    max_age: Option<u64>,
    sort: Sort,
    #[serde(default)]
    odds_format: OddsFormat,
    #[serde(default)]
    user: UserQuery,
}

/// An order of the board; of equal entries the smaller id comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    /// As the board is ranked.
    #[default]
    Rank,
    /// The largest margin first.
    Margin,
    /// The newest window first.
    OpenedAt,
    /// The next start first.
    CommenceTime,
    /// The longest expected lifetime first; entries without one last.
    TtlSeconds,
}

impl Query for BoardFilter {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(SPORT => window.sport),
        row!(LEAGUE => window.league),
        row!(EVENT_ID => window.event_id),
        row!(MARKET => window.market),
        row!(BOOK => window.book),
        row!(VERIFIED => window.verified),
        row!(IN_PLAY => window.in_play),
        row!(MIN_MARGIN => window.min_margin),
        row!(MAX_AGE => max_age),
        row!(MIN_STAKE => window.min_stake),
        row!(SORT => sort),
        row!(ODDS_FORMAT => odds_format),
        row!(BOOKS => user.books),
        row!(COMMISSIONS => user.commissions),
        row!(TOTAL_STAKE => user.total_stake),
    ];
}

impl ListFilter<BoardEntry> for BoardFilter {
    fn includes(&self, entry: &BoardEntry, as_of: Option<Micros>) -> bool {
        self.window.includes(entry)
            && self.max_age.is_none_or(|most| age(entry, as_of) <= f64::from_bits(most))
    }

    fn names(&self) -> Vec<Named<'_>> {
        Named::of_window(&self.window).chain(self.user.names()).collect()
    }

    fn not_of_streams(name: &str) -> Option<&'static str> {
        match name {
            "sort" => Some(NO_ORDER),
            "max_age" => Some(NO_AGE),
            "odds_format" => Some(NO_FORMAT),
            _ => UserQuery::has(name).then_some(NO_BOARD),
        }
    }

    fn reorders(&self) -> bool {
        self.sort != Sort::Rank
    }

    fn key(&self, entry: &BoardEntry) -> Rank {
        let by = |value| Rank::new(true, value, &entry.id);
        match self.sort {
            Sort::Rank => Listed::key(entry),
            Sort::Margin => by(entry.margin),
            Sort::OpenedAt => by(seconds(entry.opened_at.0)),
            Sort::CommenceTime => by(-seconds(entry.event.commence_time.0)),
            Sort::TtlSeconds => by(entry.ttl.median),
        }
    }

    fn odds(&self) -> OddsFormat {
        self.odds_format
    }

    fn checked(mut self) -> Self {
        self.user = self.user.canonical();
        self
    }

    fn bytes(&self) -> usize {
        self.window.bytes() + self.user.bytes()
    }
}

impl BoardFilter {
    /// The same, computed with the prices of the caller's private source.
    pub(crate) fn of_source(self, private: Option<String>) -> Self {
        Self { user: self.user.of_source(private), ..self }
    }

    /// What is to be computed for the caller.
    pub(crate) fn user(&self) -> &UserQuery {
        &self.user
    }
}

/// The age of the oldest price of a window in seconds, as of a time or of its last transition.
fn age(entry: &BoardEntry, as_of: Option<Micros>) -> f64 {
    let as_of = as_of.unwrap_or(entry.updated_at.0);
    seconds(entry.legs.iter().map(|leg| as_of - leg.last_seen_at.0).max().unwrap_or(0))
}

/// Microseconds in seconds; exact for times of some centuries around 1970.
fn seconds(micros: Micros) -> f64 {
    micros as f64 / SECOND as f64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arb_feed::fixtures::entry;
    use arb_model::{Money, Time, Ttl};
    use serde_json::Value;

    use super::*;
    use crate::http::paging::Cursor;
    use crate::lists::entries::Entries;
    use crate::lists::polls::Polls;
    use crate::lists::snapshot::{PageForm, PageQueryOf};

    fn wanted(parameters: &[(&str, &str)]) -> BoardFilter {
        let mut wanted = BoardFilter::default();
        for (name, value) in parameters {
            assert!(wanted.take(name, value).ok().unwrap(), "{name}={value}");
        }
        wanted
    }

    #[test]
    fn every_part_of_a_filter_holds() {
        // A verified margin of 3 % on totals of soccer_test before its start, both legs at alpha and 9 s old, limits of 123.45.
        let entry = BoardEntry { margin: 0.03, in_play: false, verified: true, ..entry("a", 0.02) };
        for (parameters, expected) in [
            (&[][..], true),
            (&[("sport", "soccer")], true),
            (&[("sport", "soccer_test")], true),
            (&[("sport", "tennis")], false),
            (&[("league", "soccer_test")], true),
            (&[("league", "soccer_epl")], false),
            (&[("event_id", "e")], true),
            (&[("event_id", "f")], false),
            (&[("market", "totals")], true),
            (&[("market", "h2h")], false),
            (&[("book", "alpha")], true),
            (&[("book", "beta")], false),
            (&[("verified", "true")], true),
            (&[("verified", "false")], false),
            (&[("in_play", "false")], true),
            (&[("in_play", "true")], false),
            (&[("min_margin", "0.03")], true),
            (&[("min_margin", "0.0301")], false),
            (&[("max_age", "9")], true),
            (&[("max_age", "8.9")], false),
            (&[("min_stake", "123.45")], true),
            (&[("min_stake", "123.46")], false),
            (&[("book", "alpha"), ("verified", "true"), ("max_age", "60")], true),
            (&[("book", "alpha"), ("verified", "true"), ("max_age", "1")], false),
        ] {
            assert_eq!(wanted(parameters).includes(&entry, Some(18 * SECOND)), expected, "{parameters:?}");
        }
        let unlimited = BoardEntry { total_stake_max: None, ..entry };
        assert!(wanted(&[("min_stake", "1e9")]).includes(&unlimited, None), "nobody states a limit");
    }

    #[test]
    fn an_invalid_value_is_refused_and_an_unknown_parameter_is_left_to_others() {
        for (name, value) in [
            ("sport", ""),
            ("league", "soccer"),
            ("league", ""),
            ("event_id", ""),
            ("market", ""),
            ("book", &*"b".repeat(101)),
            ("verified", "yes"),
            ("in_play", "1"),
            ("min_margin", "2%"),
            ("min_margin", "NaN"),
            ("max_age", "-1"),
            ("max_age", "inf"),
            ("min_stake", "-0.01"),
            ("min_stake", ""),
            ("sort", "best"),
            ("sort", ""),
            ("odds_format", "hongkong"),
        ] {
            assert!(BoardFilter::default().take(name, value).is_err(), "{name}={value}");
        }
        assert!(matches!(BoardFilter::default().take("event", "alpha"), Ok(false)));
    }

    /// The ids of all pages of two, in order.
    fn listed(board: &Entries<BoardEntry>, filter: &BoardFilter) -> String {
        let (mut after, mut ids) = (None, String::new());
        loop {
            let ask =
                PageQueryOf::<BoardEntry> { limit: 2, after, filter: filter.clone(), form: PageForm::Json };
            let page: Value =
                serde_json::from_slice(&board.snapshot().unwrap().page(&ask).body.plain).unwrap();
            let entries = page["arbs"].as_array().unwrap();
            ids.extend(entries.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()));
            let Some(next) = page["next_cursor"].as_str() else { return ids };
            let cursor = Cursor::<Rank, BoardFilter>::decode(next).unwrap();
            assert_eq!(cursor.filter, ask.filter);
            after = Some(cursor.after);
        }
    }

    #[test]
    fn pages_of_every_order_follow_one_another() {
        let board = Entries::<BoardEntry>::new(&Arc::new(Polls::new(1)), &Arc::default());
        board.ready();
        // In alphabetical order: by rank d, b, a, e, c.
        for (id, verified, score, margin, opened, start, median) in [
            ("a", false, 0.05, 0.01, 3, 90, 7.0),
            ("b", true, 0.01, 0.05, 5, 80, 1.0),
            ("c", false, 0.02, 0.02, 1, 70, 9.0),
            ("d", true, 0.04, 0.04, 5, 80, 8.0),
            ("e", false, 0.03, 0.03, 4, 60, 9.0),
        ] {
            let ttl = Ttl { p10: 1.0, median, p90: 99.0 };
            let mut entry = BoardEntry { verified, margin, ttl, ..entry(id, score) };
            (entry.opened_at, entry.event.commence_time) = (Time(opened * SECOND), Time(start * SECOND));
            board.put(entry);
        }
        for (sort, expected) in [
            ("rank", "dbaec"),
            ("margin", "bdeca"),
            ("opened_at", "bdeac"),
            ("commence_time", "ecbda"),
            ("ttl_seconds", "cedab"),
        ] {
            assert_eq!(listed(&board, &wanted(&[("sort", sort)])), expected, "{sort}");
        }
        assert_eq!(listed(&board, &wanted(&[("sort", "margin"), ("verified", "false")])), "eca");
    }

    #[test]
    fn an_amount_is_compared_to_the_cent() {
        let entry = BoardEntry { total_stake_max: Some(Money(10)), ..entry("a", 0.0) };
        assert!(wanted(&[("min_stake", "0.1")]).includes(&entry, None));
    }
}
