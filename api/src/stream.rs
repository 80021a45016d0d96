//! What changes, as Server-Sent Events.
//!
//! - [`source`]: the feed's topic and its one reader; `hub`: the state that all streams share, and why a
//!   snapshot is consistent with the events after it.
//! - `ring`: the last events. Events, their ids, filters, JSON, and the fold of what they leave open are those of `arb_feed`.
//! - `query`: the parameters of a request; `session`: one stream from beginning to end; `client`: the pieces
//!   until the client has caught up with the ring, `follower`: the pieces from then on; `sse_body`: both as
//!   one body; `notice`: messages beside events.
//! - `watched_boards`: boards that are computed for those who watch them, `watched_board`: one of them from look to look; `watcher`: a client that
//!   watches one.
//! - `changes`: the events after one, as a page. `open_streams`: how many an account has.
//! - `waker_set`: how all streams are woken; `idle_timer`: detects a stream that has sent nothing for long.
//! - `catch_up`: events that only Kafka still has; `catch_up_limiter`: which clients may read them now.
//!
//! A client receives every event that passes its filters, in the order of each partition, once: from its last
//! event on, or from a snapshot. A client that reads too slowly is disconnected and resumes later; it never
//! receives a stream with gaps.
//!
//! Source: WHATWG HTML, "Server-sent events".

mod catch_up;
mod catch_up_limiter;
mod changes;
mod client;
mod conflation;
mod follower;
mod hub;
mod idle_timer;
mod notice;
mod open_streams;
mod query;
mod ring;
mod session;
pub mod source;
mod sse_body;
mod waker_set;
mod watched_board;
mod watched_boards;
mod watcher;

use std::sync::Arc;
use std::time::Duration;

use arb_feed::event::EventKind;
use arb_runtime::stop::Stop;
use arb_schemas::wire::WireError;
use tokio::sync::mpsc;
use warp::Reply;
use warp::reply::Response;

use self::catch_up_limiter::CatchUpLimiter;
pub(crate) use self::changes::{ChangesPage, ChangesQuery};
use self::client::{Client, Start};
use self::follower::Follower;
use self::hub::FeedHub;
pub(crate) use self::open_streams::OpenStream;
use self::open_streams::OpenStreams;
pub(crate) use self::query::{StreamQuery, check_filter};
use self::session::Session;
use self::source::Source;
use self::sse_body::SseBody;
pub(crate) use self::watched_boards::{BoardWatch, WatchedBoards};
use self::watcher::Watcher;
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
    /// A client receives something at least this often.
    heartbeat: Duration,
    catch_ups: CatchUpLimiter,
    open: OpenStreams,
}

impl Streams {
    /// Streams of a feed, which keep so many events in memory.
    #[must_use]
    pub fn new(source: Source, max_events: usize, heartbeat: Duration) -> Self {
        let hub = FeedHub::new(source.epoch(), source.start().clone(), max_events);
        Self {
            source,
            hub,
            heartbeat,
            catch_ups: CatchUpLimiter::new(CATCH_UPS),
            open: OpenStreams::default(),
        }
    }

    /// A client receives something at least this often.
    pub(crate) fn heartbeat(&self) -> Duration {
        self.heartbeat
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

/// The types of events that a stream sends, notices among them.
pub(crate) fn event_types() -> impl Iterator<Item = &'static str> {
    EventKind::ALL.into_iter().map(EventKind::key).chain(notice::NAMES)
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

    /// Refuses a query with a name of which there is nothing.
    pub(crate) fn check(&self, query: &StreamQuery) -> Result<(), Problem> {
        self.lists.names.check_for_stream(query.names())
    }

    /// Reads the feed until the shutdown signal; `hub` explains the order.
    ///
    /// # Errors
    /// [`FollowError`].
    pub(crate) fn follow(&self, stop: &Stop) -> Result<(), FollowError> {
        self.streams.source.follow(&self.streams.hub, &self.lists, stop)
    }

    /// Begins with its lists for good, and with these events after them.
    ///
    /// # Errors
    /// [`WireError`] when one is none of the feed's.
    pub(crate) fn begin_fixed(&self, events: &[Vec<u8>]) -> Result<(), WireError> {
        let hub = &self.streams.hub;
        hub.begin_fixed(&self.lists);
        for (offset, event) in (0..).zip(events) {
            hub.append((0, offset, None), event)?;
        }
        hub.ended(0);
        Ok(())
    }

    /// A place for another stream of an account, of which it may have so many at one time; 0 is any number.
    pub(crate) fn place(&self, account: &str, most: u32) -> Option<OpenStream> {
        self.streams.open.open(account, most)
    }

    /// How many streams an account has open here.
    pub(crate) fn open_streams(&self, account: &str) -> u32 {
        self.streams.open.count(account)
    }

    /// A stream for the key with this kid, in a place of its account.
    pub(crate) fn open(self: &Arc<Self>, query: StreamQuery, (kid, place): (&str, OpenStream)) -> Response {
        let StreamQuery { filter, pace, last } = query;
        let (out, pieces) = mpsc::channel(PIECES);
        let start = Start::of(last, &self.streams.hub);
        let client = Client::new(Session::new(Arc::clone(self), (filter, pace), (kid, place)), out);
        warp::reply::stream(SseBody::new(Follower::begin(client, start), pieces)).into_response()
    }

    /// The same of a board that is computed for those who watch it.
    pub(crate) fn open_board(
        self: &Arc<Self>,
        StreamQuery { filter, pace, .. }: StreamQuery,
        (kid, place): (&str, OpenStream),
        watch: BoardWatch,
    ) -> Response {
        let (out, pieces) = mpsc::channel(PIECES);
        let session = Session::new(Arc::clone(self), (filter, pace), (kid, place));
        let watcher = Watcher::new(session, watch, out);
        warp::reply::stream(SseBody::new(watcher.run(), pieces)).into_response()
    }
}

#[cfg(test)]
mod tests;
