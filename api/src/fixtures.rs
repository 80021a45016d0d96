//! For tests: an API that reads nothing from Kafka with one key to it, and the records that tests are about.
//!
//! Records that a test does not look at closely are those of `arb_model::fixtures`; a test that needs another one changes a field
//! of these.

use std::time::Duration;

use arb_model::fixtures::{self, chance, price};
use arb_model::{Money, Points, Time};
use arb_schemas::records::{
    BoardEntry, CloseSignal, EdgeSignal, Event, FailedCheck, Leg, LineMovement, SignalQuote, Ttl,
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

/// An entry with this id and score.
pub(crate) fn entry(id: &str, score: f64) -> BoardEntry {
    let leg = |outcome, millionths| Leg {
        price_moved_at: Time(0),
        last_seen_at: Time(9 * SECOND),
        stake: Some(Money(5_001)),
        limit: None,
        expected_interval: None,
        ..fixtures::leg(outcome, "alpha", millionths)
    };
    BoardEntry {
        id: id.into(),
        event: Event { id: "e".into(), commence_time: Time(0), ..fixtures::event_of("soccer_test") },
        legs: vec![leg("over", 2_100_000), leg("under", 1_909_090)],
        simultaneous: false,
        warnings: vec![],
        score,
        opened_at: Time(0),
        updated_at: Time(SECOND),
        sequence: 7,
        total_stake_max: Some(Money(12_345)),
        verification: None,
        failed_checks: vec![FailedCheck { flag: "fresh".into(), reason: "old".into() }],
        ttl: Some(Ttl { p10: 10.0, median: 90.5, p90: 600.0 }),
        execution_probability: Some(0.9),
        ..fixtures::entry()
    }
}

/// A value with this id, opened so many seconds after the beginning.
pub(crate) fn signal(id: &str, opened: i64) -> EdgeSignal {
    let quote = |role, book, millionths| SignalQuote {
        price_moved_at: Time(0),
        last_seen_at: Time(9 * SECOND),
        ..fixtures::quote(role, book, millionths)
    };
    EdgeSignal {
        id: id.into(),
        kind: "value".into(),
        event: entry("x", 0.0).event,
        bets: vec![quote("bet", "alpha", 2_100_000)],
        evidence: vec![quote("source", "beta", 1_909_090)],
        fair: vec![chance("shin", 0.491), chance("power", 0.4925)],
        kelly: Some(0.007),
        confidence: 0.9,
        opened_at: Time(opened * SECOND),
        updated_at: Time((opened + 1) * SECOND),
        expires_at: Time((opened + 90) * SECOND),
        sequence: 7,
        ..fixtures::signal()
    }
}

/// The record as its reader decodes it.
pub(crate) fn shown(view: impl Serialize) -> Value {
    serde_json::from_slice(&json(&view)).unwrap()
}

/// A price that moved.
pub(crate) fn moved() -> LineMovement {
    LineMovement {
        market: "totals".into(),
        line: Some(Points(2_250)),
        outcome: Some("over".into()),
        price_to: Some(price(1_909_090)),
        window_end: Time(60 * SECOND),
        ..fixtures::movement()
    }
}

/// A window that closed.
pub(crate) fn closed(id: &str, sequence: i64) -> CloseSignal {
    CloseSignal {
        id: id.into(),
        reason: "price_moved".into(),
        opened_at: Time(SECOND),
        closed_at: Time(3 * SECOND + 500_000),
        sequence,
        league: "soccer_test".into(),
        line: None,
        ..fixtures::close()
    }
}
