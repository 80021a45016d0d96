//! Rows of transitions of edge signals.
//!
//! In the record the closing reason is in the same field as the change; the row has both, as rows of windows
//! do. The bets and the evidence are separate columns: an analyst queries one of them.

use arb_model::{Open, Points, Price, Time};
use arb_schemas::records::{SignalChange, SignalQuote};
use clickhouse::Row;
use serde::Serialize;

use super::Coordinates;

row! {
    /// A row of `signal_transitions`, as its columns are.
    pub struct SignalRow;

    /// The row of a signal that opened, changed or closed.
    pub fn signal_row(changed: &'a SignalChange) {
        let SignalChange { change, signal } = changed;
        let (event, bets, evidence) = (&signal.event, &signal.bets, &signal.evidence);
        let (transition, reason) = transition_and_reason(change);
    }

    signal_id: &'a str = &signal.id;
    sequence: i64 = signal.sequence;
    transition: &'a str = transition;
    at: Time = signal.updated_at;
    reason: &'a str = reason;
    kind: &'a str = signal.kind.as_str();
    event_id: &'a str = &event.id;
    sport: &'a str = &event.sport;
    league: &'a str = &event.league;
    home: &'a str = &event.home;
    away: &'a str = &event.away;
    commence_time: Time = event.commence_time;
    in_play: bool = signal.in_play;
    market: &'a str = signal.market.as_str();
    period: &'a str = signal.period.as_str();
    line: Option<Points> = signal.line;
    outcome: &'a str = signal.outcome.as_ref().map_or("", Open::as_str);
    strength: f64 = signal.strength;
    confidence: f64 = signal.confidence;
    kelly: Option<f64> = signal.kelly;
    #[serde(rename = "bets.outcome")]
    bet_outcome: Vec<&'a str> = each(bets, |bet| bet.outcome.as_str());
    #[serde(rename = "bets.side")]
    bet_side: Vec<&'a str> = each(bets, |bet| bet.side.as_str());
    #[serde(rename = "bets.line")]
    bet_line: Vec<Option<Points>> = each(bets, |bet| bet.line);
    #[serde(rename = "bets.book")]
    bet_book: Vec<&'a str> = each(bets, |bet| &*bet.book);
    #[serde(rename = "bets.operator")]
    bet_operator: Vec<&'a str> = each(bets, |bet| &*bet.operator);
    #[serde(rename = "bets.price")]
    bet_price: Vec<Price> = each(bets, |bet| bet.price);
    #[serde(rename = "bets.effective_price")]
    bet_effective_price: Vec<Price> = each(bets, |bet| bet.effective_price);
    #[serde(rename = "bets.price_moved_at")]
    bet_price_moved_at: Vec<Time> = each(bets, |bet| bet.price_moved_at);
    #[serde(rename = "bets.last_seen_at")]
    bet_last_seen_at: Vec<Time> = each(bets, |bet| bet.last_seen_at);
    #[serde(rename = "evidence.role")]
    evidence_role: Vec<&'a str> = each(evidence, |quote| quote.role.as_str());
    #[serde(rename = "evidence.outcome")]
    evidence_outcome: Vec<&'a str> = each(evidence, |quote| quote.outcome.as_str());
    #[serde(rename = "evidence.side")]
    evidence_side: Vec<&'a str> = each(evidence, |quote| quote.side.as_str());
    #[serde(rename = "evidence.line")]
    evidence_line: Vec<Option<Points>> = each(evidence, |quote| quote.line);
    #[serde(rename = "evidence.book")]
    evidence_book: Vec<&'a str> = each(evidence, |quote| &*quote.book);
    #[serde(rename = "evidence.operator")]
    evidence_operator: Vec<&'a str> = each(evidence, |quote| &*quote.operator);
    #[serde(rename = "evidence.price")]
    evidence_price: Vec<Price> = each(evidence, |quote| quote.price);
    #[serde(rename = "evidence.price_from")]
    evidence_price_from: Vec<Option<Price>> = each(evidence, |quote| quote.price_from);
    #[serde(rename = "evidence.effective_price")]
    evidence_effective_price: Vec<Price> = each(evidence, |quote| quote.effective_price);
    #[serde(rename = "evidence.price_moved_at")]
    evidence_price_moved_at: Vec<Time> = each(evidence, |quote| quote.price_moved_at);
    #[serde(rename = "evidence.last_seen_at")]
    evidence_last_seen_at: Vec<Time> = each(evidence, |quote| quote.last_seen_at);
    #[serde(rename = "fair.method")]
    fair_method: Vec<&'a str> = signal.fair.iter().map(|fair| fair.method.as_str()).collect();
    #[serde(rename = "fair.probability")]
    fair_probability: Vec<f64> = signal.fair.iter().map(|fair| fair.probability).collect();
    opened_at: Time = signal.opened_at;
    expires_at: Time = signal.expires_at;
}

/// The outcome of the signal, and the reason of a closed one.
fn transition_and_reason(change: &str) -> (&str, &str) {
    match change {
        "opened" | "updated" => (change, ""),
        reason => ("closed", reason),
    }
}

fn each<'a, T>(quotes: &'a [SignalQuote], of: impl Fn(&'a SignalQuote) -> T) -> Vec<T> {
    quotes.iter().map(of).collect()
}
