//! What every row of the file of books has: a place for its mistakes, a source, and days.
//!
//! It never knows what a row is about.

use std::collections::BTreeMap;

use arb_engine::venues::Evidence;
use arb_schemas::time::{Micros, parse_rfc3339};
use thiserror::Error;
use toml::value::Datetime;

/// What is wrong with the file.
#[derive(Debug, Error)]
pub enum BooksError {
    /// It is no TOML of this form; the place is in the message.
    #[error("{0}")]
    Form(#[from] toml::de::Error),
    /// It is readable, but its content is invalid.
    #[error("{place}: {what}")]
    Sense {
        /// The place.
        place: String,
        /// What.
        what: String,
    },
}

pub(super) fn sense(place: &str, what: String) -> BooksError {
    BooksError::Sense { place: place.to_owned(), what }
}

pub(super) fn ensure(holds: bool, place: &str, what: impl FnOnce() -> String) -> Result<(), BooksError> {
    if holds { Ok(()) } else { Err(sense(place, what())) }
}

/// A row that states one fact of some books.
pub(super) trait OfBooks {
    /// What its rows are called in the file.
    const ROWS: &'static str;
    type Fact: Clone;

    fn books(&self) -> &[String];

    fn fact(&self, place: &str) -> Result<Self::Fact, BooksError>;
}

/// The fact of each book that a row names; no book is named twice.
pub(super) fn by_book<R: OfBooks>(rows: &[R]) -> Result<BTreeMap<&str, R::Fact>, BooksError> {
    let mut facts = BTreeMap::new();
    for (number, row) in rows.iter().enumerate() {
        let place = format!("{} {}", R::ROWS, number + 1);
        let fact = row.fact(&place)?;
        for key in row.books() {
            ensure(facts.insert(key.as_str(), fact.clone()).is_none(), &place, || {
                format!("{key} is there twice")
            })?;
        }
    }
    Ok(facts)
}

pub(super) fn evidence(
    from: Option<&Datetime>,
    source: &str,
    checked_at: Option<&Datetime>,
    place: &str,
) -> Result<Evidence, BooksError> {
    ensure(!source.trim().is_empty(), place, || "it has no source".to_owned())?;
    let checked_at = checked_at.map(|day| date(day, place)).transpose()?;
    let from = from.map_or(Ok(Micros::MIN), |day| date(day, place))?;
    Ok(Evidence { from, source: source.into(), checked_at })
}

/// The first moment of a day in UTC.
pub(super) fn date(day: &Datetime, place: &str) -> Result<Micros, BooksError> {
    let plain = day.date.is_some() && day.time.is_none() && day.offset.is_none();
    let at = plain.then(|| parse_rfc3339(&format!("{day}T00:00:00Z"))).flatten();
    at.ok_or_else(|| sense(place, format!("{day} is no date")))
}
