//! What changes, as Server-Sent Events.
//!
//! - [`source`]: the feed's topic and its one reader; `hub`: what all streams share, and why a snapshot is exact.
//! - `event` and `view`: a record as a block of text; `position`: its id.
//! - `ring` and `fold`: the last events, and what is open at the last one.
//! - `query`: what a client asks; `session`: who it is; `client`: what it is sent until it is where the ring is, `follower`:
//!   from then on; `sse_body`: the two as one body; `notice`: what is sent beside events.
//! - `waker_set`: how all are woken; `idle_timer`: when one has been sent nothing for long.
//! - `catch_up`: what only Kafka still has; `catch_up_limiter`: who may read it now.
//!
//! A client gets everything that its filters let through, in the order of each partition, once: from its last event on,
//! or from a snapshot. One that reads too slowly is disconnected and resumes later; it is never fed with holes.
//!
//! Source: WHATWG HTML, "Server-sent events".

mod catch_up;
mod catch_up_limiter;
mod client;
mod event;
mod fold;
mod follower;
mod hub;
mod idle_timer;
mod notice;
mod position;
mod query;
mod ring;
mod session;
pub mod source;
mod sse_body;
mod view;
mod waker_set;

use std::sync::Arc;
use std::time::Duration;

use arb_runtime::stop::Stop;
use arb_schemas::wire::WireError;
use tokio::sync::mpsc;
use warp::Reply;
use warp::reply::Response;

use self::catch_up_limiter::CatchUpLimiter;
use self::client::{Client, Start};
use self::hub::FeedHub;
pub(crate) use self::query::StreamQuery;
use self::session::Session;
use self::source::Source;
use self::sse_body::SseBody;
use crate::access::authority::Authority;
use crate::http::problem::Problem;
use crate::lists::Lists;
use crate::lists::follow::FollowError;

/// Pieces of a beginning that wait for a connection to take them: those of a snapshot are shared by all clients, an event that
/// came from Kafka is this one's alone.
const PIECES: usize = 8;
/// Clients that read from Kafka at one time; more wait, and are sent heartbeats meanwhile.
const CATCH_UPS: usize = 4;

/// What streams need.
#[derive(Debug)]
pub struct Streams {
    source: Source,
    hub: FeedHub,
    /// A client hears something at least this often.
    heartbeat: Duration,
    catch_ups: CatchUpLimiter,
}

impl Streams {
    /// Streams of a feed, which keep so many events in memory.
    #[must_use]
    pub fn new(source: Source, max_events: usize, heartbeat: Duration) -> Self {
        let hub = FeedHub::new(source.epoch(), source.start().clone(), max_events);
        Self { source, hub, heartbeat, catch_ups: CatchUpLimiter::new(CATCH_UPS) }
    }

    /// Whether streams can begin.
    pub(crate) fn is_ready(&self) -> bool {
        self.hub.is_ready()
    }

    /// Events in memory and their bytes, and the offsets after the last of them.
    pub(crate) fn memory(&self) -> ((usize, usize), Vec<i64>) {
        (self.hub.size(), self.hub.head().as_slice().to_vec())
    }

    /// Ends the streams whose key is not valid any more.
    pub(crate) fn keys_have_changed(&self) {
        self.hub.keys_have_changed();
    }

    /// Ends all streams.
    pub(crate) fn close(&self) {
        self.hub.close();
    }

    /// Takes the next record of a feed that is handed over ([`Source::by_hand`]).
    ///
    /// # Errors
    /// [`WireError`] when it is none of the feed's.
    pub fn take(&self, partition: i32, offset: i64, message: &[u8]) -> Result<(), WireError> {
        self.hub.push((partition, offset, None), message)
    }

    /// Begins such a feed where nothing is open.
    pub fn begin(&self) {
        for partition in (0..).take(self.source.start().as_slice().len()) {
            self.hub.ended(partition);
        }
    }
}

/// What streams are served from: the feed, the lists at its start, and whose keys are valid.
#[derive(Debug)]
pub(crate) struct StreamState {
    pub(crate) streams: Streams,
    pub(crate) lists: Lists,
    pub(crate) authority: Arc<Authority>,
}

impl StreamState {
    /// Whether streams can begin.
    pub(crate) fn is_ready(&self) -> bool {
        self.streams.is_ready()
    }

    /// Whether the server ends.
    pub(crate) fn is_closing(&self) -> bool {
        self.streams.hub.is_closing()
    }

    /// Refuses a query for a sport that there is not.
    pub(crate) fn check(&self, query: &StreamQuery) -> Result<(), Problem> {
        self.lists.sports.check_for_stream(&query.filter.sport)
    }

    /// Reads the feed until the shutdown signal; `hub` says why in this order.
    ///
    /// # Errors
    /// [`FollowError`].
    pub(crate) fn follow(&self, stop: &Stop) -> Result<(), FollowError> {
        self.streams.source.follow(&self.streams.hub, &self.lists, stop)
    }

    /// A stream for the key with this kid.
    pub(crate) fn open(self: &Arc<Self>, query: StreamQuery, kid: &str) -> Response {
        let StreamQuery { filter, last } = query;
        let (out, pieces) = mpsc::channel(PIECES);
        let start = Start::of(last, &self.streams.hub);
        let client = Client::new(Session::new(Arc::clone(self), filter, kid), out);
        warp::reply::stream(SseBody::new(client.begin(start), pieces)).into_response()
    }
}

#[cfg(test)]
mod tests;
