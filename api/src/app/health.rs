//! Whether the instance is ready, the moment from which it is not any more because it will end, and how far other roles are behind. It never ends it.

use std::sync::Arc;

use arb_kafka::GroupLags;

use super::App;
use crate::resources::health::Health;

impl App {
    /// Whether the accounts, the board, the signals and the feed have been read, it is known whether keys are valid, and the instance is not
    /// about to end.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.health().is_ready()
    }

    /// Why it is not, for people.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        self.health().problem()
    }

    /// What has not been read yet, for people.
    #[must_use]
    pub fn unread(&self) -> String {
        self.health().unread().collect::<Vec<_>>().join(", ")
    }

    /// From now on it is not ready, and each answer ends its connection, so that clients leave; it goes on answering.
    pub fn begin_drain(&self) {
        self.drain.begin();
    }

    /// With the lags of other roles.
    #[must_use]
    pub fn with_lags(self, lags: GroupLags) -> Self {
        Self { lags, ..self }
    }

    pub(super) fn health(&self) -> Health {
        Health {
            lists: self.lists.clone(),
            streams: Arc::clone(&self.stream),
            accounts: Arc::clone(self.authority.replica()),
            drain: self.drain.clone(),
        }
    }
}
