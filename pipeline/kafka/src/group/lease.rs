//! Leases: the owner of a partition of the tick topic in a group holds the leases of everything that is
//! hashed to it, and their state moves with the partition.
//!
//! The group's members read nothing: their partitions are paused. The state is the metadata of the group's
//! offset (the offset itself is always 0), so it has one writer: the broker refuses it from a member of an
//! earlier generation, and a new holder reads it after the old one has given the partition back or was
//! expelled. It never gives a partition back before its holder does.
//!
//! Source: Apache Kafka protocol, `OffsetCommit` (member, generation, metadata); `offset.metadata.max.bytes`, 4,096.

use std::collections::BTreeSet;
use std::time::Duration;

use arb_schemas::topics;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::cluster::Cluster;
use crate::error::Error;

use super::commit::Commit;
use super::member::{Member, MemberEvent, Rebalance};

/// A member of the group.
pub struct Leases {
    member: Member,
    topic: &'static str,
    held: BTreeSet<i32>,
    /// Partitions that the holder must give back, and has not.
    unanswered: Vec<(String, i32)>,
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
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use arb_kafka::{Cluster, Lease, Leases};
    ///
    /// let mut leases = Leases::join(&Cluster::plaintext("127.0.0.1:9092"), "ingest-feed")?;
    /// while !leases.holds(0) {
    ///     leases.next(Duration::from_secs(1))?;
    /// }
    /// assert!(leases.remember(0, "position 42")?, "the group accepts the note of the holder");
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

    fn take(&mut self, places: &[(String, i32)]) -> Result<Vec<(i32, String)>, Error> {
        let mut list = TopicPartitionList::new();
        for (topic, partition) in places {
            list.add_partition_offset(topic, *partition, Offset::End)?;
        }
        self.member.start(&list)?;
        self.member.pause(&list, true)?;
        let mut notes = Vec::new();
        for (topic, partition) in places {
            let committed = self.member.committed(topic, *partition)?;
            notes.push((*partition, committed.map(|committed| committed.metadata).unwrap_or_default()));
            self.held.insert(*partition);
        }
        Ok(notes)
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

    /// Whether this member owns a partition, as far as it knows.
    #[must_use]
    pub fn holds(&self, partition: i32) -> bool {
        self.held.contains(&partition) && !self.member.is_lost()
    }

    /// Stores the state of a partition, also of one that is revoked and not yet given back; returns whether
    /// the broker accepted it. It does not from a member that has been expelled, nor while partitions move.
    ///
    /// # Errors
    /// [`Error::Commit`] for what the broker will never take; [`Error::Client`] for what cannot be written at all.
    pub fn remember(&self, partition: i32, note: &str) -> Result<bool, Error> {
        let is_revoked = self.unanswered.iter().any(|(_, revoked)| *revoked == partition);
        if self.member.is_lost() || !(is_revoked || self.held.contains(&partition)) {
            return Ok(false);
        }
        let mut list = TopicPartitionList::new();
        let mut element = list.add_partition(self.topic, partition);
        element.set_offset(Offset::Offset(0))?;
        element.set_metadata(note);
        match self.member.commit(&list, &|| true)? {
            Commit::Taken => Ok(true),
            Commit::Again(error) | Commit::Lost(error) => {
                tracing::debug!(partition, error, "the lease was not confirmed");
                Ok(false)
            }
        }
    }
}
