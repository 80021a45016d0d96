//! Whether a topic was recreated beneath the sink.
//!
//! A topic that is deleted and created again at once has the same name and other records. librdkafka reads on from the
//! old place without an error, where the new log is as long; so the topics' ids are asked for every few seconds, beside
//! the loop, a small request each. It never ends, and never fails, for a broker that does not answer.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arb_kafka::TopicIds;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// How often the ids are asked for.
const EVERY: Duration = Duration::from_secs(2);

/// Polls until it is dropped.
pub(super) struct TopicRecreationWatch {
    found: Arc<OnceLock<&'static str>>,
    asking: JoinHandle<()>,
}

impl TopicRecreationWatch {
    /// Begins to ask whether topics have other ids by now.
    pub(super) fn watch(ids: &TopicIds, runtime: &Handle) -> Self {
        let found = Arc::new(OnceLock::new());
        let (sender, ids, threads) = (Arc::clone(&found), ids.clone(), runtime.clone());
        let asking = runtime.spawn(async move {
            loop {
                tokio::time::sleep(EVERY).await;
                let ids = ids.clone();
                // It waits for the broker, and the runtime's own threads send rows.
                if let Ok(Some(topic)) = threads.spawn_blocking(move || ids.recreated()).await {
                    let _ = sender.set(topic);
                    return;
                }
            }
        });
        Self { found, asking }
    }

    /// The first topic that was found to be another.
    pub(super) fn found(&self) -> Option<&'static str> {
        self.found.get().copied()
    }
}

impl Drop for TopicRecreationWatch {
    fn drop(&mut self) {
        self.asking.abort();
    }
}
