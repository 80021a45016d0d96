//! Leases: the owner of a partition of the tick topic in a group holds the leases of everything that is
//! hashed to it, and their state moves with the partition.
//!
//! The group's members read nothing: their partitions are paused. The state is the metadata of the group's
//! offset (the offset itself counts the transactions that wrote it), so it has one writer: the broker refuses it from a member of an
//! earlier generation, and a new holder reads it after the old one has given the partition back or was
//! expelled. It never gives a partition back before its holder does.
//!
//! Source: Apache Kafka protocol, `OffsetCommit` (member, generation, metadata); `offset.metadata.max.bytes`, 4,096.

use std::collections::BTreeSet;
use std::time::Duration;

use arb_schemas::topics;
use rdkafka::consumer::{Consumer, ConsumerGroupMetadata};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::{self, Committed};

use super::member::{Member, MemberEvent, Rebalance};

/// A member of the group.
pub struct Leases {
    member: Member,
    topic: &'static str,
    held: BTreeSet<i32>,
    /// Partitions that the holder must give back, and has not.
    unanswered: Vec<(String, i32)>,
}

/// What is remembered of a lease.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeaseNote {
    /// How many transactions have written it; 0 where it was written in none.
    pub count: i64,
    /// The text.
    pub text: String,
}

/// What happened to the leases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lease {
    /// They are ours; what is remembered of each is for [`Leases::note`].
    Granted(Vec<i32>),
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
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use arb_kafka::{Cluster, Leases};
    ///
    /// let mut leases = Leases::join(&Cluster::plaintext("127.0.0.1:9092"), "ingest-feed")?;
    /// while !leases.may_write(0) {
    ///     leases.next(Duration::from_secs(1))?;
    /// }
    /// assert_eq!(leases.note(0)?.text, "position 42", "what the last holder wrote");
    /// # Ok::<(), arb_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub fn join(cluster: &Cluster, group: &str) -> Result<Self, Error> {
        let topic = cluster.topic(topics::ODDS_TICKS.name);
        let member = Member::join(cluster, group, &[topic], &[])?;
        Ok(Self { member, topic, held: BTreeSet::new(), unanswered: Vec::new() })
    }

    /// The next event, waiting at most so long. A holder that does not call it within five minutes is
    /// expelled.
    ///
    /// # Errors
    /// [`Error::Client`] for errors that librdkafka does not recover from by itself.
    pub fn next(&mut self, wait: Duration) -> Result<Lease, Error> {
        Ok(match self.member.poll(wait)? {
            MemberEvent::Rebalance(Rebalance::Assigned(places)) => Lease::Granted(self.take(&places)?),
            MemberEvent::Rebalance(Rebalance::Revoked(places)) => Lease::Revoked(self.let_go(places)),
            MemberEvent::Rebalance(Rebalance::Lost(places)) => Lease::Lost(self.let_go(places)),
            // A record that came before its partition was paused is dropped.
            MemberEvent::Record(_) | MemberEvent::Idle => Lease::Idle,
        })
    }

    fn take(&mut self, places: &[(String, i32)]) -> Result<Vec<i32>, Error> {
        let mut list = TopicPartitionList::new();
        for (topic, partition) in places {
            list.add_partition_offset(topic, *partition, Offset::End)?;
        }
        self.member.start(&list)?;
        self.member.pause(&list, true)?;
        let partitions: Vec<_> = places.iter().map(|(_, partition)| *partition).collect();
        self.held.extend(&partitions);
        Ok(partitions)
    }

    /// What is remembered of a partition. A note that a transaction is about to change is waited for.
    ///
    /// # Errors
    /// [`Error::Client`] when the broker does not answer in time.
    pub fn note(&self, partition: i32) -> Result<LeaseNote, Error> {
        Ok(noted(self.member.committed(self.topic, partition)?))
    }

    /// The same, asked once: a note that a transaction is about to change is an error.
    pub(crate) fn note_within(&self, partition: i32, time: Duration) -> Result<LeaseNote, Error> {
        let committed = offsets::committed_within(self.member.consumer(), self.topic, partition, time)?;
        Ok(noted(committed))
    }

    /// Who this member is in its group, for the transaction that writes the note of a partition; `None` when the partition is another's.
    pub(crate) fn group(&self, partition: i32) -> Option<ConsumerGroupMetadata> {
        self.may_write(partition).then(|| self.member.consumer().group_metadata()).flatten()
    }

    /// Whether a partition is this member's as far as it knows, also when it is revoked and not yet given back.
    #[must_use]
    pub fn may_write(&self, partition: i32) -> bool {
        let is_revoked = self.unanswered.iter().any(|(_, revoked)| *revoked == partition);
        !self.member.is_lost() && (is_revoked || self.held.contains(&partition))
    }

    /// A note of a partition as the client takes it.
    pub(crate) fn with_note(
        &self,
        partition: i32,
        note: &LeaseNote,
    ) -> Result<TopicPartitionList, KafkaError> {
        let mut list = TopicPartitionList::new();
        let mut element = list.add_partition(self.topic, partition);
        element.set_offset(Offset::Offset(note.count))?;
        element.set_metadata(&note.text);
        Ok(list)
    }

    fn let_go(&mut self, places: Vec<(String, i32)>) -> Vec<i32> {
        let partitions: Vec<_> = places.iter().map(|(_, partition)| *partition).collect();
        self.held.retain(|held| !partitions.contains(held));
        self.unanswered = places;
        partitions
    }

    /// Gives back what was revoked or lost, when nothing of it is under way.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn give_back(&mut self) -> Result<(), Error> {
        let places = std::mem::take(&mut self.unanswered);
        if places.is_empty() {
            return Ok(());
        }
        let mut list = TopicPartitionList::new();
        for (topic, partition) in &places {
            list.add_partition(topic, *partition);
        }
        Ok(self.member.give_back(&list)?)
    }
}

fn noted(committed: Option<Committed>) -> LeaseNote {
    let note = committed.map(|Committed { offset, metadata }| LeaseNote { count: offset, text: metadata });
    note.unwrap_or_default()
}
