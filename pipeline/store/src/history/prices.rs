//! The prices of a line over time: the last one of each book in each step of a range of time, from the ticks.
//!
//! It never shows a price between two steps, and never more than [`STEPS`] of a bet at a book.

use ::clickhouse::Row;
use arb_schemas::time::Micros;
use serde::Deserialize;

use super::History;
use super::condition::{Bound, Condition};
use crate::clickhouse::Error;

/// Steps of a range.
const STEPS: i64 = 240;
/// Bets at books that are answered.
const SERIES: usize = 400;

/// Which prices are wanted: of one line of one event, from `since` to before `until`, in microseconds.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // As the columns of the view `ticks` are.
pub struct PriceQuery {
    pub sport: String,
    pub event: String,
    pub market: String,
    pub period: String,
    pub line: Option<f64>,
    pub since: Micros,
    pub until: Micros,
}

/// The prices of a bet at a book.
#[derive(Debug, Clone, PartialEq, Row, Deserialize)]
pub struct PriceSeries {
    /// What is bet on.
    pub outcome_key: String,
    /// `back` or `lay`.
    pub side_key: String,
    /// The book.
    pub book_key: String,
    /// When the last tick of a step was received, in microseconds, and its decimal price; 0 while it was suspended.
    pub points: Vec<(i64, f64)>,
}

impl PriceQuery {
    /// The length of a step, in microseconds.
    #[must_use]
    pub fn step(&self) -> Micros {
        (self.until - self.since).max(0) / STEPS + 1
    }

    fn condition(&self) -> Condition {
        let mut condition = Condition::default();
        condition.is("sport", Some(&self.sport));
        condition.is("event_id", Some(&self.event));
        condition.is("market", Some(&self.market));
        condition.is("period", Some(&self.period));
        match self.line {
            Some(line) => condition.and("line = ?", [Bound::Fraction(line)]),
            None => condition.and("isNull(line)", []),
        }
        condition.within("received_at", Some(self.since), Some(self.until));
        condition
    }
}

impl History {
    /// The prices of a line, a series a bet and book, each in the order of time.
    ///
    /// # Errors
    /// That the server cannot be asked, or refuses.
    pub async fn prices(&self, query: &PriceQuery) -> Result<Vec<PriceSeries>, Error> {
        let condition = query.condition();
        let (since, step) = (query.since, query.step());
        let sql = format!(
            "SELECT outcome_key, side_key, book_key, arraySort(groupArray(last)) AS points FROM (\
             SELECT toString(outcome) AS outcome_key, toString(side) AS side_key, toString(book) AS book_key, \
             argMax((toUnixTimestamp64Micro(received_at), if(status = 'active', toFloat64(price), toFloat64(0))), received_at) AS last \
             FROM ticks WHERE {} \
             GROUP BY outcome_key, side_key, book_key, intDiv(toUnixTimestamp64Micro(received_at) - {since}, {step})) \
             GROUP BY outcome_key, side_key, book_key ORDER BY outcome_key, side_key, book_key LIMIT {SERIES}",
            condition.sql
        );
        self.ask(condition.bind(self.client.query(&sql)).fetch_all()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(line: Option<f64>) -> PriceQuery {
        let text = "x' OR 1".to_owned();
        let (event, market, period) = (text.clone(), text.clone(), text.clone());
        PriceQuery { sport: text, event, market, period, line, since: 1_000, until: 241_000 }
    }

    #[test]
    fn every_filter_is_a_condition_and_its_value_is_bound() {
        for (line, values) in [(Some(2.5), 7), (None, 6)] {
            let Condition { sql, bound } = query(line).condition();
            assert_eq!((sql.matches('?').count(), bound.len()), (values, values));
            assert!(!sql.contains("OR 1"), "{sql}");
        }
    }

    #[test]
    fn a_range_has_so_many_steps_and_none_has_no_length() {
        let query = query(None);
        assert_eq!(query.step(), 1_001);
        assert!((query.until - query.since - 1) / query.step() < STEPS);
        assert_eq!(PriceQuery { until: 0, ..query }.step(), 1);
    }
}
