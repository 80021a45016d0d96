//! The client by which a process asks where partitions begin and end: it has no partitions, so that no fetch that waits
//! for records holds an answer back.
//!
//! All of a process share it: one for what readers of committed records see, one for all that was written. It never reads a record.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_runtime::progress::Span;
use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use rdkafka::consumer::BaseConsumer;
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{Listener, discard_reports, settings};
use crate::cluster::Cluster;
use crate::error::{Error, is_transient};

use super::leaders::{self, LED};

/// The time limit for a question.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Microseconds in a millisecond.
const MILLI: Micros = 1_000;
/// How long to wait before asking again.
const AGAIN: Duration = Duration::from_millis(50);

/// Asks.
pub(crate) struct Asker {
    consumer: BaseConsumer<Listener>,
}

impl Asker {
    /// Where partitions end for readers of committed records: an open transaction is beyond it.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub(crate) fn of_committed(cluster: &Cluster) -> Result<Arc<Self>, Error> {
        Self::shared(cluster, "read_committed")
    }

    /// Where partitions end by all that was written.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn of_everything(cluster: &Cluster) -> Result<Arc<Self>, Error> {
        Self::shared(cluster, "read_uncommitted")
    }

    fn shared(cluster: &Cluster, isolation: &'static str) -> Result<Arc<Self>, Error> {
        cluster.shared(isolation, || {
            let mut config = settings::reader(cluster);
            config.set("isolation.level", isolation);
            Ok(Self { consumer: cluster.consumer(&config, Listener::new(cluster))? })
        })
    }

    /// Where each of so many partitions of a topic, by its name in the cluster, begins and ends now.
    ///
    /// # Errors
    /// [`Error::Client`] when the broker does not answer.
    pub(crate) fn spans(&self, topic: &str, partitions: i32) -> Result<Vec<Span>, Error> {
        let firsts = self.all(topic, partitions, Offset::Beginning)?;
        let spans = firsts.into_iter().zip(self.ends(topic, partitions)?);
        Ok(spans.map(|(first, next)| Span { first, next }).collect())
    }

    /// Where each ends now.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn ends(&self, topic: &str, partitions: i32) -> Result<Vec<i64>, Error> {
        self.all(topic, partitions, Offset::End)
    }

    /// Where one begins and ends now.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn span(&self, topic: &str, partition: i32) -> Result<Span, Error> {
        let firsts = self.patiently(&[(topic, partition)], Offset::Beginning)?;
        let first = firsts.first().copied().ok_or(Error::Client(KafkaError::Canceled))?;
        Ok(Span { first, next: self.end(topic, partition)? })
    }

    /// Where one ends now.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn end(&self, topic: &str, partition: i32) -> Result<i64, Error> {
        let ends = self.patiently(&[(topic, partition)], Offset::End)?;
        ends.first().copied().ok_or(Error::Client(KafkaError::Canceled))
    }

    /// Where in each partition the first record is that was written at a moment of UTC or after it.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn since(&self, topic: &str, partitions: i32, since: Micros) -> Result<Vec<Offset>, Error> {
        let mut asked = TopicPartitionList::new();
        for partition in 0..partitions {
            asked.add_partition_offset(topic, partition, Offset::Offset(since.max(0) / MILLI))?;
        }
        let answer = leaders::offsets(&self.consumer, &asked, TIMEOUT)?;
        let first = |partition| {
            let found = answer.find_partition(topic, partition);
            let offset = found.and_then(|found| found.offset().to_raw()).filter(|offset| *offset >= 0);
            offset.map_or(Offset::End, Offset::Offset)
        };
        Ok((0..partitions).map(first).collect())
    }

    fn all(&self, topic: &str, partitions: i32, at: Offset) -> Result<Vec<i64>, Error> {
        let places: Vec<_> = (0..partitions).map(|partition| (topic, partition)).collect();
        self.patiently(&places, at)
    }

    /// The offset that each of these partitions has at its beginning or its end, asked once.
    ///
    /// # Errors
    /// Of the client: a broker does not answer within the time.
    pub(crate) fn at(
        &self,
        places: &[(&str, i32)],
        at: Offset,
        within: Duration,
    ) -> Result<Vec<i64>, KafkaError> {
        discard_reports(&self.consumer);
        leaders::at(&self.consumer, places, at, within)
    }

    /// Asks again for a topic that has just been made, or whose broker has just changed.
    fn patiently(&self, places: &[(&str, i32)], at: Offset) -> Result<Vec<i64>, Error> {
        let begun = Instant::now();
        loop {
            let error = match self.at(places, at, TIMEOUT) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let patience = match &error {
                error if leaders::is_without_leader(error) => LED,
                error if is_transient(error) => TIMEOUT,
                _ => Duration::ZERO,
            };
            if begun.elapsed() >= patience {
                return Err(error.into());
            }
            std::thread::sleep(AGAIN);
        }
    }
}

/// Where each partition of a topic begins, and ends by what anybody has written.
///
/// # Errors
/// [`Error::Broker`] and [`Error::Client`].
pub fn spans(cluster: &Cluster, topic: &Topic, partitions: i32) -> Result<Vec<Span>, Error> {
    Asker::of_everything(cluster)?.spans(cluster.topic(topic.name), partitions)
}

/// Where each begins, and ends for readers of committed records.
///
/// # Errors
/// As above.
pub fn committed_spans(cluster: &Cluster, topic: &Topic, partitions: i32) -> Result<Vec<Span>, Error> {
    Asker::of_committed(cluster)?.spans(cluster.topic(topic.name), partitions)
}
