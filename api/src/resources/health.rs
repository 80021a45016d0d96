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
        self.problem().is_none()
    }

    /// Why it is not.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.drain.has_begun() {
            return Some("The server is ending: send requests to another instance.".to_owned());
        }
        let unread: Vec<_> = self.unread().collect();
        if !unread.is_empty() {
            return Some(format!("Not read to the end yet: {}.", unread.join(", ")));
        }
        let silent = "For 15 s it has not been known whether keys are valid: Kafka does not answer.";
        (!self.accounts.is_followed()).then(|| silent.to_owned())
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
        match self.problem() {
            None => Ok(reply::text("ready\n".to_owned())),
            Some(problem) => Err(Problem::unavailable(&problem)),
        }
    }
}

/// Answers `GET /livez`: 200 whenever the process can answer at all.
#[expect(clippy::unnecessary_wraps, reason = "as handlers answer")]
pub(crate) fn live() -> Answer {
    Ok(reply::text("live\n".to_owned()))
}
