//! A member of a consumer group, as all roles that share partitions are one.
//!
//! A rebalance is only noted by the callback, and answered by whoever owns the partitions: until then the group waits. A
//! partition is not read until its owner decides from where, and not given back until its owner decides. It commits
//! nothing by itself, and never skips: a position that the broker does not have is an error.
//!
//! Source of the errors of a commit: Kafka protocol guide, error codes; librdkafka `rd_kafka_handle_OffsetCommit`.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arb_kafka_native::RecordQueue;
use rdkafka::client::OAuthToken;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::TopicPartitionList;
use rdkafka::types::{RDKafkaErrorCode as Code, RDKafkaRespErr};
use rdkafka::{ClientConfig, ClientContext, Offset, Statistics};

use super::cluster::Cluster;
use super::reader::{self, Committed, committed, is_transient};
use super::stall_watch::{Fetches, StallWatch, WATCHED, Watched};
use super::{Error, Listener};

/// How long an offset may be undecided: longer than a transaction can stay open (10 s).
const IN_DOUBT: Duration = Duration::from_mins(1);

/// `max.poll.interval.ms`: within it a member must poll and answer a rebalance.
const MAX_POLL_INTERVAL: Duration = Duration::from_mins(5);

/// Heartbeats within a session: Kafka recommends that no more than a third of it passes without one.
const HEARTBEATS: u32 = 3;

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

/// How a commit ended that can be taken, now or later, from this member or its next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commit {
    /// The group has it, and had this member when it took it.
    Taken,
    /// It may or may not have it; the same commit may be tried again.
    Again(String),
    /// It has not: the partitions belong to another member, or are about to move, which is reported as a
    /// rebalance.
    Lost(String),
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

impl ClientContext for Rebalances {
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

impl Watched for Rebalances {
    fn fetches(&self) -> &Fetches {
        &self.fetches
    }
}

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

/// Settings of a member of a group.
pub(super) fn member(cluster: &Cluster, group: &str) -> ClientConfig {
    let mut config = super::read_committed(cluster);
    let (watched, interval) = WATCHED;
    config
        .set(watched, interval)
        .set("group.id", cluster.id(group))
        // A member that is not polled for so long loses its partitions, and so long may it keep a rebalance waiting. The
        // watchdog ends a loop that does not move before that.
        .set("max.poll.interval.ms", MAX_POLL_INTERVAL.as_millis().to_string())
        .set("partition.assignment.strategy", "cooperative-sticky")
        .set("session.timeout.ms", cluster.session().as_millis().to_string())
        .set("heartbeat.interval.ms", (cluster.session() / HEARTBEATS).as_millis().to_string());
    config
}

impl Member {
    /// Joins a group for topics; `settings` go beside those that every member has.
    pub(super) fn join(
        cluster: &Cluster,
        group: &str,
        topics: &[&str],
        settings: &[(&str, &str)],
    ) -> Result<Self, Error> {
        let mut config = member(cluster, group);
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
        if let Some(next) = reader::poll(&self.consumer, wait) {
            return next.map(MemberEvent::Record);
        }
        let rebalance = noted(&self.consumer, &mut self.unanswered);
        Ok(rebalance.map_or(MemberEvent::Idle, MemberEvent::Rebalance))
    }

    /// Reads partitions again that librdkafka has stopped to fetch; which, and from where. To be called when nothing has come.
    pub(super) fn tend(&mut self) -> Vec<(i32, Offset)> {
        if self.unanswered.is_some() { Vec::new() } else { self.stalls.tend(&self.consumer) }
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
        reader::committed_within(&self.consumer, topic, partition, ANSWER)
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

/// Closes a client within a session's time, after which the group gives its partitions to others anyway. librdkafka's close waits for the
/// answer to every commit, and while the coordinator is away it waits without end to send one.
struct Close {
    consumer: Option<Arc<BaseConsumer<Rebalances>>>,
    limit: Duration,
}

impl Drop for Close {
    fn drop(&mut self) {
        let (consumer, (closed, has_closed)) = (self.consumer.take(), channel());
        std::thread::spawn(move || {
            drop(consumer);
            // It may be waited for no longer.
            let _ = closed.send(());
        });
        if has_closed.recv_timeout(self.limit).is_err() {
            tracing::warn!("Kafka does not answer: the member leaves its group with the end of the process");
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

/// The caller's view of an error of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It passes: a broker is away, or busy.
    Passes,
    /// The member is no longer what it was, or the group changes.
    Loses,
    /// The same commit will never be taken.
    Stays,
}

/// An error that is in no list may be permanent: it is treated so.
fn kind(error: &KafkaError) -> Kind {
    let loses = [
        Code::IllegalGeneration,
        Code::UnknownMemberId,
        Code::RebalanceInProgress,
        Code::AssignmentLost,
        Code::NoOffset,
        Code::State,
    ];
    let passes = [
        Code::WaitingForCoordinator,
        Code::RequestTimedOut,
        Code::NetworkException,
        Code::TimedOutQueue,
        Code::MessageTimedOut,
        Code::BrokerNotAvailable,
        // A broker that left the cluster, with the request in its queue.
        Code::DestroyBroker,
        // A topic that is recreated, or that a broker does not know yet; the reader of a deleted one is
        // notified.
        Code::UnknownTopicOrPartition,
        Code::NotEnoughReplicas,
        Code::NotEnoughReplicasAfterAppend,
        Code::KafkaStorageError,
        Code::ThrottlingQuotaExceeded,
        // An exception of the broker's.
        Code::Unknown,
    ];
    match error.rdkafka_error_code() {
        Some(code) if loses.contains(&code) => Kind::Loses,
        Some(code) if passes.contains(&code) || is_transient(error) => Kind::Passes,
        _ => Kind::Stays,
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::topics::ODDS_TICKS;
    use rdkafka::mocking::MockCluster;
    use rdkafka::producer::DefaultProducerContext;

    use super::*;

    /// Members join, and those that have a rebalance are given to `end`, which must then be able to close them.
    fn closes(end: impl Fn(&MockCluster<'_, DefaultProducerContext>, &mut Member)) {
        let broker = MockCluster::new(1).unwrap();
        broker.create_topic(ODDS_TICKS.name, 2, 1).unwrap();
        let cluster = Cluster::plaintext(&broker.bootstrap_servers());
        let mut member = Member::join(&cluster, "group", &[ODDS_TICKS.name], &[]).unwrap();
        end(&broker, &mut member);
        let (closed, has_closed) = channel();
        let thread = std::thread::spawn(move || {
            drop(member);
            closed.send(()).unwrap();
        });
        has_closed.recv_timeout(Duration::from_mins(3)).expect("it waits for an answer to a rebalance");
        thread.join().unwrap();
    }

    /// Polls librdkafka alone until the callback has noted a rebalance.
    fn wait_until_noted(member: &Member) {
        let begun = Instant::now();
        while member.consumer.context().seen().rebalance.is_none() {
            assert!(begun.elapsed() < Duration::from_mins(3), "no rebalance");
            member.consumer.poll(Duration::from_millis(20));
        }
    }

    /// Takes what is assigned.
    fn start(member: &mut Member) {
        wait_until_noted(member);
        let Ok(MemberEvent::Rebalance(Rebalance::Assigned(places))) = member.poll(Duration::ZERO) else {
            panic!("nothing is assigned")
        };
        member.start(&list(&places)).unwrap();
    }

    #[test]
    fn a_member_closes_whatever_rebalance_it_has_not_answered() {
        closes(|_, member| wait_until_noted(member));
        closes(|_, member| {
            wait_until_noted(member);
            let received = member.poll(Duration::ZERO).unwrap();
            assert!(matches!(received, MemberEvent::Rebalance(Rebalance::Assigned(_))));
        });
    }

    #[test]
    fn a_member_closes_when_its_partitions_are_lost() {
        let lose = |broker: &MockCluster<'_, DefaultProducerContext>, member: &mut Member| {
            start(member);
            broker.broker_down(1).unwrap();
            wait_until_noted(member);
        };
        closes(lose);
        closes(|broker, member| {
            lose(broker, member);
            let received = member.poll(Duration::ZERO).unwrap();
            assert!(matches!(received, MemberEvent::Rebalance(Rebalance::Lost(_))));
        });
    }

    /// The commit has been sent when the broker goes away, and is to be sent again.
    #[test]
    fn a_member_closes_while_a_commit_waits_for_a_broker_that_is_away() {
        closes(|broker, member| {
            start(member);
            broker.broker_round_trip_time(1, Duration::from_secs(2)).unwrap();
            let mut offsets = TopicPartitionList::new();
            offsets.add_partition_offset(ODDS_TICKS.name, 0, Offset::Offset(1)).unwrap();
            let given_up = member.commit(&offsets, &|| false).unwrap();
            assert!(matches!(given_up, Commit::Again(_)), "{given_up:?}");
            broker.broker_down(1).unwrap();
        });
    }

    #[test]
    fn every_error_of_a_commit_is_one_of_three_kinds() {
        let of = |code: Code| kind(&KafkaError::ConsumerCommit(code));
        // Errors of the broker and the client: an outage, an eviction, and what no retry resolves.
        for code in [
            Code::BrokerTransportFailure,
            Code::AllBrokersDown,
            Code::OperationTimedOut,
            Code::WaitingForCoordinator,
            Code::NotCoordinator,
            Code::CoordinatorLoadInProgress,
            Code::CoordinatorNotAvailable,
            Code::RequestTimedOut,
            Code::UnknownTopicOrPartition,
            Code::Unknown,
        ] {
            assert_eq!(of(code), Kind::Passes, "{code:?}");
        }
        for code in [
            Code::IllegalGeneration,
            Code::UnknownMemberId,
            Code::RebalanceInProgress,
            Code::AssignmentLost,
            Code::State,
        ] {
            assert_eq!(of(code), Kind::Loses, "{code:?}");
        }
        for code in [
            Code::OffsetMetadataTooLarge,
            Code::InvalidCommitOffsetSize,
            Code::GroupAuthorizationFailed,
            Code::TopicAuthorizationFailed,
            Code::ClusterAuthorizationFailed,
            Code::SaslAuthenticationFailed,
            Code::InvalidGroupId,
            Code::UnsupportedVersion,
            Code::InvalidArgument,
            // Another with the same instance id: librdkafka calls it fatal.
            Code::FencedInstanceId,
            Code::Fatal,
        ] {
            assert_eq!(of(code), Kind::Stays, "{code:?}");
        }
        assert_eq!(kind(&KafkaError::Canceled), Kind::Stays);
    }
}
