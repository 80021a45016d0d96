//! Rows of transitions of edge signals.
//!
//! The record says a closing reason where it says a change; the row says both, as rows of windows do. What is bet on
//! and what says so are columns of their own: an analyst asks for one of them.

use arb_schemas::records::{SignalChange, SignalQuote};
use clickhouse::Row;
use serde::Serialize;

use super::Coordinates;

/// A row of `signal_transitions`, as its columns are.
#[derive(Debug, Clone, Default, PartialEq, Row, Serialize)]
#[allow(missing_docs)] // As there.
pub struct SignalRow<'a> {
    pub topic: &'a str,
    pub topic_id: &'a str,
    pub kafka_partition: u32,
    pub kafka_offset: u64,
    pub row_index: u32,
    pub signal_id: &'a str,
    pub sequence: i64,
    pub transition: &'a str,
    pub at: i64,
    pub reason: &'a str,
    pub kind: &'a str,
    pub event_id: &'a str,
    pub sport: &'a str,
    pub league: &'a str,
    pub home: &'a str,
    pub away: &'a str,
    pub commence_time: i64,
    pub in_play: bool,
    pub market: &'a str,
    pub period: &'a str,
    pub line: Option<i32>,
    pub outcome: &'a str,
    pub strength: f64,
    pub confidence: f64,
    pub kelly: Option<f64>,
    #[serde(rename = "bets.outcome")]
    pub bet_outcome: Vec<&'a str>,
    #[serde(rename = "bets.side")]
    pub bet_side: Vec<&'a str>,
    #[serde(rename = "bets.line")]
    pub bet_line: Vec<Option<i32>>,
    #[serde(rename = "bets.book")]
    pub bet_book: Vec<&'a str>,
    #[serde(rename = "bets.operator")]
    pub bet_operator: Vec<&'a str>,
    #[serde(rename = "bets.price")]
    pub bet_price: Vec<i64>,
    #[serde(rename = "bets.effective_price")]
    pub bet_effective_price: Vec<i64>,
    #[serde(rename = "bets.price_moved_at")]
    pub bet_price_moved_at: Vec<i64>,
    #[serde(rename = "bets.last_seen_at")]
    pub bet_last_seen_at: Vec<i64>,
    #[serde(rename = "evidence.role")]
    pub evidence_role: Vec<&'a str>,
    #[serde(rename = "evidence.outcome")]
    pub evidence_outcome: Vec<&'a str>,
    #[serde(rename = "evidence.side")]
    pub evidence_side: Vec<&'a str>,
    #[serde(rename = "evidence.line")]
    pub evidence_line: Vec<Option<i32>>,
    #[serde(rename = "evidence.book")]
    pub evidence_book: Vec<&'a str>,
    #[serde(rename = "evidence.operator")]
    pub evidence_operator: Vec<&'a str>,
    #[serde(rename = "evidence.price")]
    pub evidence_price: Vec<i64>,
    #[serde(rename = "evidence.price_from")]
    pub evidence_price_from: Vec<Option<i64>>,
    #[serde(rename = "evidence.effective_price")]
    pub evidence_effective_price: Vec<i64>,
    #[serde(rename = "evidence.price_moved_at")]
    pub evidence_price_moved_at: Vec<i64>,
    #[serde(rename = "evidence.last_seen_at")]
    pub evidence_last_seen_at: Vec<i64>,
    #[serde(rename = "fair.method")]
    pub fair_method: Vec<&'a str>,
    #[serde(rename = "fair.probability")]
    pub fair_probability: Vec<f64>,
    pub opened_at: i64,
    pub expires_at: i64,
}

/// The row of a signal that opened, changed or closed.
#[must_use]
pub fn signal_row<'a>(place: Coordinates<'a>, changed: &'a SignalChange) -> SignalRow<'a> {
    let SignalChange { change, signal } = changed;
    let (event, bets, evidence) = (&signal.event, &signal.bets, &signal.evidence);
    let (transition, reason) = match &**change {
        "opened" | "updated" => (&**change, ""),
        reason => ("closed", reason),
    };
    SignalRow {
        topic: place.topic,
        topic_id: place.topic_id,
        kafka_partition: place.partition,
        kafka_offset: place.offset,
        row_index: 0,
        signal_id: &signal.id,
        sequence: signal.sequence,
        transition,
        at: signal.updated_at,
        reason,
        kind: &signal.kind,
        event_id: &event.id,
        sport: &event.sport,
        league: &event.league,
        home: &event.home,
        away: &event.away,
        commence_time: event.commence_time,
        in_play: signal.in_play,
        market: &signal.market,
        period: &signal.period,
        line: signal.line,
        outcome: signal.outcome.as_deref().unwrap_or_default(),
        strength: signal.strength,
        confidence: signal.confidence,
        kelly: signal.kelly,
        bet_outcome: each(bets, |bet| bet.outcome.as_str()),
        bet_side: each(bets, |bet| bet.side.as_str()),
        bet_line: each(bets, |bet| bet.line),
        bet_book: each(bets, |bet| bet.book.as_str()),
        bet_operator: each(bets, |bet| bet.operator.as_str()),
        bet_price: each(bets, |bet| bet.price),
        bet_effective_price: each(bets, |bet| bet.effective_price),
        bet_price_moved_at: each(bets, |bet| bet.price_moved_at),
        bet_last_seen_at: each(bets, |bet| bet.last_seen_at),
        evidence_role: each(evidence, |said| said.role.as_str()),
        evidence_outcome: each(evidence, |said| said.outcome.as_str()),
        evidence_side: each(evidence, |said| said.side.as_str()),
        evidence_line: each(evidence, |said| said.line),
        evidence_book: each(evidence, |said| said.book.as_str()),
        evidence_operator: each(evidence, |said| said.operator.as_str()),
        evidence_price: each(evidence, |said| said.price),
        evidence_price_from: each(evidence, |said| said.price_from),
        evidence_effective_price: each(evidence, |said| said.effective_price),
        evidence_price_moved_at: each(evidence, |said| said.price_moved_at),
        evidence_last_seen_at: each(evidence, |said| said.last_seen_at),
        fair_method: signal.fair.iter().map(|fair| fair.method.as_str()).collect(),
        fair_probability: signal.fair.iter().map(|fair| fair.probability).collect(),
        opened_at: signal.opened_at,
        expires_at: signal.expires_at,
    }
}

fn each<'a, T>(quotes: &'a [SignalQuote], of: impl Fn(&'a SignalQuote) -> T) -> Vec<T> {
    quotes.iter().map(of).collect()
}
