//! A window of the board.

use arb_model::{BoardEntry, Leg, PassedOver, Time, Ttl};
use arb_schemas::time::{Micros, SECOND};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Aged, EventView, OddsFormat};

/// An entry, as of a time.
#[derive(Debug, Serialize)]
pub struct EntryView<'a> {
    #[serde(flatten)]
    entry: &'a BoardEntry,
    #[serde(flatten)]
    about: EventView<'a>,
    legs: Legs<'a>,
    /// With its prices in the format of the legs'.
    passed_over: Option<Value>,
    #[serde(flatten)]
    ttl: TtlView,
}

/// The bets, with decimal odds as the record has them, or with other odds.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Legs<'a> {
    Decimal(Vec<Aged<'a, Leg>>),
    Other(Vec<Value>),
}

impl<'a> Legs<'a> {
    fn new(legs: &'a [Leg], as_of: Micros, odds: OddsFormat) -> Self {
        let aged = legs.iter().map(|leg| (leg, Aged::new(leg, leg.last_seen_at, as_of)));
        if odds == OddsFormat::Decimal {
            return Self::Decimal(aged.map(|(_, aged)| aged).collect());
        }
        let other = |(leg, aged): (&Leg, Aged<'_, Leg>)| {
            let mut value = json!(aged);
            value["price"] = odds.show(leg.price);
            value["effective_price"] = odds.show(leg.effective_price);
            value
        };
        Self::Other(aged.map(other).collect())
    }
}

/// How long a window is expected to live, and when half of such windows are gone.
#[derive(Debug, Serialize)]
struct TtlView {
    ttl_seconds: f64,
    ttl_p10_seconds: f64,
    ttl_p90_seconds: f64,
    expires_at: Time,
}

impl<'a> EntryView<'a> {
    /// With decimal odds, its ages as of a time.
    #[must_use]
    pub fn new(entry: &'a BoardEntry, as_of: Micros) -> Self {
        Self::with_odds(entry, as_of, OddsFormat::Decimal)
    }

    /// The same with its odds in a format.
    #[must_use]
    pub fn with_odds(entry: &'a BoardEntry, as_of: Micros, odds: OddsFormat) -> Self {
        Self {
            entry,
            about: EventView::new(&entry.event, Some(entry.in_play)),
            legs: Legs::new(&entry.legs, as_of, odds),
            passed_over: entry.passed_over.as_ref().map(|passed| passed_over(passed, odds)),
            ttl: TtlView::new(entry.ttl, entry.updated_at),
        }
    }
}

impl TtlView {
    fn new(ttl: Ttl, written_at: Time) -> Self {
        Self {
            ttl_seconds: ttl.median,
            ttl_p10_seconds: ttl.p10,
            ttl_p90_seconds: ttl.p90,
            expires_at: expires_at(written_at, ttl),
        }
    }
}

fn passed_over(passed: &PassedOver, odds: OddsFormat) -> Value {
    let mut value = json!(passed);
    for (at, leg) in passed.legs.iter().enumerate() {
        value["legs"][at]["price"] = odds.show(leg.price);
    }
    value
}

fn expires_at(written_at: Time, ttl: Ttl) -> Time {
    #[allow(clippy::cast_possible_truncation)] // Cut at the end of time.
    let life = (ttl.median * SECOND as f64) as Micros;
    Time(written_at.0.saturating_add(life))
}
