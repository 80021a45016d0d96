//! What is open: the board and the edge signals, from their compacted topics to pages of JSON.
//!
//! - `follow`: the readers of the topics; `entries`: what is open now; `polls` and `pace`: how far the topics have come, and
//!   whether they still come.
//! - `snapshot`: a list at one moment, in its order, as JSON; `listed`: what differs between the lists.
//! - `known_sports`: which sports and leagues there are; `sport`: the filter by one;
//!   `signal_kinds`: the filter by kinds of signals.
//!
//! It never knows a request or its caller.

pub(crate) mod entries;
pub mod follow;
pub(crate) mod known_sports;
pub(crate) mod listed;
mod pace;
pub(crate) mod polls;
pub(crate) mod signal_kinds;
pub(crate) mod snapshot;
pub(crate) mod sport;

use std::sync::Arc;

use arb_schemas::records::{BoardEntry, EdgeSignal};

use self::entries::Entries;
use self::known_sports::KnownSports;
use self::polls::Polls;

/// The lists of an instance, shared by their readers, all requests and the streams.
#[derive(Debug, Clone)]
pub(crate) struct Lists {
    /// How far the topics have come.
    pub(crate) polls: Arc<Polls>,
    /// Which sports and leagues have been seen.
    pub(crate) sports: Arc<KnownSports>,
    /// The open windows.
    pub(crate) board: Arc<Entries<BoardEntry>>,
    /// The open edge signals.
    pub(crate) signals: Arc<Entries<EdgeSignal>>,
}

impl Lists {
    /// Empty ones, of topics with so many partitions.
    pub(crate) fn new(partitions: i32) -> Self {
        let (polls, sports) = (Arc::new(Polls::new(partitions)), Arc::new(KnownSports::default()));
        let board = Arc::new(Entries::new(&polls, &sports));
        let signals = Arc::new(Entries::new(&polls, &sports));
        Self { polls, sports, board, signals }
    }

    /// Whether both have been read to their ends.
    pub(crate) fn is_ready(&self) -> bool {
        self.board.is_ready() && self.signals.is_ready()
    }
}
