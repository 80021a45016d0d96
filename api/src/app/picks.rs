//! The picks in an instance: what reads them, and the way of results to the settlement machine.

use arb_kafka::Table;
use arb_runtime::stop::Stop;

use super::App;
use crate::lists::follow::FollowError;
use crate::picks::follow;
#[cfg(test)]
use crate::picks::store::PickStore;
use crate::tasks::TaskQueue;

impl App {
    /// With a way for results that are reported.
    #[must_use]
    pub fn with_results(self, results: TaskQueue) -> Self {
        Self { results, ..self }
    }

    /// The picks that were read.
    #[cfg(test)]
    pub(crate) fn picks(&self) -> &PickStore {
        &self.picks
    }

    /// Reads the picks' topic until the shutdown signal.
    ///
    /// # Errors
    /// [`FollowError`].
    pub fn follow_picks(&self, table: Table, stop: &Stop) -> Result<(), FollowError> {
        follow::follow(table, &self.picks, stop)
    }
}
