//! What readers of a topic share: partitions from given positions, in no consumer group.
//!
//! It never decides what a record means.

use std::time::{Duration, Instant};

use arb_schemas::topics::Topic;
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::cluster::Cluster;
use super::{Error, Listener};

/// The time limit for a request of a group's offsets.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How long to wait before asking again.
const AGAIN: Duration = Duration::from_millis(50);

/// No group is joined; librdkafka requires a name all the same.
pub(super) const GROUP: &str = "arb-reader";

/// A consumer with manually assigned partitions of one topic, and a client of its own: for what is read once.
pub(super) struct Reader {
    consumer: BaseConsumer<Listener>,
    topic: &'static str,
}

/// The setting of a reader that goes on with what is there, where its position is there no more.
pub(super) const EARLIEST: (&str, &str) = ("auto.offset.reset", "earliest");

/// What a poll brought.
pub(super) enum ReaderEvent<M> {
    Record(M),
    /// A partition has been read to its end.
    End(i32),
    Idle,
}

/// Settings of every reader, before those of one.
pub(super) fn settings(cluster: &Cluster) -> ClientConfig {
    let mut config = super::read_committed(cluster);
    config
        .set("group.id", cluster.id(GROUP))
        .set("auto.offset.reset", "error")
        .set("enable.partition.eof", "true")
        // Several may run in one process.
        .set("queued.max.messages.kbytes", "8192");
    config
}

impl Reader {
    /// A reader of a topic; `settings` are applied before the reader's, which read committed records and never skip.
    pub(super) fn new(cluster: &Cluster, topic: &Topic, settings: &[(&str, &str)]) -> Result<Self, Error> {
        let mut config = self::settings(cluster);
        for (key, value) in settings {
            config.set(*key, *value);
        }
        let consumer = cluster.consumer(&config, Listener::new(cluster))?;
        Ok(Self { consumer, topic: cluster.topic(topic.name) })
    }

    /// Begins to read partitions, each at its position.
    pub(super) fn assign(&self, positions: impl IntoIterator<Item = (i32, Offset)>) -> Result<(), Error> {
        let mut assignment = TopicPartitionList::new();
        for (partition, position) in positions {
            assignment.add_partition_offset(self.topic, partition, position)?;
        }
        Ok(self.consumer.assign(&assignment)?)
    }

    /// The client, for what only one reader does.
    pub(super) fn consumer(&self) -> &BaseConsumer<Listener> {
        &self.consumer
    }

    /// The next record or end, waiting at most so long.
    pub(super) fn poll(&self, wait: Duration) -> Result<ReaderEvent<BorrowedMessage<'_>>, Error> {
        match poll(&self.consumer, wait) {
            None => Ok(ReaderEvent::Idle),
            Some(Ok(message)) => Ok(ReaderEvent::Record(message)),
            Some(Err(KafkaError::PartitionEOF(partition))) => Ok(ReaderEvent::End(partition)),
            Some(Err(error)) => Err(error.into()),
        }
    }
}

/// The next record, end or lasting error, waiting at most so long. Errors that pass are logged, the first of those that wait
/// here; librdkafka queues hundreds of them in an outage, and whoever took one at a time would read on long after it.
pub(super) fn poll<C: ConsumerContext>(
    consumer: &BaseConsumer<C>,
    wait: Duration,
) -> Option<Result<BorrowedMessage<'_>, KafkaError>> {
    let mut next = consumer.poll(whole_milliseconds(wait));
    if let Some(Err(error)) = next.as_ref().filter(|next| passes(next)) {
        tracing::warn!(%error, "the broker cannot be reached; trying on");
    }
    while next.as_ref().is_some_and(passes) {
        next = consumer.poll(Duration::ZERO);
    }
    next
}

/// A wait as rdkafka can wait: of a part of a millisecond it asks its queue without a pause until the part is over.
fn whole_milliseconds(wait: Duration) -> Duration {
    let milliseconds = wait.as_nanos().div_ceil(1_000_000);
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or(u64::MAX))
}

/// Whether a poll brought an error that passes.
fn passes(next: &Result<BorrowedMessage<'_>, KafkaError>) -> bool {
    next.as_ref().is_err_and(is_transient)
}

/// Takes what a client without partitions reports, or it would be kept, and errors of a past outage be reported long after
/// it. It is asked for offsets alone, and each question has an error of its own.
pub(super) fn discard_reports<C: ConsumerContext>(consumer: &BaseConsumer<C>) {
    while consumer.poll(Duration::ZERO).is_some() {}
}

/// What a group has committed for a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Offset of the next record.
    pub offset: i64,
    /// What was written beside it.
    pub metadata: String,
}

/// What a consumer's group has committed for a partition.
pub(super) fn committed<C: ConsumerContext>(
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
pub(super) fn committed_within<C: ConsumerContext>(
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

/// Errors that librdkafka reports and then recovers from.
pub(super) fn is_transient(error: &KafkaError) -> bool {
    use rdkafka::types::RDKafkaErrorCode as Code;
    matches!(
        error.rdkafka_error_code(),
        Some(
            Code::BrokerTransportFailure
                | Code::AllBrokersDown
                | Code::OperationTimedOut
                | Code::Resolve
                | Code::NotCoordinator
                | Code::CoordinatorLoadInProgress
                | Code::CoordinatorNotAvailable
                // Connections are tried again: the password or a certificate may be changed meanwhile. A role that begins with
                // a wrong one ends (`topics`).
                | Code::Authentication
                | Code::SSL
                // The partitions that it lost are reported as a rebalance.
                | Code::PollExceeded
        )
    )
}
