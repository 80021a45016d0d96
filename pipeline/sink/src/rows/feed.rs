//! Rows of the feed's events: transitions of windows, movements of lines, alerts.
//!
//! A close says less than an opening; what it does not say is null, never guessed.

use arb_schemas::records::{ArbWindow, CloseSignal, Leg, LineMovement, StaleAlert};
use clickhouse::Row;
use serde::Serialize;

use super::Coordinates;

/// A row of `window_transitions`, as its columns are.
#[derive(Debug, Clone, Default, PartialEq, Row, Serialize)]
#[allow(missing_docs)] // As there.
pub struct TransitionRow<'a> {
    pub topic: &'a str,
    pub topic_id: &'a str,
    pub kafka_partition: u32,
    pub kafka_offset: u64,
    pub row_index: u32,
    pub window_id: &'a str,
    pub sequence: i64,
    pub transition: &'a str,
    pub at: i64,
    pub event_id: &'a str,
    pub sport: &'a str,
    pub league: &'a str,
    pub home: Option<&'a str>,
    pub away: Option<&'a str>,
    pub commence_time: Option<i64>,
    pub in_play: Option<bool>,
    pub kind: Option<&'a str>,
    pub market: &'a str,
    pub period: &'a str,
    pub line: Option<i32>,
    pub implied_probability: Option<f64>,
    pub margin: f64,
    pub margin_worst: Option<f64>,
    pub margin_rounded: Option<f64>,
    pub total_stake_max: Option<i64>,
    pub currency: &'a str,
    pub ttl_p10: Option<f64>,
    pub ttl_median: Option<f64>,
    pub ttl_p90: Option<f64>,
    pub placeable: Option<f64>,
    pub simultaneous: Option<bool>,
    pub verified: Option<bool>,
    #[serde(rename = "doubts.flag")]
    pub doubt_flag: Vec<&'a str>,
    #[serde(rename = "doubts.reason")]
    pub doubt_reason: Vec<&'a str>,
    pub score: Option<f64>,
    pub warnings: Vec<&'a str>,
    #[serde(rename = "legs.outcome")]
    pub leg_outcome: Vec<&'a str>,
    #[serde(rename = "legs.side")]
    pub leg_side: Vec<&'a str>,
    #[serde(rename = "legs.book")]
    pub leg_book: Vec<&'a str>,
    #[serde(rename = "legs.operator")]
    pub leg_operator: Vec<&'a str>,
    #[serde(rename = "legs.price")]
    pub leg_price: Vec<i64>,
    #[serde(rename = "legs.effective_price")]
    pub leg_effective_price: Vec<Option<i64>>,
    #[serde(rename = "legs.implied_probability")]
    pub leg_implied_probability: Vec<f64>,
    #[serde(rename = "legs.stake_share")]
    pub leg_stake_share: Vec<f64>,
    #[serde(rename = "legs.stake")]
    pub leg_stake: Vec<Option<i64>>,
    #[serde(rename = "legs.liability")]
    pub leg_liability: Vec<Option<i64>>,
    #[serde(rename = "legs.limit")]
    pub leg_limit: Vec<Option<i64>>,
    #[serde(rename = "legs.price_moved_at")]
    pub leg_price_moved_at: Vec<i64>,
    #[serde(rename = "legs.last_seen_at")]
    pub leg_last_seen_at: Vec<i64>,
    pub opened_at: i64,
    pub reason: &'a str,
    pub margin_open: Option<f64>,
    pub margin_peak: Option<f64>,
}

/// The row of a window that opened or changed.
#[must_use]
pub fn transition_row<'a>(place: Coordinates<'a>, window: &'a ArbWindow) -> TransitionRow<'a> {
    let ArbWindow { change, entry } = window;
    let (event, legs) = (&entry.event, &entry.legs);
    TransitionRow {
        topic: place.topic,
        topic_id: place.topic_id,
        kafka_partition: place.partition,
        kafka_offset: place.offset,
        row_index: 0,
        window_id: &entry.id,
        sequence: entry.sequence,
        transition: change,
        at: entry.updated_at,
        event_id: &event.id,
        sport: &event.sport,
        league: &event.league,
        home: Some(&event.home),
        away: Some(&event.away),
        commence_time: Some(event.commence_time),
        in_play: Some(entry.in_play),
        kind: Some(&entry.kind),
        market: &entry.market,
        period: &entry.period,
        line: entry.line,
        implied_probability: Some(entry.implied_probability),
        margin: entry.margin,
        margin_worst: Some(entry.margin_worst),
        margin_rounded: entry.margin_rounded,
        total_stake_max: entry.total_stake_max,
        currency: entry.currency.as_deref().unwrap_or_default(),
        ttl_p10: entry.ttl.map(|ttl| ttl.p10),
        ttl_median: entry.ttl.map(|ttl| ttl.median),
        ttl_p90: entry.ttl.map(|ttl| ttl.p90),
        placeable: entry.placeable,
        simultaneous: Some(entry.simultaneous),
        // Before there were flags nothing was said.
        verified: entry.verification.map(|_| entry.verified),
        doubt_flag: entry.doubts.iter().map(|doubt| doubt.flag.as_str()).collect(),
        doubt_reason: entry.doubts.iter().map(|doubt| doubt.reason.as_str()).collect(),
        score: Some(entry.score),
        warnings: entry.warnings.iter().map(String::as_str).collect(),
        leg_outcome: each(legs, |leg| leg.outcome.as_str()),
        leg_side: each(legs, |leg| leg.side.as_str()),
        leg_book: each(legs, |leg| leg.book.as_str()),
        leg_operator: each(legs, |leg| leg.operator.as_str()),
        leg_price: each(legs, |leg| leg.price),
        leg_effective_price: each(legs, |leg| leg.effective_price),
        leg_implied_probability: each(legs, |leg| leg.implied_probability),
        leg_stake_share: each(legs, |leg| leg.stake_share),
        leg_stake: each(legs, |leg| leg.stake),
        leg_liability: each(legs, |leg| leg.liability),
        leg_limit: each(legs, |leg| leg.limit),
        leg_price_moved_at: each(legs, |leg| leg.price_moved_at),
        leg_last_seen_at: each(legs, |leg| leg.last_seen_at),
        opened_at: entry.opened_at,
        reason: "",
        margin_open: None,
        margin_peak: None,
    }
}

fn each<'a, T>(legs: &'a [Leg], of: impl Fn(&'a Leg) -> T) -> Vec<T> {
    legs.iter().map(of).collect()
}

/// The row of a window that closed.
#[must_use]
pub fn closed_row<'a>(place: Coordinates<'a>, closed: &'a CloseSignal) -> TransitionRow<'a> {
    TransitionRow {
        topic: place.topic,
        topic_id: place.topic_id,
        kafka_partition: place.partition,
        kafka_offset: place.offset,
        row_index: 0,
        window_id: &closed.id,
        sequence: closed.sequence,
        transition: "closed",
        at: closed.closed_at,
        event_id: &closed.event_id,
        sport: &closed.sport,
        league: &closed.league,
        market: &closed.market,
        period: &closed.period,
        line: closed.line,
        margin: closed.margin_close,
        simultaneous: closed.simultaneous_ever,
        verified: closed.verified_ever,
        opened_at: closed.opened_at,
        reason: &closed.reason,
        margin_open: Some(closed.margin_open),
        margin_peak: Some(closed.margin_peak),
        // The rest is what a close does not say.
        ..TransitionRow::default()
    }
}

/// A row of `line_movements`, as its columns are.
#[derive(Debug, Clone, Default, PartialEq, Row, Serialize)]
#[allow(missing_docs)] // As there.
pub struct LineMovementRow<'a> {
    pub topic: &'a str,
    pub topic_id: &'a str,
    pub kafka_partition: u32,
    pub kafka_offset: u64,
    pub row_index: u32,
    pub sequence: i64,
    pub kind: &'a str,
    pub event_id: &'a str,
    pub sport: &'a str,
    pub league: &'a str,
    pub home: &'a str,
    pub away: &'a str,
    pub commence_time: i64,
    pub market: &'a str,
    pub period: &'a str,
    pub line: Option<i32>,
    pub line_from: Option<i32>,
    pub outcome: &'a str,
    pub book: &'a str,
    pub price_from: Option<i64>,
    pub price_to: Option<i64>,
    pub probability_change: Option<f64>,
    pub window_start: i64,
    pub window_end: i64,
}

/// The row of a movement.
#[must_use]
pub fn movement_row<'a>(place: Coordinates<'a>, moved: &'a LineMovement) -> LineMovementRow<'a> {
    let event = &moved.event;
    LineMovementRow {
        topic: place.topic,
        topic_id: place.topic_id,
        kafka_partition: place.partition,
        kafka_offset: place.offset,
        row_index: 0,
        sequence: moved.sequence,
        kind: &moved.kind,
        event_id: &event.id,
        sport: &event.sport,
        league: &event.league,
        home: &event.home,
        away: &event.away,
        commence_time: event.commence_time,
        market: &moved.market,
        period: &moved.period,
        line: moved.line,
        line_from: moved.line_from,
        outcome: moved.outcome.as_deref().unwrap_or_default(),
        book: moved.book.as_deref().unwrap_or_default(),
        price_from: moved.price_from,
        price_to: moved.price_to,
        probability_change: moved.probability_change,
        window_start: moved.window_start,
        window_end: moved.window_end,
    }
}

/// A row of `stale_alerts`, as its columns are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Row, Serialize)]
#[allow(missing_docs)] // As there.
pub struct StaleAlertRow<'a> {
    pub topic: &'a str,
    pub topic_id: &'a str,
    pub kafka_partition: u32,
    pub kafka_offset: u64,
    pub row_index: u32,
    pub sequence: i64,
    pub scope: &'a str,
    pub state: &'a str,
    pub event_id: &'a str,
    pub sport: &'a str,
    pub league: &'a str,
    pub home: &'a str,
    pub away: &'a str,
    pub commence_time: i64,
    pub book: &'a str,
    pub window_id: &'a str,
    pub last_seen_at: Option<i64>,
    pub expected_interval: i64,
    pub at: i64,
}

/// The row of an alert.
#[must_use]
pub fn alert_row<'a>(place: Coordinates<'a>, alert: &'a StaleAlert) -> StaleAlertRow<'a> {
    let event = &alert.event;
    StaleAlertRow {
        topic: place.topic,
        topic_id: place.topic_id,
        kafka_partition: place.partition,
        kafka_offset: place.offset,
        row_index: 0,
        sequence: alert.sequence,
        scope: &alert.scope,
        state: &alert.state,
        event_id: &event.id,
        sport: &event.sport,
        league: &event.league,
        home: &event.home,
        away: &event.away,
        commence_time: event.commence_time,
        book: &alert.book,
        window_id: alert.arb_id.as_deref().unwrap_or_default(),
        last_seen_at: alert.last_seen_at,
        expected_interval: alert.expected_interval,
        at: alert.at,
    }
}
