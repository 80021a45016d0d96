//! The scores of events in play in an instance: what reads them. It decides nothing about them.

use arb_kafka::{Error, Table};
use arb_runtime::stop::Stop;

use super::App;
use crate::scores::follow;
#[cfg(test)]
use crate::scores::store::ScoreStore;

impl App {
    /// The scores that were read.
    #[cfg(test)]
    pub(crate) fn scores(&self) -> &ScoreStore {
        &self.scores
    }

    /// Reads the topic of scores until the shutdown signal; one that cannot be read is opened again.
    pub fn follow_scores(&self, open: impl Fn() -> Result<Table, Error>, stop: &Stop) {
        follow::follow(open, &self.scores, stop);
    }
}
