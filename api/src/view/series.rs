//! The prices of a bet at a book over time.
//!
//! It never shows a price that was suspended.

use arb_schemas::time::{Micros, to_rfc3339};
use arb_store::history::PriceSeries;
use serde_json::{Value, json};

/// A book with its prices; null while they were suspended.
pub(crate) fn series_json(series: &PriceSeries) -> Value {
    let point = |(at, price): &(Micros, f64)| json!({"at": to_rfc3339(*at), "price": (*price > 0.0).then_some(price)});
    json!({"book": series.book_key, "points": series.points.iter().map(point).collect::<Vec<_>>()})
}
