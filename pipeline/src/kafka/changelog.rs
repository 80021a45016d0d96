//! The reader of the processor's changelog: one partition at a time, from its start to its end.
//!
//! Its end is the end of what *anyone* has written when the replay begins. A transaction that a dead or frozen owner
//! left open hides what others committed after it, and a reader of committed records is told "end" before it: so it
//! first waits until nothing is hidden. It never takes such an end for the end.
//!
//! Source: KAFKA-10167, and the last stable offset of KIP-98.

use std::time::{Duration, Instant};

use arb_schemas::topics::PROCESS_STATE;
use rdkafka::Message;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::table::is_transient;
use super::{Error, Listener};
use crate::process::log::Put;

const TIMEOUT: Duration = Duration::from_secs(15);
/// How often to look whether an open transaction is over.
const LOOK: Duration = Duration::from_millis(20);
/// How often to say that one is waited for.
const SAY: Duration = Duration::from_secs(1);

/// Reads [`PROCESS_STATE`].
pub(super) struct Changelog {
    committed: BaseConsumer<Listener>,
    /// Sees what open transactions have written.
    everything: BaseConsumer<Listener>,
}

impl Changelog {
    /// Connects.
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub(super) fn open(brokers: &str) -> Result<Self, Error> {
        let client = |isolation: &str| {
            super::read_committed(brokers)
                .set("isolation.level", isolation)
                // No group is joined and nothing is committed; librdkafka wants a name all the same.
                .set("group.id", "arb-changelog")
                .set("auto.offset.reset", "earliest")
                .set("enable.partition.eof", "true")
                // The end of a partition is told by an empty answer: the broker shall not wait for a fuller one.
                .set("fetch.wait.max.ms", "5")
                .create_with_context(Listener)
                .map_err(|source| Error::Broker { brokers: brokers.to_owned(), source })
        };
        Ok(Self { committed: client("read_committed")?, everything: client("read_uncommitted")? })
    }

    /// Gives every committed record of a partition to `put`.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub(super) fn replay(&self, partition: i32, put: &mut Put<'_>) -> Result<(), Error> {
        self.wait_until_nothing_is_hidden(partition)?;
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(PROCESS_STATE.name, partition, Offset::Beginning)?;
        self.committed.assign(&list)?;
        let done = self.read_to_end(put);
        self.committed.unassign()?;
        done
    }

    fn wait_until_nothing_is_hidden(&self, partition: i32) -> Result<(), Error> {
        let end = high(&self.everything, partition)?;
        let mut said = Instant::now();
        // For a reader of committed records the high watermark is the last stable offset.
        while high(&self.committed, partition)? < end {
            if said.elapsed() >= SAY {
                tracing::warn!(partition, end, "an open transaction hides the end of the changelog; waiting");
                said = Instant::now();
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    fn read_to_end(&self, put: &mut Put<'_>) -> Result<(), Error> {
        loop {
            match self.committed.poll(TIMEOUT) {
                None => {}
                Some(Ok(message)) => put(message.key().unwrap_or_default(), message.payload()),
                // Not an offset: markers and compaction leave gaps.
                Some(Err(KafkaError::PartitionEOF(_))) => return Ok(()),
                Some(Err(error)) if is_transient(&error) => {
                    tracing::warn!(%error, "the broker cannot be reached; trying on");
                }
                Some(Err(error)) => return Err(error.into()),
            }
        }
    }
}

fn high(consumer: &BaseConsumer<Listener>, partition: i32) -> Result<i64, Error> {
    Ok(consumer.fetch_watermarks(PROCESS_STATE.name, partition, TIMEOUT)?.1)
}
