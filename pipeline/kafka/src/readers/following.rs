//! Topics that a process follows, all by one client: in no group, each from positions of its own, each with a queue of its own, so
//! that a reader that stands still holds up nobody else's records.
//!
//! A topic that the client has been used for is read by another client: librdkafka gives a partition to one reader at a time, and
//! forgets to whom its records go a moment after it was left. It never decides what a record means.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use arb_kafka_native::{RecordError, RecordQueue, TopicSettings, known_end};
use arb_runtime::progress::Span;
use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use rdkafka::Message;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::OwnedMessage;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode;

use crate::client::{self, Fetches, Listener, WATCHED, heard, settings};
use crate::cluster::Cluster;
use crate::error::{Error, is_transient};
use crate::offsets::{Asker, StallWatch};

use super::reader::ReaderEvent;

/// How often a client is asked for what is no record: errors, statistics, a token to be renewed.
const TEND: Duration = Duration::from_millis(250);
/// How long librdkafka has to leave a partition before it is assigned again; it takes a moment of its main thread.
const LEFT: Duration = Duration::from_millis(500);

/// The clients of a process that follow topics.
#[derive(Default)]
struct SharedClients(Mutex<Vec<Weak<SharedClient>>>);

/// One of them.
struct SharedClient {
    consumer: Arc<BaseConsumer<Following>>,
    /// Topics that it has been used for.
    topics: Mutex<BTreeSet<&'static str>>,
    has_failed: AtomicBool,
    _all: Arc<SharedClients>,
}

/// What librdkafka reports to it.
struct Following {
    listener: Listener,
    fetches: Fetches,
}

heard!(Following, listener, fetches);

impl ConsumerContext for Following {}

impl SharedClients {
    /// A client that has not been used for a topic, and is from now on.
    fn of_topic(self: Arc<Self>, cluster: &Cluster, topic: &'static str) -> Result<Arc<SharedClient>, Error> {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| client.strong_count() > 0);
        if let Some(client) = clients.iter().filter_map(Weak::upgrade).find(|client| client.takes(topic)) {
            return Ok(client);
        }
        let (watched, interval) = WATCHED;
        let mut config = settings::reader(cluster);
        config.set(watched, interval);
        let context = Following { listener: Listener::new(cluster), fetches: Fetches::default() };
        let client = Arc::new(SharedClient {
            consumer: Arc::new(cluster.consumer(&config, context)?),
            topics: Mutex::new(BTreeSet::from([topic])),
            has_failed: AtomicBool::new(false),
            _all: Arc::clone(&self),
        });
        clients.push(Arc::downgrade(&client));
        let tended = Arc::downgrade(&client);
        std::thread::Builder::new().name("readers".to_owned()).spawn(move || {
            while let Some(client) = tended.upgrade() {
                client.tend();
                drop(client);
                std::thread::sleep(TEND);
            }
        })?;
        Ok(client)
    }
}

impl SharedClient {
    fn takes(&self, topic: &'static str) -> bool {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner).insert(topic)
    }

    /// Takes what is no record. An error that does not pass is every reader's; so is a record: it should have come to its topic's queue.
    fn tend(&self) {
        while let Some(next) = client::poll(&self.consumer, Duration::ZERO) {
            self.has_failed.store(true, Ordering::Release);
            match next {
                Ok(stray) => {
                    let (topic, partition, offset) = (stray.topic(), stray.partition(), stray.offset());
                    tracing::error!(topic, partition, offset, "a record did not come to its topic's queue");
                }
                Err(error) => tracing::error!(%error, "topics cannot be read on"),
            }
        }
    }
}

/// Reads one topic.
pub(super) struct TopicReader {
    topic: &'static str,
    partitions: i32,
    assigned: TopicPartitionList,
    queue: RecordQueue<Following>,
    stalls: StallWatch,
    client: Arc<SharedClient>,
    asker: Arc<Asker>,
    /// Of the topic in the client, for as long as it is read.
    _settings: TopicSettings<BaseConsumer<Following>>,
}

impl TopicReader {
    /// A reader of a topic with this number of partitions, which never skips; `settings` are of the topic alone.
    pub(super) fn new(
        cluster: &Cluster,
        topic: &Topic,
        partitions: i32,
        settings: &[(&str, &str)],
    ) -> Result<Self, Error> {
        let topic = cluster.topic(topic.name);
        let clients = cluster.shared("following", || Ok(SharedClients::default()))?;
        let client = clients.of_topic(cluster, topic)?;
        let refused = || KafkaError::ClientCreation("librdkafka makes no queue".to_owned());
        let settings = TopicSettings::of_consumer(&client.consumer, topic, settings).ok_or_else(refused)?;
        let queue = RecordQueue::new(Arc::clone(&client.consumer)).ok_or_else(refused)?;
        let (stalls, asker) = (StallWatch::new(), Asker::of_committed(cluster)?);
        let assigned = TopicPartitionList::new();
        Ok(Self { topic, partitions, assigned, queue, stalls, client, asker, _settings: settings })
    }

    /// Where each partition begins, and where what is committed ends.
    pub(super) fn spans(&self) -> Result<Vec<Span>, Error> {
        self.asker.spans(self.topic, self.partitions)
    }

    /// Begins to read partitions, each at its position; to be called once.
    pub(super) fn assign(&mut self, positions: impl IntoIterator<Item = (i32, Offset)>) -> Result<(), Error> {
        for (partition, position) in positions {
            self.assigned.add_partition_offset(self.topic, partition, position)?;
            // Before it is assigned, or its first records would come elsewhere.
            self.queue.forward(self.topic, partition);
        }
        self.stalls.set(&self.assigned);
        Ok(self.client.consumer.incremental_assign(&self.assigned)?)
    }

    /// Begins to read every partition from the first record on that was written at a moment of UTC or after it.
    pub(super) fn assign_since(&mut self, since: Micros) -> Result<(), Error> {
        let positions = self.asker.since(self.topic, self.partitions, since)?;
        self.assign((0..).zip(positions))
    }

    /// Where a partition ended when the client last heard of it, by all that was written.
    pub(super) fn known_end(&self, partition: i32) -> Option<i64> {
        known_end(self.client.consumer.client(), self.topic, partition)
    }

    /// The next record or end, waiting at most so long.
    pub(super) fn poll(&mut self, wait: Duration) -> Result<ReaderEvent<OwnedMessage>, Error> {
        let mut next = self.queue.next(wait);
        loop {
            if self.client.has_failed.load(Ordering::Acquire) {
                return Err(KafkaError::MessageConsumptionFatal(RDKafkaErrorCode::Fail).into());
            }
            let RecordError { partition, code, reason } = match next {
                None => {
                    self.tend();
                    return Ok(ReaderEvent::Idle);
                }
                Some(Ok(message)) => return Ok(ReaderEvent::Record(message)),
                Some(Err(error)) => error,
            };
            if code == RDKafkaErrorCode::PartitionEOF {
                return Ok(ReaderEvent::End(partition));
            }
            let error = KafkaError::MessageConsumption(code);
            if !is_transient(&error) {
                return Err(error.into());
            }
            tracing::warn!(%error, reason, topic = self.topic, partition, "the broker cannot be reached; trying on");
            next = self.queue.next(Duration::ZERO);
        }
    }

    /// Reads partitions again that librdkafka has stopped to fetch.
    fn tend(&mut self) {
        let queue = &self.queue;
        self.stalls.tend(&self.client.consumer, |topic, partition| forward_again(queue, topic, partition));
    }
}

/// Lets records of a partition that was taken away and is to be assigned again come to its queue again.
fn forward_again(queue: &RecordQueue<Following>, topic: &str, partition: i32) {
    std::thread::sleep(LEFT);
    queue.forward(topic, partition);
}

impl Drop for TopicReader {
    fn drop(&mut self) {
        if let Err(error) = self.client.consumer.incremental_unassign(&self.assigned) {
            tracing::debug!(%error, topic = self.topic, "a topic is read no more, and was not left");
        }
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::topics::{ARBS_BOARD, SIGNALS};
    use rdkafka::ClientConfig;
    use rdkafka::mocking::MockCluster;
    use rdkafka::producer::{BaseProducer, BaseRecord, DefaultProducerContext, Producer};

    use super::*;
    use crate::offsets::assign_again;

    type Brokers = MockCluster<'static, DefaultProducerContext>;

    /// Brokers with two topics of two partitions.
    fn brokers() -> (Brokers, Cluster) {
        let brokers = MockCluster::new(1).unwrap();
        for topic in [&ARBS_BOARD, &SIGNALS] {
            brokers.create_topic(topic.name, 2, 1).unwrap();
        }
        let cluster = Cluster::plaintext(&brokers.bootstrap_servers());
        (brokers, cluster)
    }

    fn write(brokers: &Brokers, topic: &Topic, values: std::ops::Range<u8>) {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", brokers.bootstrap_servers());
        let producer: BaseProducer = config.create().unwrap();
        for value in values {
            let record = BaseRecord::<(), _>::to(topic.name).partition(i32::from(value) % 2);
            producer.send(record.payload(&[value])).ok().unwrap();
        }
        while producer.in_flight_count() > 0 {
            producer.poll(Duration::from_millis(10));
        }
    }

    fn reader(cluster: &Cluster, topic: &Topic) -> TopicReader {
        let mut reader = TopicReader::new(cluster, topic, 2, &[]).unwrap();
        reader.assign((0..2).map(|partition| (partition, Offset::Beginning))).unwrap();
        reader
    }

    /// The next values, in their order, whatever partition they are of.
    fn read(reader: &mut TopicReader, count: usize) -> Vec<u8> {
        let mut values = Vec::new();
        while values.len() < count {
            if let ReaderEvent::Record(message) = reader.poll(Duration::from_secs(1)).unwrap() {
                values.push(message.payload().unwrap()[0]);
            }
        }
        values.sort_unstable();
        values
    }

    #[test]
    fn topics_share_a_client_and_one_that_is_not_read_holds_up_no_other() {
        let (brokers, cluster) = brokers();
        write(&brokers, &ARBS_BOARD, 0..10);
        write(&brokers, &SIGNALS, 0..2);
        let (still, mut read_on) = (reader(&cluster, &ARBS_BOARD), reader(&cluster, &SIGNALS));
        assert!(Arc::ptr_eq(&still.client, &read_on.client));
        assert_eq!(read(&mut read_on, 2), [0, 1]);
        write(&brokers, &ARBS_BOARD, 10..20);
        write(&brokers, &SIGNALS, 2..6);
        assert_eq!(read(&mut read_on, 4), [2, 3, 4, 5]);
        assert_eq!(read_on.known_end(0), Some(3));
        let mut still = still;
        assert_eq!(read(&mut still, 20), (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn another_reader_of_a_topic_has_another_client_and_so_has_one_that_comes_after_it() {
        let (brokers, cluster) = brokers();
        write(&brokers, &SIGNALS, 0..4);
        let (mut first, mut second) = (reader(&cluster, &SIGNALS), reader(&cluster, &SIGNALS));
        assert!(!Arc::ptr_eq(&first.client, &second.client));
        for reader in [&mut first, &mut second] {
            assert_eq!(read(reader, 4), [0, 1, 2, 3]);
        }
        let board = reader(&cluster, &ARBS_BOARD);
        drop(first);
        let mut third = reader(&cluster, &SIGNALS);
        assert!(!Arc::ptr_eq(&third.client, &board.client), "the topic was left a moment ago");
        assert_eq!(read(&mut third, 4), [0, 1, 2, 3]);
    }

    #[test]
    fn a_partition_that_is_assigned_again_comes_to_its_queue() {
        let (brokers, cluster) = brokers();
        write(&brokers, &SIGNALS, 0..4);
        let mut reader = reader(&cluster, &SIGNALS);
        assert_eq!(read(&mut reader, 4), [0, 1, 2, 3]);
        let mut list = TopicPartitionList::new();
        for partition in 0..2 {
            list.add_partition_offset(reader.topic, partition, Offset::Offset(2)).unwrap();
        }
        let queue = &reader.queue;
        assign_again(&reader.client.consumer, &list, |topic, id| forward_again(queue, topic, id)).unwrap();
        write(&brokers, &SIGNALS, 4..8);
        assert_eq!(read(&mut reader, 4), [4, 5, 6, 7]);
        reader.client.tend();
        assert!(!reader.client.has_failed.load(Ordering::Acquire), "no record went astray");
    }
}
