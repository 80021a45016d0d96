//! `GET /v1/stream` and `GET /api/v1/stream`: what changes, as Server-Sent Events.
//!
//! - [`source`]: the feed's topic and its one reader; `live`: what all streams share, and why a snapshot is exact.
//! - `event` and `view`: a record as a block of text; `position`: its id.
//! - `ring` and `fold`: the last events, and what is open at the last one.
//! - `query`: what a client asks; `session`: who it is; `client`: what it is sent until it is where the ring is, `follower`:
//!   from then on; `driven`: the two as one body; `notice`: what is sent beside events.
//! - `bell`: how all are woken; `silence`: when one has heard nothing for long.
//! - `catch_up`: what only Kafka still has; `line`: who may read it now.
//!
//! A client gets everything that its filters let through, in the order of each partition, once: from its last event on,
//! or from a snapshot. One that reads too slowly is cut and goes on later; it is never fed with holes.
//!
//! Source: WHATWG HTML, "Server-sent events".

mod bell;
mod catch_up;
mod client;
mod driven;
mod event;
mod fold;
mod follower;
mod line;
mod live;
mod notice;
mod position;
mod query;
mod ring;
mod session;
mod silence;
pub mod source;
mod view;

use std::sync::Arc;
use std::time::Duration;

use arb_runtime::stop::Stop;
use arb_schemas::wire::WireError;
use tokio::sync::mpsc;
use warp::Reply;
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use warp::http::{HeaderMap, HeaderValue};
use warp::reply::Response;

use self::client::{Client, Start};
use self::driven::Driven;
use self::line::Line;
use self::live::Live;
use self::query::Query;
use self::session::Session;
use self::source::Source;
use crate::follow::FollowError;
use crate::problem::Problem;
use crate::request::Request;
use crate::{App, SharedApp};

/// Pieces of a beginning that wait for a connection to take them: those of a snapshot are shared by all clients, an event that
/// came from Kafka is this one's alone.
const PIECES: usize = 8;
/// Clients that read from Kafka at one time; more wait, and are sent heartbeats meanwhile.
const CATCH_UPS: usize = 4;

/// What streams need.
#[derive(Debug)]
pub struct Streams {
    source: Source,
    live: Live,
    /// A client hears something at least this often.
    heartbeat: Duration,
    catch_ups: Line,
}

impl Streams {
    /// Streams of a feed, which keep so many events in memory.
    #[must_use]
    pub fn new(source: Source, max_events: usize, heartbeat: Duration) -> Self {
        let live = Live::new(source.epoch(), source.start().clone(), max_events);
        Self { source, live, heartbeat, catch_ups: Line::new(CATCH_UPS) }
    }

    /// Whether streams can begin.
    pub(crate) fn is_ready(&self) -> bool {
        self.live.is_ready()
    }

    /// Events in memory and their bytes, and the offsets after the last of them.
    pub(crate) fn memory(&self) -> ((usize, usize), Vec<i64>) {
        (self.live.size(), self.live.head().as_slice().to_vec())
    }

    /// Ends the streams whose key is not valid any more.
    pub(crate) fn keys_have_changed(&self) {
        self.live.keys_have_changed();
    }

    /// Ends all streams.
    pub(crate) fn close(&self) {
        self.live.close();
    }

    /// Takes the next record of a feed that is handed over ([`Source::by_hand`]).
    ///
    /// # Errors
    /// [`WireError`] when it is none of the feed's.
    pub fn take(&self, partition: i32, offset: i64, message: &[u8]) -> Result<(), WireError> {
        self.live.push((partition, offset, None), message)
    }

    /// Begins such a feed where nothing is open.
    pub fn begin(&self) {
        for partition in (0..).take(self.source.start().as_slice().len()) {
            self.live.ended(partition);
        }
    }
}

/// Reads the feed until the end is wished; `live` says why in this order.
///
/// # Errors
/// [`FollowError`].
pub fn follow(app: &App, stop: &Stop) -> Result<(), FollowError> {
    app.streams.source.follow(&app.streams.live, app, stop)
}

/// Answers a request.
pub(crate) fn open(app: &SharedApp, request: &Request<'_>) -> Result<Response, Problem> {
    let Query { filter, last } = Query::parse(request.query, request.headers)?;
    if !app.streams.is_ready() {
        return Err(Problem::unavailable("The feed is being read; try again."));
    }
    app.sports.check(&filter.sport)?;
    // Who comes while the server ends is told so in a stream, for nothing: after a 503 it would never come back.
    if !app.streams.live.is_closing() {
        request.charge(app)?;
    }
    let mut response = if request.wants_body {
        let (out, pieces) = mpsc::channel(PIECES);
        let start = Start::of(last, &app.streams.live);
        let client = Client::new(Session::new(Arc::clone(app), filter, &request.caller.kid), out);
        warp::reply::stream(Driven::new(client.begin(start), pieces)).into_response()
    } else {
        Response::default()
    };
    describe(response.headers_mut());
    Ok(response)
}

fn describe(headers: &mut HeaderMap) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would otherwise collect events until it has a buffer full.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
}
