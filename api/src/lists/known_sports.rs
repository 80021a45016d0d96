//! Which sports and leagues there are: those of the shipped catalogue, and whatever a record has named.
//!
//! A name that is none of them is a mistake, and is answered with similar names. It never removes a name: a
//! league without an open window still exists.
//!
//! Source of the catalogue: the sport keys of The Odds API v4, leagues of every season; a league's key begins with its sport.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use crate::http::problem::Problem;
use crate::lists::sport::Sport;

/// The leagues, a line each, in order.
const LEAGUES: &str = include_str!("leagues.txt");
/// Names that are remembered, at most: they come from the feed.
const MAX_SEEN: usize = 10_000;
/// Names that are suggested, at most.
const SUGGESTED: usize = 3;
/// One letter in so many may differ in a suggestion.
const LETTERS: usize = 3;

/// The names that records have had.
#[derive(Debug, Default)]
pub(crate) struct KnownSports(RwLock<BTreeSet<String>>);

impl KnownSports {
    /// Notes a sport and a league of a record.
    pub(crate) fn note(&self, sport: &str, league: &str) {
        for name in [sport, league] {
            let is_new = !self.0.read().unwrap_or_else(PoisonError::into_inner).contains(name);
            if is_new {
                let mut seen = self.0.write().unwrap_or_else(PoisonError::into_inner);
                if seen.len() < MAX_SEEN {
                    seen.insert(name.to_owned());
                }
            }
        }
    }

    /// The same for a stream, which may name any league of a known sport: a browser that resumes on an instance which has not
    /// seen the league yet never reconnects after a 400.
    pub(crate) fn check_for_stream(&self, parameter: &str, sport: &Sport) -> Result<(), Problem> {
        let of_known_sport = |name: &str| {
            let sport = name.split_once('_').filter(|(_, league)| !league.is_empty());
            sport.is_some_and(|(sport, _)| sports().any(|known| known == sport))
        };
        if sport.name().is_some_and(of_known_sport) { Ok(()) } else { self.check(parameter, sport) }
    }

    /// All leagues, in order.
    pub(crate) fn leagues(&self) -> BTreeSet<String> {
        let seen = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let seen = seen.iter().filter(|name| name.contains('_')).cloned();
        LEAGUES.lines().map(ToOwned::to_owned).chain(seen).collect()
    }

    /// Refuses a parameter that names none of them.
    pub(crate) fn check(&self, parameter: &str, sport: &Sport) -> Result<(), Problem> {
        let Some(name) = sport.name().filter(|name| catalogue().all(|known| known != *name)) else {
            return Ok(());
        };
        let seen = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if seen.contains(name) {
            return Ok(());
        }
        let most = (name.chars().count() / LETTERS).max(1);
        let mut near: Vec<_> = catalogue()
            .chain(seen.iter().map(String::as_str))
            .map(|other| (distance(name, other), other))
            .filter(|(distance, other)| *distance <= most || other.starts_with(name))
            .collect();
        near.sort_unstable();
        near.dedup();
        let near: Vec<_> = near.into_iter().take(SUGGESTED).map(|(_, other)| other).collect();
        let named = if near.is_empty() { sports().collect() } else { near }.join(", ");
        Err(Problem::invalid_param(
            parameter,
            format!("is no sport or league that is known; there are: {named}"),
        ))
    }
}

/// The sports of the catalogue, each once.
fn sports<'a>() -> impl Iterator<Item = &'a str> {
    let mut last = "";
    LEAGUES.lines().map(|league| league.split('_').next().unwrap_or(league)).filter(move |sport| {
        let is_new = *sport != last;
        last = sport;
        is_new
    })
}

/// All names of the catalogue.
fn catalogue<'a>() -> impl Iterator<Item = &'a str> {
    sports().chain(LEAGUES.lines())
}

/// How many letters must be added, removed or changed.
///
/// Source: the Levenshtein distance, a row at a time.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<_> = b.chars().collect();
    let mut row: Vec<_> = (0..=b.len()).collect();
    for (above, letter) in (1..).zip(a.chars()) {
        let mut diagonal = row[0];
        row[0] = above;
        for column in 1..row.len() {
            let changed = diagonal + usize::from(b[column - 1] != letter);
            diagonal = row[column];
            row[column] = changed.min(row[column] + 1).min(row[column - 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(sports: &KnownSports, name: &str) -> Option<String> {
        let problem = sports.check("sport", &Sport::parse(name).ok().unwrap()).err()?;
        Some(problem.into_parts().2)
    }

    #[test]
    fn a_name_that_is_none_is_refused_with_those_that_are_like_it() {
        let sports = KnownSports::default();
        for name in ["soccer", "soccer_epl", "icehockey_nhl", "tennis"] {
            assert_eq!(refusal(&sports, name), None, "{name}");
        }
        assert!(sports.check("sport", &Sport::default()).is_ok());
        for (name, suggested) in [
            ("soccr", "there are: soccer\""),
            ("socc", "there are: soccer, "),
            ("basket", "there are: basketball, "),
            ("soccer_", "there are: soccer, soccer_epl, soccer_spl\""),
            ("soccer_epll", "there are: soccer_epl, "),
            ("soccer_typo", "there are: soccer_"),
        ] {
            let detail = refusal(&sports, name).unwrap();
            assert!(detail.contains(suggested), "{name}: {detail}");
        }
        assert!(refusal(&sports, "nonsense").unwrap().contains("americanfootball, aussierules, baseball"));
    }

    #[test]
    fn a_name_in_a_record_is_known_from_then_on() {
        let sports = KnownSports::default();
        for never_seen in ["kabaddi_pro", "soccer_test"] {
            assert!(refusal(&sports, never_seen).is_some());
        }
        sports.note("soccer", "soccer_test");
        assert!(refusal(&sports, "soccer_test").is_none() && refusal(&sports, "soccer_tests").is_some());
        sports.note("kabaddi", "kabaddi_pro");
        assert!(refusal(&sports, "kabaddi_pro").is_none() && refusal(&sports, "kabaddi").is_none());
        assert!(refusal(&sports, "kabadi").unwrap().contains("kabaddi"));
        let leagues = sports.leagues();
        assert!(
            leagues.contains("kabaddi_pro") && leagues.contains("soccer_epl") && !leagues.contains("kabaddi")
        );
    }

    #[test]
    fn a_stream_may_name_any_league_of_a_known_sport() {
        let sports = KnownSports::default();
        let is_refused =
            |name: &str| sports.check_for_stream("sport", &Sport::parse(name).ok().unwrap()).is_err();
        for (name, expected) in [
            ("soccer", false),
            ("soccer_test", false),
            ("soccer_", true),
            ("soccr_epl", true),
            ("kabaddi_pro", true),
        ] {
            assert_eq!(is_refused(name), expected, "{name}");
        }
        sports.note("kabaddi", "kabaddi_pro");
        assert!(!is_refused("kabaddi_pro"));
    }

    #[test]
    fn the_catalogue_is_in_order_and_has_each_league_once() {
        assert!(LEAGUES.lines().is_sorted_by(|a, b| a < b));
        assert!(LEAGUES.lines().all(|league| league.contains('_')));
    }

    #[test]
    fn the_distance_counts_letters() {
        for (a, b, expected) in
            [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("soccer", "socer", 1)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }
}
