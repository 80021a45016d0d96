//! Rows of the feed's events: transitions of windows, movements of lines, alerts.
//!
//! A close has fewer fields than an opening; a missing field is null, never guessed.

use arb_model::{Money, Open, Points, Price, Seconds, Time};
use arb_schemas::records::{ArbWindow, CloseSignal, Leg, LineMovement, StaleAlert};
use clickhouse::Row;
use serde::Serialize;

use super::Coordinates;

row! {
    /// A row of `window_transitions`, as its columns are.
    pub struct TransitionRow;

    /// The row of a window that opened or changed.
    pub fn transition_row(window: &'a ArbWindow) {
        let ArbWindow { change, entry, .. } = window;
        let (event, legs) = (&entry.event, &entry.legs);
    }

    window_id: &'a str = &entry.id;
    sequence: i64 = entry.sequence;
    transition: &'a str = change;
    at: Time = entry.updated_at;
    event_id: &'a str = &event.id;
    sport: &'a str = &event.sport;
    league: &'a str = &event.league;
    home: Option<&'a str> = Some(&event.home);
    away: Option<&'a str> = Some(&event.away);
    commence_time: Option<Time> = Some(event.commence_time);
    in_play: Option<bool> = Some(entry.in_play);
    kind: Option<&'a str> = Some(entry.kind.as_str());
    market: &'a str = entry.market.as_str();
    period: &'a str = entry.period.as_str();
    line: Option<Points> = entry.line;
    implied_probability: Option<f64> = Some(entry.implied_probability);
    margin: f64 = entry.margin;
    margin_worst: Option<f64> = Some(entry.margin_worst);
    margin_rounded: Option<f64> = entry.margin_rounded;
    total_stake_max: Option<Money> = entry.total_stake_max;
    currency: &'a str = entry.currency.as_deref().unwrap_or_default();
    ttl_p10: Option<f64> = Some(entry.ttl.p10);
    ttl_median: Option<f64> = Some(entry.ttl.median);
    ttl_p90: Option<f64> = Some(entry.ttl.p90);
    execution_probability: Option<f64> = Some(entry.execution_probability);
    simultaneous: bool = entry.simultaneous;
    verified: bool = entry.verified;
    #[serde(rename = "failed_checks.flag")]
    failed_check_flag: Vec<&'a str> = entry.failed_checks.iter().map(|check| check.flag.as_str()).collect();
    #[serde(rename = "failed_checks.reason")]
    failed_check_reason: Vec<&'a str> = entry.failed_checks.iter().map(|check| check.reason.as_str()).collect();
    score: Option<f64> = Some(entry.score);
    warnings: Vec<&'a str> = entry.warnings.iter().map(Open::as_str).collect();
    #[serde(rename = "legs.outcome")]
    leg_outcome: Vec<&'a str> = each(legs, |leg| leg.outcome.as_str());
    #[serde(rename = "legs.side")]
    leg_side: Vec<&'a str> = each(legs, |leg| leg.side.as_str());
    #[serde(rename = "legs.book")]
    leg_book: Vec<&'a str> = each(legs, |leg| &*leg.book);
    #[serde(rename = "legs.operator")]
    leg_operator: Vec<&'a str> = each(legs, |leg| &*leg.operator);
    #[serde(rename = "legs.price")]
    leg_price: Vec<Price> = each(legs, |leg| leg.price);
    #[serde(rename = "legs.effective_price")]
    leg_effective_price: Vec<Price> = each(legs, |leg| leg.effective_price);
    #[serde(rename = "legs.implied_probability")]
    leg_implied_probability: Vec<f64> = each(legs, |leg| leg.implied_probability);
    #[serde(rename = "legs.stake_share")]
    leg_stake_share: Vec<f64> = each(legs, |leg| leg.stake_share);
    #[serde(rename = "legs.stake")]
    leg_stake: Vec<Option<Money>> = each(legs, |leg| leg.stake);
    #[serde(rename = "legs.liability")]
    leg_liability: Vec<Option<Money>> = each(legs, |leg| leg.liability);
    #[serde(rename = "legs.limit")]
    leg_limit: Vec<Option<Money>> = each(legs, |leg| leg.limit);
    #[serde(rename = "legs.price_moved_at")]
    leg_price_moved_at: Vec<Time> = each(legs, |leg| leg.price_moved_at);
    #[serde(rename = "legs.last_seen_at")]
    leg_last_seen_at: Vec<Time> = each(legs, |leg| leg.last_seen_at);
    #[serde(rename = "legs.expected_interval")]
    leg_expected_interval: Vec<Seconds> = each(legs, |leg| leg.expected_interval);
    opened_at: Time = entry.opened_at;
    reason: &'a str = "";
    margin_open: Option<f64> = None;
    margin_peak: Option<f64> = None;
    stood: Option<bool> = None;
    stood_after: Option<Seconds> = None;
    verified_stood: Option<bool> = None;
    verified_stood_after: Option<Seconds> = None;
}

fn each<'a, T>(legs: &'a [Leg], of: impl Fn(&'a Leg) -> T) -> Vec<T> {
    legs.iter().map(of).collect()
}

/// The row of a window that closed; the fields that a close does not have are null.
#[must_use]
pub fn closed_row<'a>(place: Coordinates<'a>, closed: &'a CloseSignal) -> TransitionRow<'a> {
    TransitionRow {
        window_id: &closed.id,
        sequence: closed.sequence,
        transition: "closed",
        at: closed.closed_at,
        event_id: &closed.event_id,
        sport: &closed.sport,
        league: &closed.league,
        market: closed.market.as_str(),
        period: closed.period.as_str(),
        line: closed.line,
        margin: closed.margin_close,
        simultaneous: closed.simultaneous_ever,
        verified: closed.verified_ever,
        opened_at: closed.opened_at,
        reason: closed.reason.as_str(),
        margin_open: Some(closed.margin_open),
        margin_peak: Some(closed.margin_peak),
        stood: closed.stood,
        stood_after: closed.stood_after,
        verified_stood: closed.verified_stood,
        verified_stood_after: closed.verified_stood_after,
        ..TransitionRow::at(place)
    }
}

row! {
    /// A row of `line_movements`, as its columns are.
    pub struct LineMovementRow;

    /// The row of a movement.
    pub fn movement_row(moved: &'a LineMovement) { let event = &moved.event; }

    sequence: i64 = moved.sequence;
    kind: &'a str = moved.kind.as_str();
    event_id: &'a str = &event.id;
    sport: &'a str = &event.sport;
    league: &'a str = &event.league;
    home: &'a str = &event.home;
    away: &'a str = &event.away;
    commence_time: Time = event.commence_time;
    market: &'a str = moved.market.as_str();
    period: &'a str = moved.period.as_str();
    line: Option<Points> = moved.line;
    line_from: Option<Points> = moved.line_from;
    outcome: &'a str = moved.outcome.as_ref().map_or("", Open::as_str);
    book: &'a str = moved.book.as_deref().unwrap_or_default();
    price_from: Option<Price> = moved.price_from;
    price_to: Option<Price> = moved.price_to;
    probability_change: Option<f64> = moved.probability_change;
    window_start: Time = moved.window_start;
    window_end: Time = moved.window_end;
}

row! {
    /// A row of `stale_alerts`, as its columns are.
    pub struct StaleAlertRow;

    /// The row of an alert.
    pub fn alert_row(alert: &'a StaleAlert) { let event = &alert.event; }

    sequence: i64 = alert.sequence;
    scope: &'a str = alert.scope.as_str();
    state: &'a str = alert.state.as_str();
    event_id: &'a str = &event.id;
    sport: &'a str = &event.sport;
    league: &'a str = &event.league;
    home: &'a str = &event.home;
    away: &'a str = &event.away;
    commence_time: Time = event.commence_time;
    book: &'a str = &alert.book;
    window_id: &'a str = alert.arb_id.as_deref().unwrap_or_default();
    last_seen_at: Option<Time> = alert.last_seen_at;
    expected_interval: Seconds = alert.expected_interval;
    at: Time = alert.at;
}
