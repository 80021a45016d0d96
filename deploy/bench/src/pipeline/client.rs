//! Clients of Kafka for what the bench does itself: the settings of the pump's clients, written out once more.
//!
//! A baseline must not use the client that it measures, so nothing here comes from the crate `arb-kafka`; but
//! a ratio is meaningful only when the settings are the same. A setting that changes there is changed here.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arb_runtime::log::Output;
use arb_schemas::limits;
use arb_schemas::topics::ODDS_TICKS;
use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

/// Between two looks at what is in flight.
const POLL: Duration = Duration::from_micros(100);
/// How long what lingers may linger before the producer is asked to send it again.
const AGAIN: Duration = Duration::from_millis(5);

/// Settings that every client has.
pub(super) fn settings(brokers: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", brokers)
        .set("client.id", "arb")
        .set("socket.keepalive.enable", "true")
        .set("allow.auto.create.topics", "false")
        .set_log_level(RDKafkaLogLevel::Warning);
    config
}

/// Settings of a member of a group that reads ticks from their beginning.
pub(super) fn member(brokers: &str, group: &str) -> ClientConfig {
    let mut config = settings(brokers);
    config
        .set("isolation.level", "read_committed")
        .set("enable.auto.commit", "false")
        .set("enable.auto.offset.store", "false")
        .set("auto.offset.reset", "earliest")
        .set("check.crcs", "true")
        .set("fetch.message.max.bytes", limits::READ.to_string())
        .set("queued.max.messages.kbytes", "65536")
        .set("fetch.queue.backoff.ms", "2")
        .set("statistics.interval.ms", "5000")
        .set("group.id", group)
        .set("partition.assignment.strategy", "cooperative-sticky")
        .set("session.timeout.ms", "6000")
        .set("heartbeat.interval.ms", "2000");
    config
}

/// Settings of a producer of what is computed.
pub(super) fn producer(brokers: &str) -> ClientConfig {
    let mut config = settings(brokers);
    config
        .set("enable.idempotence", "true")
        .set("acks", "all")
        .set("compression.type", "lz4")
        .set("partitioner", "murmur2_random")
        .set("message.max.bytes", limits::WRITTEN.to_string())
        .set("queue.buffering.max.messages", "100000")
        .set("queue.buffering.max.kbytes", "262144")
        .set("linger.ms", "0")
        .set("message.timeout.ms", "9000")
        .set("retry.backoff.ms", "2");
    config
}

/// Settings of a transactional producer that sends each record at once.
pub(super) fn transactional(brokers: &str, id: &str) -> ClientConfig {
    let mut config = producer(brokers);
    config.set("transactional.id", id).set("transaction.timeout.ms", "10000");
    config
}

/// Settings of a transactional producer that sends full batches: the pump's.
pub(super) fn batched(brokers: &str, id: &str) -> ClientConfig {
    let mut config = transactional(brokers, id);
    config.set("linger.ms", "10").set("delivery.report.only.error", "true");
    config
}

/// An output as the client takes it.
pub(super) fn record(output: &Output) -> BaseRecord<'_, [u8], [u8]> {
    let mut record = BaseRecord::<[u8], [u8]>::to(output.topic).partition(output.partition);
    (record.key, record.payload) = (output.key.as_deref(), output.value.as_deref());
    if !output.headers.is_empty() {
        let add = |headers: OwnedHeaders, (key, value): &(&str, String)| {
            headers.insert(Header { key, value: Some(value) })
        };
        record.headers = Some(output.headers.iter().fold(OwnedHeaders::new(), add));
    }
    record
}

/// Positions in the ticks as the client takes them.
pub(super) fn offsets(next: &BTreeMap<i32, i64>) -> Result<TopicPartitionList, KafkaError> {
    let mut offsets = TopicPartitionList::new();
    for (partition, offset) in next {
        offsets.add_partition_offset(ODDS_TICKS.name, *partition, Offset::Offset(*offset))?;
    }
    Ok(offsets)
}

/// Puts a record into the producer's queue; waits while it is full.
pub(super) fn enqueue(
    producer: &BaseProducer,
    mut record: BaseRecord<'_, [u8], [u8]>,
) -> Result<(), KafkaError> {
    while let Err((error, back)) = producer.send(record) {
        if error.rdkafka_error_code() != Some(RDKafkaErrorCode::QueueFull) {
            return Err(error);
        }
        serve(producer);
        record = back;
    }
    Ok(())
}

/// Waits until nothing is in flight: the library's flush looks every 100 ms only, which would flatter the pump.
#[expect(clippy::disallowed_methods, reason = "it is called with no time to wait, in which it does not spin")]
pub(super) fn flush(producer: &BaseProducer, within: Duration) -> Result<(), KafkaError> {
    let deadline = Instant::now() + within;
    loop {
        match producer.flush(Duration::ZERO) {
            Err(_) if Instant::now() < deadline => {}
            done => return done,
        }
        let next_check = (Instant::now() + AGAIN).min(deadline);
        while producer.in_flight_count() > 0 && Instant::now() < next_check {
            serve(producer);
        }
    }
}

/// Takes a report of what was delivered, or waits for a moment where there is none.
fn serve(producer: &BaseProducer) {
    let before = producer.in_flight_count();
    producer.poll(Duration::ZERO);
    if producer.in_flight_count() == before {
        std::thread::sleep(POLL);
    }
}
