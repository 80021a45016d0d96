//! A member of a consumer group, as all roles that share partitions are one.
//!
//! A rebalance is only noted by the callback, and answered by whoever owns the partitions: until then the group waits. A
//! partition is not read until its owner decides from where, and not given back until its owner decides. It commits
//! nothing by itself, and never skips: a position that the broker does not have is an error.

mod close;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arb_kafka_native::RecordQueue;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::Offset;
use rdkafka::topic_partition_list::TopicPartitionList;
use rdkafka::types::RDKafkaRespErr;

use crate::client::{self, Fetches, Listener, heard, settings};
use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::{self, Committed, StallWatch, committed};

use self::close::Close;
use super::commit::{Commit, Kind, kind};

/// How long an offset may be undecided: longer than a transaction can stay open (10 s).
const IN_DOUBT: Duration = Duration::from_mins(1);

/// How long Kafka may take to return committed offsets, while other partitions wait.
const ANSWER: Duration = Duration::from_millis(200);

/// How long a new position may take to be accepted.
const SEEK: Duration = Duration::from_secs(15);

/// What happened to the partitions of a member, each with its topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rebalance {
    /// These are now assigned; all must be started.
    Assigned(Vec<(String, i32)>),
    /// These must be given back.
    Revoked(Vec<(String, i32)>),
    /// These are another's already.
    Lost(Vec<(String, i32)>),
}

/// What a poll brought.
pub(super) enum MemberEvent<'a> {
    Record(BorrowedMessage<'a>),
    Rebalance(Rebalance),
    Idle,
}

/// A member of a group.
pub(super) struct Member {
    consumer: Arc<BaseConsumer<Rebalances>>,
    /// The rebalance that the owner has received and has not answered.
    unanswered: Option<Rebalance>,
    stalls: StallWatch,
    /// The last to be dropped.
    _close: Close,
}

/// A rebalance as the callback, which runs inside `poll`, received it. There is one at most: the group
/// continues when it is answered.
pub(super) struct Rebalances {
    listener: Listener,
    seen: Mutex<Seen>,
    fetches: Fetches,
}

#[derive(Default)]
struct Seen {
    rebalance: Option<Rebalance>,
    /// No answer will come.
    closing: bool,
}

impl Rebalances {
    /// Of a consumer of this cluster.
    fn new(cluster: &Cluster) -> Self {
        Self { listener: Listener::new(cluster), seen: Mutex::default(), fetches: Fetches::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

heard!(Rebalances, listener, fetches);

impl ConsumerContext for Rebalances {
    /// Only notes what happened: the owner of the partitions answers by `start` or `give_back`, and until then the
    /// group waits.
    fn rebalance(&self, consumer: &BaseConsumer<Self>, kind: RDKafkaRespErr, list: &mut TopicPartitionList) {
        let elements = list.elements();
        let places =
            elements.iter().map(|element| (element.topic().to_owned(), element.partition())).collect();
        let mut seen = self.seen();
        if seen.closing {
            if let Err(error) = consumer.incremental_unassign(list) {
                tracing::warn!(%error, "partitions could not be given back");
            }
            return;
        }
        seen.rebalance = Some(match kind {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => Rebalance::Assigned(places),
            _ if consumer.assignment_lost() => Rebalance::Lost(places),
            _ => Rebalance::Revoked(places),
        });
    }
}

impl Member {
    /// Joins a group for topics; `settings` go beside those that every member has.
    pub(super) fn join(
        cluster: &Cluster,
        group: &str,
        topics: &[&str],
        settings: &[(&str, &str)],
    ) -> Result<Self, Error> {
        let mut config = settings::member(cluster, group);
        // The default silently skips to the end.
        config.set("auto.offset.reset", "error");
        for (key, value) in settings {
            config.set(*key, *value);
        }
        let consumer = cluster.consumer(&config, Rebalances::new(cluster))?;
        consumer.subscribe(topics).map_err(|source| cluster.broker(source))?;
        let consumer = Arc::new(consumer);
        let close = Close { consumer: Some(Arc::clone(&consumer)), limit: cluster.session() };
        Ok(Self { consumer, unanswered: None, stalls: StallWatch::new(), _close: close })
    }

    /// The client, for what only one of them does.
    pub(super) fn consumer(&self) -> &BaseConsumer<Rebalances> {
        &self.consumer
    }

    /// The group has given its partitions to others.
    pub(super) fn is_lost(&self) -> bool {
        self.consumer.assignment_lost()
    }

    /// A queue for records of its partitions, read in batches; `None` where librdkafka makes none.
    pub(super) fn record_queue(&self) -> Option<RecordQueue<Rebalances>> {
        RecordQueue::new(Arc::clone(&self.consumer))
    }

    /// The next record or rebalance, waiting at most so long.
    pub(super) fn poll(&mut self, wait: Duration) -> Result<MemberEvent<'_>, KafkaError> {
        // It came in a poll that brought something else too.
        if let Some(rebalance) = noted(&self.consumer, &mut self.unanswered) {
            return Ok(MemberEvent::Rebalance(rebalance));
        }
        if let Some(next) = client::poll(&self.consumer, wait) {
            return next.map(MemberEvent::Record);
        }
        let rebalance = noted(&self.consumer, &mut self.unanswered);
        Ok(rebalance.map_or(MemberEvent::Idle, MemberEvent::Rebalance))
    }

    /// Reads partitions again that librdkafka has stopped to fetch; which, and from where. To be called when nothing has come.
    pub(super) fn tend(&mut self) -> Vec<(i32, Offset)> {
        if self.unanswered.is_some() { Vec::new() } else { self.stalls.tend(&self.consumer, |_, _| {}) }
    }

    /// What the group has committed for a partition, once no transaction is about to change it.
    pub(super) fn committed(&self, topic: &str, partition: i32) -> Result<Option<Committed>, KafkaError> {
        let deadline = Instant::now() + IN_DOUBT;
        loop {
            match committed(&self.consumer, topic, partition) {
                Err(error) if Instant::now() < deadline => {
                    // An offset that a transaction is about to change is not returned.
                    tracing::warn!(partition, %error, "the committed offset is asked for again");
                    std::thread::sleep(Duration::from_millis(100));
                }
                answer => return answer,
            }
        }
    }

    /// The same without waiting for a transaction: an offset that one is about to change is an error.
    pub(super) fn committed_now(&self, topic: &str, partition: i32) -> Result<Option<Committed>, KafkaError> {
        offsets::committed_within(&self.consumer, topic, partition, ANSWER)
    }

    /// Commits offsets, with their metadata, as a member of the group.
    ///
    /// The broker refuses the commit of another generation, but not that of nobody, which is what a member is between
    /// its eviction and its return; so whether the assignment is lost is looked at before and after.
    ///
    /// Waits for the answer as long as `waits` says so; without one it is [`Commit::Again`]. A coordinator that is away may be
    /// waited for without end; but a commit that is not waited for may be taken when it is back, so only who then closes
    /// the client may give up.
    pub(super) fn commit(
        &self,
        offsets: &TopicPartitionList,
        waits: &dyn Fn() -> bool,
    ) -> Result<Commit, Error> {
        let lost = || Commit::Lost("the partitions are another's".to_owned());
        if self.is_lost() {
            return Ok(lost());
        }
        // Of several partitions the error of one is the error of all: librdkafka reports the last one's.
        let answer = arb_kafka_native::commit(self.consumer.client(), offsets, waits);
        match answer.map_err(KafkaError::ConsumerCommit) {
            Ok(()) if self.is_lost() => Ok(lost()),
            Ok(()) => Ok(Commit::Taken),
            Err(error) => match kind(&error) {
                Kind::Passes => Ok(Commit::Again(error.to_string())),
                Kind::Loses => Ok(Commit::Lost(error.to_string())),
                Kind::Stays => Err(Error::Commit(error)),
            },
        }
    }

    /// Starts to read partitions that were assigned, each at its offset in the list.
    pub(super) fn start(&mut self, list: &TopicPartitionList) -> Result<(), KafkaError> {
        self.unanswered = None;
        self.stalls.set(list);
        self.consumer.incremental_assign(list)
    }

    /// Continues at another offset of a partition that is read.
    pub(super) fn seek(&mut self, topic: &str, partition: i32, offset: Offset) -> Result<(), KafkaError> {
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(topic, partition, offset)?;
        self.stalls.set(&list);
        self.consumer.seek(topic, partition, offset, SEEK)
    }

    /// Reads partitions no more for now, or again.
    pub(super) fn pause(&mut self, list: &TopicPartitionList, is_paused: bool) -> Result<(), KafkaError> {
        self.stalls.pause(list, is_paused);
        if is_paused { self.consumer.pause(list) } else { self.consumer.resume(list) }
    }

    /// Gives back partitions that were revoked or lost.
    pub(super) fn give_back(&mut self, list: &TopicPartitionList) -> Result<(), KafkaError> {
        self.unanswered = None;
        self.consumer.incremental_unassign(list)
    }
}

impl Drop for Member {
    /// Answers the rebalance that was noted and not answered: the close does not repeat it, and waits for its answer for ever.
    fn drop(&mut self) {
        self.consumer.context().seen().closing = true;
        noted(&self.consumer, &mut self.unanswered);
        let answered = match self.unanswered.take() {
            None => return,
            // Of what was assigned nothing is taken.
            Some(Rebalance::Assigned(_)) => self.consumer.incremental_assign(&TopicPartitionList::new()),
            Some(Rebalance::Revoked(places) | Rebalance::Lost(places)) => self.give_back(&list(&places)),
        };
        if let Err(error) = answered {
            tracing::warn!(%error, "a rebalance could not be answered");
        }
    }
}

/// The rebalance that the callback has noted; the owner that receives it has it to answer.
fn noted(consumer: &BaseConsumer<Rebalances>, unanswered: &mut Option<Rebalance>) -> Option<Rebalance> {
    let rebalance = consumer.context().seen().rebalance.take()?;
    *unanswered = Some(rebalance.clone());
    Some(rebalance)
}

/// Partitions for librdkafka.
fn list(places: &[(String, i32)]) -> TopicPartitionList {
    let mut list = TopicPartitionList::new();
    for (topic, partition) in places {
        list.add_partition(topic, *partition);
    }
    list
}

#[cfg(test)]
mod tests;
