//! What windows came to: every grading of some of them, in their order.
//!
//! It never shows more than the view of analysts does.

use std::collections::BTreeSet;

use ::clickhouse::Row;
use serde::Deserialize;

use super::condition::{Bound, Condition};
use super::{History, PastWindow};
use crate::clickhouse::Error;

/// A grading of a window; times in microseconds.
#[derive(Debug, Clone, PartialEq, Row, Deserialize)]
#[allow(missing_docs)] // As the columns of the view `window_gradings` are.
pub struct PastGrading {
    pub window: String,
    /// The feed in which it was published.
    pub topic: String,
    pub number: i64,
    pub state_key: String,
    /// Settlement and return of each leg; neither where the result was withdrawn.
    pub paid: Vec<(Option<String>, Option<f64>)>,
    pub total_returned: Option<f64>,
    pub home: Option<i32>,
    pub away: Option<i32>,
    pub reporter: String,
    pub reported_micros: i64,
}

const COLUMNS: &str = "window_id AS window, topic_id AS topic, grade AS number, state AS state_key, \
     arrayMap(leg -> (leg.settlement, leg.returned), legs) AS paid, returned AS total_returned, home_points AS home, \
     away_points AS away, result_source AS reporter, toUnixTimestamp64Micro(at) AS reported_micros";

/// Those of windows: events come first in the order of the table.
fn condition(windows: &[PastWindow]) -> Condition {
    let mut condition = Condition::default();
    let mut is_some_of = |column: &str, of: fn(&PastWindow) -> &str| {
        let values: BTreeSet<_> = windows.iter().map(of).collect();
        let places = vec!["?"; values.len()].join(", ");
        let bound = values.into_iter().map(|value| Bound::Text(value.to_owned()));
        condition.and(&format!("{column} IN ({places})"), bound);
    };
    is_some_of("sport", |window| &window.sport_key);
    is_some_of("event_id", |window| &window.event);
    is_some_of("window_id", |window| &window.window);
    condition
}

impl History {
    /// The gradings of windows, of each window in their order.
    ///
    /// # Errors
    /// As [`Self::windows`].
    pub async fn gradings(&self, windows: &[PastWindow]) -> Result<Vec<PastGrading>, Error> {
        if windows.is_empty() {
            return Ok(Vec::new());
        }
        let condition = condition(windows);
        let sql = format!("SELECT {COLUMNS} FROM window_gradings WHERE {} ORDER BY number", condition.sql);
        let found: Vec<PastGrading> = self.ask(condition.bind(self.client.query(&sql)).fetch_all()).await?;
        // Of another feed a window of the same id is another one.
        let is_of = |grading: &PastGrading| {
            let is_one =
                |window: &PastWindow| (&window.window, &window.topic) == (&grading.window, &grading.topic);
            windows.iter().any(is_one)
        };
        Ok(found.into_iter().filter(is_of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::windows::tests::window;
    use super::*;

    #[test]
    fn each_event_and_each_window_is_asked_for_once_and_bound() {
        let windows = [window("a", "e"), window("b' OR 1", "e"), window("c", "f")];
        let Condition { sql, bound } = condition(&windows);
        assert_eq!(sql, "sport IN (?) AND event_id IN (?, ?) AND window_id IN (?, ?, ?)");
        assert_eq!(bound.len(), 6);
    }
}
