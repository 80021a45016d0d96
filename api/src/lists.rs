//! What is open: the board and the edge signals, from their compacted topics to pages of JSON.
//!
//! - `follow`: the readers of the topics; `entries`: what is open now; `polls` and `pace`: how far the topics have come, and
//!   whether they still come.
//! - `snapshot`: a list at one moment, in its order, as JSON; `listed`: what differs between the lists.
//! - `known_names`: which sports, leagues, markets and books there are.
//!
//! It never knows a request or its caller.

pub(crate) mod entries;
pub mod follow;
pub(crate) mod known_names;
pub(crate) mod listed;
mod pace;
pub(crate) mod polls;
pub(crate) mod snapshot;

use std::sync::Arc;

use arb_schemas::records::{BoardEntry, EdgeSignal};

use self::entries::Entries;
use self::known_names::KnownNames;
use self::polls::Polls;
use crate::access::replica::Replica;

/// The lists of an instance, shared by their readers, all requests and the streams.
#[derive(Debug, Clone)]
pub(crate) struct Lists {
    /// How far the topics have come.
    pub(crate) polls: Arc<Polls>,
    /// Which names there are.
    pub(crate) names: Arc<KnownNames>,
    /// The open windows.
    pub(crate) board: Arc<Entries<BoardEntry>>,
    /// The open edge signals.
    pub(crate) signals: Arc<Entries<EdgeSignal>>,
}

impl Lists {
    /// Empty ones, of topics with so many partitions; these accounts are granted books.
    pub(crate) fn new(partitions: i32, accounts: &Arc<Replica>) -> Self {
        let names = Arc::new(KnownNames::new(Arc::clone(accounts)));
        let polls = Arc::new(Polls::new(partitions));
        let board = Arc::new(Entries::new(&polls, &names));
        let signals = Arc::new(Entries::new(&polls, &names));
        Self { polls, names, board, signals }
    }

    /// Whether both have been read to their ends.
    pub(crate) fn is_ready(&self) -> bool {
        self.board.is_ready() && self.signals.is_ready()
    }
}
