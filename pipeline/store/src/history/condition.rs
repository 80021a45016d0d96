//! The condition of a question: its text and the values that are bound to it, so that no value is ever part of the text.

use ::clickhouse::query::Query;
use arb_schemas::time::Micros;

/// A value of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Bound {
    Text(String),
    Number(i64),
    Fraction(f64),
    Truth(bool),
}

/// What rows must be, all of it.
#[derive(Debug, Default)]
pub(super) struct Condition {
    pub(super) sql: String,
    pub(super) bound: Vec<Bound>,
}

impl Condition {
    /// Also this, with a `?` for each value.
    pub(super) fn and(&mut self, sql: &str, bound: impl IntoIterator<Item = Bound>) {
        if !self.sql.is_empty() {
            self.sql += " AND ";
        }
        self.sql += sql;
        self.bound.extend(bound);
    }

    /// A column is a text, where one is given.
    pub(super) fn is(&mut self, column: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.and(&format!("{column} = ?"), [Bound::Text(value.clone())]);
        }
    }

    /// A column of times is not before one and before another, where they are given.
    pub(super) fn within(&mut self, column: &str, since: Option<Micros>, until: Option<Micros>) {
        for (compared, value) in [(">=", since), ("<", until)] {
            if let Some(value) = value {
                let sql = format!("{column} {compared} fromUnixTimestamp64Micro(?, 'UTC')");
                self.and(&sql, [Bound::Number(value)]);
            }
        }
    }

    /// A question with its values in their places.
    pub(super) fn bind(self, query: Query) -> Query {
        self.bound.into_iter().fold(query, |query, value| match value {
            Bound::Text(text) => query.bind(text),
            Bound::Number(number) => query.bind(number),
            Bound::Fraction(number) => query.bind(number),
            Bound::Truth(truth) => query.bind(truth),
        })
    }
}
