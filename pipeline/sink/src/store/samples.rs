//! A row of each table with a value in every column, for a table to be compared with.
//!
//! They are never sent.

use crate::rows::{LineMovementRow, SignalRow, StaleAlertRow, TickRow, TransitionRow};

pub(super) fn tick() -> TickRow<'static> {
    TickRow { line: Some(0), bet_limit: Some(0), price_moved_at: Some(0), ..TickRow::default() }
}

pub(super) fn transition() -> TransitionRow<'static> {
    TransitionRow {
        home: Some(""),
        away: Some(""),
        commence_time: Some(0),
        in_play: Some(false),
        kind: Some(""),
        line: Some(0),
        implied_probability: Some(0.0),
        margin_worst: Some(0.0),
        margin_rounded: Some(0.0),
        total_stake_max: Some(0),
        ttl_p10: Some(0.0),
        ttl_median: Some(0.0),
        ttl_p90: Some(0.0),
        placeable: Some(0.0),
        simultaneous: Some(false),
        verified: Some(false),
        doubt_flag: vec![""],
        doubt_reason: vec![""],
        score: Some(0.0),
        warnings: vec![""],
        leg_outcome: vec![""],
        leg_side: vec![""],
        leg_book: vec![""],
        leg_operator: vec![""],
        leg_price: vec![0],
        leg_effective_price: vec![Some(0)],
        leg_implied_probability: vec![0.0],
        leg_stake_share: vec![0.0],
        leg_stake: vec![Some(0)],
        leg_liability: vec![Some(0)],
        leg_limit: vec![Some(0)],
        leg_price_moved_at: vec![0],
        leg_last_seen_at: vec![0],
        margin_open: Some(0.0),
        margin_peak: Some(0.0),
        ..TransitionRow::default()
    }
}

pub(super) fn movement() -> LineMovementRow<'static> {
    LineMovementRow {
        line: Some(0),
        line_from: Some(0),
        price_from: Some(0),
        price_to: Some(0),
        probability_change: Some(0.0),
        ..LineMovementRow::default()
    }
}

pub(super) fn alert() -> StaleAlertRow<'static> {
    StaleAlertRow { last_seen_at: Some(0), ..StaleAlertRow::default() }
}

pub(super) fn signal() -> SignalRow<'static> {
    SignalRow {
        line: Some(0),
        kelly: Some(0.0),
        bet_outcome: vec![""],
        bet_side: vec![""],
        bet_line: vec![Some(0)],
        bet_book: vec![""],
        bet_operator: vec![""],
        bet_price: vec![0],
        bet_effective_price: vec![0],
        bet_price_moved_at: vec![0],
        bet_last_seen_at: vec![0],
        evidence_role: vec![""],
        evidence_outcome: vec![""],
        evidence_side: vec![""],
        evidence_line: vec![Some(0)],
        evidence_book: vec![""],
        evidence_operator: vec![""],
        evidence_price: vec![0],
        evidence_price_from: vec![Some(0)],
        evidence_effective_price: vec![0],
        evidence_price_moved_at: vec![0],
        evidence_last_seen_at: vec![0],
        fair_method: vec![""],
        fair_probability: vec![0.0],
        ..SignalRow::default()
    }
}
