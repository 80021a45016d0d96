//! The reader of a machine's changelog, and of other compacted topics: one partition at a time, from its start to its end, in slices of time.
//!
//! Its end is the end of what *any* producer has written when the replay begins. An open transaction of a
//! dead or frozen owner hides what others committed after it, and a reader of committed records reaches an
//! end before it: so nothing is returned until nothing is hidden. It never takes such an end for the real
//! one.
//!
//! Source: KAFKA-10167, and the last stable offset of KIP-98.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_runtime::log::{Put, Replay};
use arb_schemas::topics::Topic;
use rdkafka::Message;
use rdkafka::consumer::Consumer;
use rdkafka::topic_partition_list::Offset;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::Asker;

use super::reader::{EARLIEST, Reader, ReaderEvent};

/// How long to wait for the next record, while other partitions wait.
const WAIT: Duration = Duration::from_millis(5);
/// How often an open transaction that is waited for is logged.
const LOG_EVERY: Duration = Duration::from_secs(1);

/// Reads a changelog.
pub(crate) struct Changelog {
    cluster: Cluster,
    committed: Reader,
    topic: &'static str,
    /// Sees what open transactions have written.
    everything: Arc<Asker>,
    decided: Arc<Asker>,
    open: Option<Open>,
}

/// The partition that is read.
struct Open {
    partition: i32,
    /// The end of what anyone had written, until nothing is hidden before it and the reading has begun.
    hidden_before: Option<i64>,
    /// When it was last logged that an open transaction is waited for.
    logged: Option<Instant>,
}

impl Changelog {
    /// Connects.
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub(crate) fn connect(cluster: &Cluster, topic: &Topic) -> Result<Self, Error> {
        // An empty response marks the end of a partition: the broker must not wait for a fuller one.
        let committed = Reader::new(cluster, topic, &[EARLIEST, ("fetch.wait.max.ms", "5")])?;
        let (everything, decided) = (Asker::of_everything(cluster)?, Asker::of_committed(cluster)?);
        let (topic, cluster) = (cluster.topic(topic.name), cluster.clone());
        Ok(Self { cluster, committed, topic, everything, decided, open: None })
    }

    /// Begins to read a partition of a compacted topic from its first record. Another topic than before takes another client.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub(crate) fn open(&mut self, topic: &Topic, partition: i32) -> Result<(), Error> {
        self.close()?;
        if self.cluster.topic(topic.name) != self.topic {
            *self = Self::connect(&self.cluster, topic)?;
        }
        let hidden_before = Some(self.everything.end(self.topic, partition)?);
        self.open = Some(Open { partition, hidden_before, logged: None });
        Ok(())
    }

    /// Reads no more of partitions that were given back.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn leave(&mut self, partitions: &[i32]) -> Result<(), Error> {
        let is_left = self.open.as_ref().is_some_and(|open| partitions.contains(&open.partition));
        if is_left { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> Result<(), Error> {
        if self.open.take().is_some_and(|open| open.hidden_before.is_none()) {
            self.committed.consumer().unassign()?;
        }
        Ok(())
    }

    /// Gives committed records of the partition that is open to `put`, for about so long.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn replay(&mut self, limit: Duration, put: &mut Put<'_>) -> Result<Replay, Error> {
        let Some(open) = &mut self.open else { return Ok(Replay::Complete) };
        if let Some(end) = open.hidden_before {
            if self.decided.end(self.topic, open.partition)? < end {
                open.report();
                return Ok(Replay::Waiting);
            }
            self.committed.assign([(open.partition, Offset::Beginning)])?;
            open.hidden_before = None;
        }
        self.read(limit, put)
    }

    fn read(&mut self, limit: Duration, put: &mut Put<'_>) -> Result<Replay, Error> {
        let deadline = Instant::now() + limit;
        loop {
            match self.committed.poll(WAIT)? {
                ReaderEvent::Idle => return Ok(Replay::Waiting),
                ReaderEvent::Record(message) => {
                    put(message.offset(), message.key().unwrap_or_default(), message.payload());
                }
                // Not an offset: markers and compaction leave gaps.
                ReaderEvent::End(_) => {
                    self.close()?;
                    return Ok(Replay::Complete);
                }
            }
            if Instant::now() >= deadline {
                return Ok(Replay::Partly);
            }
        }
    }
}

impl Open {
    fn report(&mut self) {
        if self.logged.is_none_or(|logged| logged.elapsed() >= LOG_EVERY) {
            tracing::warn!(
                partition = self.partition,
                "an open transaction hides the end of what is restored; waiting"
            );
            self.logged = Some(Instant::now());
        }
    }
}
