//! One client: what it is sent until it has come to where the ring is; from there it is a follower.
//!
//! It sends shared bytes, a few at a time, and is run by the connection's task (`sse_body`): it is dropped
//! with the connection. It never buffers for a client that does not read: it waits.

use std::sync::Arc;
use std::time::Duration;

use crate::telemetry::Sent;
use arb_feed::position::{EventId, Positions};
use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::catch_up::{CatchUp, CaughtUp};
use super::hub::{FeedHub, RingPosition};
use super::notice;
use super::session::{End, Session};

/// How often what is missing is read from Kafka before the client is slower than the feed.
const ROUNDS: usize = 3;
/// How long a client may take for its snapshot, whose memory it holds.
const SNAPSHOT: Duration = Duration::from_secs(30);

/// With what a stream begins.
#[derive(Debug)]
pub(super) enum Start {
    /// With a snapshot.
    Fresh,
    /// With what comes after these positions.
    Resume(Positions),
    /// With a reason, and a snapshot.
    Resync(&'static str),
}

impl Start {
    /// The last event that the client has received.
    pub(super) fn of(last: Option<EventId>, hub: &FeedHub) -> Self {
        let Some(EventId { epoch, positions }) = last else { return Self::Fresh };
        let is_of_this_feed =
            epoch == *hub.epoch() && positions.as_slice().len() == hub.head().as_slice().len();
        if is_of_this_feed { Self::Resume(positions) } else { Self::Resync("epoch_changed") }
    }
}

/// A client that has come to where the ring is.
pub(super) struct Joined {
    pub(super) session: Session,
    pub(super) sent: Positions,
    pub(super) place: RingPosition,
}

/// A client that begins.
pub(super) struct Client {
    session: Session,
    out: mpsc::Sender<Bytes>,
    /// How far it has come; nowhere before its snapshot.
    sent: Option<Positions>,
}

impl Client {
    pub(super) fn new(session: Session, out: mpsc::Sender<Bytes>) -> Self {
        Self { session, out, sent: None }
    }

    /// Serves it until it is where the ring is; `None` when it does not come there.
    pub(super) async fn begin(mut self, start: Start) -> Option<Joined> {
        let begun = match start {
            Start::Fresh => self.snapshot().await,
            Start::Resync(reason) => self.resync(reason).await,
            Start::Resume(positions) => self.resume(positions).await,
        };
        match begun {
            Ok(place) => {
                self.session.report();
                Some(Joined { session: self.session, sent: self.sent?, place })
            }
            Err(end) => {
                let last = self.session.last_word(&end, self.sent.as_ref())?;
                // A client that does not receive it sees the end of the stream, and resumes from its id all
                // the same.
                let _ = self.out.send(last).await;
                None
            }
        }
    }

    /// Sends the open entries, and the position at which the events after them begin.
    async fn snapshot(&mut self) -> Result<RingPosition, End> {
        let (place, snapshot) = self.session.hub().snapshot(&self.session.state.lists).await;
        let to = self.session.to(Some(&place.reader));
        let pieces = notice::snapshot(to, &snapshot, &self.session.filter);
        drop(snapshot);
        // Half a snapshot cannot be followed by anything.
        timeout(SNAPSHOT, self.session.send_all(&self.out, pieces)).await.map_err(|_| End::Gone)??;
        self.sent = Some(place.reader.clone());
        Ok(place)
    }

    async fn resync(&mut self, reason: &'static str) -> Result<RingPosition, End> {
        self.sent = None;
        self.session.send(&self.out, notice::resync(reason)).await?;
        self.snapshot().await
    }

    /// Finds the place after these positions: in memory, or by way of Kafka.
    async fn resume(&mut self, mut positions: Positions) -> Result<RingPosition, End> {
        self.sent = Some(positions.clone());
        let hub = self.session.hub();
        // A position beyond this reader is beyond the feed, or this reader is late: Kafka decides.
        if hub.head().reaches(&positions)
            && let Some(place) = hub.join(&positions)
        {
            return Ok(place);
        }
        for _ in 0..ROUNDS {
            match self.catch_up(positions).await? {
                Ok(reached) => positions = reached,
                Err(reason) => return self.resync(reason).await,
            }
            if let Some(place) = self.session.hub().join(&positions) {
                return Ok(place);
            }
        }
        if self.session.conflate.is_some() { self.snapshot().await } else { Err(End::Lagged("too_slow")) }
    }

    /// Sends from Kafka what comes after these positions; or the reason why that cannot be.
    async fn catch_up(&mut self, positions: Positions) -> Result<Result<Positions, &'static str>, End> {
        let permit = self.permit().await?;
        let Session { state, filter, key, heartbeat, .. } = &self.session;
        let heartbeat = *heartbeat;
        let (state, filter, key, out) = (Arc::clone(state), filter.clone(), key.clone(), self.out.clone());
        let reader =
            CatchUp { state, filter, key, heartbeat, out, sent: positions, unreported: Sent::default() };
        let read = tokio::task::spawn_blocking(move || {
            let read = reader.run();
            drop(permit);
            read
        });
        // Where a reader that panicked had come to is not known, so no id may be sent: the client has a newer one.
        let (reached, outcome) = read.await.map_err(|_| End::Gone)?;
        self.sent = Some(reached.clone());
        self.session.idle.restart();
        match outcome {
            CaughtUp::Reached => Ok(Ok(reached)),
            CaughtUp::Impossible(reason) => Ok(Err(reason)),
            CaughtUp::Gone => Err(End::Gone),
            CaughtUp::Revoked => Err(End::Revoked),
            CaughtUp::Closing => Err(End::Closing),
            CaughtUp::TurnOver => Err(End::Lagged("catching_up")),
            CaughtUp::Failed => Err(End::Lagged("unavailable")),
        }
    }

    /// Waits for its turn.
    async fn permit(&mut self) -> Result<OwnedSemaphorePermit, End> {
        // One place in the line, however many heartbeats it takes.
        let state = Arc::clone(&self.session.state);
        let turn = state.streams.catch_ups.acquire();
        tokio::pin!(turn);
        loop {
            tokio::select! {
                permit = &mut turn => return permit.ok_or(End::Closing),
                interrupted = self.session.interruption() => interrupted?,
            }
            // A client that has not caught up receives no time of the board: the client may be days behind
            // it.
            let is_stale = self.session.state.lists.polls.is_stale();
            let text = notice::heartbeat(self.session.to(self.sent.as_ref()), None, is_stale);
            self.session.send(&self.out, text).await?;
        }
    }
}
