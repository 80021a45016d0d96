//! A row of each table with a value in every column, for a table to be compared with.
//!
//! They are never sent.

use crate::rows::{
    DeliveryRow, GradingRow, LineMovementRow, PickRow, Sample, SignalRow, StaleAlertRow, TickRow,
    TransitionRow,
};

pub(super) fn tick() -> TickRow<'static> {
    Sample::sample()
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

pub(super) fn pick() -> PickRow<'static> {
    Sample::sample()
}

pub(super) fn grading() -> GradingRow<'static> {
    Sample::sample()
}

pub(super) fn delivery() -> DeliveryRow<'static> {
    Sample::sample()
}
