//! A marker of a scan in the tick topic.
//!
//! It never states what was polled between two markers: the poll that the end marker names does.

use crate::records::{ScanBegin, ScanEnd};
use crate::wire::{RecordType, WireError, decode, encode};

/// A marker, which a source writes to every partition.
#[derive(Debug, Clone, PartialEq)]
pub enum ScanMarker {
    /// A source begins to answer a scan.
    Begin(Box<ScanBegin>),
    /// A source has answered a scan.
    End(ScanEnd),
}

impl ScanMarker {
    /// From a message of the tick topic; `None` when it is of another type.
    ///
    /// # Errors
    /// [`WireError`] when it is none of the tick topic, or damaged.
    pub fn read(message: &[u8]) -> Result<Option<Self>, WireError> {
        match RecordType::of(message)? {
            RecordType::ScanBegin => decode(message).map(|begin| Some(Self::Begin(Box::new(begin)))),
            RecordType::ScanEnd => decode(message).map(|end| Some(Self::End(end))),
            _ => Ok(None),
        }
    }

    /// As a message of the tick topic.
    ///
    /// # Errors
    /// [`WireError`] when it is longer than an input may be.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            Self::Begin(begin) => encode(&**begin),
            Self::End(end) => encode(end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Heartbeat;

    #[test]
    fn a_marker_comes_back_as_it_was_and_nothing_else_is_one() {
        let end = ScanEnd {
            scan: "a".into(),
            source: "s".into(),
            outcome: "polled".into(),
            polled_at: Some(1),
            credits: 0,
        };
        let marker = ScanMarker::End(end);
        let message = marker.encode().unwrap();
        assert_eq!(ScanMarker::read(&message).unwrap(), Some(marker));
        let beat = encode(&Heartbeat { source: "s".into(), at: 1 }).unwrap();
        assert_eq!(ScanMarker::read(&beat).unwrap(), None);
        assert!(ScanMarker::read(b"x").is_err());
        assert!(ScanMarker::read(&message[..message.len() - 1]).is_err());
    }
}
