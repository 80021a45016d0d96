//! What is claimed about Kafka itself, and a plain reader of topics that shares nothing with ours.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arb_kafka::{Table, TableEvent, partition_of};
use arb_runtime::feed_mark::{self, FeedMark};
use arb_schemas::time::Micros;
use arb_schemas::topics::{self, ARBS_BOARD, ODDS_TICKS, Topic};
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{Headers, Message, Timestamp};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::support::environment::Environment;
use crate::support::program::{arb, run};
use crate::support::stack::Broker;
use crate::support::wait::{EndsWith, PATIENCE, pace, wait_for};

/// A record as it lies in a topic.
#[derive(PartialEq, Debug)]
pub(crate) struct Record {
    pub(crate) partition: i32,
    pub(crate) key: Vec<u8>,
    /// Empty for a tombstone.
    pub(crate) value: Vec<u8>,
    /// But for the name of the transaction.
    pub(crate) headers: Vec<(String, String)>,
}

/// A record, and what the broker says of it.
pub(crate) struct Placed {
    pub(crate) record: Record,
    pub(crate) offset: i64,
    /// When the broker took it, of a topic whose times are the broker's.
    pub(crate) appended_at: Option<Micros>,
}

/// Everything that is committed in a topic, partition by partition, each in order.
pub(crate) fn read_all(kafka: &Environment, topic: &str) -> Vec<Record> {
    read_places(kafka, topic).into_iter().map(|placed| placed.record).collect()
}

/// A reader of what is committed in a topic, from its beginning, and how many partitions it has.
pub(crate) fn reader(kafka: &Environment, topic: &str) -> (BaseConsumer, usize) {
    let consumer: BaseConsumer = kafka
        .client()
        .set("group.id", "test-reader")
        .set("isolation.level", "read_committed")
        .set("enable.partition.eof", "true")
        .create()
        .unwrap();
    let topic = &kafka.name(topic);
    // A broker that has just started knows no topic yet.
    let partitions = wait_for("the topic is known", || {
        let metadata = consumer.fetch_metadata(Some(topic), Duration::from_secs(30)).ok()?;
        Some(metadata.topics()[0].partitions().len()).filter(|partitions| *partitions > 0)
    });
    let mut list = TopicPartitionList::new();
    for partition in 0..partitions {
        list.add_partition_offset(topic, i32::try_from(partition).unwrap(), Offset::Beginning).unwrap();
    }
    consumer.assign(&list).unwrap();
    (consumer, partitions)
}

/// The same, each with its place: up to where each partition ends when this is asked, for a topic that is written to without a pause may
/// never be read to its end.
pub(crate) fn read_places(kafka: &Environment, topic: &str) -> Vec<Placed> {
    let (consumer, partitions) = reader(kafka, topic);
    let ends: Vec<_> =
        (0..partitions).map(|partition| stable_end(&consumer, &kafka.name(topic), partition)).collect();
    // Numbers, not a count: a partition can be at its end more than once while another one is still being read.
    let (mut records, mut ended) = (Vec::new(), BTreeSet::new());
    let deadline = Instant::now() + Duration::from_mins(2);
    while ended.len() < partitions {
        assert!(
            Instant::now() < deadline,
            "{topic}: of {partitions} partitions, {ended:?} have been read to their end"
        );
        // None is no end: the client may wake for internal work.
        let Some(polled) = consumer.poll(Duration::from_secs(1)) else { continue };
        match polled {
            Ok(message) if message.offset() >= ends[usize::try_from(message.partition()).unwrap()] => {
                ended.insert(message.partition());
            }
            Ok(message) => records.push(Placed {
                offset: message.offset(),
                appended_at: match message.timestamp() {
                    Timestamp::LogAppendTime(at) => Some(at * 1_000),
                    _ => None,
                },
                record: Record {
                    partition: message.partition(),
                    key: message.key().unwrap_or_default().to_vec(),
                    value: message.payload().unwrap_or_default().to_vec(),
                    headers: headers(&message),
                },
            }),
            Err(KafkaError::PartitionEOF(partition)) => drop(ended.insert(partition)),
            Err(error) => panic!("{error}"),
        }
    }
    // Fetches of several partitions come interleaved, each in its order.
    records.sort_by_key(|placed| placed.record.partition);
    records
}

/// Where a partition ends for a reader of committed records.
fn stable_end(consumer: &BaseConsumer, topic: &str, partition: usize) -> i64 {
    let partition = i32::try_from(partition).unwrap();
    wait_for("the partition ends somewhere", || {
        consumer.fetch_watermarks(topic, partition, Duration::from_secs(30)).ok()
    })
    .1
}

/// Where a partition ends for readers of committed records, and for everybody.
pub(crate) fn ends(kafka: &Environment, topic: &str, partition: i32) -> (i64, i64) {
    let end = |level| {
        let mut config = kafka.client();
        config.set("isolation.level", level).set("group.id", "test-ends");
        // A broker that has just started leads nothing yet, and a client that was told so keeps to it.
        wait_for("the partition ends somewhere", || {
            let consumer: BaseConsumer = config.create().unwrap();
            consumer.fetch_watermarks(&kafka.name(topic), partition, Duration::from_mins(1)).ok()
        })
        .1
    };
    (end("read_committed"), end("read_uncommitted"))
}

/// Waits until every transaction on a topic has ended: a broker acknowledges a commit before all partitions have its markers, and
/// until then a reader of committed records does not see all that was committed.
pub(crate) fn wait_until_settled(kafka: &Environment, topic: &Topic) {
    for partition in 0..topic.partitions {
        wait_for("every transaction has ended", || {
            let (stable, end) = ends(kafka, topic.name, partition);
            (stable == end).then_some(())
        });
    }
}

/// A record but for the epoch in its headers, in which runs differ: of a feed record the sequence is left.
pub(crate) fn without_epoch(mut record: Record) -> Record {
    for (name, text) in &mut record.headers {
        match &**name {
            feed_mark::SEQUENCE => *text = FeedMark::parse(text).unwrap().sequence.to_string(),
            feed_mark::EPOCH => text.clear(),
            _ => {}
        }
    }
    record
}

/// The headers of a record but for the name of its transaction: each run cuts its transactions elsewhere.
fn headers(message: &impl Message) -> Vec<(String, String)> {
    let text = |bytes: Option<&[u8]>| String::from_utf8(bytes.unwrap_or_default().to_vec()).unwrap();
    let headers = message.headers().into_iter().flat_map(|headers| headers.iter());
    let headers = headers.filter(|header| header.key != "arb-transaction");
    headers.map(|header| (header.key.to_owned(), text(header.value))).collect()
}

/// Commits an offset of the tick topic for a group that has no members.
pub(crate) fn commit_by_hand(kafka: &Environment, group: &str, partition: i32, offset: i64) {
    commit_to(kafka, group, ODDS_TICKS.name, partition, offset, "");
}

/// The same of any topic, with a note beside it.
pub(crate) fn commit_to(
    kafka: &Environment,
    group: &str,
    topic: &str,
    partition: i32,
    offset: i64,
    note: &str,
) {
    let consumer: BaseConsumer = kafka.client().set("group.id", kafka.name(group)).create().unwrap();
    let mut list = TopicPartitionList::new();
    {
        let mut element = list.add_partition(&kafka.name(topic), partition);
        element.set_offset(Offset::Offset(offset)).unwrap();
        element.set_metadata(note);
    }
    consumer.commit(&list, CommitMode::Sync).unwrap();
}

/// The offsets of the tick topic that a group has committed.
pub(crate) fn committed(kafka: &Environment, group: &str) -> Vec<Option<i64>> {
    wait_for("the offsets of the group are known", || try_committed(kafka, group, Duration::from_secs(30)))
}

/// The same of a broker that may just have been started, or not answer.
pub(crate) fn try_committed(
    kafka: &Environment,
    group: &str,
    within: Duration,
) -> Result<Vec<Option<i64>>, KafkaError> {
    let consumer: BaseConsumer = kafka.client().set("group.id", kafka.name(group)).create()?;
    let mut list = TopicPartitionList::new();
    for partition in 0..topics::DEFAULT_PARTITIONS {
        list.add_partition(&kafka.name(ODDS_TICKS.name), partition);
    }
    let answer = consumer.committed_offsets(list, within)?;
    let offset = |raw: Offset| raw.to_raw().filter(|offset| *offset >= 0);
    Ok(answer.elements().iter().map(|element| offset(element.offset())).collect())
}

/// Writes records to the tick topic as a stranger would.
pub(crate) fn write(kafka: &Environment, records: &[(&str, &[u8])]) {
    write_to(kafka, ODDS_TICKS.name, records);
}

/// Writes records to a topic, the partition chosen by librdkafka. Each is written once: without idempotence a request whose answer is
/// lost would be sent, and written, again.
pub(crate) fn write_to(kafka: &Environment, topic: &str, records: &[(&str, &[u8])]) {
    let producer: BaseProducer = kafka
        .client()
        .set("partitioner", "murmur2_random")
        .set("enable.idempotence", "true")
        .create()
        .unwrap();
    for (key, value) in records {
        let topic = kafka.name(topic);
        let record = BaseRecord::to(&topic).key(*key).payload(*value);
        producer.send(record).map_err(|(error, _)| error).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
}

/// A transaction of a stranger, open on a topic.
pub(crate) struct Open(BaseProducer);

impl Open {
    pub(crate) fn on(kafka: &Environment, topic: &str) -> Self {
        let producer: BaseProducer = kafka
            .client()
            .set("transactional.id", kafka.name("stranger"))
            .set("transaction.timeout.ms", "600000")
            .create()
            .unwrap();
        producer.init_transactions(Duration::from_mins(1)).unwrap();
        producer.begin_transaction().unwrap();
        let topic = kafka.name(topic);
        let record = BaseRecord::to(&topic).partition(0).key("stranger").payload("nothing of ours");
        producer.send(record).map_err(|(error, _)| error).unwrap();
        producer.flush(Duration::from_mins(1)).unwrap();
        Self(producer)
    }

    pub(crate) fn abort(self) {
        self.0.abort_transaction(Duration::from_mins(1)).unwrap();
    }
}

/// Of a topic that never rests librdkafka reports no end: a fetch always brings something.
#[test]
fn a_table_of_a_topic_that_never_rests_is_read_to_its_end() {
    let broker = Broker::start();
    let cluster = broker.kafka.cluster();
    let producer: BaseProducer = broker.kafka.client().set("linger.ms", "0").create().unwrap();
    let topic = broker.kafka.name(ARBS_BOARD.name);
    let partitions = arb_kafka::partitions(&cluster).unwrap();
    let write = || {
        for partition in 0..partitions {
            let record = BaseRecord::<str, str>::to(&topic).partition(partition).key("k").payload("v");
            producer.send(record).unwrap();
        }
        producer.poll(Duration::ZERO);
    };
    write();
    producer.flush(PATIENCE).unwrap();
    let (is_read, deadline) = (AtomicBool::new(false), Instant::now() + PATIENCE);
    std::thread::scope(|scope| {
        let _ends = EndsWith(&is_read);
        scope.spawn(|| {
            while !is_read.load(Ordering::SeqCst) {
                write();
                pace("a topic that never rests has a record so often", Duration::from_millis(20));
            }
        });
        let mut table = Table::open(&cluster, &ARBS_BOARD, partitions).unwrap();
        let mut records = 0;
        loop {
            match table.next(Duration::from_millis(100)).unwrap() {
                TableEvent::CaughtUp => break,
                TableEvent::Put { .. } => records += 1,
                TableEvent::Idle => {}
            }
            assert!(Instant::now() < deadline, "{records} records, and no end");
        }
    });
}

#[test]
fn keys_go_where_every_other_client_puts_them() {
    let broker = Broker::start();
    let keys: Vec<_> = (0..200).map(|index| format!("event-{index}-{}", "x".repeat(index % 7))).collect();
    let records: Vec<_> = keys.iter().map(|key| (key.as_str(), b"".as_slice())).collect();
    write(&broker.kafka, &records);
    let read = read_all(&broker.kafka, ODDS_TICKS.name);
    assert_eq!(read.len(), keys.len());
    for record in read {
        let key = String::from_utf8(record.key).unwrap();
        assert_eq!(record.partition, partition_of(&key, topics::DEFAULT_PARTITIONS), "{key}");
    }
}

#[test]
fn topics_are_created_once_and_must_have_the_same_partitions() {
    let broker = Broker::bare();
    let admin: AdminClient<DefaultClientContext> = broker.kafka.client().create().unwrap();
    let (board, ticks) = (broker.kafka.name(ARBS_BOARD.name), broker.kafka.name(ODDS_TICKS.name));
    let odd = NewTopic::new(&board, 3, TopicReplication::Fixed(1));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(admin.create_topics(&[odd], &AdminOptions::new())).unwrap().remove(0).unwrap();
    for _ in 0..2 {
        let created = run(arb().args(["topics", "create", broker.kafka.at(), broker.kafka.named()]));
        assert!(created.success, "{}", created.err);
    }
    for role in ["process", "ingest"] {
        let output = run(arb().args([role, broker.kafka.at(), broker.kafka.named()]));
        let sentence = format!("topic {board}: has 3 partitions where {ticks} has 4");
        assert!(!output.success && output.err.contains(&sentence), "{role}: {}", output.err);
    }
}
