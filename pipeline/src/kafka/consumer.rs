//! The processor's input: a member of the consumer group on the tick topic.
//!
//! A partition is not read until its owner says from where; offsets are committed by the transaction alone. It
//! never skips: a position that the broker does not have is an error.

use std::sync::Mutex;
use std::time::Duration;

use arb_schemas::topics;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext, ConsumerGroupMetadata};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList, TopicPartitionListElem};
use rdkafka::types::RDKafkaRespErr;
use rdkafka::{ClientContext, Message};

use super::reader::is_transient;
use super::{Error, Listener};

const TOPIC: &str = topics::ODDS_TICKS.name;
const TIMEOUT: Duration = Duration::from_secs(15);

/// Reads [`topics::ODDS_TICKS`] as a member of a group.
pub struct TickConsumer {
    consumer: BaseConsumer<Rebalances>,
}

/// What the processor is told.
pub enum Event<'a> {
    /// A record.
    Record(Record<'a>),
    /// These partitions are now its own; it must [`TickConsumer::start`] each.
    Assigned(Vec<i32>),
    /// These are no longer.
    Revoked(Vec<i32>),
    /// Nothing new.
    Idle,
}

/// A record of the tick topic, in the consumer's memory.
pub struct Record<'a>(BorrowedMessage<'a>);

impl Record<'_> {
    /// Its partition.
    #[must_use]
    pub fn partition(&self) -> i32 {
        self.0.partition()
    }

    /// Its offset.
    #[must_use]
    pub fn offset(&self) -> i64 {
        self.0.offset()
    }

    /// Its value, empty when it has none.
    #[must_use]
    pub fn value(&self) -> &[u8] {
        self.0.payload().unwrap_or_default()
    }
}

/// Rebalances as the callback, which runs inside `poll`, saw them.
#[derive(Default)]
struct Rebalances(Mutex<Vec<Rebalance>>);

enum Rebalance {
    Assigned(Vec<i32>),
    Revoked(Vec<i32>),
}

impl ClientContext for Rebalances {
    fn error(&self, error: KafkaError, reason: &str) {
        Listener.error(error, reason);
    }
}

impl ConsumerContext for Rebalances {
    fn rebalance(&self, consumer: &BaseConsumer<Self>, kind: RDKafkaRespErr, list: &mut TopicPartitionList) {
        let partitions: Vec<_> = list.elements().iter().map(TopicPartitionListElem::partition).collect();
        let rebalance = if kind == RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS {
            // Assigned by `start`, which knows the position.
            Rebalance::Assigned(partitions)
        } else {
            if let Err(error) = consumer.incremental_unassign(list) {
                tracing::warn!(%error, "partitions could not be given back");
            }
            Rebalance::Revoked(partitions)
        };
        if let Ok(mut rebalances) = self.0.lock() {
            rebalances.push(rebalance);
        }
    }
}

impl TickConsumer {
    /// Joins a group.
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub fn join(brokers: &str, group: &str) -> Result<Self, Error> {
        let broker = |source| Error::Broker { brokers: brokers.to_owned(), source };
        let consumer: BaseConsumer<Rebalances> = super::read_committed(brokers)
            .set("group.id", group)
            .set("partition.assignment.strategy", "cooperative-sticky")
            .set("session.timeout.ms", "6000")
            .set("heartbeat.interval.ms", "2000")
            // The default silently skips to the end.
            .set("auto.offset.reset", "error")
            .create_with_context(Rebalances::default())
            .map_err(broker)?;
        consumer.subscribe(&[TOPIC]).map_err(broker)?;
        Ok(Self { consumer })
    }

    /// The next event, waiting at most so long.
    ///
    /// # Errors
    /// [`Error::Client`] for errors that librdkafka does not recover from by itself.
    pub fn next(&self, wait: Duration) -> Result<Event<'_>, Error> {
        let polled = self.consumer.poll(wait);
        // What the callback saw comes first: a record may be of a partition that was taken away.
        if let Some(rebalance) = self.take_rebalance() {
            return Ok(match rebalance {
                Rebalance::Assigned(partitions) => Event::Assigned(partitions),
                Rebalance::Revoked(partitions) => Event::Revoked(partitions),
            });
        }
        match polled {
            None => Ok(Event::Idle),
            Some(Ok(message)) => Ok(Event::Record(Record(message))),
            Some(Err(error)) if is_transient(&error) => {
                tracing::warn!(%error, "the broker cannot be reached; trying on");
                Ok(Event::Idle)
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    fn take_rebalance(&self) -> Option<Rebalance> {
        let mut rebalances = self.consumer.context().0.lock().ok()?;
        (!rebalances.is_empty()).then(|| rebalances.remove(0))
    }

    /// The offset that the group has committed for a partition.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn committed(&self, partition: i32) -> Result<Option<i64>, Error> {
        let mut asked = TopicPartitionList::new();
        asked.add_partition(TOPIC, partition);
        let answer = self.consumer.committed_offsets(asked, TIMEOUT)?;
        let offset = answer.find_partition(TOPIC, partition).map(|element| element.offset());
        Ok(match offset {
            Some(Offset::Offset(offset)) => Some(offset),
            _ => None,
        })
    }

    /// Starts to read assigned partitions from their first record.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn start(&self, partitions: &[i32]) -> Result<(), Error> {
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition_offset(TOPIC, *partition, Offset::Beginning)?;
        }
        Ok(self.consumer.incremental_assign(&list)?)
    }

    /// Reads a partition again from an offset.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn seek(&self, partition: i32, offset: i64) -> Result<(), Error> {
        Ok(self.consumer.seek(TOPIC, partition, Offset::Offset(offset), TIMEOUT)?)
    }

    /// Who this member is in its group, for the transaction that commits its offsets.
    pub(super) fn group(&self) -> Result<ConsumerGroupMetadata, Error> {
        let none = KafkaError::ClientCreation("the consumer has no group".to_owned());
        self.consumer.group_metadata().ok_or(Error::Client(none))
    }
}
