//! A message of the tick topic as its record; markers of scans are [`crate::ScanMarker`].
//!
//! It never guesses what a malformed message means.

use crate::records::{Frame, Heartbeat, PollEnd, Suspension};
use crate::wire::{RecordType, WireError, decode, encode};

/// A record of the tick topic.
///
/// ```
/// use arb_schemas::TickRecord;
/// use arb_schemas::records::Heartbeat;
///
/// let beat = TickRecord::Heartbeat(Heartbeat { source: "feed".to_owned(), at: 1_000_000 });
/// let message = beat.encode()?;
/// assert_eq!(message[0], 0, "the magic byte of a Confluent message");
/// assert_eq!(TickRecord::decode(&message)?, beat);
/// # Ok::<(), arb_schemas::wire::WireError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TickRecord {
    /// What a source published of an event.
    Frame(Frame),
    /// The end of a poll.
    PollEnd(PollEnd),
    /// A source is alive.
    Heartbeat(Heartbeat),
    /// An operator shuts a source or a book, or opens it again.
    Suspension(Suspension),
}

impl TickRecord {
    /// From a message of the tick topic.
    ///
    /// # Errors
    /// [`WireError`] when it is none.
    pub fn decode(message: &[u8]) -> Result<Self, WireError> {
        match RecordType::of(message)? {
            RecordType::PollEnd => decode(message).map(Self::PollEnd),
            RecordType::Heartbeat => decode(message).map(Self::Heartbeat),
            RecordType::Suspension => decode(message).map(Self::Suspension),
            _ => decode(message).map(Self::Frame),
        }
    }

    /// As a message of the tick topic.
    ///
    /// # Errors
    /// [`WireError::Avro`] when a value does not fit its schema.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            Self::Frame(frame) => encode(frame),
            Self::PollEnd(end) => encode(end),
            Self::Heartbeat(heartbeat) => encode(heartbeat),
            Self::Suspension(suspension) => encode(suspension),
        }
    }
}
