//! The feed's events: from a record to the block of text that every client is sent.
//!
//! Pure. An event is serialised once, id and all, and its bytes are shared. It never looks at a client.

use arb_runtime::feed_mark::FeedMark;
use arb_schemas::records::{ArbWindow, CloseSignal, LineMovement, SignalChange, StaleAlert};
use arb_schemas::wire::{RecordType, WireError, decode};
use bytes::Bytes;

use super::position::{self, Epoch, Positions};
use super::view::{self, AlertView, CloseView, MovementView};
use crate::view::{ROOM, write};

/// The five kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    ArbWindow,
    LineMovement,
    StaleAlert,
    CloseSignal,
    EdgeSignal,
}

impl EventKind {
    pub(super) const ALL: [Self; 5] =
        [Self::ArbWindow, Self::LineMovement, Self::StaleAlert, Self::CloseSignal, Self::EdgeSignal];

    /// As `event:` and the parameter `event` spell it.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::ArbWindow => "arb_window",
            Self::LineMovement => "line_movement",
            Self::StaleAlert => "stale_alert",
            Self::CloseSignal => "close_signal",
            Self::EdgeSignal => "edge_signal",
        }
    }
}

/// A record of the feed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    ArbWindow(ArbWindow),
    LineMovement(LineMovement),
    StaleAlert(StaleAlert),
    CloseSignal(CloseSignal),
    EdgeSignal(Box<SignalChange>),
}

impl Event {
    /// From a message of the feed's topic.
    pub(super) fn decode(message: &[u8]) -> Result<Self, WireError> {
        match RecordType::of(message)? {
            RecordType::LineMovement => decode(message).map(Self::LineMovement),
            RecordType::StaleAlert => decode(message).map(Self::StaleAlert),
            RecordType::CloseSignal => decode(message).map(Self::CloseSignal),
            RecordType::SignalChange => decode(message).map(Box::new).map(Self::EdgeSignal),
            _ => decode(message).map(Self::ArbWindow),
        }
    }

    fn kind(&self) -> EventKind {
        match self {
            Self::ArbWindow(_) => EventKind::ArbWindow,
            Self::LineMovement(_) => EventKind::LineMovement,
            Self::StaleAlert(_) => EventKind::StaleAlert,
            Self::CloseSignal(_) => EventKind::CloseSignal,
            Self::EdgeSignal(_) => EventKind::EdgeSignal,
        }
    }

    fn signal_kind(&self) -> Option<&str> {
        match self {
            Self::EdgeSignal(changed) => Some(changed.signal.kind.as_str()),
            _ => None,
        }
    }

    /// Sport and league.
    fn sport(&self) -> (&str, &str) {
        match self {
            Self::ArbWindow(window) => (&window.entry.event.sport, &window.entry.event.league),
            Self::LineMovement(moved) => (&moved.event.sport, &moved.event.league),
            Self::StaleAlert(alert) => (&alert.event.sport, &alert.event.league),
            Self::CloseSignal(closed) => (&closed.sport, &closed.league),
            Self::EdgeSignal(changed) => (&changed.signal.event.sport, &changed.signal.event.league),
        }
    }

    /// Appends its text.
    fn write(&self, text: &mut Vec<u8>) {
        match self {
            Self::ArbWindow(window) => write(text, &view::arb_window(window)),
            Self::LineMovement(moved) => write(text, &MovementView::new(moved)),
            Self::StaleAlert(alert) => write(text, &AlertView::new(alert)),
            Self::CloseSignal(closed) => write(text, &CloseView::new(closed)),
            Self::EdgeSignal(changed) => write(text, &view::edge_signal(changed)),
        }
    }
}

/// The position of a record in the feed: its partition and offset, and its mark.
pub(super) type RecordPosition = (i32, i64, Option<FeedMark>);

/// An event as it is sent, and the fields that filters compare.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: EventKind,
    pub(super) sport: String,
    pub(super) league: String,
    /// Of an edge signal.
    pub(super) signal_kind: Option<String>,
    pub(super) partition: i32,
    pub(super) offset: i64,
    pub(super) mark: Option<FeedMark>,
    text: Bytes,
    /// Where the line with the id begins.
    id_at: usize,
}

impl Block {
    /// Of an event at its place, after which a reader is at these positions.
    pub(super) fn new(
        event: &Event,
        (partition, offset, mark): RecordPosition,
        epoch: &Epoch,
        after: &Positions,
    ) -> Self {
        let (kind, (sport, league)) = (event.kind(), event.sport());
        let mut text = Vec::with_capacity(ROOM);
        text.extend(format!("event: {}\ndata: ", kind.key()).into_bytes());
        event.write(&mut text);
        text.push(b'\n');
        let id_at = text.len();
        text.extend(id_line(epoch, after).into_bytes());
        // What is kept is as long as it is.
        text.shrink_to_fit();
        Self {
            kind,
            sport: sport.to_owned(),
            league: league.to_owned(),
            signal_kind: event.signal_kind().map(str::to_owned),
            partition,
            offset,
            mark,
            text: text.into(),
            id_at,
        }
    }

    /// For a client that is exactly where the reader was.
    pub(super) fn shared(&self) -> Bytes {
        self.text.clone()
    }

    /// For a client that is somewhere else: all but the id.
    pub(super) fn without_id(&self) -> Bytes {
        self.text.slice(..self.id_at)
    }

    /// Bytes of memory, roughly.
    pub(super) fn size(&self) -> usize {
        let names = [Some(&self.sport), Some(&self.league), self.signal_kind.as_ref()];
        let names = names.into_iter().flatten().map(String::len).sum::<usize>();
        self.text.len() + names + size_of::<Self>()
    }
}

/// The line that ends a block.
pub(super) fn id_line(epoch: &Epoch, positions: &Positions) -> String {
    format!("id: {}\n\n", position::encode(epoch, positions))
}

#[cfg(test)]
mod tests {
    use arb_schemas::wire::encode;

    use super::super::tests::{changed, close, window};
    use super::*;
    use crate::fixtures::{closed, moved};

    #[test]
    fn a_message_is_one_of_five_kinds_or_none() {
        let Event::ArbWindow(window) = window("a", 1) else { unreachable!() };
        let Event::EdgeSignal(changed) = changed("a", 3, "opened") else { unreachable!() };
        for (message, kind) in [
            (encode(&window).unwrap(), EventKind::ArbWindow),
            (encode(&moved()).unwrap(), EventKind::LineMovement),
            (encode(&closed("a", 2)).unwrap(), EventKind::CloseSignal),
            (encode(&*changed).unwrap(), EventKind::EdgeSignal),
        ] {
            assert_eq!(Event::decode(&message).unwrap().kind(), kind);
        }
        assert!(Event::decode(&encode(&window.entry).unwrap()).is_err(), "an entry is of another topic");
        assert!(Event::decode(&encode(&changed.signal).unwrap()).is_err(), "so is a signal");
        assert!(Event::decode(b"").is_err());
    }

    #[test]
    fn a_block_is_three_lines_and_its_id_can_be_another() {
        let after = Positions::new(vec![5, 9]);
        let block = Block::new(&close("a", 2), (1, 8, None), &[1; 16], &after);
        let text = String::from_utf8(block.shared().to_vec()).unwrap();
        let lines: Vec<_> = text.split('\n').collect();
        assert_eq!((lines[0], &lines[3..]), ("event: close_signal", &["", ""][..]));
        assert!(lines[1].starts_with("data: {") && lines[1].contains("\"price_moved\""));
        let id = position::decode(lines[2].strip_prefix("id: ").unwrap()).unwrap();
        assert_eq!((id.epoch, id.positions), ([1; 16], after));
        let head = String::from_utf8(block.without_id().to_vec()).unwrap();
        assert_eq!(head, format!("{}\n{}\n", lines[0], lines[1]));
    }
}
