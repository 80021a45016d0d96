//! Which row a record is, in the tables to which a record gives one at most.
//!
//! It makes nothing of a record that is for another table.

use clickhouse::Row;

use super::{
    Coordinates, DecodedRecord, DeliveryRow, GradingRow, LineMovementRow, PickRow, RejectedRow, SignalRow,
    StaleAlertRow, TransitionRow, alert_row, closed_row, delivery_row, grading_row, movement_row, pick_row,
    rejected_row, signal_row, transition_row,
};
use crate::record::Kept;
use crate::table::Table;

/// A row that is all that a record gives to a table.
pub trait RowOfRecord: Row {
    /// The table.
    const TABLE: Table;

    /// The row of a record of which this was made.
    fn of<'a>(at: Coordinates<'a>, made: &'a DecodedRecord<'a>, record: Kept<'a>) -> Option<Self::Value<'a>>;
}

impl RowOfRecord for TransitionRow<'static> {
    const TABLE: Table = Table::WindowTransitions;

    fn of<'a>(at: Coordinates<'a>, made: &'a DecodedRecord<'a>, _: Kept<'a>) -> Option<TransitionRow<'a>> {
        match made {
            DecodedRecord::Window(window) => Some(transition_row(at, window)),
            DecodedRecord::Closed(closed) => Some(closed_row(at, closed)),
            _ => None,
        }
    }
}

impl RowOfRecord for LineMovementRow<'static> {
    const TABLE: Table = Table::LineMovements;

    fn of<'a>(at: Coordinates<'a>, made: &'a DecodedRecord<'a>, _: Kept<'a>) -> Option<LineMovementRow<'a>> {
        if let DecodedRecord::Movement(moved) = made { Some(movement_row(at, moved)) } else { None }
    }
}

impl RowOfRecord for StaleAlertRow<'static> {
    const TABLE: Table = Table::StaleAlerts;

    fn of<'a>(at: Coordinates<'a>, made: &'a DecodedRecord<'a>, _: Kept<'a>) -> Option<StaleAlertRow<'a>> {
        if let DecodedRecord::Alert(alert) = made { Some(alert_row(at, alert)) } else { None }
    }
}

impl RowOfRecord for SignalRow<'static> {
    const TABLE: Table = Table::SignalTransitions;

    fn of<'a>(at: Coordinates<'a>, made: &'a DecodedRecord<'a>, _: Kept<'a>) -> Option<SignalRow<'a>> {
        if let DecodedRecord::Signal(changed) = made { Some(signal_row(at, changed)) } else { None }
    }
}

impl RowOfRecord for PickRow<'static> {
    const TABLE: Table = Table::PickTransitions;

    fn of<'a>(at: Coordinates<'a>, made: &'a DecodedRecord<'a>, _: Kept<'a>) -> Option<PickRow<'a>> {
        if let DecodedRecord::Pick(changed) = made { Some(pick_row(at, changed)) } else { None }
    }
}

impl RowOfRecord for GradingRow<'static> {
    const TABLE: Table = Table::WindowGradings;

    fn of<'a>(at: Coordinates<'a>, made: &'a DecodedRecord<'a>, _: Kept<'a>) -> Option<GradingRow<'a>> {
        if let DecodedRecord::Grading(graded) = made { Some(grading_row(at, graded)) } else { None }
    }
}

impl RowOfRecord for DeliveryRow<'static> {
    const TABLE: Table = Table::WebhookDeliveries;

    fn of<'a>(at: Coordinates<'a>, made: &'a DecodedRecord<'a>, _: Kept<'a>) -> Option<DeliveryRow<'a>> {
        if let DecodedRecord::Delivery(entry) = made { Some(delivery_row(at, entry)) } else { None }
    }
}

impl RowOfRecord for RejectedRow<'static> {
    const TABLE: Table = Table::Rejected;

    fn of<'a>(at: Coordinates<'a>, made: &'a DecodedRecord<'a>, record: Kept<'a>) -> Option<RejectedRow<'a>> {
        let DecodedRecord::Rejected(reason) = made else { return None };
        Some(rejected_row(at, reason, record.key, record.value))
    }
}
