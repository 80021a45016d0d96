//! Commits that are complete in some partitions only: where the broker has lost the marker, the commit is repeated.
//!
//! A coordinator that starts while a partition has no leader holds the partition for deleted, leaves its marker out and
//! calls the transaction complete (seen with Kafka 4.3.0, one broker, killed between the decision and the markers and
//! started again within its session). What is open there looks as what is left of an abort does. So the first record
//! that a transaction writes to a partition names it, in [a header](super::origin): its transactional id, and the offsets of
//! the input from and to which it was made (of a large one the last record names the end). It was committed if a committed record by which the changelog says how far it has come is of
//! the same transaction; or, where that record is open itself, if the group's offset is that to which the transaction was made. That the
//! state is past its start says nothing: its partition may be another owner's, who has gone on. Then
//! the last record is written once more, and that transaction is committed: its marker ends whatever the
//! producer has open there. A reader has had that record, and drops it by its mark or its key. What was not committed is
//! left to the [adoption](super::adoption), which aborts it.
//!
//! It never touches what another id has open, and never decides without having read how far the state has come.
//!
//! Source: Kafka's `TransactionMarkerChannelManager` and `ProducerAppendInfo`; docs/adr/001-transactional-ids.md.

use std::time::{Duration, Instant};

use arb_runtime::progress::Span;
use arb_runtime::pump::PARTITION_KEY;
use arb_schemas::records::StatePartition;
use arb_schemas::topics::Topic;
use arb_schemas::wire::decode;
use rdkafka::Message;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, OwnedMessage};
use rdkafka::producer::{BaseRecord, Producer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{self, Listener, settings};
use crate::cluster::Cluster;
use crate::error::Error;
use crate::group::InputConsumer;
use crate::offsets::Asker;
use crate::producers::enqueue;

use super::adoption::KEY;
use super::origin::Origin;
use super::output_ends::{HeldBack, OutputEnds};
use super::transaction::{Client, RESUME, TIMEOUT, resume, settle};

/// The setting of a reader that sees what open transactions have written.
const READ_UNCOMMITTED: (&str, &str) = ("isolation.level", "read_uncommitted");
/// How long to wait for a record of a partition that has some.
const ANSWER: Duration = Duration::from_secs(10);
/// So many records before the end of a partition are looked at first: what is looked for is of the last transactions.
const TAIL: i64 = 1_000;

/// What a transaction has open in a partition.
struct OpenPart {
    origin: Origin,
    last: OwnedMessage,
}

/// What a record of the changelog says about its partition.
struct Stated {
    origin: Option<Origin>,
    /// The next offset of the input.
    next: i64,
}

impl Stated {
    /// `None` of any other record.
    fn of(message: &BorrowedMessage<'_>) -> Option<Self> {
        if message.key() != Some(PARTITION_KEY.as_bytes()) {
            return None;
        }
        let state: StatePartition = decode(message.payload().unwrap_or_default()).ok()?;
        Some(Self { origin: Origin::of(message), next: state.next_offset })
    }

    /// Whether a transaction wrote it: it was made from the same offset, and to that which the record has.
    fn is_of(&self, transaction: &Origin) -> bool {
        let is_same = |origin: &Origin| {
            origin.transactional_id == transaction.transactional_id && origin.from == transaction.from
        };
        self.origin.as_ref().is_some_and(is_same) && transaction.to == Some(self.next)
    }
}

/// Where an id writes.
pub(super) struct Outputs<'a> {
    pub(super) cluster: &'a Cluster,
    /// Of every topic.
    pub(super) partitions: i32,
    pub(super) ends: &'a OutputEnds,
    /// Others write there too: a record that names no transaction may be of any.
    pub(super) are_shared: bool,
}

/// What says whether a transaction of a machine was committed.
pub(super) struct Evidence<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) changelog: &'a Topic,
    pub(super) input: &'a InputConsumer,
}

/// Repeats the commits of an id where their markers are lost: those that `is_committed` says were committed, by the partition and the
/// origin. Its client has been initialised, so the coordinator has ended all that it knows of.
pub(super) fn repeat(
    client: &Client,
    transactional_id: &str,
    outputs: &Outputs<'_>,
    is_committed: &dyn Fn(i32, &Origin) -> Result<bool, Error>,
) -> Result<(), Error> {
    let lost = outputs.lost(transactional_id, is_committed)?;
    if lost.is_empty() {
        return Ok(());
    }
    client.begin_transaction()?;
    for OpenPart { origin, last } in &lost {
        let (topic, partition) = (last.topic(), last.partition());
        tracing::warn!(topic, partition, %origin, "the marker of a commit is lost; it is committed again");
        let mut record = BaseRecord::<[u8], [u8]>::to(topic).partition(partition);
        (record.key, record.payload) = (last.key(), last.payload());
        record.headers = last.headers().cloned();
        enqueue(client, record)?;
    }
    settle(client)?;
    if client.context().take_failure() {
        return Err(KafkaError::Canceled.into());
    }
    Ok(resume(RESUME, || client.commit_transaction(TIMEOUT))?)
}

impl Outputs<'_> {
    /// What an id has open although it was committed.
    fn lost(
        &self,
        transactional_id: &str,
        is_committed: &dyn Fn(i32, &Origin) -> Result<bool, Error>,
    ) -> Result<Vec<OpenPart>, Error> {
        let all: Vec<_> = (0..self.partitions).collect();
        let mut lost = Vec::new();
        for held in self.ends.held_back(&self.ends.ends(&all)?)? {
            let Some(part) = self.open_part(&held)? else { continue };
            if part.origin.transactional_id == transactional_id && is_committed(held.partition, &part.origin)?
            {
                lost.push(part);
            }
        }
        Ok(lost)
    }

    /// What is open first in a partition; `None` where no origin is named.
    fn open_part(&self, held: &HeldBack) -> Result<Option<OpenPart>, Error> {
        let mut found: Option<OpenPart> = None;
        let mut is_other = false;
        let consumer = consumer(self.cluster, Some(READ_UNCOMMITTED))?;
        read(&consumer, self.cluster.topic(held.topic), held.partition, held.stable, |message| {
            let origin = Origin::of(message);
            match (&mut found, origin) {
                (None, Some(origin)) if message.offset() == held.stable => {
                    found = Some(OpenPart { origin, last: message.detach() });
                }
                (None, _) => is_other = true,
                (Some(_), _) if is_other || message.key() == Some(KEY) => {}
                (Some(_), None) if self.are_shared => {}
                (Some(part), origin) => {
                    is_other = !part.origin.goes_on(origin.as_ref());
                    if !is_other {
                        part.last = message.detach();
                    }
                }
            }
        })?;
        Ok(found)
    }
}

impl Evidence<'_> {
    /// Whether a transaction was committed.
    pub(super) fn is_committed(&self, partition: i32, origin: &Origin) -> Result<bool, Error> {
        let stated = self.stated(partition, origin.from, None)?;
        if stated.iter().any(|stated| stated.is_of(origin)) {
            return Ok(true);
        }
        // The group's offset may be open too: then it is not known, and nothing says that it was committed.
        let group = self.input.committed_now(partition).unwrap_or_default();
        let open = self.stated(partition, origin.from, Some(READ_UNCOMMITTED))?;
        Ok(open.iter().any(|stated| stated.is_of(origin) && Some(stated.next) == group))
    }

    /// What the changelog's records of a partition say that may be of a transaction which was made from an offset on.
    fn stated(&self, partition: i32, from: i64, setting: Option<(&str, &str)>) -> Result<Vec<Stated>, Error> {
        let consumer = consumer(self.cluster, setting)?;
        let topic = self.cluster.topic(self.changelog.name);
        let asker = if setting.is_some() { Asker::of_everything } else { Asker::of_committed };
        let span = asker(self.cluster)?.span(topic, partition)?;
        let is_before = |stated: &[Stated]| stated.iter().any(|stated| stated.next <= from);
        Ok(look_back(&consumer, (topic, partition), span, Stated::of, is_before)?)
    }
}

pub(super) fn consumer(
    cluster: &Cluster,
    setting: Option<(&str, &str)>,
) -> Result<BaseConsumer<Listener>, Error> {
    let mut config = settings::reader(cluster);
    // An empty response marks the end of a partition: the broker must not wait for a fuller one.
    config.set("fetch.wait.max.ms", "5");
    if let Some((key, value)) = setting {
        config.set(key, value);
    }
    cluster.consumer(&config, Listener::new(cluster))
}

/// What `take` finds in the last records of a partition, in their order: of so many that they are enough, or of all.
pub(super) fn look_back<T>(
    consumer: &BaseConsumer<Listener>,
    (topic, partition): (&str, i32),
    span: Span,
    take: impl Fn(&BorrowedMessage<'_>) -> Option<T>,
    is_enough: impl Fn(&[T]) -> bool,
) -> Result<Vec<T>, KafkaError> {
    let mut tail = TAIL;
    loop {
        let begin = span.first.max(span.next.saturating_sub(tail));
        let mut found = Vec::new();
        if begin < span.next {
            read(consumer, topic, partition, begin, |message| found.extend(take(message)))?;
        }
        if is_enough(&found) || begin == span.first {
            return Ok(found);
        }
        tail = tail.saturating_mul(16);
    }
}

/// Reads a partition from an offset to its end.
fn read(
    consumer: &BaseConsumer<Listener>,
    topic: &str,
    partition: i32,
    from: i64,
    mut take: impl FnMut(&BorrowedMessage<'_>),
) -> Result<(), KafkaError> {
    let mut at = TopicPartitionList::new();
    at.add_partition_offset(topic, partition, Offset::Offset(from))?;
    consumer.assign(&at)?;
    let mut silent_since = Instant::now();
    loop {
        match client::poll(consumer, Duration::from_millis(100)) {
            Some(Ok(message)) => {
                take(&message);
                silent_since = Instant::now();
            }
            Some(Err(KafkaError::PartitionEOF(_))) => return consumer.unassign(),
            Some(Err(error)) => return Err(error),
            None if silent_since.elapsed() >= ANSWER => return Err(KafkaError::Canceled),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_changelog_says_is_of_the_transaction_that_wrote_it_alone() {
        let origin = |id: &str, from, to| Origin { transactional_id: id.to_owned(), from, to };
        let stated = |id, from, next| Stated { origin: Some(origin(id, from, Some(next))), next };
        for (written, found, is_of) in [
            (origin("group-0", 100, Some(200)), stated("group-0", 100, 200), true),
            // Another one of the same id, from the same offset: the first was aborted.
            (origin("group-0", 100, Some(200)), stated("group-0", 100, 150), false),
            // The next one of the same id, and one of the owner after it: the state is past its start.
            (origin("group-0", 100, Some(200)), stated("group-0", 150, 200), false),
            (origin("group-0", 100, Some(200)), stated("group-1", 100, 200), false),
            (origin("group-0", 100, Some(200)), Stated { origin: None, next: 200 }, false),
            // A large one whose last record is not there was not committed.
            (origin("group-0", 100, None), stated("group-0", 100, 200), false),
        ] {
            assert_eq!(found.is_of(&written), is_of, "{written}: {:?}", found.origin);
        }
    }
}
