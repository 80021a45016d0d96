//! Leases: whoever holds a partition of the tick topic in a group holds what is hashed to it, and what is remembered of
//! it goes with it.
//!
//! The group's members read nothing: their partitions are paused. What is remembered is the metadata of the group's
//! offset (the offset itself is always 0), so it has one writer: the broker refuses it from a member of an earlier
//! generation, and a new holder reads it after the old one has given the partition back or was expelled. It never gives
//! a partition back before its holder says so.
//!
//! Source: Apache Kafka protocol, `OffsetCommit` (member, generation, metadata); `offset.metadata.max.bytes`, 4,096.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use arb_schemas::topics;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode as Code;

use super::Error;
use super::consumer::member;
use super::reader::is_transient;
use super::rebalances::Rebalances;
use crate::process::log::Event;

const TOPIC: &str = topics::ODDS_TICKS.name;
/// One question to the broker.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long what is remembered may stay unreadable.
const PATIENCE: Duration = Duration::from_mins(1);
const AGAIN: Duration = Duration::from_millis(100);

/// A member of the group.
pub struct Leases {
    consumer: BaseConsumer<Rebalances>,
    held: BTreeSet<i32>,
    /// The rebalance that the holder has been told and has not answered.
    unanswered: Option<Vec<i32>>,
}

/// What happened to the leases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lease {
    /// They are ours, each with what is remembered of it.
    Granted(Vec<(i32, String)>),
    /// They are to be given back.
    Revoked(Vec<i32>),
    /// Others may hold them already; they are to be given back.
    Lost(Vec<i32>),
    /// Nothing.
    Idle,
}

impl Leases {
    /// Joins a group.
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub fn join(brokers: &str, group: &str) -> Result<Self, Error> {
        let broker = |source| Error::Broker { brokers: brokers.to_owned(), source };
        let consumer: BaseConsumer<Rebalances> =
            member(brokers, group).create_with_context(Rebalances::default()).map_err(broker)?;
        consumer.subscribe(&[TOPIC]).map_err(broker)?;
        Ok(Self { consumer, held: BTreeSet::new(), unanswered: None })
    }

    /// What happens next, waiting at most so long. Whoever does not ask within five minutes is expelled.
    ///
    /// # Errors
    /// [`Error::Client`] for errors that librdkafka does not recover from by itself.
    pub fn next(&mut self, wait: Duration) -> Result<Lease, Error> {
        match self.consumer.poll(wait) {
            Some(Err(error)) if is_transient(&error) => {
                tracing::warn!(%error, "the broker cannot be reached; trying on");
            }
            Some(Err(error)) => return Err(error.into()),
            // A record that came before its partition was paused is nobody's business.
            _ => {}
        }
        Ok(match self.consumer.context().take() {
            Some(Event::Assigned(partitions)) => Lease::Granted(self.take(&partitions)?),
            Some(Event::Revoked(partitions)) => Lease::Revoked(self.let_go(partitions)),
            Some(Event::Lost(partitions)) => Lease::Lost(self.let_go(partitions)),
            Some(Event::Record | Event::Idle) | None => Lease::Idle,
        })
    }

    fn take(&mut self, partitions: &[i32]) -> Result<Vec<(i32, String)>, Error> {
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition_offset(TOPIC, *partition, Offset::End)?;
        }
        self.consumer.incremental_assign(&list)?;
        self.consumer.pause(&list)?;
        let notes = self.remembered(partitions)?;
        self.held.extend(partitions);
        Ok(notes)
    }

    fn let_go(&mut self, partitions: Vec<i32>) -> Vec<i32> {
        self.held.retain(|held| !partitions.contains(held));
        self.unanswered = Some(partitions.clone());
        partitions
    }

    /// Gives back what was revoked or lost, when nothing of it is under way.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn give_back(&mut self) -> Result<(), Error> {
        let Some(partitions) = self.unanswered.take() else { return Ok(()) };
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition(TOPIC, partition);
        }
        Ok(self.consumer.incremental_unassign(&list)?)
    }

    /// Whether a partition is ours, as far as this member knows.
    #[must_use]
    pub fn holds(&self, partition: i32) -> bool {
        self.held.contains(&partition) && !self.consumer.assignment_lost()
    }

    /// Remembers this of a partition; whether the broker took it. It does not from a member that has been expelled, nor
    /// while partitions move.
    ///
    /// # Errors
    /// [`Error::Client`] for anything else than a refusal or a broker that is away.
    pub fn remember(&self, partition: i32, note: &str) -> Result<bool, Error> {
        if !self.holds(partition) {
            return Ok(false);
        }
        let mut list = TopicPartitionList::new();
        let mut element = list.add_partition(TOPIC, partition);
        element.set_offset(Offset::Offset(0))?;
        element.set_metadata(note);
        match self.consumer.commit(&list, CommitMode::Sync) {
            Ok(()) => Ok(self.holds(partition)),
            Err(error) if is_transient(&error) || is_refusal(&error) => {
                tracing::debug!(partition, %error, "the lease was not confirmed");
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn remembered(&self, partitions: &[i32]) -> Result<Vec<(i32, String)>, Error> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.read(partitions) {
                Err(error) if Instant::now() < deadline => {
                    tracing::warn!(%error, "what is remembered of partitions is asked for again");
                    std::thread::sleep(AGAIN);
                }
                answer => return Ok(answer?),
            }
        }
    }

    fn read(&self, partitions: &[i32]) -> Result<Vec<(i32, String)>, KafkaError> {
        let mut asked = TopicPartitionList::new();
        for partition in partitions {
            asked.add_partition(TOPIC, *partition);
        }
        let answer = self.consumer.committed_offsets(asked, TIMEOUT)?;
        let note = |partition: &i32| {
            let element = answer.find_partition(TOPIC, *partition);
            let note = element.map(|element| element.error().map(|()| element.metadata().to_owned()));
            Ok((*partition, note.transpose()?.unwrap_or_default()))
        };
        partitions.iter().map(note).collect()
    }
}

impl Drop for Leases {
    fn drop(&mut self) {
        self.consumer.context().close();
        // The close asks nothing again about partitions that are lost, and waits for ever for an answer.
        if let Err(error) = self.give_back() {
            tracing::warn!(%error, "leases could not be given back");
        }
    }
}

/// Errors by which the broker refuses one that is no longer the member that it was, or while the group changes.
fn is_refusal(error: &KafkaError) -> bool {
    let code = error.rdkafka_error_code();
    let refusals = [
        Code::IllegalGeneration,
        Code::UnknownMemberId,
        Code::RebalanceInProgress,
        Code::FencedInstanceId,
        Code::AssignmentLost,
        Code::NoOffset,
        Code::State,
    ];
    code.is_some_and(|code| refusals.contains(&code))
}
