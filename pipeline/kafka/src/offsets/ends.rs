//! The end offsets of a topic, polled every few seconds by a dedicated thread.
//!
//! For lag, and for whether an open transaction holds a partition back: then the committed records end before
//! the written ones. The reader's client knows the ends only as of its last fetch, and only while it is
//! polled: the lag of a stuck reader would not grow. This costs three small requests to
//! each broker every five seconds. The thread never ends and never fails when a broker does not answer:
//! then the ends stay as they were.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arb_runtime::progress::Span;
use arb_runtime::stop::Stop;
use arb_schemas::topics::Topic;

use crate::cluster::Cluster;
use crate::error::Error;

use super::asker::Asker;

/// The interval between requests.
const EVERY: Duration = Duration::from_secs(5);

/// The ends of one topic, for readers of committed records; shared by all clones.
#[derive(Debug, Clone, Default)]
pub struct Ends(Arc<Mutex<KnownEnds>>);

#[derive(Debug, Default)]
struct KnownEnds {
    /// When all of them were known last.
    heard: Option<Instant>,
    committed: BTreeMap<i32, Span>,
    written: BTreeMap<i32, i64>,
}

impl Ends {
    /// Starts to poll, until the shutdown signal.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses; [`Error::Thread`] when the system gives no thread.
    pub fn watch(cluster: &Cluster, topic: &Topic, partitions: i32, stop: &Stop) -> Result<Self, Error> {
        Self::poll(cluster, (topic, partitions), Some(Asker::of_everything(cluster)?), stop)
    }

    /// The same without [`Self::written`], for whom an open transaction does not concern.
    ///
    /// # Errors
    /// As above.
    pub fn watch_committed(
        cluster: &Cluster,
        topic: &Topic,
        partitions: i32,
        stop: &Stop,
    ) -> Result<Self, Error> {
        Self::poll(cluster, (topic, partitions), None, stop)
    }

    fn poll(
        cluster: &Cluster,
        (topic, partitions): (&Topic, i32),
        everything: Option<Arc<Asker>>,
        stop: &Stop,
    ) -> Result<Self, Error> {
        let (committed, topic) = (Asker::of_committed(cluster)?, cluster.topic(topic.name));
        let (ends, stop) = (Self::default(), stop.clone());
        let asked = ends.clone();
        std::thread::Builder::new().name("ends".to_owned()).spawn(move || {
            loop {
                asked.ask((topic, partitions), &committed, everything.as_deref());
                if stop.wait(EVERY) {
                    break;
                }
            }
        })?;
        Ok(ends)
    }

    /// Where each partition ends, as far as is known.
    #[must_use]
    pub fn get(&self) -> BTreeMap<i32, Span> {
        self.lock().committed.clone()
    }

    /// Where what is written ends in each partition, as far as is known: beyond [`Self::get`] while a transaction is open.
    #[must_use]
    pub fn written(&self) -> BTreeMap<i32, i64> {
        self.lock().written.clone()
    }

    /// For how long the brokers have not said where all partitions end, since they first did.
    #[must_use]
    pub fn silence(&self) -> Duration {
        self.lock().heard.map_or(Duration::ZERO, |heard| heard.elapsed())
    }

    fn ask(&self, (topic, partitions): (&str, i32), committed: &Asker, everything: Option<&Asker>) {
        let spans = committed.spans(topic, partitions);
        let written = || everything.map_or(Ok(Vec::new()), |all| all.ends(topic, partitions));
        match spans.and_then(|spans| Ok((spans, written()?))) {
            Ok((spans, written)) => {
                let heard = Some(Instant::now());
                *self.lock() = KnownEnds {
                    heard,
                    committed: (0..).zip(spans).collect(),
                    written: (0..).zip(written).collect(),
                };
            }
            Err(error) => tracing::debug!(%error, "the ends of partitions are not known"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, KnownEnds> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
