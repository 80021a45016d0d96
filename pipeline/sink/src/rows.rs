//! Records as rows: which table a record is for, and its rows, names borrowed from the message.
//!
//! A record gives rows to one table: frames to `ticks`, events of the feed and entries of the delivery log to theirs, and what is no record of its
//! topic, or does not fit its table, to `rejected`, whole. A row is made where it is sent and kept nowhere. It never
//! talks to a server, and never changes a value to make it fit.

#[macro_use]
mod row;

mod deliveries;
mod feed;
mod fit;
mod gradings;
mod of_record;
mod picks;
mod rejected;
mod signals;
mod ticks;

use arb_model::source::is_private;
use arb_schemas::records::{
    ArbWindow, CloseSignal, Frame, LineMovement, PickChange, SignalChange, StaleAlert, WebhookDelivery,
    WindowGrading,
};
use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use arb_schemas::view::{self, FrameView};
use arb_schemas::wire::{RecordType, WireError, decode};

pub use deliveries::{DeliveryRow, delivery_row};
pub use feed::{LineMovementRow, StaleAlertRow, TransitionRow, movement_row, transition_row};
pub use feed::{alert_row, closed_row};
pub use gradings::{GradingRow, grading_row};
pub use of_record::RowOfRecord;
pub use picks::{PickRow, pick_row};
pub use rejected::{RejectedRow, rejected_row};
pub(crate) use row::Sample;
pub use signals::{SignalRow, signal_row};
pub use ticks::{TickRow, tick_rows};

use super::table::Table;

/// The position of a record: with the number of a row within it, the coordinates of the row.
#[derive(Debug, Clone, Copy)]
pub struct Coordinates<'a> {
    /// The topic's name.
    pub topic: &'a str,
    /// Its id, in hexadecimal.
    pub topic_id: &'a str,
    /// The partition.
    pub partition: u32,
    /// The record's offset.
    pub offset: u64,
}

/// What a record is to the sink.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most records are frames, and there is one at a time")]
pub enum DecodedRecord<'a> {
    /// A frame, in place.
    Frame(FrameView<'a>),
    /// A frame that only the library reads.
    OwnedFrame(Box<Frame>),
    /// A window opened or changed.
    Window(Box<ArbWindow>),
    /// A window closed.
    Closed(Box<CloseSignal>),
    /// A price or a main line moved.
    Movement(Box<LineMovement>),
    /// A book or an arb went stale, or came back.
    Alert(Box<StaleAlert>),
    /// An edge signal opened, changed or closed.
    Signal(Box<SignalChange>),
    /// A pick was published or graded.
    Pick(Box<PickChange>),
    /// An arb window was graded.
    Grading(Box<WindowGrading>),
    /// An entry of the delivery log of webhooks.
    Delivery(Box<WebhookDelivery>),
    /// No rows: the end of a poll, a heartbeat.
    Nothing,
    /// No record of the topic, or one that does not fit; and why.
    Rejected(String),
}

/// Reads a message of a topic.
///
/// ```
/// use arb_schemas::records::Heartbeat;
/// use arb_schemas::topics::ODDS_TICKS;
/// use arb_schemas::wire::encode;
/// use arb_sink::rows::{DecodedRecord, read};
///
/// let beat = encode(&Heartbeat { source: "feed".to_owned(), at: 1_000_000 }).unwrap();
/// assert!(matches!(read(&ODDS_TICKS, &beat), DecodedRecord::Nothing), "a heartbeat has no rows");
/// assert!(matches!(read(&ODDS_TICKS, b"text"), DecodedRecord::Rejected(_)));
/// ```
#[must_use]
pub fn read<'a>(topic: &Topic, message: &'a [u8]) -> DecodedRecord<'a> {
    let may_be_frame = topic.records.contains(&RecordType::Frame);
    let made = match view::frame(message).filter(|_| may_be_frame) {
        Some(frame) => Ok(DecodedRecord::Frame(frame)),
        None => read_other(topic, message),
    };
    match made {
        Ok(made) => match fit::check(&made) {
            Ok(()) => made,
            Err(reason) => DecodedRecord::Rejected(reason),
        },
        Err(error) => DecodedRecord::Rejected(error.to_string()),
    }
}

fn read_other<'a>(topic: &Topic, message: &[u8]) -> Result<DecodedRecord<'a>, WireError> {
    let found = RecordType::of(message)?;
    let other = || {
        let expected = topic.records.first().copied().unwrap_or(found);
        Err(WireError::OtherType { expected, found })
    };
    if !topic.records.contains(&found) {
        return other();
    }
    Ok(match found {
        RecordType::Frame => DecodedRecord::OwnedFrame(decode(message).map(Box::new)?),
        RecordType::ArbWindow => DecodedRecord::Window(decode(message).map(Box::new)?),
        RecordType::CloseSignal => DecodedRecord::Closed(decode(message).map(Box::new)?),
        RecordType::LineMovement => DecodedRecord::Movement(decode(message).map(Box::new)?),
        RecordType::StaleAlert => DecodedRecord::Alert(decode(message).map(Box::new)?),
        RecordType::SignalChange => DecodedRecord::Signal(decode(message).map(Box::new)?),
        RecordType::PickChange => DecodedRecord::Pick(decode(message).map(Box::new)?),
        RecordType::WindowGrading => DecodedRecord::Grading(decode(message).map(Box::new)?),
        RecordType::WebhookDelivery => DecodedRecord::Delivery(decode(message).map(Box::new)?),
        RecordType::PollEnd => {
            decode(message).map(|_: arb_schemas::records::PollEnd| DecodedRecord::Nothing)?
        }
        RecordType::Heartbeat => {
            decode(message).map(|_: arb_schemas::records::Heartbeat| DecodedRecord::Nothing)?
        }
        RecordType::Suspension => {
            decode(message).map(|_: arb_schemas::records::Suspension| DecodedRecord::Nothing)?
        }
        // Markers of scans, and how an endpoint stands, are no rows.
        RecordType::ScanBegin | RecordType::ScanEnd | RecordType::WebhookCircuit => DecodedRecord::Nothing,
        // No topic of the sink's has any other: a test reads one of each that they have.
        _ => return other(),
    })
}

/// The table of the ticks of a source: what is private is in no table that a view reads.
fn ticks_of(source: &str) -> Table {
    if is_private(source) { Table::PrivateTicks } else { Table::Ticks }
}

impl DecodedRecord<'_> {
    /// The table that it has rows for, and how many.
    #[must_use]
    pub fn rows(&self) -> Option<(Table, u64)> {
        let (table, rows) = match self {
            Self::Frame(frame) => (ticks_of(frame.source), frame.ticks.len() as u64),
            Self::OwnedFrame(frame) => {
                (ticks_of(&frame.source), FrameView::from(&**frame).ticks.len() as u64)
            }
            Self::Window(_) | Self::Closed(_) => (Table::WindowTransitions, 1),
            Self::Movement(_) => (Table::LineMovements, 1),
            Self::Alert(_) => (Table::StaleAlerts, 1),
            Self::Signal(_) => (Table::SignalTransitions, 1),
            Self::Pick(_) => (Table::PickTransitions, 1),
            Self::Grading(_) => (Table::WindowGradings, 1),
            Self::Delivery(_) => (Table::WebhookDeliveries, 1),
            Self::Rejected(_) => (Table::Rejected, 1),
            Self::Nothing => return None,
        };
        (rows > 0).then_some((table, rows))
    }

    /// The time by whose month its table is parted, in microseconds; `rejected` has one part.
    #[must_use]
    pub fn time(&self) -> Option<Micros> {
        Some(match self {
            Self::Frame(frame) => frame.received_at,
            Self::OwnedFrame(frame) => frame.received_at,
            Self::Window(window) => window.entry.updated_at.0,
            Self::Closed(closed) => closed.closed_at.0,
            Self::Movement(movement) => movement.window_end.0,
            Self::Alert(alert) => alert.at.0,
            Self::Signal(changed) => changed.signal.updated_at.0,
            Self::Pick(changed) => picks::time(&changed.pick).0,
            Self::Grading(graded) => graded.grade.at.0,
            Self::Delivery(entry) => entry.at,
            Self::Nothing | Self::Rejected(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests;
