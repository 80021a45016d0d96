//! The ends of the output partitions: for all readers (high watermark), and for readers of committed records
//! (last stable offset, which is before the first record of an open transaction).
//!
//! All partitions are asked for at once, a request a broker. It never reads a record.
//!
//! Source: KIP-98; Kafka protocol guide, `ListOffsets` with an isolation level.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arb_schemas::topics::Topic;
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::Offset;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::Asker;

/// The time limit for a request of end offsets.
const TIMEOUT: Duration = Duration::from_secs(5);

/// An offset of each output partition, by topic and partition.
pub(super) type Offsets = BTreeMap<(&'static str, i32), i64>;

/// A partition whose last stable offset is before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeldBack {
    pub(super) topic: &'static str,
    pub(super) partition: i32,
    /// Where a reader of committed records ends: at the first record of an open transaction.
    pub(super) stable: i64,
    pub(super) end: i64,
}

/// Fetches the ends of the output partitions.
pub(super) struct OutputEnds {
    cluster: Cluster,
    topics: Vec<&'static str>,
    everything: Arc<Asker>,
    committed: Arc<Asker>,
}

impl OutputEnds {
    /// Connects, for the topics that transactions write to.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub(super) fn open(
        cluster: &Cluster,
        topics: impl IntoIterator<Item = &'static Topic>,
    ) -> Result<Self, Error> {
        let (committed, everything) = (Asker::of_committed(cluster)?, Asker::of_everything(cluster)?);
        let topics = topics.into_iter().map(|topic| topic.name).collect();
        Ok(Self { cluster: cluster.clone(), topics, everything, committed })
    }

    /// The topics that the transactions write to.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + Clone + '_ {
        self.topics.iter().copied()
    }

    /// The high watermarks of the output partitions of these numbers.
    ///
    /// # Errors
    /// Of the client: a broker does not answer.
    pub(super) fn ends(&self, partitions: &[i32]) -> Result<Offsets, KafkaError> {
        self.ask(&self.everything, self.names().flat_map(|name| partitions.iter().map(move |id| (name, *id))))
    }

    /// Those whose last stable offset has not come to these ends.
    ///
    /// # Errors
    /// As above.
    pub(super) fn held_back(&self, ends_then: &Offsets) -> Result<Vec<HeldBack>, KafkaError> {
        let stable = self.ask(&self.committed, ends_then.keys().copied())?;
        let pairs = ends_then.iter().filter_map(|(at, end)| Some((*at, *stable.get(at)?, *end)));
        let held = pairs.filter(|(_, stable, end)| stable < end);
        Ok(held.map(|((topic, partition), stable, end)| HeldBack { topic, partition, stable, end }).collect())
    }

    /// Partitions by the catalogue's names.
    fn ask(
        &self,
        asker: &Asker,
        of: impl Iterator<Item = (&'static str, i32)> + Clone,
    ) -> Result<Offsets, KafkaError> {
        let places: Vec<_> =
            of.clone().map(|(topic, partition)| (self.cluster.topic(topic), partition)).collect();
        let offsets = asker.at(&places, Offset::End, TIMEOUT)?;
        Ok(of.zip(offsets).collect())
    }
}
