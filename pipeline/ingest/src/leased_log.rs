//! What is written under the leases of a group: records, and the note of the lease after them, in one transaction.
//!
//! A lease is taken over before its note is read, so that an instance that was frozen can write nothing under it any more. News of the
//! group that come while something is written are kept for whoever asks next. It never looks into a note.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use arb_kafka::{self as kafka, Cluster, Lease, LeaseNote, Leases, SourceProducer, TickOutput, Written};
use arb_runtime::readiness::Position;
use arb_runtime::stop::Stop;

use super::source_log::{SourceLog, taken_over, wait_for_news, write_once};
use super::telemetry;

/// How long news of the group are waited for before something is tried again.
const POLL: Duration = Duration::from_millis(50);

/// How far transactions are written; shared with the readiness.
#[derive(Debug, Default)]
pub struct WriteProgress {
    begun: AtomicI64,
    ended: AtomicI64,
}

impl WriteProgress {
    /// Transactions that have ended, and those that will have when nothing is under way.
    #[must_use]
    pub fn position(&self) -> Position {
        Position { at: self.ended.load(Ordering::Relaxed), end: Some(self.begun.load(Ordering::Relaxed)) }
    }
}

/// The leases of an instance.
pub(super) struct LeasedLog {
    cluster: Cluster,
    group: String,
    partitions: i32,
    member: Membership,
    /// By the partition of the lease.
    held: BTreeMap<i32, (SourceProducer, LeaseNote)>,
    progress: Arc<WriteProgress>,
}

struct Membership {
    leases: Leases,
    news: VecDeque<Lease>,
    stop: Stop,
}

/// One lease, while something is written under it.
struct OneLease<'a> {
    partition: i32,
    producer: &'a mut SourceProducer,
    member: &'a mut Membership,
}

impl LeasedLog {
    /// Joins a group, for a topic of so many partitions.
    /// Nothing is tried again after the shutdown signal.
    pub(super) fn join(
        cluster: &Cluster,
        group: &str,
        partitions: i32,
        stop: &Stop,
    ) -> Result<Self, kafka::Error> {
        let (leases, stop) = (Leases::join(cluster, group)?, stop.clone());
        let member = Membership { leases, news: VecDeque::new(), stop };
        let (cluster, group, held) = (cluster.clone(), group.to_owned(), BTreeMap::new());
        Ok(Self { cluster, group, partitions, member, held, progress: Arc::default() })
    }

    /// How far it has written.
    pub(super) fn progress(&self) -> Arc<WriteProgress> {
        Arc::clone(&self.progress)
    }

    /// Of the topic.
    pub(super) fn partitions(&self) -> i32 {
        self.partitions
    }

    /// What happened to the leases, waiting at most so long.
    pub(super) fn next(&mut self, wait: Duration) -> Result<Lease, kafka::Error> {
        self.member.news.pop_front().map_or_else(|| self.member.leases.next(wait), Ok)
    }

    /// Takes a lease over that was granted: its note, or `None` when it is lost already.
    pub(super) fn take(&mut self, partition: i32) -> Result<Option<String>, kafka::Error> {
        let mut producer = SourceProducer::new(&self.cluster, &self.group, partition, self.partitions)?;
        let mut lease = OneLease { partition, producer: &mut producer, member: &mut self.member };
        let Some(note) = taken_over(&mut lease, false)? else { return Ok(None) };
        let text = note.text.clone();
        self.held.insert(partition, (producer, note));
        Ok(Some(text))
    }

    /// Whether a lease is held, as far as is known: a frozen process wakes before its client knows that the group has gone on.
    pub(super) fn holds(&self, partition: i32) -> bool {
        self.held.contains_key(&partition) && self.member.leases.may_write(partition)
    }

    /// Gives leases back that were revoked or lost, and writes nothing under them any more.
    pub(super) fn give_back(&mut self, partitions: &[i32]) -> Result<(), kafka::Error> {
        self.held.retain(|held, _| !partitions.contains(held));
        self.member.leases.give_back()
    }

    /// Writes records with the note of a lease, or with the one that it has; whether they are there. They are not when the lease is lost.
    pub(super) fn write(
        &mut self,
        partition: i32,
        records: &[TickOutput],
        note: Option<String>,
    ) -> Result<bool, kafka::Error> {
        let Some((producer, last)) = self.held.get_mut(&partition) else { return Ok(false) };
        let text = note.unwrap_or_else(|| last.text.clone());
        let mut lease = OneLease { partition, producer, member: &mut self.member };
        self.progress.begun.fetch_add(1, Ordering::Relaxed);
        let written = write_once(&mut lease, last, records, text);
        self.progress.ended.fetch_add(1, Ordering::Relaxed);
        written
    }
}

impl SourceLog for OneLease<'_> {
    type Error = kafka::Error;

    fn take_over(&mut self) -> Result<Option<LeaseNote>, kafka::Error> {
        self.producer.take_over(&self.member.leases)
    }

    fn write(&mut self, records: &[TickOutput], note: &LeaseNote) -> Result<Written, kafka::Error> {
        let written = self.producer.write(&self.member.leases, records, note)?;
        if written != Written::Yes {
            telemetry::not_published(true);
        }
        Ok(written)
    }

    fn is_wanted(&mut self, is_fenced: bool) -> Result<bool, kafka::Error> {
        let Membership { leases, news, stop } = &mut *self.member;
        wait_for_news(is_fenced, stop, || {
            // Nothing comes after a rebalance that is not answered.
            if news.iter().all(|lease| matches!(lease, Lease::Granted(_))) {
                let lease = leases.next(POLL)?;
                news.extend((lease != Lease::Idle).then_some(lease));
            } else {
                let _ = stop.wait(POLL);
            }
            Ok(leases.may_write(self.partition))
        })
    }
}
