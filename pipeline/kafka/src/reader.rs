//! What readers of a topic share: partitions from given positions, in no consumer group.
//!
//! It never decides what a record means.

use std::ops::Range;
use std::time::{Duration, Instant};

use arb_runtime::progress::Span;
use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use rdkafka::client::OAuthToken;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::{ClientConfig, ClientContext, Statistics};

use super::cluster::Cluster;
use super::stall_watch::{Fetches, StallWatch, Watched};
use super::{Error, Listener, leaders};

/// The time limit for requests of a partition's first and last offsets, and of a group's offsets.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How long a partition may be without a leader: a broker that is busy, or starts, is slow, not wrong.
pub(super) const LED: Duration = Duration::from_mins(1);

/// Microseconds in a millisecond.
const MILLI: Micros = 1_000;

/// The time limit for a question that can be asked again later.
const AT_ONCE: Duration = Duration::from_secs(1);

/// How long to wait before asking again.
const AGAIN: Duration = Duration::from_millis(50);

/// No group is joined; librdkafka requires a name all the same.
pub(super) const GROUP: &str = "arb-reader";

/// The setting of a reader that sees what open transactions have written.
pub(super) const READ_UNCOMMITTED: (&str, &str) = ("isolation.level", "read_uncommitted");

/// A consumer with manually assigned partitions.
pub(super) struct Reader {
    consumer: BaseConsumer<Reading>,
    topic: &'static str,
    partitions: i32,
    stalls: StallWatch,
}

/// What librdkafka reports to a reader.
pub(super) struct Reading {
    listener: Listener,
    fetches: Fetches,
}

impl ClientContext for Reading {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn error(&self, error: KafkaError, reason: &str) {
        self.listener.error(error, reason);
    }

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.listener.log(level, facility, message);
    }

    fn generate_oauth_token(&self, _: Option<&str>) -> Result<OAuthToken, Box<dyn std::error::Error>> {
        self.listener.token()
    }

    fn stats(&self, statistics: Statistics) {
        self.fetches.note(&statistics);
    }
}

impl ConsumerContext for Reading {}

impl Watched for Reading {
    fn fetches(&self) -> &Fetches {
        &self.fetches
    }
}

/// What a poll brought.
pub(super) enum ReaderEvent<'a> {
    Record(BorrowedMessage<'a>),
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
    /// A reader of a topic with this number of partitions; `settings` are applied before the reader's, which
    /// read committed records and never skip.
    pub(super) fn new(
        cluster: &Cluster,
        topic: &Topic,
        partitions: i32,
        settings: &[(&str, &str)],
    ) -> Result<Self, Error> {
        let mut config = self::settings(cluster);
        for (key, value) in settings {
            config.set(*key, *value);
        }
        let context = Reading { listener: Listener::new(cluster), fetches: Fetches::default() };
        let consumer = cluster.consumer(&config, context)?;
        Ok(Self { consumer, topic: cluster.topic(topic.name), partitions, stalls: StallWatch::new() })
    }

    /// Begins to read partitions, each at its position.
    pub(super) fn assign(&mut self, positions: impl IntoIterator<Item = (i32, Offset)>) -> Result<(), Error> {
        let mut assignment = TopicPartitionList::new();
        for (partition, position) in positions {
            assignment.add_partition_offset(self.topic, partition, position)?;
        }
        self.stalls.set(&assignment);
        Ok(self.consumer.assign(&assignment)?)
    }

    /// Begins to read every partition from the first record on that was written at a moment of UTC or after it.
    pub(super) fn assign_since(&mut self, since: Micros) -> Result<(), Error> {
        let mut asked = TopicPartitionList::new();
        for partition in 0..self.partitions {
            asked.add_partition_offset(self.topic, partition, Offset::Offset(since.max(0) / MILLI))?;
        }
        let answer = leaders::offsets(&self.consumer, &asked, TIMEOUT)?;
        let first = |partition| {
            let found = answer.find_partition(self.topic, partition);
            let offset = found.and_then(|found| found.offset().to_raw()).filter(|offset| *offset >= 0);
            (partition, offset.map_or(Offset::End, Offset::Offset))
        };
        let positions: Vec<_> = (0..self.partitions).map(first).collect();
        self.assign(positions)
    }

    /// The client, for what only one reader does.
    pub(super) fn consumer(&self) -> &BaseConsumer<Reading> {
        &self.consumer
    }

    /// The next record or end, waiting at most so long.
    pub(super) fn poll(&mut self, wait: Duration) -> Result<ReaderEvent<'_>, Error> {
        match poll(&self.consumer, wait) {
            None => {
                self.stalls.tend(&self.consumer);
                Ok(ReaderEvent::Idle)
            }
            Some(Ok(message)) => Ok(ReaderEvent::Record(message)),
            Some(Err(KafkaError::PartitionEOF(partition))) => Ok(ReaderEvent::End(partition)),
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Where every partition begins and ends now; an open transaction is beyond the end of a committed read.
    pub(super) fn spans(&self) -> Result<Vec<Span>, Error> {
        let spans = self.all(Offset::Beginning)?.into_iter().zip(self.ends()?);
        Ok(spans.map(|(first, next)| Span { first, next }).collect())
    }

    /// Where every partition ends now, by one request a broker.
    pub(super) fn ends(&self) -> Result<Vec<i64>, Error> {
        self.all(Offset::End)
    }

    /// The offset that each partition has at its beginning or its end.
    fn all(&self, at: Offset) -> Result<Vec<i64>, Error> {
        let places: Vec<_> = (0..self.partitions).map(|partition| (self.topic, partition)).collect();
        patiently(|| leaders::at(&self.consumer, &places, at, TIMEOUT))
    }

    /// Where a partition ends now; `None` where the broker does not answer at once.
    pub(super) fn end(&self, partition: i32) -> Option<i64> {
        leaders::end(&self.consumer, self.topic, partition, AT_ONCE).ok()
    }

    /// Where a partition begins and ends now.
    pub(super) fn span(&self, partition: i32) -> Result<Span, Error> {
        span(&self.consumer, self.topic, partition)
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

/// Where a partition begins and ends now, as this consumer sees it.
pub(super) fn span<C: ConsumerContext>(
    consumer: &BaseConsumer<C>,
    topic: &str,
    partition: i32,
) -> Result<Span, Error> {
    let (first, next) = patiently(|| leaders::watermarks(consumer, topic, partition, TIMEOUT))?;
    Ok(Span { first, next })
}

/// Asks again for a topic that has just been made, or whose broker has just changed.
fn patiently<T>(ask: impl Fn() -> Result<T, KafkaError>) -> Result<T, Error> {
    let begun = Instant::now();
    loop {
        let error = match ask() {
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

/// Waits until every record that `everything` sees in these partitions now is decided for `committed`, for
/// which a partition ends at its last stable offset; `wait` waits a moment, and returns whether to give up.
pub(super) fn wait_until_decided(
    everything: &Reader,
    committed: &Reader,
    partitions: Range<i32>,
    mut wait: impl FnMut() -> bool,
) -> Result<(), Error> {
    let ends = partitions.map(|partition| Ok((partition, everything.span(partition)?.next)));
    for (partition, end) in ends.collect::<Result<Vec<_>, Error>>()? {
        while committed.span(partition)?.next < end {
            if wait() {
                return Ok(());
            }
        }
    }
    Ok(())
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
