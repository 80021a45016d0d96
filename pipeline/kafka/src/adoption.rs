//! The adoption of transactional ids: whatever a dead owner left open is aborted, and nothing is restored before that.
//!
//! Initialising an id fences its last user, and the coordinator aborts the transaction that it knows of. A broker that
//! was killed can have lost the markers of a transaction that the coordinator holds for completed: the records stay
//! open, and the next commit of the same producer makes them visible. So the first transaction of an id writes to every
//! output partition, sends an offset of the group, and is aborted: its abort markers end whatever the producer has open
//! there. It never commits anything.
//!
//! Source: KIP-98; Kafka's `ProducerAppendInfo`, where a marker ends the transaction that began at the first open
//! record of the producer, whatever epoch wrote it.

use std::time::{Duration, Instant};

use arb_runtime::machine::MachineTopics;
use rdkafka::consumer::ConsumerGroupMetadata;
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseRecord, Producer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::output_ends::{HeldBack, Offsets, OutputEnds};
use super::producer::{enqueue, flush};
use super::transaction::{Client, FLUSH, RESUME, TIMEOUT, resume};

/// Key of the records that are aborted; they have no value, so that they would change nothing if they were
/// read.
const KEY: &[u8] = b"adopted";
/// How long markers may take before the ids are adopted again: the coordinator writes them within milliseconds.
const AGAIN: Duration = Duration::from_secs(3);
/// How often a transaction that holds a partition back is reported.
const REPORT: Duration = Duration::from_secs(5);

/// Writes to all output partitions of so many numbers in a transaction with an offset of the group, and aborts it.
pub(super) fn abort_open(
    client: &Client,
    topics: &MachineTopics,
    partitions: i32,
    group: Option<&ConsumerGroupMetadata>,
) -> Result<(), KafkaError> {
    client.begin_transaction()?;
    let names = topics.written().map(|topic| topic.name);
    for (topic, partition) in names.flat_map(|name| (0..partitions).map(move |id| (name, id))) {
        enqueue(client, BaseRecord::to(topic).partition(partition).key(KEY))?;
    }
    let delivered = flush(client, FLUSH);
    if let Some(group) = group {
        // Also where the group does not take it: asking has added the group to the transaction.
        let send = || client.send_offsets_to_transaction(&offset(topics)?, group, TIMEOUT);
        if let Err(error) = resume(RESUME, send) {
            tracing::debug!(%error, "the group takes no offset of the transaction that is aborted");
        }
    }
    resume(RESUME, || client.abort_transaction(TIMEOUT))?;
    delivered?;
    // A partition that no record has come to gets no marker either.
    if client.context().take_failure() { Err(KafkaError::Canceled) } else { Ok(()) }
}

/// An offset of a topic that the group does not read: whatever became of it, no position would change.
fn offset(topics: &MachineTopics) -> Result<TopicPartitionList, KafkaError> {
    let mut offsets = TopicPartitionList::new();
    offsets.add_partition_offset(topics.changelog.name, 0, Offset::Offset(0))?;
    Ok(offsets)
}

/// How far the adoption of some partitions' ids has come.
pub(super) struct Adopting {
    /// Partitions whose ids are adopted.
    pub(super) ids: Vec<i32>,
    /// Partitions whose outputs must have nothing open.
    pub(super) outputs: Vec<i32>,
    begun: Instant,
    /// Since when all ids have aborted, and where the outputs ended then.
    aborted: Option<(Instant, Offsets)>,
    /// They were adopted twice: a transaction that is open now belongs to no id that this process may use.
    is_repeated: bool,
    reported: Option<Instant>,
}

impl Adopting {
    /// It begins.
    pub(super) fn new(ids: Vec<i32>, outputs: Vec<i32>) -> Self {
        let (begun, aborted, reported) = (Instant::now(), None, None);
        Self { ids, outputs, begun, aborted, is_repeated: false, reported }
    }

    /// How long it has taken.
    pub(super) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether the ids are to abort now: at first, and once more when something stays open.
    pub(super) fn must_abort(&mut self) -> bool {
        match &self.aborted {
            None => true,
            Some((at, _)) if !self.is_repeated && at.elapsed() >= AGAIN => {
                self.is_repeated = true;
                self.aborted = None;
                true
            }
            Some(_) => false,
        }
    }

    /// All ids have aborted.
    pub(super) fn have_aborted(&mut self, ends: &OutputEnds) -> Result<(), KafkaError> {
        self.aborted = Some((Instant::now(), ends.ends(&self.outputs)?));
        Ok(())
    }

    /// Whether nothing is open any more of what was there when the ids had aborted.
    pub(super) fn is_settled(&mut self, ends: &OutputEnds) -> Result<bool, KafkaError> {
        let Some((since, then)) = &self.aborted else { return Ok(false) };
        let held = ends.held_back(then)?;
        if since.elapsed() >= AGAIN && self.reported.is_none_or(|at| at.elapsed() >= REPORT) {
            self.reported = Some(Instant::now());
            held.iter().for_each(report);
        }
        Ok(held.is_empty())
    }
}

fn report(held: &HeldBack) {
    let HeldBack { topic, partition, stable, end } = *held;
    tracing::warn!(
        topic,
        partition,
        last_stable_offset = stable,
        end,
        "an open transaction holds this partition back; waiting for its end"
    );
}
