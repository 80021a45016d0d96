//! For tests: an API that reads nothing from Kafka, and one key to it.

use std::time::Duration;

use tempfile::TempDir;

use crate::App;
use crate::keys::Keys;
use crate::plan::Plan;
use crate::stream::Streams;
use crate::stream::source::Source;
use crate::usage::Usage;
use crate::watched::Watched;

/// Such an API.
pub(crate) struct Made {
    pub(crate) app: App,
    pub(crate) key: String,
    /// Its files.
    pub(crate) folder: TempDir,
}

impl Made {
    /// One of so many partitions and events in memory, with such a heartbeat, whose key may ask three times.
    pub(crate) fn new(partitions: i32, events: usize, heartbeat: Duration) -> Self {
        let streams = Streams::new(Source::by_hand(partitions), events, heartbeat);
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let key = Keys::create(&path("keys.json"), "test", Plan::Free).unwrap();
        std::fs::write(path("plans.json"), r#"{"free": 3}"#).unwrap();
        let keys = Watched::open(path("keys.json")).unwrap();
        let plans = Watched::open(path("plans.json")).unwrap();
        let usage = Usage::open(path("usage.json"), plans, || 1_000_000_000_000_000).unwrap();
        Self { app: App::new(partitions, keys, usage, streams), key, folder }
    }
}
