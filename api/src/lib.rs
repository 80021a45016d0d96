//! The HTTP surface: the ranked board, and the feed as it happens, from Kafka's topics to JSON.
//!
//! - [`server`]: the accept loop; `stall`: who does not read is let go.
//! - `routes`: the URL map on one screen; `request`: what a handler is given; `request_id`: what its answer is called;
//!   `problem`: errors, RFC 9457.
//! - `auth` and [`keys`]: who may ask; [`plan`], [`usage`] and `quota`: how often.
//! - [`files`] and [`watched`]: what is kept on the disk; [`upkeep`]: the thread that writes and reads it again.
//! - [`follow`] and [`board`]: the open windows, as the topic has them; `snapshot`: ranked, as JSON.
//! - `arbs`, `filter`, `cursor` and `view`: the resource, and how an entry reads; `etag`: whether a caller has it already.
//! - [`stream`]: Server-Sent Events.
//!
//! It never computes anything about odds: entries are shown as the processor wrote them. It never asks a clock what time
//! it is, except for the quota's month, and then the one that it is given.

mod arbs;
mod auth;
pub mod board;
mod cursor;
mod etag;
pub mod files;
mod filter;
pub mod follow;
pub mod keys;
pub mod plan;
mod problem;
mod quota;
mod request;
mod request_id;
mod routes;
pub mod server;
mod snapshot;
mod stall;
pub mod stream;
pub mod upkeep;
pub mod usage;
mod view;
pub mod watched;

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_pipeline::kafka::Span;
use arb_pipeline::telemetry::serve as telemetry;
use arb_schemas::time::Micros;

/// What every request handler may look at.
#[derive(Debug)]
pub struct App {
    /// The open windows.
    pub board: board::Board,
    /// Who may ask.
    pub keys: watched::Watched<keys::Keys>,
    /// How often.
    pub usage: usage::Usage,
    /// The feed.
    pub streams: stream::Streams,
}

impl App {
    /// Whether the board and the feed have been read.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.board.is_ready() && self.streams.is_ready()
    }

    /// Tells what is in memory at a moment of UTC; `ends` are where the feed's partitions end, as far as is known.
    pub fn look(&self, ends: &BTreeMap<i32, Span>, now: Micros) {
        let (entries, as_of) = (self.board.len(), self.board.as_of());
        let (ring, feed) = self.streams.memory();
        telemetry::look(&telemetry::Memory { entries, as_of, ring, feed: &feed }, ends, now);
    }
}

/// Shared by all connections.
pub type SharedApp = Arc<App>;
