//! The feed's events: from a record to the block of text that every client is sent.
//!
//! Pure. An event is serialised once, id and all, and its bytes are shared. It never looks at a client.

use arb_model::pick::PUBLISHED;
use arb_model::{FilterValues, Name};
use arb_runtime::feed_mark::FeedMark;
use arb_schemas::records::{
    ArbWindow, CloseSignal, Event as SportsEvent, LineMovement, PickChange, SignalChange, StaleAlert,
    WindowGrading,
};
use arb_schemas::wire::{RecordType, WireError, decode};
use bytes::Bytes;

use crate::position::{self, Epoch, Positions};
use crate::view::change::{self, AlertView, CloseView, MovementView};
use crate::view::{GradingView, ROOM, write};

/// What comes before the change in the text of a window: its first field.
const CHANGE: &[u8] = b"\ndata: {\"change\":\"";

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A window opened or changed.
    ArbWindow,
    /// A price moved, or a main line changed.
    LineMovement,
    /// A book or a window went stale, or recovered.
    StaleAlert,
    /// A window closed.
    CloseSignal,
    /// A signal opened, changed or closed.
    EdgeSignal,
    /// A pick was published.
    Pick,
    /// A pick was graded.
    PickGraded,
    /// A window was graded.
    WindowGraded,
}

impl EventKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::ArbWindow,
        Self::LineMovement,
        Self::StaleAlert,
        Self::CloseSignal,
        Self::EdgeSignal,
        Self::Pick,
        Self::PickGraded,
        Self::WindowGraded,
    ];

    /// As `event:` and the parameter `event` spell it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::ArbWindow => "arb_window",
            Self::LineMovement => "line_movement",
            Self::StaleAlert => "stale_alert",
            Self::CloseSignal => "close_signal",
            Self::EdgeSignal => "edge_signal",
            Self::Pick => "pick",
            Self::PickGraded => "pick_graded",
            Self::WindowGraded => "window_graded",
        }
    }
}

/// A record of the feed.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A window opened or changed.
    ArbWindow(Box<ArbWindow>),
    /// A price moved, or a main line changed.
    LineMovement(LineMovement),
    /// A book or a window went stale, or recovered.
    StaleAlert(StaleAlert),
    /// A window closed.
    CloseSignal(CloseSignal),
    /// A signal opened, changed or closed.
    EdgeSignal(Box<SignalChange>),
    /// A pick was published or graded.
    Pick(Box<PickChange>),
    /// A window was graded.
    Grading(Box<WindowGrading>),
}

impl Event {
    /// From a message of the feed's topic.
    ///
    /// # Errors
    /// [`WireError`] when it is none.
    pub fn decode(message: &[u8]) -> Result<Self, WireError> {
        match RecordType::of(message)? {
            RecordType::LineMovement => decode(message).map(Self::LineMovement),
            RecordType::StaleAlert => decode(message).map(Self::StaleAlert),
            RecordType::CloseSignal => decode(message).map(Self::CloseSignal),
            RecordType::SignalChange => decode(message).map(Box::new).map(Self::EdgeSignal),
            RecordType::PickChange => decode(message).map(Box::new).map(Self::Pick),
            RecordType::WindowGrading => decode(message).map(Box::new).map(Self::Grading),
            _ => decode(message).map(Box::new).map(Self::ArbWindow),
        }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> EventKind {
        match self {
            Self::ArbWindow(_) => EventKind::ArbWindow,
            Self::LineMovement(_) => EventKind::LineMovement,
            Self::StaleAlert(_) => EventKind::StaleAlert,
            Self::CloseSignal(_) => EventKind::CloseSignal,
            Self::EdgeSignal(_) => EventKind::EdgeSignal,
            Self::Pick(changed) if changed.change == PUBLISHED => EventKind::Pick,
            Self::Pick(_) => EventKind::PickGraded,
            Self::Grading(_) => EventKind::WindowGraded,
        }
    }

    /// Of an edge signal: which.
    pub(crate) fn signal_kind(&self) -> Option<&str> {
        match self {
            Self::EdgeSignal(changed) => Some(changed.signal.kind.as_str()),
            _ => None,
        }
    }

    /// The window or the signal that it changes.
    fn subject(&self) -> Option<&str> {
        match self {
            Self::ArbWindow(window) => Some(&window.entry.id),
            Self::CloseSignal(closed) => Some(&closed.id),
            Self::EdgeSignal(changed) => Some(&changed.signal.id),
            // Each of a pick is sent, also to a client that wants the latest state alone: a grading replaces nothing.
            Self::LineMovement(_) | Self::StaleAlert(_) | Self::Pick(_) | Self::Grading(_) => None,
        }
    }

    /// What it is about.
    #[must_use]
    pub fn about(&self) -> About<'_> {
        let of = |event| about_event(event, None, None);
        match self {
            Self::ArbWindow(window) => {
                let entry = &window.entry;
                about_event(&entry.event, Some(entry.market.as_str()), None)
            }
            Self::LineMovement(moved) => {
                about_event(&moved.event, Some(moved.market.as_str()), moved.book.as_deref())
            }
            Self::StaleAlert(alert) => About { book: Some(&alert.book), ..of(&alert.event) },
            Self::CloseSignal(closed) => About {
                sport: &closed.sport,
                league: &closed.league,
                event_id: &closed.event_id,
                market: Some(closed.market.as_str()),
                book: None,
            },
            Self::EdgeSignal(changed) => {
                about_event(&changed.signal.event, Some(changed.signal.market.as_str()), None)
            }
            Self::Pick(changed) => {
                let pick = &changed.pick;
                about_event(&pick.event, Some(pick.market.as_str()), Some(&pick.book))
            }
            Self::Grading(graded) => {
                about_event(&graded.window.event, Some(graded.window.market.as_str()), None)
            }
        }
    }

    /// Of a window: what filters compare, before and after. Of its grading they compare what it opened with.
    fn step(&self) -> Option<WindowStep> {
        match self {
            Self::ArbWindow(window) => {
                let ArbWindow { entry, replaced, .. } = window.as_ref();
                Some(WindowStep { now: Some(entry.filter_values()), before: replaced.clone() })
            }
            Self::CloseSignal(closed) => {
                Some(WindowStep { now: None, before: Some(closed.replaced.clone()) })
            }
            Self::Grading(graded) => {
                Some(WindowStep { now: Some(graded.window.filter_values()), before: None })
            }
            _ => None,
        }
    }

    /// Appends its text.
    pub(crate) fn write(&self, text: &mut Vec<u8>) {
        match self {
            Self::ArbWindow(window) => write(text, &change::arb_window(window)),
            Self::LineMovement(moved) => write(text, &MovementView::new(moved)),
            Self::StaleAlert(alert) => write(text, &AlertView::new(alert)),
            Self::CloseSignal(closed) => write(text, &CloseView::new(closed)),
            Self::EdgeSignal(changed) => write(text, &change::edge_signal(changed)),
            Self::Pick(changed) => write(text, &change::pick(changed)),
            Self::Grading(graded) => write(text, &GradingView::new(graded)),
        }
    }
}

/// What an event of the feed is about, which no transition changes.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// Its sport.
    pub sport: &'a str,
    /// Its league.
    pub league: &'a str,
    /// The event of sports.
    pub event_id: &'a str,
    /// `None` where it is about no market.
    pub market: Option<&'a str>,
    /// `None` where it is about no single book.
    pub book: Option<&'a str>,
}

/// About an event of sports.
pub(crate) fn about_event<'a>(
    event: &'a SportsEvent,
    market: Option<&'a str>,
    book: Option<&'a str>,
) -> About<'a> {
    About { sport: &event.sport, league: &event.league, event_id: &event.id, market, book }
}

/// What filters compare of a window, after a transition and before it.
#[derive(Debug)]
pub(crate) struct WindowStep {
    /// `None` of one that closed.
    pub(crate) now: Option<FilterValues>,
    /// `None` of one that was not open.
    pub(crate) before: Option<FilterValues>,
}

/// What of an event is sent to a client or an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Nothing: the filters exclude it.
    Nothing,
    /// It as it is.
    Whole,
    /// That the window is not what the client asked for any more.
    Left,
}

/// The position of a record in the feed: its partition and offset, and its mark.
pub type RecordPosition = (i32, i64, Option<FeedMark>);

/// An event as it is sent, and the fields that filters compare.
#[derive(Debug)]
pub struct Block {
    /// Its kind.
    pub kind: EventKind,
    sport: String,
    league: String,
    event_id: String,
    market: Option<String>,
    book: Option<String>,
    /// The window or the signal that it changes.
    pub subject: Option<String>,
    /// Of a window.
    pub(crate) step: Option<WindowStep>,
    /// Of an edge signal.
    pub(crate) signal_kind: Option<String>,
    /// The partition of its record.
    pub partition: i32,
    /// The offset of its record.
    pub offset: i64,
    /// The mark of its record.
    pub mark: Option<FeedMark>,
    text: Bytes,
    /// Where the line with the id begins.
    id_at: usize,
}

impl Block {
    /// Of an event at its place, after which a reader is at these positions.
    #[must_use]
    pub fn new(
        event: &Event,
        (partition, offset, mark): RecordPosition,
        epoch: &Epoch,
        after: &Positions,
    ) -> Self {
        let (kind, about) = (event.kind(), event.about());
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
            sport: about.sport.to_owned(),
            league: about.league.to_owned(),
            event_id: about.event_id.to_owned(),
            market: about.market.map(str::to_owned),
            book: about.book.map(str::to_owned),
            subject: event.subject().map(str::to_owned),
            step: event.step(),
            signal_kind: event.signal_kind().map(str::to_owned),
            partition,
            offset,
            mark,
            text: text.into(),
            id_at,
        }
    }

    /// What it is about.
    #[must_use]
    pub fn about(&self) -> About<'_> {
        let Self { sport, league, event_id, market, book, .. } = self;
        About { sport, league, event_id, market: market.as_deref(), book: book.as_deref() }
    }

    /// For a client that is exactly where the reader was.
    #[must_use]
    pub fn shared(&self) -> Bytes {
        self.text.clone()
    }

    /// For a client that is somewhere else: all but the id.
    #[must_use]
    pub fn without_id(&self) -> Bytes {
        self.text.slice(..self.id_at)
    }

    /// A part of it, all but the id; `None` for nothing.
    #[must_use]
    pub fn part(&self, part: Part) -> Option<Bytes> {
        match part {
            Part::Nothing => None,
            Part::Whole => Some(self.without_id()),
            Part::Left => Some(self.left().into()),
        }
    }

    /// A part of it with its id.
    #[must_use]
    pub fn part_with_id(&self, part: Part) -> Option<Bytes> {
        match part {
            Part::Nothing => None,
            Part::Whole => Some(self.shared()),
            Part::Left => Some([self.left(), self.text[self.id_at..].into()].concat().into()),
        }
    }

    /// The text without its id, as of a window that left what a client asked for.
    fn left(&self) -> Vec<u8> {
        let text = &self.text[..self.id_at];
        let Some(at) = text.windows(CHANGE.len()).position(|bytes| bytes == CHANGE) else {
            return text.into();
        };
        let (head, rest) = text.split_at(at + CHANGE.len());
        let end = rest.iter().position(|byte| *byte == b'"').unwrap_or(rest.len());
        [head, b"left", &rest[end..]].concat()
    }

    /// Bytes of memory, roughly.
    #[must_use]
    pub fn size(&self) -> usize {
        let names = [Some(&self.sport), Some(&self.league), Some(&self.event_id), self.market.as_ref()];
        let more = [self.book.as_ref(), self.subject.as_ref(), self.signal_kind.as_ref()];
        let names = names.into_iter().chain(more).flatten().map(String::len).sum::<usize>();
        self.text.len() + names + self.step.as_ref().map_or(0, WindowStep::size) + size_of::<Self>()
    }
}

impl WindowStep {
    fn size(&self) -> usize {
        let books = self.now.iter().chain(&self.before).map(|values| values.books.len());
        books.sum::<usize>() * size_of::<Name>()
    }
}

/// The line that ends a block.
#[must_use]
pub fn id_line(epoch: &Epoch, positions: &Positions) -> String {
    format!("id: {}\n\n", position::encode(epoch, positions))
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures::window_grading;
    use arb_schemas::wire::encode;

    use super::*;
    use crate::fixtures::{changed, close, closed, moved, pick_change, window};

    #[test]
    fn a_message_is_of_one_kind_or_none() {
        let Event::ArbWindow(window) = window("a", 1) else { unreachable!() };
        let Event::EdgeSignal(changed) = changed("a", 3, "opened") else { unreachable!() };
        for (message, kind) in [
            (encode(window.as_ref()).unwrap(), EventKind::ArbWindow),
            (encode(&moved()).unwrap(), EventKind::LineMovement),
            (encode(&closed("a", 2)).unwrap(), EventKind::CloseSignal),
            (encode(&*changed).unwrap(), EventKind::EdgeSignal),
            (encode(&pick_change("published")).unwrap(), EventKind::Pick),
            (encode(&pick_change("graded")).unwrap(), EventKind::PickGraded),
            (encode(&window_grading()).unwrap(), EventKind::WindowGraded),
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
