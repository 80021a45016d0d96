//! librdkafka's reports of the partitions that a consumer reads: how far each has come, from its statistics.
//!
//! It keeps the last report of each partition, and never decides whether a partition is stalled.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rdkafka::consumer::ConsumerContext;
use rdkafka::statistics::Statistics;

/// The setting of a watched consumer: how often librdkafka reports statistics. Its user must poll, or the
/// reports accumulate.
pub(crate) const WATCHED: (&str, &str) = ("statistics.interval.ms", "5000");

/// A topic and a partition of it.
pub(crate) type Place = (String, i32);

/// librdkafka's last report of the partitions that a consumer reads.
#[derive(Default)]
pub(crate) struct Fetches(Mutex<BTreeMap<Place, Fetch>>);

/// The report of one partition.
#[derive(Debug, Clone)]
pub(crate) struct Fetch {
    /// The end that was reported to the application; negative before the first.
    pub(crate) end: i64,
    /// Of librdkafka's machine, for the log.
    pub(crate) state: String,
}

impl Fetches {
    /// Stores librdkafka's statistics.
    pub(crate) fn note(&self, statistics: &Statistics) {
        let mut fetches = self.lock();
        for (name, topic) in &statistics.topics {
            for (partition, report) in &topic.partitions {
                let fetch = Fetch { end: report.eof_offset, state: report.fetch_state.clone() };
                fetches.insert((name.clone(), *partition), fetch);
            }
        }
    }

    pub(crate) fn get(&self, place: &Place) -> Option<Fetch> {
        self.lock().get(place).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Place, Fetch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The context of a consumer that is watched.
pub(crate) trait Watched: ConsumerContext {
    /// Where its statistics go.
    fn fetches(&self) -> &Fetches;
}
