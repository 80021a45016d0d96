//! `GET /livez` and `GET /readyz`: whether the process runs, and whether it has read what it serves and is not about to end.
//!
//! It never looks at anything outside the process.

use std::sync::Arc;

use crate::access::replica::Replica;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::route::Answer;
use crate::http::server::drain::Drain;
use crate::lists::Lists;
use crate::stream::StreamState;

/// What must have been read.
#[derive(Debug)]
pub(crate) struct Health {
    pub(crate) lists: Lists,
    pub(crate) streams: Arc<StreamState>,
    pub(crate) accounts: Arc<Replica>,
    pub(crate) drain: Drain,
}

impl Health {
    /// Whether the accounts, the board, the signals and the feed have been read, it is known whether keys are valid, and the instance is not
    /// about to end.
    pub(crate) fn is_ready(&self) -> bool {
        !self.drain.has_begun() && self.unread().next().is_none() && self.accounts.is_followed()
    }

    /// What has not been read to its end yet.
    pub(crate) fn unread(&self) -> impl Iterator<Item = &'static str> {
        let parts = [
            ("accounts", self.accounts.is_ready()),
            ("board and signals", self.lists.is_ready()),
            ("feed", self.streams.is_ready()),
        ];
        parts.into_iter().filter(|(_, is_ready)| !is_ready).map(|(name, _)| name)
    }

    /// Answers `GET /readyz`.
    pub(crate) fn ready(&self) -> Answer {
        if self.drain.has_begun() {
            Err(Problem::unavailable("The server is ending: send requests to another instance."))
        } else if self.is_ready() {
            Ok(reply::text("ready\n".to_owned()))
        } else if self.unread().next().is_none() {
            Err(Problem::unavailable(
                "For 15 s it has not been known whether keys are valid: Kafka does not answer.",
            ))
        } else {
            Err(Problem::unavailable("The accounts, the board, the signals and the feed are being read."))
        }
    }
}

/// Answers `GET /livez`: 200 whenever the process can answer at all.
#[expect(clippy::unnecessary_wraps, reason = "as handlers answer")]
pub(crate) fn live() -> Answer {
    Ok(reply::text("live\n".to_owned()))
}
