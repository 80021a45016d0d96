//! A source: it returns polls, in order.
//!
//! It never publishes and never waits: its caller decides when a poll is published.

use arb_model::Faults;
use arb_schemas::records::{Coverage, Event, LiveScore, Offer, ResultReport};
use arb_schemas::time::Micros;
use thiserror::Error;

/// One answer of a source that is asked from time to time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poll {
    /// When it was received; with the source's name it identifies the poll.
    pub received_at: Micros,
    /// League that was asked for; `None` is every league of the source.
    pub league: Option<String>,
    /// Books x markets that were asked for.
    pub coverage: Coverage,
    /// The offers of each event, each event once.
    pub events: Vec<(Event, Vec<Offer>)>,
}

impl Poll {
    /// How many ticks it holds.
    #[must_use]
    pub fn ticks(&self) -> usize {
        self.events.iter().flat_map(|(_, offers)| offers).map(|offer| offer.ticks.len()).sum()
    }
}

/// Why a source cannot go on.
#[derive(Debug, Error)]
pub enum SourceError {
    /// A file or connection.
    #[error("{what}: {error}")]
    Io {
        /// What was read.
        what: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// It ended in the middle of something.
    #[error("{what} is cut off after {lines} lines: {error}")]
    Truncated {
        /// What was read.
        what: String,
        /// What was read of it.
        lines: u64,
        /// The error of the operating system.
        error: std::io::Error,
    },
}

/// Something that gives polls.
pub trait Source {
    /// Its name in every record.
    fn name(&self) -> &str;

    /// The next poll, `None` at its end; malformed parts are counted and left out.
    ///
    /// # Errors
    /// [`SourceError`] when it cannot go on.
    fn next_poll(&mut self, faults: &mut Faults) -> Result<Option<Poll>, SourceError>;

    /// A poll out of turn, for a scan; `None` of a source that cannot be asked for one, such as a recording.
    fn poll_now(&self, _at: Micros) -> Option<Poll> {
        None
    }

    /// The results of the events that ended after one time and up to another; nothing of a source that knows none, such as a
    /// recording.
    fn results(&self, _after: Micros, _until: Micros) -> Vec<ResultReport> {
        Vec::new()
    }

    /// The scores of the events that are in play at the time of the last poll; nothing of a source that knows none.
    fn scores(&self, _at: Micros) -> Vec<LiveScore> {
        Vec::new()
    }
}
