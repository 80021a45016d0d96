//! A quote of the processor, as lists of odds and evidence show it.
//!
//! It never changes a price.

use arb_engine::{ListedQuote, QuoteStatus};
use arb_model::{Money, Time};
use arb_schemas::time::{Micros, SECOND};
use serde_json::{Value, json};

use arb_feed::view::OddsFormat;

/// A quote, as of a time, its odds in a format.
pub(crate) fn quote_json(quote: &ListedQuote, as_of: Option<Micros>, odds: OddsFormat) -> Value {
    let age = as_of.map(|as_of| (as_of - quote.last_seen_at).max(0) as f64 / SECOND as f64);
    json!({
        "outcome": quote.outcome.key(), "side": quote.side.key(), "book": &*quote.book,
        "price": odds.show(quote.price), "effective_price": odds.show(quote.effective_price),
        "limit": quote.limit.map(|limit| Money(limit.minor())),
        "status": status(quote.status),
        "price_moved_at": Time(quote.price_moved_at), "last_seen_at": Time(quote.last_seen_at), "age_seconds": age,
    })
}

/// The name of a status.
pub(super) fn status(status: QuoteStatus) -> &'static str {
    match status {
        QuoteStatus::OnOffer => "on_offer",
        QuoteStatus::Suspended => "suspended",
        QuoteStatus::Stale => "stale",
        QuoteStatus::Started => "started",
    }
}
