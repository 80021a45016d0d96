//! Windows of arbs from opening to close, the newest first, and the transitions of one of them.
//!
//! It never shows more than the view of analysts does.

use ::clickhouse::Row;
use arb_schemas::time::Micros;
use serde::{Deserialize, Serialize};

use super::History;
use super::condition::{Bound, Condition};
use crate::clickhouse::Error;

/// Which windows are wanted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowQuery {
    /// Opened not before, in microseconds.
    pub since: Option<Micros>,
    /// Opened before.
    pub until: Option<Micros>,
    /// The key of a sport.
    pub sport: Option<String>,
    /// The key of a league.
    pub league: Option<String>,
    /// The id of an event.
    pub event: Option<String>,
    /// A market family.
    pub market: Option<String>,
    /// At which it had a leg as it opened.
    pub book: Option<String>,
    /// Whether all flags held at any one time.
    pub verified: Option<bool>,
    /// Its largest margin is not below this fraction.
    pub min_margin: Option<f64>,
    /// The id of the window.
    pub window: Option<String>,
}

/// The place of a window in the list, which is in the order of places. No two windows have the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WindowPlace {
    opened_at: Micros,
    window: String,
    topic: String,
}

/// A window, from opening to close; times in microseconds.
#[derive(Debug, Clone, PartialEq, Row, Deserialize)]
#[allow(missing_docs)] // As the columns of the view `windows` are.
pub struct PastWindow {
    pub window: String,
    /// The feed that it was a window of.
    pub topic: String,
    pub sport_key: String,
    pub league_key: String,
    pub event: String,
    pub home_name: Option<String>,
    pub away_name: Option<String>,
    pub commence_micros: Option<i64>,
    pub kind_key: Option<String>,
    pub market_key: String,
    pub period_key: String,
    pub points: Option<f64>,
    pub opened_micros: i64,
    pub closed_micros: Option<i64>,
    pub why: Option<String>,
    pub was_in_play: Option<bool>,
    pub open_margin: Option<f64>,
    pub peak_margin: Option<f64>,
    pub close_margin: Option<f64>,
    pub was_simultaneous: bool,
    pub was_verified: bool,
    pub all_stood: Option<bool>,
    pub all_stood_verified: Option<bool>,
    pub updates_count: u64,
    /// Outcome, side, book, decimal price and share of the stake of each leg, as it opened.
    pub bets: Vec<(String, String, String, f64, f64)>,
}

impl PastWindow {
    /// Its place.
    #[must_use]
    pub fn place(&self) -> WindowPlace {
        WindowPlace { opened_at: self.opened_micros, window: self.window.clone(), topic: self.topic.clone() }
    }
}

/// A transition of a window; times in microseconds.
#[derive(Debug, Clone, PartialEq, Row, Deserialize)]
#[allow(missing_docs)] // As the columns of the view `window_transitions` are.
pub struct Transition {
    pub sequence_number: i64,
    pub change: String,
    pub micros: i64,
    pub margin_then: f64,
    pub is_verified: bool,
    pub is_simultaneous: bool,
    pub why: Option<String>,
    pub bets: Vec<(String, String, String, f64, f64)>,
}

const BETS: &str =
    "arrayMap(leg -> (leg.outcome, leg.side, leg.book, leg.price, leg.stake_share), legs) AS bets";
const COLUMNS: &str = "window_id AS window, topic_id AS topic, sport AS sport_key, league AS league_key, event_id AS event, \
     toNullable(home) AS home_name, toNullable(away) AS away_name, \
     toNullable(toUnixTimestamp64Micro(assumeNotNull(commence_time))) AS commence_micros, toNullable(kind) AS kind_key, \
     market AS market_key, period AS period_key, toNullable(line) AS points, toUnixTimestamp64Micro(opened_at) AS opened_micros, \
     if(isNull(closed_at), NULL, toUnixTimestamp64Micro(assumeNotNull(closed_at))) AS closed_micros, toNullable(reason) AS why, \
     toNullable(in_play) AS was_in_play, toNullable(margin_open) AS open_margin, toNullable(margin_peak) AS peak_margin, \
     toNullable(margin_close) AS close_margin, simultaneous_ever AS was_simultaneous, \
     verified_ever AS was_verified, stood AS all_stood, verified_stood AS all_stood_verified, updates AS updates_count";
const NEWEST_FIRST: &str = "ORDER BY opened_at DESC, window_id DESC, topic_id DESC";

impl WindowQuery {
    fn condition(&self, before: Option<&WindowPlace>) -> Condition {
        let mut condition = Condition::default();
        condition.within("opened_at", self.since, self.until);
        condition.is("sport", self.sport.as_ref());
        condition.is("league", self.league.as_ref());
        condition.is("event_id", self.event.as_ref());
        condition.is("market", self.market.as_ref());
        condition.is("window_id", self.window.as_ref());
        if let Some(book) = &self.book {
            condition.and("has(books, ?)", [Bound::Text(book.clone())]);
        }
        if let Some(verified) = self.verified {
            condition.and("verified_ever = ?", [Bound::Truth(verified)]);
        }
        if let Some(margin) = self.min_margin {
            condition.and("margin_peak >= ?", [Bound::Fraction(margin)]);
        }
        if let Some(WindowPlace { opened_at, window, topic }) = before {
            condition.and(
                "(opened_at, window_id, topic_id) < (fromUnixTimestamp64Micro(?, 'UTC'), ?, ?)",
                [Bound::Number(*opened_at), Bound::Text(window.clone()), Bound::Text(topic.clone())],
            );
        }
        condition
    }
}

impl History {
    /// Windows before a place, the newest first, at most so many.
    ///
    /// # Errors
    /// That the server cannot be asked, or refuses.
    pub async fn windows(
        &self,
        query: &WindowQuery,
        before: Option<&WindowPlace>,
        limit: usize,
    ) -> Result<Vec<PastWindow>, Error> {
        let condition = query.condition(before);
        let filter =
            if condition.sql.is_empty() { String::new() } else { format!("WHERE {}", condition.sql) };
        let sql = format!("SELECT {COLUMNS}, {BETS} FROM windows {filter} {NEWEST_FIRST} LIMIT {limit}");
        self.ask(condition.bind(self.client.query(&sql)).fetch_all()).await
    }

    /// The first transitions of a window of one feed, in their order, at most so many.
    ///
    /// # Errors
    /// As [`Self::windows`].
    pub async fn transitions(
        &self,
        window: &str,
        topic: &str,
        limit: usize,
    ) -> Result<Vec<Transition>, Error> {
        let sql = format!(
            "SELECT sequence AS sequence_number, transition AS change, toUnixTimestamp64Micro(at) AS micros, margin AS margin_then, \
             verified AS is_verified, simultaneous AS is_simultaneous, toNullable(reason) AS why, {BETS} \
             FROM window_transitions WHERE window_id = ? AND topic_id = ? ORDER BY sequence LIMIT {limit}"
        );
        let mut condition = Condition::default();
        condition.and("", [Bound::Text(window.to_owned()), Bound::Text(topic.to_owned())]);
        self.ask(condition.bind(self.client.query(&sql)).fetch_all()).await
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A window that is open.
    pub(in crate::history) fn window(id: &str, event: &str) -> PastWindow {
        PastWindow {
            window: id.to_owned(),
            topic: "t".to_owned(),
            sport_key: "soccer".to_owned(),
            league_key: "soccer_epl".to_owned(),
            event: event.to_owned(),
            home_name: None,
            away_name: None,
            commence_micros: None,
            kind_key: Some("surebet".to_owned()),
            market_key: "totals".to_owned(),
            period_key: "full_time".to_owned(),
            points: Some(2.25),
            opened_micros: 2_000_000,
            closed_micros: None,
            why: None,
            was_in_play: None,
            open_margin: None,
            peak_margin: None,
            close_margin: None,
            was_simultaneous: false,
            was_verified: false,
            all_stood: None,
            all_stood_verified: None,
            updates_count: 0,
            bets: Vec::new(),
        }
    }

    #[test]
    fn every_filter_is_a_condition_and_its_value_is_bound() {
        assert_eq!(WindowQuery::default().condition(None).sql, "");
        let text = || Some("x' OR 1".to_owned());
        let all = WindowQuery {
            since: Some(1),
            until: Some(2),
            sport: text(),
            league: text(),
            event: text(),
            market: text(),
            book: text(),
            verified: Some(true),
            min_margin: Some(0.01),
            window: text(),
        };
        let before = WindowPlace { opened_at: 3, window: "w".into(), topic: "t".into() };
        let Condition { sql, bound } = all.condition(Some(&before));
        assert_eq!((sql.matches('?').count(), bound.len()), (13, 13));
        assert!(!sql.contains("OR 1"), "{sql}");
    }
}
