//! The processor's input: a member of the consumer group on the tick topic, and the changelog beside it.
//!
//! A partition is not read until its owner says from where, and not given back until its owner says so; offsets are
//! committed by the transaction alone. It never skips: a position that the broker does not have is an error.

use std::collections::BTreeMap;
use std::time::Duration;

use arb_runtime::log::{Event, Input, LogError, Put, Record};
use arb_schemas::topics;
use rdkafka::Message;
use rdkafka::consumer::{CommitMode, Consumer, ConsumerGroupMetadata};
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::changelog::Changelog;
use super::cluster::Cluster;
use super::group::{Member, MemberEvent, Rebalance};
use super::transaction::offsets;
use super::{Error, fatal};

const TOPIC: &str = topics::ODDS_TICKS.name;
/// Reads [`topics::ODDS_TICKS`] as a member of a group.
pub struct TickConsumer {
    member: Member,
    changelog: Changelog,
}

impl TickConsumer {
    /// Joins a group.
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub fn join(cluster: &Cluster, group: &str) -> Result<Self, Error> {
        Ok(Self {
            member: Member::join(cluster, group, &[TOPIC], &[])?,
            changelog: Changelog::open(cluster)?,
        })
    }

    /// Commits positions outside any transaction. Only the bench does, to measure what a transaction costs: no other client
    /// can commit for a member of a group.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn commit(&self, next: &BTreeMap<i32, i64>) -> Result<(), Error> {
        Ok(self.member.consumer().commit(&offsets(next)?, CommitMode::Sync)?)
    }

    /// Who this member is in its group, for the transaction that commits its offsets; `None` when it is none any more:
    /// the broker does not refuse the offsets of nobody.
    pub(super) fn group(&self) -> Option<ConsumerGroupMetadata> {
        let group = self.member.consumer().group_metadata();
        group.filter(|_| !self.member.is_lost())
    }
}

impl Input for TickConsumer {
    fn next(&mut self, wait: Duration, record: &mut Record) -> Result<Event, LogError> {
        Ok(match self.member.poll(wait).map_err(fatal)? {
            MemberEvent::Record(message) => {
                copy(&message, record);
                Event::Record
            }
            MemberEvent::Rebalance(rebalance) => event(rebalance),
            MemberEvent::Idle => Event::Idle,
        })
    }

    fn committed(&mut self, partition: i32) -> Result<Option<i64>, LogError> {
        Ok(self.member.committed(TOPIC, partition).map_err(fatal)?.map(|committed| committed.offset))
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
        self.member.start(&list).map_err(fatal)
    }

    fn give_back(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition(TOPIC, *partition);
        }
        self.member.give_back(&list).map_err(fatal)
    }

    fn seek(&mut self, partition: i32, offset: i64) -> Result<(), LogError> {
        self.member.seek(TOPIC, partition, offset).map_err(fatal)
    }
}

/// A rebalance of the one topic, as the pump is told it.
fn event(rebalance: Rebalance) -> Event {
    let partitions =
        |places: Vec<(String, i32)>| places.into_iter().map(|(_, partition)| partition).collect();
    match rebalance {
        Rebalance::Assigned(places) => Event::Assigned(partitions(places)),
        Rebalance::Revoked(places) => Event::Revoked(partitions(places)),
        Rebalance::Lost(places) => Event::Lost(partitions(places)),
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
