//! One client: what it is sent, in which order, until it goes, falls behind, or the server ends.
//!
//! It hands shared bytes to the connection, a few at a time, and is run by the connection's task (`driven`): it ends when
//! that does, and is not told. It never buffers for a client that does not read: it waits, and when the ring has gone on
//! without it, the client is cut and told from where to go on.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use arb_pipeline::telemetry::serve::{self as telemetry, Open, Sent};
use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::catch_up::{CatchUp, CaughtUp};
use super::event::{Block, id_line};
use super::live::{Live, Place, Signal};
use super::notice::{self, To};
use super::position::{EventId, Positions};
use super::query::Filter;
use crate::SharedApp;

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
    /// What the client said that it had last.
    pub(super) fn of(last: Option<EventId>, live: &Live) -> Self {
        let Some(EventId { epoch, positions }) = last else { return Self::Fresh };
        let is_of_this_feed =
            epoch == *live.epoch() && positions.as_slice().len() == live.head().as_slice().len();
        if is_of_this_feed { Self::Resume(positions) } else { Self::Resync("epoch_changed") }
    }
}

/// Why a stream ends.
enum End {
    /// The client has gone, or is cut in the middle of something.
    Gone,
    /// The client must come back, for this reason.
    Lagged(&'static str),
    /// The server ends.
    Closing,
}

/// A client that is connected.
pub(super) struct Client {
    app: SharedApp,
    filter: Filter,
    out: mpsc::Sender<Bytes>,
    wake: watch::Receiver<Signal>,
    /// How far it has come; nowhere before its snapshot.
    sent: Option<Positions>,
    last_sent: Instant,
    /// Rings when nothing has been sent for long, or before.
    silence: Pin<Box<Sleep>>,
    /// What was sent since that was last told.
    told: Sent,
    ending: Ending,
    _open: Open,
}

/// Why a stream ends, told when it does: `gone` unless there is another reason. A client whose connection goes is not
/// asked again.
struct Ending(&'static str);

impl Drop for Ending {
    fn drop(&mut self) {
        telemetry::stream_ended(self.0);
    }
}

impl Client {
    pub(super) fn new(app: SharedApp, filter: Filter, out: mpsc::Sender<Bytes>) -> Self {
        let wake = app.streams.live.subscribe();
        let (told, open) = (Sent::default(), Open::stream());
        let (last_sent, silence) = (Instant::now(), Box::pin(sleep(app.streams.heartbeat)));
        Self {
            app,
            filter,
            out,
            wake,
            sent: None,
            last_sent,
            silence,
            told,
            ending: Ending("gone"),
            _open: open,
        }
    }

    /// Serves it until it ends.
    pub(super) async fn run(mut self, start: Start) {
        let Err(end) = self.serve(start).await;
        let last = match end {
            End::Gone => return,
            End::Lagged(reason) => {
                self.ending.0 = reason;
                notice::lagged(self.to(), reason)
            }
            End::Closing => {
                self.ending.0 = "closing";
                notice::server_restart(self.to())
            }
        };
        // Who does not take it finds the end of the stream, and goes on from its id all the same.
        let _ = self.out.send(last).await;
    }

    async fn serve(&mut self, start: Start) -> Result<Infallible, End> {
        let place = match start {
            Start::Fresh => self.snapshot().await?,
            Start::Resync(reason) => self.resync(reason).await?,
            Start::Resume(positions) => self.resume(positions).await?,
        };
        self.follow(place).await
    }

    /// Sends what the ring has, and then what comes.
    async fn follow(&mut self, mut place: Place) -> Result<Infallible, End> {
        loop {
            let blocks = self.app.streams.live.read(place.next).ok_or(End::Lagged("too_slow"))?;
            for block in blocks {
                self.deliver(&block, &mut place).await?;
            }
            self.wait(Some(place.next)).await?;
        }
    }

    async fn deliver(&mut self, block: &Block, place: &mut Place) -> Result<(), End> {
        let Some(sent) = &mut self.sent else { return Err(End::Gone) };
        let is_where_the_reader_was = *sent == place.reader;
        place.reader.pass(block.partition, block.offset);
        place.next += 1;
        if !sent.is_before(block.partition, block.offset) {
            return Ok(());
        }
        if self.filter.includes(block) {
            let text = if is_where_the_reader_was {
                block.shared()
            } else {
                let mut after = sent.clone();
                after.pass(block.partition, block.offset);
                let id = id_line(self.app.streams.live.epoch(), &after);
                [block.without_id(), id.into()].concat().into()
            };
            self.send(text).await?;
        }
        // Only now: who is cut before goes on from before.
        if let Some(sent) = &mut self.sent {
            sent.pass(block.partition, block.offset);
        }
        Ok(())
    }

    /// Sends what is open, and says where the events after it begin.
    async fn snapshot(&mut self) -> Result<Place, End> {
        let (place, snapshot) = self.app.streams.live.snapshot(&self.app).await;
        let to = To { epoch: self.app.streams.live.epoch(), sent: Some(&place.reader) };
        let pieces = notice::snapshot(to, &snapshot, &self.filter);
        drop(snapshot);
        // Half a snapshot cannot be followed by anything.
        timeout(SNAPSHOT, self.send_all(pieces)).await.map_err(|_| End::Gone)??;
        self.sent = Some(place.reader.clone());
        Ok(place)
    }

    async fn resync(&mut self, reason: &'static str) -> Result<Place, End> {
        self.sent = None;
        self.send(notice::resync(reason)).await?;
        self.snapshot().await
    }

    /// Finds the place after these positions: in memory, or by way of Kafka.
    async fn resume(&mut self, mut positions: Positions) -> Result<Place, End> {
        self.sent = Some(positions.clone());
        let live = &self.app.streams.live;
        // Beyond the reader may be beyond the feed, or this reader is late: Kafka knows.
        if live.head().reaches(&positions)
            && let Some(place) = live.join(&positions)
        {
            return Ok(place);
        }
        for _ in 0..ROUNDS {
            match self.catch_up(positions).await? {
                Ok(reached) => positions = reached,
                Err(reason) => return self.resync(reason).await,
            }
            if let Some(place) = self.app.streams.live.join(&positions) {
                return Ok(place);
            }
        }
        Err(End::Lagged("too_slow"))
    }

    /// Sends from Kafka what comes after these positions; or the reason why that cannot be.
    async fn catch_up(&mut self, positions: Positions) -> Result<Result<Positions, &'static str>, End> {
        let permit = self.permit().await?;
        let (app, filter, out) = (self.app.clone(), self.filter.clone(), self.out.clone());
        let reader = CatchUp { app, filter, out, sent: positions, told: Sent::default() };
        let read = tokio::task::spawn_blocking(move || {
            let read = reader.run();
            drop(permit);
            read
        });
        // Where a reader that panicked had come to is not known, so no id may be sent: the client has a newer one.
        let (reached, outcome) = read.await.map_err(|_| End::Gone)?;
        self.sent = Some(reached.clone());
        self.last_sent = Instant::now();
        match outcome {
            CaughtUp::Reached => Ok(Ok(reached)),
            CaughtUp::Impossible(reason) => Ok(Err(reason)),
            CaughtUp::Gone => Err(End::Gone),
            CaughtUp::Closing => Err(End::Closing),
            CaughtUp::TurnOver => Err(End::Lagged("catching_up")),
            CaughtUp::Failed => Err(End::Lagged("unavailable")),
        }
    }

    /// Waits for its turn.
    async fn permit(&mut self) -> Result<OwnedSemaphorePermit, End> {
        // One place in the line, however many heartbeats it takes.
        let app = Arc::clone(&self.app);
        let turn = app.streams.catch_ups.place();
        tokio::pin!(turn);
        loop {
            tokio::select! {
                permit = &mut turn => return permit.ok_or(End::Closing),
                waited = self.wait(None) => waited?,
            }
        }
    }

    /// Waits until there is a block of this number, or only for the end; sends a heartbeat when that takes long.
    async fn wait(&mut self, next: Option<u64>) -> Result<(), End> {
        self.told.tell();
        let Self { app, wake, silence, last_sent, .. } = self;
        let heartbeat = app.streams.heartbeat;
        let is_there = |signal: &Signal| next.is_some_and(|next| signal.next > next);
        let woken = async {
            let signal = wake.wait_for(|signal| signal.is_closing || is_there(signal)).await;
            signal.map_or(true, |signal| signal.is_closing)
        };
        // One timer for the life of a stream, which is set again when it rings: not each time that something is sent.
        let silent = async {
            loop {
                silence.as_mut().await;
                let due = *last_sent + heartbeat;
                if Instant::now() >= due {
                    return;
                }
                silence.as_mut().reset(due);
            }
        };
        let is_closing = tokio::select! {
            is_closing = woken => Some(is_closing),
            () = silent => None,
        };
        match is_closing {
            Some(true) => Err(End::Closing),
            Some(false) => Ok(()),
            None => {
                // Who still lacks events is told no time of the board: it may be days behind.
                let as_of = next.and_then(|_| self.app.polls.as_of());
                self.send(notice::heartbeat(self.to(), as_of)).await
            }
        }
    }

    /// Sends one whole block, unless the server ends before it could.
    async fn send(&mut self, text: Bytes) -> Result<(), End> {
        let bytes = text.len();
        tokio::select! {
            biased;
            sent = self.out.send(text) => sent.map_err(|_| End::Gone)?,
            _ = self.wake.wait_for(|signal| signal.is_closing) => return Err(End::Closing),
        }
        self.told.add(bytes);
        self.last_sent = Instant::now();
        Ok(())
    }

    async fn send_all(&mut self, pieces: Vec<Bytes>) -> Result<(), End> {
        let bytes = pieces.iter().map(Bytes::len).sum();
        for piece in pieces {
            self.out.send(piece).await.map_err(|_| End::Gone)?;
        }
        self.told.add(bytes);
        self.last_sent = Instant::now();
        Ok(())
    }

    fn to(&self) -> To<'_> {
        To { epoch: self.app.streams.live.epoch(), sent: self.sent.as_ref() }
    }
}
