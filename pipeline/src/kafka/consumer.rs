//! The processor's input: a member of the consumer group on the tick topic, and the changelog beside it.
//!
//! A partition is not read until its owner says from where, and not given back until its owner says so; offsets are
//! committed by the transaction alone. It never skips: a position that the broker does not have is an error.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use arb_schemas::topics;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, ConsumerGroupMetadata};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList, TopicPartitionListElem};
use rdkafka::types::RDKafkaRespErr;
use rdkafka::{ClientConfig, ClientContext, Message};

use super::changelog::Changelog;
use super::reader::{committed, is_transient};
use super::{Error, Listener, fatal};
use crate::process::log::{Event, Input, LogError, Put, Record};

const TOPIC: &str = topics::ODDS_TICKS.name;
/// One question to the broker.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long an offset may stay in doubt: longer than a transaction can stay open (10 s).
const IN_DOUBT: Duration = Duration::from_mins(1);

/// Reads [`topics::ODDS_TICKS`] as a member of a group.
pub struct TickConsumer {
    consumer: BaseConsumer<Rebalances>,
    changelog: Changelog,
    /// The rebalance that the owner has been told and has not answered.
    unanswered: Option<Event>,
}

/// A rebalance as the callback, which runs inside `poll`, saw it. There is one at most: the group goes on when it is
/// answered.
#[derive(Default)]
struct Rebalances(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    rebalance: Option<Event>,
    /// Nobody will answer any more.
    closing: bool,
}

impl Rebalances {
    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientContext for Rebalances {
    fn error(&self, error: KafkaError, reason: &str) {
        Listener.error(error, reason);
    }
}

impl ConsumerContext for Rebalances {
    /// Only notes what happened: the owner of the partitions answers by `start` or `give_back`, and until then the
    /// group waits.
    fn rebalance(&self, consumer: &BaseConsumer<Self>, kind: RDKafkaRespErr, list: &mut TopicPartitionList) {
        let partitions = list.elements().iter().map(TopicPartitionListElem::partition).collect();
        let mut seen = self.seen();
        if seen.closing {
            if let Err(error) = consumer.incremental_unassign(list) {
                tracing::warn!(%error, "partitions could not be given back");
            }
            return;
        }
        seen.rebalance = Some(match kind {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => Event::Assigned(partitions),
            _ if consumer.assignment_lost() => Event::Lost(partitions),
            _ => Event::Revoked(partitions),
        });
    }
}

/// Settings of a member of a group.
pub(super) fn member(brokers: &str, group: &str) -> ClientConfig {
    let mut config = super::read_committed(brokers);
    config
        .set("group.id", group)
        .set("partition.assignment.strategy", "cooperative-sticky")
        .set("session.timeout.ms", "6000")
        .set("heartbeat.interval.ms", "2000");
    config
}

impl TickConsumer {
    /// Joins a group.
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub fn join(brokers: &str, group: &str) -> Result<Self, Error> {
        let broker = |source| Error::Broker { brokers: brokers.to_owned(), source };
        let consumer: BaseConsumer<Rebalances> = member(brokers, group)
            // The default silently skips to the end.
            .set("auto.offset.reset", "error")
            .create_with_context(Rebalances::default())
            .map_err(broker)?;
        consumer.subscribe(&[TOPIC]).map_err(broker)?;
        Ok(Self { consumer, changelog: Changelog::open(brokers)?, unanswered: None })
    }

    /// The rebalance that came in a poll, which then brought nothing else.
    fn rebalance(&mut self) -> Option<Event> {
        let rebalance = self.consumer.context().seen().rebalance.take();
        if rebalance.is_some() {
            self.unanswered.clone_from(&rebalance);
        }
        rebalance
    }

    /// Commits offsets outside any transaction.
    pub(super) fn commit(&self, offsets: &TopicPartitionList) -> Result<(), KafkaError> {
        self.consumer.commit(offsets, CommitMode::Sync)
    }

    /// Who this member is in its group, for the transaction that commits its offsets; `None` when it is none any more:
    /// the broker does not refuse the offsets of nobody.
    pub(super) fn group(&self) -> Option<ConsumerGroupMetadata> {
        let group = self.consumer.group_metadata();
        group.filter(|_| !self.consumer.assignment_lost())
    }
}

impl Input for TickConsumer {
    fn next(&mut self, wait: Duration, record: &mut Record) -> Result<Event, LogError> {
        match self.consumer.poll(wait) {
            None => {}
            Some(Ok(message)) => {
                copy(&message, record);
                return Ok(Event::Record);
            }
            Some(Err(error)) if is_transient(&error) => {
                tracing::warn!(%error, "the broker cannot be reached; trying on");
            }
            Some(Err(error)) => return Err(fatal(error)),
        }
        Ok(self.rebalance().unwrap_or(Event::Idle))
    }

    fn committed(&mut self, partition: i32) -> Result<Option<i64>, LogError> {
        let deadline = Instant::now() + IN_DOUBT;
        loop {
            match committed(&self.consumer, TOPIC, partition) {
                Err(error) if Instant::now() < deadline => {
                    // An offset that a transaction is about to change is not told.
                    tracing::warn!(partition, %error, "the committed offset is asked for again");
                    std::thread::sleep(Duration::from_millis(100));
                }
                answer => return answer.map_err(fatal),
            }
        }
    }

    fn replay(&mut self, partition: i32, put: &mut Put<'_>) -> Result<(), LogError> {
        self.changelog.replay(partition, put).map_err(fatal)
    }

    fn start(&mut self, partitions: &[(i32, Option<i64>)]) -> Result<(), LogError> {
        let mut list = TopicPartitionList::new();
        for (partition, offset) in partitions {
            let offset = offset.map_or(Offset::Beginning, Offset::Offset);
            list.add_partition_offset(TOPIC, *partition, offset).map_err(fatal)?;
        }
        self.unanswered = None;
        self.consumer.incremental_assign(&list).map_err(fatal)
    }

    fn give_back(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        self.unanswered = None;
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition(TOPIC, *partition);
        }
        self.consumer.incremental_unassign(&list).map_err(fatal)
    }

    fn seek(&mut self, partition: i32, offset: i64) -> Result<(), LogError> {
        self.consumer.seek(TOPIC, partition, Offset::Offset(offset), TIMEOUT).map_err(fatal)
    }
}

impl Drop for TickConsumer {
    fn drop(&mut self) {
        self.consumer.context().seen().closing = true;
        // The close asks nothing again about partitions that are lost, and waits for ever for an answer.
        if let Some(Event::Revoked(partitions) | Event::Lost(partitions)) = self.unanswered.take()
            && let Err(error) = self.give_back(&partitions)
        {
            tracing::warn!(%error, "partitions could not be given back");
        }
    }
}

fn copy(message: &BorrowedMessage<'_>, record: &mut Record) {
    (record.partition, record.offset) = (message.partition(), message.offset());
    put(&mut record.key, message.key());
    put(&mut record.value, message.payload());
}

/// Into the memory that is there.
fn put(to: &mut Option<Vec<u8>>, from: Option<&[u8]>) {
    match (to.as_mut(), from) {
        (Some(to), Some(from)) => {
            to.clear();
            to.extend_from_slice(from);
        }
        (_, from) => *to = from.map(<[u8]>::to_vec),
    }
}
