//! For tests: an API that reads nothing from Kafka with one key to it, and the records that tests are about.
//!
//! Nothing else in the crate writes out a whole record: a test that needs another one changes a field of
//! these.

use std::time::Duration;

use arb_model::{Money, Points, Price, Time};
use arb_schemas::records::{
    BoardEntry, CloseSignal, EdgeSignal, Event, FailedCheck, FairChance, Leg, LineMovement, SignalQuote, Ttl,
};
use arb_schemas::time::SECOND;
use serde::Serialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::App;
use crate::access::keys::Keys;
use crate::access::plan::Plan;
use crate::access::usage::Usage;
use crate::files::reload::Reloaded;
use crate::stream::Streams;
use crate::stream::source::Source;
use crate::view::json;

/// Such an API.
pub(crate) struct TestApp {
    pub(crate) app: App,
    pub(crate) key: String,
    /// Its files.
    pub(crate) folder: TempDir,
}

impl TestApp {
    /// One of so many partitions and events in memory, with such a heartbeat, whose key may ask three times.
    pub(crate) fn new(partitions: i32, events: usize, heartbeat: Duration) -> Self {
        let streams = Streams::new(Source::by_hand(partitions), events, heartbeat);
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let key = Keys::create(&path("keys.json"), "test", Plan::Free).unwrap();
        std::fs::write(path("plans.json"), r#"{"free": 3}"#).unwrap();
        let keys = Reloaded::open(path("keys.json")).unwrap();
        let plans = Reloaded::open(path("plans.json")).unwrap();
        let usage = Usage::open(path("usage.json"), plans, || 1_000_000_000_000_000).unwrap();
        Self { app: App::new(partitions, keys, usage, streams), key, folder }
    }
}

/// A price in millionths.
fn millionths(price: i64) -> Price {
    Price::from_millionths(price).unwrap()
}

/// An entry with this id and score.
pub(crate) fn entry(id: &str, score: f64) -> BoardEntry {
    let leg = |outcome: &str, price| Leg {
        outcome: outcome.into(),
        side: "back".into(),
        book: "alpha".into(),
        price: millionths(price),
        implied_probability: 0.5,
        stake_share: 0.5,
        price_moved_at: Time(0),
        last_seen_at: Time(9 * SECOND),
        operator: "alpha".into(),
        effective_price: Some(millionths(price)),
        stake: Some(Money(5_001)),
        ..Leg::default()
    };
    BoardEntry {
        id: id.into(),
        event: Event {
            id: "e".into(),
            sport: "soccer".into(),
            league: "soccer_test".into(),
            home: "H".into(),
            away: "A".into(),
            commence_time: Time(0),
        },
        in_play: true,
        kind: "surebet".into(),
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(Points(2_250)),
        implied_probability: 0.95,
        margin: 0.05,
        margin_worst: 0.025,
        legs: vec![leg("over", 2_100_000), leg("under", 1_909_090)],
        simultaneous: false,
        warnings: vec![],
        score,
        opened_at: Time(0),
        updated_at: Time(SECOND),
        sequence: 7,
        margin_rounded: Some(0.0499),
        total_stake_max: Some(Money(12_345)),
        currency: Some("EUR".into()),
        verified: false,
        verification: None,
        failed_checks: vec![FailedCheck { flag: "fresh".into(), reason: "old".into() }],
        ttl: Some(Ttl { p10: 10.0, median: 90.5, p90: 600.0 }),
        execution_probability: Some(0.9),
    }
}

/// A value with this id, opened so many seconds after the beginning.
pub(crate) fn signal(id: &str, opened: i64) -> EdgeSignal {
    let quote = |role: &str, book: &str, price| SignalQuote {
        role: role.into(),
        outcome: "over".into(),
        side: "back".into(),
        line: Some(Points(2_250)),
        book: book.into(),
        operator: book.into(),
        price: millionths(price),
        price_from: None,
        effective_price: millionths(price),
        price_moved_at: Time(0),
        last_seen_at: Time(9 * SECOND),
    };
    let by = |method: &str, probability| FairChance { method: method.into(), probability };
    EdgeSignal {
        id: id.into(),
        kind: "value".into(),
        event: entry("x", 0.0).event,
        in_play: true,
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(Points(2_250)),
        outcome: Some("over".into()),
        strength: 0.031,
        confidence: 0.9,
        bets: vec![quote("bet", "alpha", 2_100_000)],
        evidence: vec![quote("source", "beta", 1_909_090)],
        fair: vec![by("shin", 0.491), by("power", 0.4925)],
        kelly: Some(0.007),
        opened_at: Time(opened * SECOND),
        updated_at: Time((opened + 1) * SECOND),
        expires_at: Time((opened + 90) * SECOND),
        sequence: 7,
    }
}

/// The record as its reader decodes it.
pub(crate) fn shown(view: impl Serialize) -> Value {
    serde_json::from_slice(&json(&view)).unwrap()
}

/// A price that moved.
pub(crate) fn moved() -> LineMovement {
    LineMovement {
        kind: "price".into(),
        event: entry("a", 0.0).event,
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(Points(2_250)),
        line_from: None,
        outcome: Some("over".into()),
        book: Some("alpha".into()),
        price_from: Some(millionths(2_100_000)),
        price_to: Some(millionths(1_909_090)),
        probability_change: Some(0.0476),
        window_start: Time(0),
        window_end: Time(60 * SECOND),
        sequence: 8,
    }
}

/// A window that closed.
pub(crate) fn closed(id: &str, sequence: i64) -> CloseSignal {
    CloseSignal {
        id: id.into(),
        event_id: "e".into(),
        reason: "price_moved".into(),
        opened_at: Time(SECOND),
        closed_at: Time(3 * SECOND + 500_000),
        margin_open: 0.01,
        margin_peak: 0.03,
        margin_close: 0.02,
        sequence,
        sport: "soccer".into(),
        league: "soccer_test".into(),
        market: "h2h".into(),
        period: "full_time".into(),
        line: None,
        simultaneous_ever: Some(true),
        verified_ever: Some(false),
    }
}
