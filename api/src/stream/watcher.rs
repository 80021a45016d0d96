//! A client that watches a board computed for its account: the board whole, then what differs, at most once a second.
//!
//! It never holds more than the board that the client has: of boards that came while it did not read it is sent the last one's differences. A client
//! resumes nothing: when it comes back, it begins with the board. It is sent nothing of a private source that is not its account's any more.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::follower::Follower;
use super::notice;
use super::session::{End, Session};
use super::watched_board::WatchedBoard;
use super::watched_boards::BoardWatch;

/// Such a client.
pub(super) struct Watcher {
    session: Session,
    out: mpsc::Sender<Bytes>,
    watch: BoardWatch,
    /// The board that it has.
    sent: Option<Arc<WatchedBoard>>,
    /// Before this it is sent no other one.
    due: Instant,
}

impl Watcher {
    pub(super) fn new(session: Session, watch: BoardWatch, out: mpsc::Sender<Bytes>) -> Self {
        Self { session, out, watch, sent: None, due: Instant::now() }
    }

    /// Serves it until it goes, or must; nothing follows.
    pub(super) async fn run(mut self) -> Option<Follower> {
        let end = loop {
            if let Err(end) = self.turn().await {
                break end;
            }
        };
        if let Some(last) = self.session.last_word(&end, None) {
            let _ = self.out.send(last).await;
        }
        None
    }

    /// Sends what is to be sent now, and waits for more.
    async fn turn(&mut self) -> Result<(), End> {
        let board = self.watch.feed.borrow_and_update().clone();
        if let Some(board) = board {
            self.show(board).await?;
        }
        let (feed, due) = (&mut self.watch.feed, self.due);
        let another = async {
            sleep_until(due).await;
            feed.changed().await
        };
        tokio::select! {
            biased;
            changed = another => changed.map_err(|_| End::Lagged("unavailable")),
            interrupted = self.session.interruption() => {
                interrupted?;
                let polls = &self.session.state.lists.polls;
                let (as_of, is_stale) = (polls.as_of(), polls.is_stale());
                let text = notice::heartbeat(self.session.to(None), as_of, is_stale);
                self.session.send(&self.out, text).await
            }
        }
    }

    async fn show(&mut self, board: Arc<WatchedBoard>) -> Result<(), End> {
        if let Some(end) = self.session.key.end_of(&self.session.state, self.watch.private()) {
            return Err(end);
        }
        let filter = &self.session.filter;
        let pieces = match &self.sent {
            Some(since) if Arc::ptr_eq(since, &board) => Vec::new(),
            Some(since) => board.changes(since, filter),
            None => board.snapshot(filter),
        };
        self.sent = Some(board);
        if !pieces.is_empty() {
            self.session.send_all(&self.out, pieces).await?;
            self.due = Instant::now() + self.session.conflate.unwrap_or_default();
        }
        Ok(())
    }
}
