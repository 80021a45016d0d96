//! A machine's input: a member of the consumer group on its input topic, and the changelog beside it.
//!
//! An assignment is answered at once: the partitions are assigned to the client and paused, so that no rebalance waits for
//! a restore. They are read from where their owner decides, and given back when their owner decides; offsets are
//! committed by the transaction alone. Records are taken from the client in batches, apart from its events. It never skips: a position
//! that the broker does not have is an error.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_kafka_native::{RecordError, RecordQueue};
use arb_runtime::log::{Event, GroupOffset, Input, LogError, Put, Record, Replay};
use arb_runtime::machine::MachineTopics;
use arb_schemas::topics::Topic;
use rdkafka::ClientContext;
use rdkafka::Message;
use rdkafka::Timestamp;
use rdkafka::consumer::{CommitMode, Consumer, ConsumerGroupMetadata};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode;

use crate::cluster::Cluster;
use crate::error::{Error, fatal, is_transient};
use crate::offsets::{Asker, to_commit};
use crate::readers::Changelog;

use super::member::{Member, MemberEvent, Rebalance, Rebalances};
use super::taken_records::{self, TakenRecords};

/// How long a transaction may be about to change an offset: longer than one can stay open (10 s).
const IN_DOUBT: Duration = Duration::from_mins(1);

/// How long to wait for a record while a partition does not take its position.
const STARTING: Duration = Duration::from_millis(1);

/// Most records that are taken at once: as many of the longest take 64 MiB.
const BATCH: usize = 64;

/// How long records are waited for before events are looked for again: each look wakes a machine that has nothing to do.
const EVENTS: Duration = Duration::from_millis(50);

/// The time limit for the question where a partition begins: the group and the other partitions wait for the answer.
const FIRST: Duration = Duration::from_secs(1);

/// Reads the input of a machine as a member of a group.
pub struct InputConsumer {
    topic: &'static str,
    /// Where the records of partitions come that were started.
    queue: RecordQueue<Rebalances>,
    taken: TakenRecords,
    member: Member,
    changelog: Changelog,
    asker: Arc<Asker>,
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
        let topic = cluster.topic(topics.input.name);
        let member = Member::join(cluster, group, &[topic], &[])?;
        let none = || KafkaError::ClientCreation("no queue".to_owned());
        Ok(Self {
            topic,
            queue: member.record_queue().ok_or_else(none)?,
            taken: TakenRecords::default(),
            member,
            changelog: Changelog::connect(cluster, topics.changelog)?,
            asker: Asker::of_committed(cluster)?,
            starting: BTreeMap::new(),
            in_doubt: None,
        })
    }

    /// The topic that it reads.
    pub(crate) fn topic(&self) -> &'static str {
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
        match self.asker.at(&[(self.topic, partition)], Offset::Beginning, FIRST).as_deref() {
            Ok([first, ..]) => Offset::Offset(*first),
            Ok([]) => Offset::Beginning,
            Err(error) => {
                tracing::debug!(partition, %error, "where the partition begins is not known");
                Offset::Beginning
            }
        }
    }

    /// Lets partitions be read from where they are to be. A client that has just been given a partition does not take a
    /// position of it yet: then it is tried again.
    ///
    /// Their records are to come to the queue of records, and none to that of events. A partition that is assigned again is forwarded
    /// nowhere by then, so it is forwarded after the new position is taken too; what was on its way to the other queue
    /// before is dropped by the client, because it is older than the position.
    fn try_to_start(&mut self) -> Result<(), KafkaError> {
        while let Some((partition, offset)) = self.starting.pop_first() {
            self.forward(partition)?;
            match self.member.seek(self.topic, partition, offset) {
                Ok(()) => {
                    self.forward(partition)?;
                    self.taken.forget(partition);
                    self.member.pause(&self.list(&[partition]), false)?;
                }
                Err(error) if is_not_started(&error) => {
                    self.starting.insert(partition, offset);
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn forward(&self, partition: i32) -> Result<(), KafkaError> {
        let is_forwarded = self.queue.forward(self.topic, partition);
        is_forwarded.then_some(()).ok_or(KafkaError::MessageConsumption(RDKafkaErrorCode::UnknownPartition))
    }

    /// Takes the records that are there, or waits for one where there is none, at most so long.
    fn take(&mut self, wait: Duration) -> Result<(), KafkaError> {
        let (taken, member, mut failed) = (&mut self.taken, &self.member, Ok(()));
        let mut each =
            |it: Result<arb_kafka_native::Record<'_>, RecordError>| put(it, taken, member, &mut failed);
        if self.queue.take(BATCH, &mut each) == 0 && !wait.is_zero() {
            self.queue.wait(wait, &mut each);
        }
        failed
    }

    /// Commits positions outside any transaction. Only the bench does, to measure what a transaction costs: no other client
    /// can commit for a member of a group.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn commit(&self, next: &BTreeMap<i32, i64>) -> Result<(), Error> {
        Ok(self.member.consumer().commit(&to_commit(self.topic, next)?, CommitMode::Sync)?)
    }

    /// The offset that the group has committed for a partition, asked once.
    pub(crate) fn committed_now(&self, partition: i32) -> Result<Option<i64>, KafkaError> {
        let committed = self.member.committed_now(self.topic, partition)?;
        Ok(committed.map(|committed| committed.offset))
    }

    /// Who this member is in its group, for the transaction that commits its offsets; `None` when it is none any more:
    /// the broker does not refuse the offsets of nobody.
    pub(crate) fn group(&self) -> Option<ConsumerGroupMetadata> {
        let group = self.member.consumer().group_metadata();
        group.filter(|_| !self.member.is_lost())
    }
}

impl Input for InputConsumer {
    fn next(&mut self, wait: Duration, record: &mut Record) -> Result<Event, LogError> {
        self.try_to_start().map_err(fatal)?;
        if self.taken.pop(record) {
            return Ok(Event::Record);
        }
        match self.member.poll(Duration::ZERO).map_err(fatal)? {
            // One that was fetched before its partition was started, which makes it come again.
            MemberEvent::Record(message) => {
                let (key, value) = (message.key(), message.payload());
                let (partition, offset) = (message.partition(), message.offset());
                let appended_ms = match message.timestamp() {
                    Timestamp::LogAppendTime(at) => Some(at),
                    Timestamp::CreateTime(_) | Timestamp::NotAvailable => None,
                };
                let from = arb_kafka_native::Record { partition, offset, key, value, appended_ms };
                taken_records::write(record, &from);
                return Ok(Event::Record);
            }
            MemberEvent::Rebalance(rebalance) => return Ok(event(rebalance)),
            MemberEvent::Idle => {}
        }
        let wait = wait.min(if self.starting.is_empty() { EVENTS } else { STARTING });
        self.take(wait).map_err(fatal)?;
        if self.taken.pop(record) {
            return Ok(Event::Record);
        }
        self.starting.extend(self.member.tend());
        Ok(Event::Idle)
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
                if self.in_doubt.is_none() {
                    tracing::warn!(partition, %error, "the committed offset is not known yet; asking until it is");
                }
                if self.in_doubt.get_or_insert_with(Instant::now).elapsed() >= IN_DOUBT {
                    return Err(fatal(error));
                }
                Ok(GroupOffset::Pending)
            }
        }
    }

    fn open(&mut self, topic: &'static Topic, partition: i32) -> Result<(), LogError> {
        self.changelog.open(topic, partition).map_err(fatal)
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
        for partition in partitions {
            self.taken.forget(*partition);
        }
        self.changelog.leave(partitions).map_err(fatal)?;
        self.member.give_back(&self.list(partitions)).map_err(fatal)
    }

    fn seek(&mut self, partition: i32, offset: i64) -> Result<(), LogError> {
        self.member.seek(self.topic, partition, Offset::Offset(offset)).map_err(fatal)?;
        self.taken.forget(partition);
        // One that is still to be started begins there too.
        if let Some(from) = self.starting.get_mut(&partition) {
            *from = Offset::Offset(offset);
        }
        Ok(())
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

/// Whether a client has not begun to read a partition, has not ended to read it as it was assigned before, or began while it was
/// asked. rdkafka keeps the text of this error alone.
fn is_not_started(error: &KafkaError) -> bool {
    use RDKafkaErrorCode as Code;
    let codes = [Code::State, Code::PreviousInProgress, Code::Outdated];
    matches!(error, KafkaError::Seek(text) if codes.iter().any(|code| code.to_string().contains(text)))
}

/// Adds a record to those that were taken. An error is reported as rdkafka reports those that it polls; the first that does not pass
/// is kept.
fn put(
    it: Result<arb_kafka_native::Record<'_>, RecordError>,
    taken: &mut TakenRecords,
    member: &Member,
    failed: &mut Result<(), KafkaError>,
) {
    match it {
        Ok(it) => taken.push(&it),
        Err(RecordError { code, reason, .. }) => {
            member.consumer().context().error(KafkaError::Global(code), &reason);
            let error = KafkaError::MessageConsumption(code);
            if is_transient(&error) {
                tracing::warn!(%error, reason, "the broker cannot be reached; trying on");
            } else if failed.is_ok() {
                *failed = Err(error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::topics::{DEAD_TICKS, ODDS_TICKS, PROCESS_STATE};
    use rdkafka::ClientConfig;
    use rdkafka::mocking::MockCluster;
    use rdkafka::producer::{BaseProducer, BaseRecord, DefaultProducerContext, Producer};

    use super::*;

    const TOPICS: MachineTopics = MachineTopics {
        input: &ODDS_TICKS,
        changelog: &PROCESS_STATE,
        dead_letters: &DEAD_TICKS,
        outputs: &[],
    };

    fn write(brokers: &str, partition: i32, records: u8) {
        let producer: BaseProducer = ClientConfig::new().set("bootstrap.servers", brokers).create().unwrap();
        for value in 0..records {
            let record = BaseRecord::<(), _>::to(ODDS_TICKS.name).partition(partition);
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
        write(&broker.bootstrap_servers(), 0, 20);
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

    const RECORDS: u8 = 250;

    /// A member that owns two partitions with so many records each, and has not read any.
    fn started(broker: &MockCluster<'_, DefaultProducerContext>) -> InputConsumer {
        broker.create_topic(ODDS_TICKS.name, 2, 1).unwrap();
        broker.create_topic(PROCESS_STATE.name, 2, 1).unwrap();
        (0..2).for_each(|partition| write(&broker.bootstrap_servers(), partition, RECORDS));
        let cluster = Cluster::plaintext(&broker.bootstrap_servers());
        let mut input = InputConsumer::join(&cluster, "group", &TOPICS).unwrap();
        let (begun, mut record) = (Instant::now(), Record::default());
        loop {
            assert!(begun.elapsed() < Duration::from_mins(3), "nothing is assigned");
            match input.next(Duration::from_millis(20), &mut record).unwrap() {
                Event::Assigned(partitions) if !partitions.is_empty() => {
                    input.accept(&partitions).unwrap();
                    for partition in partitions {
                        input.start(partition, Some(0)).unwrap();
                    }
                    return input;
                }
                other => assert!(!matches!(other, Event::Record), "nothing is started"),
            }
        }
    }

    /// Reads so many records, or to the end. Each partition continues at the offset that is next, which is kept here.
    fn read(input: &mut InputConsumer, most: usize, next: &mut [i64; 2]) {
        let (begun, mut record, mut count) = (Instant::now(), Record::default(), 0);
        while count < most && *next != [i64::from(RECORDS); 2] {
            assert!(begun.elapsed() < Duration::from_mins(3), "{next:?}");
            if input.next(Duration::from_millis(20), &mut record).unwrap() == Event::Record {
                let place = usize::try_from(record.partition).unwrap();
                assert_eq!(record.offset, next[place], "partition {place}");
                assert_eq!(record.value, Some(vec![u8::try_from(record.offset).unwrap()]));
                next[place] += 1;
                count += 1;
            }
        }
    }

    /// Reads until more than one record was taken at once.
    fn read_some_of_many(input: &mut InputConsumer, next: &mut [i64; 2]) {
        read(input, 1, next);
        while input.taken.is_empty() {
            assert_ne!(*next, [i64::from(RECORDS); 2], "they came one by one");
            read(input, 1, next);
        }
    }

    /// Records wait in the client, in the queue and in what was taken when a partition is moved.
    #[test]
    fn a_partition_that_is_moved_continues_there_and_the_other_where_it_was() {
        let broker = MockCluster::new(1).unwrap();
        let (mut input, mut next) = (started(&broker), [0; 2]);
        for (count, partition, offset) in [(1, 0, 0), (20, 1, 3), (50, 0, 200), (9, 0, 17), (30, 1, 120)] {
            read(&mut input, count, &mut next);
            read_some_of_many(&mut input, &mut next);
            next[usize::try_from(partition).unwrap()] = offset;
            input.seek(partition, offset).unwrap();
        }
        read(&mut input, 30, &mut next);
        // Read again from its beginning, as a partition is that is restored.
        input.start(0, None).unwrap();
        next[0] = 0;
        read(&mut input, usize::MAX, &mut next);
    }

    /// What the watch does with a partition that stalls.
    #[test]
    fn a_partition_that_is_assigned_again_continues_where_it_was() {
        let broker = MockCluster::new(1).unwrap();
        let (mut input, mut next) = (started(&broker), [0; 2]);
        read_some_of_many(&mut input, &mut next);
        // The watch looks when nothing is left of what was taken.
        while !input.taken.is_empty() {
            read(&mut input, 1, &mut next);
        }
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(ODDS_TICKS.name, 1, Offset::Offset(next[1])).unwrap();
        input.member.consumer().incremental_unassign(&list).unwrap();
        input.member.consumer().incremental_assign(&list).unwrap();
        input.starting.insert(1, Offset::Offset(next[1]));
        read(&mut input, usize::MAX, &mut next);
    }

    /// It never skips to where there is something.
    #[test]
    fn a_position_that_the_broker_does_not_have_is_an_error_after_what_was_taken() {
        let broker = MockCluster::new(1).unwrap();
        let (mut input, mut next) = (started(&broker), [0; 2]);
        read_some_of_many(&mut input, &mut next);
        input.seek(1, 9_999).unwrap();
        let (begun, mut record) = (Instant::now(), Record::default());
        let error = loop {
            assert!(begun.elapsed() < Duration::from_mins(3), "no error is reported");
            match input.next(Duration::from_millis(20), &mut record) {
                Ok(Event::Record) => assert_eq!(record.partition, 0),
                Ok(_) => {}
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains("offset"), "{error}");
    }

    #[test]
    fn a_partition_that_is_not_assigned_is_not_started() {
        let broker = MockCluster::new(1).unwrap();
        broker.create_topic(ODDS_TICKS.name, 1, 1).unwrap();
        let cluster = Cluster::plaintext(&broker.bootstrap_servers());
        let mut member = Member::join(&cluster, "group", &[ODDS_TICKS.name], &[]).unwrap();
        let begun = Instant::now();
        // Until the topic is known its partition is not either.
        let error = loop {
            let error = member.seek(ODDS_TICKS.name, 0, Offset::Offset(0)).unwrap_err();
            if is_not_started(&error) || begun.elapsed() > Duration::from_mins(1) {
                break error;
            }
        };
        assert!(is_not_started(&error), "{error}");
        assert!(!is_not_started(&KafkaError::Seek("Broker: Unknown topic or partition".into())));
    }
}
