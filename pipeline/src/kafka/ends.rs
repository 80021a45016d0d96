//! Where a topic's partitions end, asked for every few seconds by a thread of its own.
//!
//! For how far behind somebody is. The reader's own client would know it only as of its last fetch, and only while it is
//! polled: it would not see the lag grow of one that is stuck. This one costs a connection and a small request a partition
//! every five seconds. It never ends, and never fails, for a broker that does not answer: then the ends stay as they were.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arb_schemas::topics::Topic;

use super::Error;
use super::reader::{Reader, Span};
use crate::stop::Stop;

/// How often.
const EVERY: Duration = Duration::from_secs(5);

/// The ends of one topic, for whoever reads what is committed; shared by all clones.
#[derive(Debug, Clone, Default)]
pub struct Ends(Arc<Mutex<BTreeMap<i32, Span>>>);

impl Ends {
    /// Begins to ask, until the end is wished.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses; [`Error::Thread`] when the system gives no thread.
    pub fn watch(brokers: &str, topic: &'static Topic, partitions: i32, stop: &Stop) -> Result<Self, Error> {
        let reader = Reader::new(brokers, topic, partitions, &[])?;
        let (ends, stop) = (Self::default(), stop.clone());
        let asked = ends.clone();
        std::thread::Builder::new().name("ends".to_owned()).spawn(move || {
            loop {
                asked.ask(&reader, partitions);
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
        self.lock().clone()
    }

    fn ask(&self, reader: &Reader, partitions: i32) {
        // What the client reports is taken, or it would be kept.
        let _ = reader.poll(Duration::ZERO);
        for partition in 0..partitions {
            match reader.span(partition) {
                Ok(span) => drop(self.lock().insert(partition, span)),
                Err(error) => {
                    tracing::debug!(partition, %error, "the end of a partition is not known");
                    return;
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i32, Span>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
