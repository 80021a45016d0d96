//! A machine's input: a member of the consumer group on its input topic, and the changelog beside it.
//!
//! An assignment is answered at once: the partitions are assigned to the client and paused, so that no rebalance waits for
//! a restore. They are read from where their owner decides, and given back when their owner decides; offsets are
//! committed by the transaction alone. It never skips: a position that the broker does not have is an error.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arb_runtime::log::{Event, GroupOffset, Input, LogError, Put, Record, Replay};
use arb_runtime::machine::MachineTopics;
use rdkafka::Message;
use rdkafka::consumer::{CommitMode, Consumer, ConsumerGroupMetadata};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode;

use super::changelog::Changelog;
use super::cluster::Cluster;
use super::group::{Member, MemberEvent, Rebalance};
use super::transaction::offsets;
use super::{Error, fatal, leaders};

/// How long a transaction may be about to change an offset: longer than one can stay open (10 s).
const IN_DOUBT: Duration = Duration::from_mins(1);

/// How long to wait for a record while a partition does not take its position.
const STARTING: Duration = Duration::from_millis(1);

/// The time limit for the question where a partition begins: the group and the other partitions wait for the answer.
const FIRST: Duration = Duration::from_secs(1);

/// Reads the input of a machine as a member of a group.
pub struct InputConsumer {
    topic: &'static str,
    member: Member,
    changelog: Changelog,
    /// Partitions that are to be read from an offset, and are paused until the client has taken it.
    starting: BTreeMap<i32, Offset>,
    /// Since when an offset that was asked for is not known.
    in_doubt: Option<Instant>,
}

impl InputConsumer {
    /// Joins a group.
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub fn join(cluster: &Cluster, group: &str, topics: &MachineTopics) -> Result<Self, Error> {
        let topic = topics.input.name;
        Ok(Self {
            topic,
            member: Member::join(cluster, group, &[topic], &[])?,
            changelog: Changelog::connect(cluster, topics.changelog)?,
            starting: BTreeMap::new(),
            in_doubt: None,
        })
    }

    /// The topic that it reads.
    pub(super) fn topic(&self) -> &'static str {
        self.topic
    }

    fn list(&self, partitions: &[i32]) -> TopicPartitionList {
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition(self.topic, *partition);
        }
        list
    }

    /// The first offset of a partition as a number. librdkafka looks up `Beginning` by itself, and when the partition is paused or
    /// moved meanwhile it repeats the question half a second later and goes back to the answer, wherever it is by then
    /// (`rd_kafka_toppar_handle_Offset` of 2.12). The pump leaves out what then comes again.
    fn first(&self, partition: i32) -> Offset {
        match leaders::watermarks(self.member.consumer(), self.topic, partition, FIRST) {
            Ok((first, _)) => Offset::Offset(first),
            Err(error) => {
                tracing::debug!(partition, %error, "where the partition begins is not known");
                Offset::Beginning
            }
        }
    }

    /// Lets partitions be read from where they are to be. A client that has just been given a partition does not take a
    /// position of it yet: then it is tried again.
    fn try_to_start(&mut self) -> Result<(), KafkaError> {
        while let Some((partition, offset)) = self.starting.pop_first() {
            match self.member.seek(self.topic, partition, offset) {
                Ok(()) => self.member.pause(&self.list(&[partition]), false)?,
                Err(error) if error.rdkafka_error_code() == Some(RDKafkaErrorCode::State) => {
                    self.starting.insert(partition, offset);
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Commits positions outside any transaction. Only the bench does, to measure what a transaction costs: no other client
    /// can commit for a member of a group.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn commit(&self, next: &BTreeMap<i32, i64>) -> Result<(), Error> {
        Ok(self.member.consumer().commit(&offsets(self.topic, next)?, CommitMode::Sync)?)
    }

    /// The offset that the group has committed for a partition, asked once.
    pub(super) fn committed_now(&self, partition: i32) -> Result<Option<i64>, KafkaError> {
        let committed = self.member.committed_now(self.topic, partition)?;
        Ok(committed.map(|committed| committed.offset))
    }

    /// Who this member is in its group, for the transaction that commits its offsets; `None` when it is none any more:
    /// the broker does not refuse the offsets of nobody.
    pub(super) fn group(&self) -> Option<ConsumerGroupMetadata> {
        let group = self.member.consumer().group_metadata();
        group.filter(|_| !self.member.is_lost())
    }
}

impl Input for InputConsumer {
    fn next(&mut self, wait: Duration, record: &mut Record) -> Result<Event, LogError> {
        self.try_to_start().map_err(fatal)?;
        let wait = if self.starting.is_empty() { wait } else { wait.min(STARTING) };
        Ok(match self.member.poll(wait).map_err(fatal)? {
            MemberEvent::Record(message) => {
                copy(&message, record);
                Event::Record
            }
            MemberEvent::Rebalance(rebalance) => event(rebalance),
            MemberEvent::Idle => Event::Idle,
        })
    }

    fn accept(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition_offset(self.topic, *partition, self.first(*partition)).map_err(fatal)?;
        }
        self.member.start(&list).map_err(fatal)?;
        if partitions.is_empty() { Ok(()) } else { self.member.pause(&list, true).map_err(fatal) }
    }

    fn committed(&mut self, partition: i32) -> Result<GroupOffset, LogError> {
        match self.committed_now(partition) {
            Ok(committed) => {
                self.in_doubt = None;
                Ok(GroupOffset::Known(committed))
            }
            Err(error) => {
                if self.in_doubt.get_or_insert_with(Instant::now).elapsed() >= IN_DOUBT {
                    return Err(fatal(error));
                }
                tracing::warn!(partition, %error, "the committed offset is asked for again");
                Ok(GroupOffset::Pending)
            }
        }
    }

    fn open_changelog(&mut self, partition: i32) -> Result<(), LogError> {
        self.changelog.open(partition).map_err(fatal)
    }

    fn replay(&mut self, limit: Duration, put: &mut Put<'_>) -> Result<Replay, LogError> {
        self.changelog.replay(limit, put).map_err(fatal)
    }

    fn start(&mut self, partition: i32, offset: Option<i64>) -> Result<(), LogError> {
        let from = offset.map_or_else(|| self.first(partition), Offset::Offset);
        self.starting.insert(partition, from);
        self.try_to_start().map_err(fatal)
    }

    fn give_back(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        self.starting.retain(|partition, _| !partitions.contains(partition));
        self.changelog.leave(partitions).map_err(fatal)?;
        self.member.give_back(&self.list(partitions)).map_err(fatal)
    }

    fn seek(&mut self, partition: i32, offset: i64) -> Result<(), LogError> {
        self.member.seek(self.topic, partition, Offset::Offset(offset)).map_err(fatal)
    }
}

/// A rebalance of the one topic, as the pump receives it.
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

#[cfg(test)]
mod tests {
    use arb_schemas::topics::{DEAD_TICKS, ODDS_TICKS, PROCESS_STATE};
    use rdkafka::ClientConfig;
    use rdkafka::mocking::MockCluster;
    use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

    use super::*;

    const TOPICS: MachineTopics = MachineTopics {
        input: &ODDS_TICKS,
        changelog: &PROCESS_STATE,
        dead_letters: &DEAD_TICKS,
        outputs: &[],
    };

    fn write(brokers: &str, records: u8) {
        let producer: BaseProducer = ClientConfig::new().set("bootstrap.servers", brokers).create().unwrap();
        for value in 0..records {
            let record = BaseRecord::<(), _>::to(ODDS_TICKS.name).partition(0);
            producer.send(record.payload(&[value])).ok().unwrap();
        }
        while producer.in_flight_count() > 0 {
            producer.poll(Duration::from_millis(10));
        }
    }

    /// The broker takes so long for each answer that the partition is paused and moved before the first has come.
    #[test]
    fn a_partition_that_is_moved_at_once_never_goes_back() {
        const FROM: i64 = 10;
        let broker = MockCluster::new(1).unwrap();
        broker.create_topic(ODDS_TICKS.name, 1, 1).unwrap();
        broker.create_topic(PROCESS_STATE.name, 1, 1).unwrap();
        write(&broker.bootstrap_servers(), 20);
        broker.broker_round_trip_time(1, Duration::from_millis(100)).unwrap();
        let cluster = Cluster::plaintext(&broker.bootstrap_servers());
        let mut input = InputConsumer::join(&cluster, "group", &TOPICS).unwrap();
        let (begun, mut record, mut come) = (Instant::now(), Record::default(), Vec::new());
        // Half a second after its answer the client asks again.
        while come.len() < 10 || begun.elapsed() < Duration::from_secs(8) {
            assert!(begun.elapsed() < Duration::from_mins(3), "{come:?}");
            match input.next(Duration::from_millis(20), &mut record).unwrap() {
                Event::Assigned(partitions) if !partitions.is_empty() => {
                    input.accept(&partitions).unwrap();
                    input.start(0, Some(FROM)).unwrap();
                }
                Event::Record => come.push(record.offset),
                _ => {}
            }
        }
        assert_eq!(come, (FROM..20).collect::<Vec<_>>());
    }
}
