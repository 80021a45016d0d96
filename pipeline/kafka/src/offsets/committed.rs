//! What a consumer group has committed, and offsets as the client commits them.
//!
//! It never commits anything.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::error::is_transient;

/// The time limit for a request of a group's offsets.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long to wait before asking again.
const AGAIN: Duration = Duration::from_millis(50);

/// What a group has committed for a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Offset of the next record.
    pub offset: i64,
    /// What was written beside it.
    pub metadata: String,
}

/// What a consumer's group has committed for a partition.
pub(crate) fn committed<C: ConsumerContext>(
    consumer: &BaseConsumer<C>,
    topic: &str,
    partition: i32,
) -> Result<Option<Committed>, KafkaError> {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        match committed_within(consumer, topic, partition, TIMEOUT) {
            // The group has no coordinator yet, or another one by now.
            Err(error) if is_transient(&error) && Instant::now() < deadline => std::thread::sleep(AGAIN),
            answer => return answer,
        }
    }
}

/// The same, asked once.
pub(crate) fn committed_within<C: ConsumerContext>(
    consumer: &BaseConsumer<C>,
    topic: &str,
    partition: i32,
    time: Duration,
) -> Result<Option<Committed>, KafkaError> {
    let mut asked = TopicPartitionList::new();
    asked.add_partition(topic, partition);
    let answer = consumer.committed_offsets(asked, time)?;
    let Some(element) = answer.find_partition(topic, partition) else { return Ok(None) };
    element.error()?;
    Ok(match element.offset() {
        Offset::Offset(offset) => Some(Committed { offset, metadata: element.metadata().to_owned() }),
        _ => None,
    })
}

/// Positions in a topic as the client takes them.
pub(crate) fn to_commit(topic: &str, next: &BTreeMap<i32, i64>) -> Result<TopicPartitionList, KafkaError> {
    let mut offsets = TopicPartitionList::new();
    for (partition, offset) in next {
        offsets.add_partition_offset(topic, *partition, Offset::Offset(*offset))?;
    }
    Ok(offsets)
}
