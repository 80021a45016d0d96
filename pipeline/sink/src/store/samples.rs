//! A row of each table with a value in every column, for a table to be compared with.
//!
//! They are never sent.

use crate::rows::{LineMovementRow, Sample, SignalRow, StaleAlertRow, TickRow, TransitionRow};

pub(super) fn tick() -> TickRow<'static> {
    TickRow { line: Some(0), bet_limit: Some(0), price_moved_at: Some(0), ..TickRow::default() }
}

pub(super) fn transition() -> TransitionRow<'static> {
    Sample::sample()
}

pub(super) fn movement() -> LineMovementRow<'static> {
    Sample::sample()
}

pub(super) fn alert() -> StaleAlertRow<'static> {
    Sample::sample()
}

pub(super) fn signal() -> SignalRow<'static> {
    Sample::sample()
}
