//! For tests: the records and events that tests of the feed, of webhooks and of the API are about.
//!
//! Records that a test does not look at closely are those of `arb_model::fixtures`; a test that needs another one changes a field
//! of these.

use arb_model::fixtures::{self, chance, price};
use arb_model::{Flag, Money, PickChange, Points, Seconds, Time, Verification};
use arb_schemas::records::{
    ArbWindow, BoardEntry, CloseSignal, EdgeSignal, Event as SportsEvent, FailedCheck, Leg, LineMovement,
    SignalChange, SignalQuote, Ttl,
};
use arb_schemas::time::SECOND;
use serde::Serialize;
use serde_json::Value;

use crate::event::Event;
use crate::view::json;

/// An entry with this id and score.
#[must_use]
pub fn entry(id: &str, score: f64) -> BoardEntry {
    let leg = |outcome, millionths| Leg {
        price_moved_at: Time(0),
        last_seen_at: Time(9 * SECOND),
        stake: Some(Money(5_001)),
        limit: None,
        expected_interval: Seconds(40 * SECOND),
        link: None,
        ..fixtures::leg(outcome, "alpha", millionths)
    };
    BoardEntry {
        id: id.into(),
        event: SportsEvent { id: "e".into(), commence_time: Time(0), ..fixtures::event_of("soccer_test") },
        legs: vec![leg("over", 2_100_000), leg("under", 1_909_090)],
        simultaneous: false,
        warnings: vec![],
        score,
        opened_at: Time(0),
        updated_at: Time(SECOND),
        sequence: 7,
        total_stake_max: Some(Money(12_345)),
        verification: Verification::of(Flag::ALL.into_iter().filter(|flag| *flag != Flag::Fresh)),
        failed_checks: vec![FailedCheck { flag: "fresh".into(), reason: "old".into() }],
        ttl: Ttl { p10: 10.0, median: 90.5, p90: 600.0 },
        execution_probability: 0.9,
        ..fixtures::entry()
    }
}

/// A value with this id, opened so many seconds after the beginning.
#[must_use]
pub fn signal(id: &str, opened: i64) -> EdgeSignal {
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

/// The record as its reader decodes it; null where it is no JSON.
pub fn shown(view: impl Serialize) -> Value {
    serde_json::from_slice(&json(&view)).unwrap_or_default()
}

/// A price that moved.
#[must_use]
pub fn moved() -> LineMovement {
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
#[must_use]
pub fn closed(id: &str, sequence: i64) -> CloseSignal {
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

/// A pick that was published or graded.
#[must_use]
pub fn pick_change(change: &str) -> PickChange {
    PickChange { change: change.to_owned(), pick: fixtures::pick() }
}

/// A window with this id and sequence, opened.
#[must_use]
pub fn window(id: &str, sequence: i64) -> Event {
    let mut entry = entry(id, 0.01);
    entry.sequence = sequence;
    Event::ArbWindow(Box::new(ArbWindow { change: "opened".into(), entry, replaced: None }))
}

/// A window that closed.
#[must_use]
pub fn close(id: &str, sequence: i64) -> Event {
    Event::CloseSignal(closed(id, sequence))
}

/// A signal with this id and sequence, changed so.
#[must_use]
pub fn changed(id: &str, sequence: i64, change: &str) -> Event {
    let signal = EdgeSignal { sequence, ..signal(id, 1) };
    Event::EdgeSignal(Box::new(SignalChange { change: change.into(), signal }))
}
