//! The filters of the board as a stream has them.
//!
//! It never looks at a clock: what changes without an event of the feed cannot be filtered by.

use arb_model::FilterValues;

use super::BoardFilter;
use crate::http::problem::Problem;
use crate::lists::listed::{About, ListFilter, StreamFilter};
use crate::resources::user_query::UserQuery;

/// Why a list's parameter is none of a stream.
const NO_ORDER: &str = "is no parameter of a stream: events have the order of the feed";
const NO_AGE: &str =
    "is no parameter of a stream: ages change without an event; see last_seen_at of the legs";

const NO_FORMAT: &str = "is no parameter of a stream: its odds are decimal";
const NO_BOARD: &str = "is no parameter here: the windows are those of all books";

impl StreamFilter for BoardFilter {
    fn take_for_stream(&mut self, name: &str, value: &str) -> Result<bool, Problem> {
        match name {
            "sort" => Err(Problem::invalid_param(name, NO_ORDER)),
            "max_age" => Err(Problem::invalid_param(name, NO_AGE)),
            "odds_format" => Err(Problem::invalid_param(name, NO_FORMAT)),
            _ if UserQuery::has(name) => Err(Problem::invalid_param(name, NO_BOARD)),
            _ => self.take(name, value),
        }
    }

    fn is_in(&self, (sport, league): (&str, &str)) -> bool {
        self.sport.is(sport, league) && self.league.is(league, league)
    }

    fn is_about(&self, about: &About<'_>) -> bool {
        let is = |wanted: &Option<String>, is: Option<&str>| match (wanted, is) {
            (Some(wanted), Some(is)) => wanted == is,
            _ => true,
        };
        self.is_in((about.sport, about.league))
            && is(&self.event_id, Some(about.event_id))
            && is(&self.market, about.market)
            && is(&self.book, about.book)
    }

    fn includes_values(&self, values: &FilterValues) -> bool {
        let reaches = |least: Option<u64>, is: f64| least.is_none_or(|least| is >= f64::from_bits(least));
        self.book.as_ref().is_none_or(|book| values.books.iter().any(|at| **at == **book))
            && self.verified.is_none_or(|verified| verified == values.verified)
            && self.in_play.is_none_or(|in_play| in_play == values.in_play)
            && reaches(self.min_margin, values.margin)
            && values.total_stake_max.is_none_or(|most| reaches(self.min_stake, most.0 as f64 / 100.0))
    }
}

#[cfg(test)]
mod tests {
    use arb_model::Money;

    use super::*;

    fn wanted(parameters: &[(&str, &str)]) -> BoardFilter {
        let mut wanted = BoardFilter::default();
        for (name, value) in parameters {
            assert!(wanted.take_for_stream(name, value).ok().unwrap(), "{name}={value}");
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

    #[test]
    fn what_changes_without_an_event_is_refused() {
        for name in ["sort", "max_age"] {
            assert!(BoardFilter::default().take_for_stream(name, "1").is_err(), "{name}");
        }
        assert!(matches!(BoardFilter::default().take_for_stream("limit", "1"), Ok(false)));
    }
}
