//! The HTTP surface: the ranked board, the edge signals, and the feed as it happens, from Kafka's topics to JSON.
//!
//! - [`server`]: the accept loop; `stall`: who does not read is let go.
//! - `routes`: the URL map on one screen; `request`: what a handler is given; `request_id`: what its answer is called;
//!   `problem`: errors, RFC 9457.
//! - `auth` and [`keys`]: who may ask; [`plan`], [`usage`] and `quota`: how often.
//! - [`files`] and [`watched`]: what is kept on the disk; [`upkeep`]: the thread that writes and reads it again.
//! - [`follow`], `entries` and `polls`: what is open, as the topics have it, and how far they have come; `snapshot`: in
//!   its order, as JSON.
//! - `sports`: which sports and leagues there are.
//! - `listed`: what differs between the lists: `board` and `signals`; `pages`, `filter`, `cursor` and `view`: how they
//!   are asked for and how an entry reads; `etag`: whether a caller has it already.
//! - [`stream`]: Server-Sent Events.
//!
//! It never computes anything about odds: entries are shown as the processor wrote them. It never asks a clock what time
//! it is, except for the quota's month, and then the one that it is given.

mod auth;
mod board;
mod cursor;
mod entries;
mod etag;
pub mod files;
mod filter;
pub mod follow;
pub mod keys;
mod listed;
#[cfg(test)]
mod made;
mod pace;
mod pages;
pub mod plan;
mod polls;
mod problem;
mod quota;
mod request;
mod request_id;
mod routes;
pub mod server;
mod signals;
mod snapshot;
mod sports;
mod stall;
pub mod stream;
pub mod upkeep;
pub mod usage;
mod view;
pub mod watched;

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_runtime::progress::Span;
use arb_runtime::telemetry::serve as telemetry;
use arb_schemas::records::{BoardEntry, BoardProgress, EdgeSignal};
use arb_schemas::time::Micros;

use crate::entries::Entries;
use crate::polls::Polls;
use crate::sports::Sports;

/// What every request handler may look at.
#[derive(Debug)]
pub struct App {
    /// How far the topics have come.
    polls: Arc<Polls>,
    /// Which sports and leagues have been seen.
    sports: Arc<Sports>,
    /// The open windows.
    board: Entries<BoardEntry>,
    /// The open edge signals.
    signals: Entries<EdgeSignal>,
    /// Who may ask.
    pub keys: watched::Watched<keys::Keys>,
    /// How often.
    pub usage: usage::Usage,
    /// The feed.
    pub streams: stream::Streams,
}

impl App {
    /// One that has read nothing yet, of topics with so many partitions.
    #[must_use]
    pub fn new(
        partitions: i32,
        keys: watched::Watched<keys::Keys>,
        usage: usage::Usage,
        streams: stream::Streams,
    ) -> Self {
        let polls = Arc::new(Polls::new(partitions));
        let sports = Arc::new(Sports::default());
        let (board, signals) = (Entries::new(&polls, &sports), Entries::new(&polls, &sports));
        Self { polls, sports, board, signals, keys, usage, streams }
    }

    /// Begins with this board and no signals, for whoever hands over the feed too ([`stream::source::Source::by_hand`]).
    pub fn begin(&self, entries: impl IntoIterator<Item = BoardEntry>, progress: BoardProgress) {
        entries.into_iter().for_each(|entry| self.board.put(entry));
        self.polls.note(0, progress);
        self.board.ready();
        self.signals.ready();
        self.streams.begin();
    }

    /// Whether the board, the signals and the feed have been read.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.board.is_ready() && self.signals.is_ready() && self.streams.is_ready()
    }

    /// Tells what is in memory at a moment of UTC; `ends` are where the feed's partitions end, as far as is known.
    pub fn look(&self, ends: &BTreeMap<i32, Span>, now: Micros) {
        let (entries, signals, as_of) = (self.board.len(), self.signals.len(), self.polls.as_of());
        let (ring, feed) = self.streams.memory();
        telemetry::look(&telemetry::Memory { entries, signals, as_of, ring, feed: &feed }, ends, now);
    }
}

/// Shared by all connections.
pub type SharedApp = Arc<App>;
