//! The reader of the processor's changelog: one partition at a time, from its start to its end.
//!
//! Its end is the end of what *anyone* has written when the replay begins. A transaction that a dead or frozen owner
//! left open hides what others committed after it, and a reader of committed records is told "end" before it: so it
//! first waits until nothing is hidden. It never takes such an end for the end.
//!
//! Source: KAFKA-10167, and the last stable offset of KIP-98.

use std::time::{Duration, Instant};

use arb_runtime::log::Put;
use arb_schemas::topics::PROCESS_STATE;
use rdkafka::Message;
use rdkafka::consumer::Consumer;
use rdkafka::topic_partition_list::Offset;

use super::Error;
use super::cluster::Cluster;
use super::reader::{READ_UNCOMMITTED, Reader, ReaderEvent, wait_until_decided};

/// How long to wait for the next record.
const WAIT: Duration = Duration::from_secs(1);
/// How often to look whether an open transaction is over.
const LOOK: Duration = Duration::from_millis(20);
/// How often to say that one is waited for.
const SAY: Duration = Duration::from_secs(1);

/// Reads [`PROCESS_STATE`].
pub(super) struct Changelog {
    committed: Reader,
    /// Sees what open transactions have written.
    everything: Reader,
}

impl Changelog {
    /// Connects.
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub(super) fn open(cluster: &Cluster) -> Result<Self, Error> {
        let reader = |settings: &[(&str, &str)]| Reader::new(cluster, &PROCESS_STATE, 0, settings);
        // The end of a partition is told by an empty answer: the broker shall not wait for a fuller one.
        let committed = reader(&[("auto.offset.reset", "earliest"), ("fetch.wait.max.ms", "5")])?;
        Ok(Self { committed, everything: reader(&[READ_UNCOMMITTED])? })
    }

    /// Gives every committed record of a partition to `put`.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub(super) fn replay(&mut self, partition: i32, put: &mut Put<'_>) -> Result<(), Error> {
        self.wait_until_nothing_is_hidden(partition)?;
        self.committed.assign([(partition, Offset::Beginning)])?;
        let done = self.read_to_end(put);
        self.committed.consumer().unassign()?;
        done
    }

    fn wait_until_nothing_is_hidden(&self, partition: i32) -> Result<(), Error> {
        let mut said: Option<Instant> = None;
        wait_until_decided(&self.everything, &self.committed, partition..partition + 1, || {
            if said.is_none_or(|said| said.elapsed() >= SAY) {
                tracing::warn!(partition, "an open transaction hides the end of the changelog; waiting");
                said = Some(Instant::now());
            }
            std::thread::sleep(LOOK);
            false
        })
    }

    fn read_to_end(&mut self, put: &mut Put<'_>) -> Result<(), Error> {
        loop {
            match self.committed.poll(WAIT)? {
                ReaderEvent::Idle => {}
                ReaderEvent::Record(message) => {
                    put(message.offset(), message.key().unwrap_or_default(), message.payload());
                }
                // Not an offset: markers and compaction leave gaps.
                ReaderEvent::End(_) => return Ok(()),
            }
        }
    }
}
