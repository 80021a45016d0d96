//! One stream: the caller, and the pieces from the first to the last.
//!
//! It counts what is sent and why that ends. It never decides what is sent.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::telemetry;
use crate::telemetry::{Open, Sent};
use arb_feed::filter::EventFilter;
use arb_feed::position::Positions;
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::StreamState;
use super::hub::FeedHub;
use super::idle_timer::IdleTimer;
use super::notice::{self, To};
use super::open_streams::OpenStream;
use super::query::StreamPace;
use super::waker_set::WakerSlot;

/// The longest time between reports of sent events, unless a whole batch was sent.
const REPORT: Duration = Duration::from_secs(1);

/// A client that is connected.
pub(super) struct Session {
    pub(super) state: Arc<StreamState>,
    pub(super) filter: EventFilter,
    /// The latest state of each window and signal at most this often.
    pub(super) conflate: Option<Duration>,
    /// The client receives something at least this often.
    pub(super) heartbeat: Duration,
    pub(super) key: HeldKey,
    pub(super) slot: WakerSlot,
    pub(super) idle: IdleTimer,
    /// The events that were sent since the last report, and the time of that report.
    unreported: (Sent, Instant),
    ending: Ending,
    _open: Open,
    _place: OpenStream,
}

/// The key by which a stream was opened.
#[derive(Debug, Clone)]
pub(super) struct HeldKey {
    kid: String,
    /// As of which reading of the keys it was valid.
    seen: u64,
}

impl HeldKey {
    pub(super) fn new(state: &StreamState, kid: &str) -> Self {
        // Before anything is looked up: a change in between is looked at again. The request has been checked before it.
        Self { kid: kid.to_owned(), seen: state.streams.hub.keys_read().wrapping_sub(1) }
    }

    /// Whether it is not valid any more: looked up when the keys have been read again, and else one number is compared.
    pub(super) fn is_revoked(&mut self, state: &StreamState) -> bool {
        let read = state.streams.hub.keys_read();
        if read == self.seen {
            return false;
        }
        self.seen = read;
        !state.authority.is_valid(&self.kid)
    }

    /// Why a stream with the prices of this private source ends, or of none, if it does.
    pub(super) fn end_of(&self, state: &StreamState, private: Option<&str>) -> Option<End> {
        match state.authority.has_source(&self.kid, private) {
            None => Some(End::Revoked),
            Some(true) => None,
            Some(false) => Some(End::Lagged("source_changed")),
        }
    }
}

/// Why a stream ends.
pub(super) enum End {
    /// The key is not valid any more.
    Revoked,
    /// The client has gone, or is cut in the middle of something.
    Gone,
    /// The client must come back, for this reason.
    Lagged(&'static str),
    /// The server ends.
    Closing,
    /// Not at all: the client, which wants the latest state alone, goes on with a snapshot.
    Behind,
}

/// Why a stream ends, reported at its end: `gone` unless there is another reason. A client whose connection
/// has closed is not polled again.
struct Ending(&'static str);

impl Drop for Ending {
    fn drop(&mut self) {
        telemetry::stream_ended(self.0);
    }
}

impl Session {
    /// Of the caller with this kid, in a place of its account.
    pub(super) fn new(
        state: Arc<StreamState>,
        (filter, pace): (EventFilter, StreamPace),
        (kid, opened): (&str, OpenStream),
    ) -> Self {
        let key = HeldKey::new(&state, kid);
        let heartbeat = pace.heartbeat.unwrap_or(state.streams.heartbeat);
        let (slot, idle, conflate) = (state.streams.hub.slot(), IdleTimer::new(heartbeat), pace.conflate);
        let (unreported, open) = ((Sent::default(), Instant::now()), Open::stream());
        let ending = Ending("gone");
        Self {
            state,
            filter,
            conflate,
            heartbeat,
            key,
            slot,
            idle,
            unreported,
            ending,
            _open: open,
            _place: opened,
        }
    }

    pub(super) fn hub(&self) -> &FeedHub {
        &self.state.streams.hub
    }

    /// Notes that so many bytes, which belong together, are sent.
    pub(super) fn sends(&mut self, bytes: usize) {
        self.unreported.0.add(bytes);
        self.idle.restart();
    }

    /// Reports the events sent so far, so that the beginning of a stream is visible in the metrics.
    pub(super) fn report(&mut self) {
        self.unreported.0.report();
    }

    /// Whether the client has received nothing for too long; otherwise the caller is woken when it has.
    /// Polled when there is no event to send.
    pub(super) fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let now = Instant::now();
        // All streams share the counters, so each updates them seldom. The rest is reported when the stream
        // is idle.
        if now.duration_since(self.unreported.1) >= REPORT {
            self.unreported.0.report();
            self.unreported.1 = now;
        }
        self.idle.poll(now, context)
    }

    /// Why the stream ends now, if it does.
    pub(super) fn end(&mut self) -> Option<End> {
        if self.hub().is_closing() {
            return Some(End::Closing);
        }
        self.key.is_revoked(&self.state).then_some(End::Revoked)
    }

    /// Why the stream ends; otherwise the caller is woken when it does.
    fn poll_end(&mut self, context: &Context<'_>) -> Poll<End> {
        self.slot.wait(context);
        self.end().map_or(Poll::Pending, Poll::Ready)
    }

    /// Waits until the stream ends.
    pub(super) async fn ends(&mut self) -> End {
        poll_fn(|context| self.poll_end(context)).await
    }

    /// Waits until the key is not valid any more.
    pub(super) async fn revocation(&mut self) {
        poll_fn(|context| {
            self.slot.wait(context);
            if self.key.is_revoked(&self.state) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Sends one whole block, unless the server ends before it could.
    pub(super) async fn send(&mut self, out: &mpsc::Sender<Bytes>, text: Bytes) -> Result<(), End> {
        let bytes = text.len();
        tokio::select! {
            biased;
            sent = out.send(text) => sent.map_err(|_| End::Gone)?,
            end = self.ends() => return Err(end),
        }
        self.sends(bytes);
        Ok(())
    }

    /// Sends the pieces of one event, which belong together, unless the key is not valid any more.
    pub(super) async fn send_all(
        &mut self,
        out: &mpsc::Sender<Bytes>,
        pieces: Vec<Bytes>,
    ) -> Result<(), End> {
        let bytes = pieces.iter().map(Bytes::len).sum();
        for piece in pieces {
            tokio::select! {
                biased;
                sent = out.send(piece) => sent.map_err(|_| End::Gone)?,
                () = self.revocation() => return Err(End::Gone),
            }
        }
        self.sends(bytes);
        Ok(())
    }

    /// Waits until the client must receive something else than events: a heartbeat, or the end.
    pub(super) async fn interruption(&mut self) -> Result<(), End> {
        poll_fn(|context| match self.poll_end(context) {
            Poll::Ready(end) => Poll::Ready(Err(end)),
            Poll::Pending => self.poll_idle(context).map(Ok),
        })
        .await
    }

    /// The recipient of a notice, for a client at this position.
    pub(super) fn to<'a>(&'a self, sent: Option<&'a Positions>) -> To<'a> {
        To { epoch: self.hub().epoch(), sent }
    }

    /// The last notice to a client at this position; empty where the connection is closed.
    pub(super) fn last_word(&mut self, end: &End, sent: Option<&Positions>) -> Option<Bytes> {
        match end {
            End::Gone | End::Behind => None,
            End::Revoked => {
                self.ending.0 = "key_revoked";
                Some(notice::key_revoked())
            }
            End::Lagged(reason) => {
                self.ending.0 = reason;
                Some(notice::lagged(self.to(sent), reason))
            }
            End::Closing => {
                self.ending.0 = "closing";
                Some(notice::server_restart(self.to(sent)))
            }
        }
    }
}
