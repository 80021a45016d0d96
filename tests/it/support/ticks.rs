//! The ticks of a simulated market as records of their topic, and a publisher that waits for a broker that is away.
//!
//! Every run of one recording gets the same records at the same offsets, whatever happens to its broker: what the
//! processors make of them can be compared record by record. It never uses the program's own publisher, which gives up.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use arb_ingest::replay::{RECORDED_HEARTBEAT, heartbeats};
use arb_ingest::the_odds_api::OddsFormat;
use arb_ingest::{publish, recording};
use arb_kafka::partition_of;
use arb_model::Faults;
use arb_schemas::TickRecord;
use arb_schemas::records::Heartbeat;
use arb_schemas::topics::{DEFAULT_PARTITIONS, ODDS_TICKS};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use super::environment::Environment;
use super::recordings;

/// The market that every run publishes.
const SEED: u64 = 41;
/// How long what was sent may take to be acknowledged once the broker is back.
const FLUSH: Duration = Duration::from_mins(2);

/// A record of the tick topic.
pub(crate) struct Tick {
    partition: i32,
    key: String,
    value: Vec<u8>,
}

/// A recording as records, in order within each partition.
pub(crate) struct Ticks {
    records: Vec<Tick>,
    /// How many records there are up to the end of each poll.
    poll_ends: Vec<usize>,
    /// Rows that its frames make in ClickHouse.
    pub(crate) rows: usize,
}

impl Ticks {
    /// So many polls of the market; one record before them is none.
    pub(crate) fn simulated(scratch: &Path, polls: u64) -> Self {
        let path = recordings::simulated(scratch, SEED, polls);
        let mut recording = recording::open(&path, OddsFormat::American).unwrap();
        let stranger =
            Tick { partition: of_key("stranger"), key: "stranger".into(), value: b"{\"odds\": 2}".into() };
        let mut ticks = Self { records: vec![stranger], poll_ends: Vec::new(), rows: 0 };
        let mut last = None;
        while let Some(poll) = recording.next_poll(&mut Faults::default()).unwrap() {
            let source = recording.name().to_owned();
            for at in heartbeats(last, poll.received_at, RECORDED_HEARTBEAT).filter(|_| last.is_some()) {
                let beat = TickRecord::Heartbeat(Heartbeat { source: source.clone(), at });
                (0..DEFAULT_PARTITIONS).for_each(|partition| ticks.push(partition, &source, &beat));
            }
            last = Some(poll.received_at);
            ticks.rows += poll.ticks();
            for publish::Addressed { partition, key, record } in
                publish::records(&source, poll, DEFAULT_PARTITIONS)
            {
                ticks.push(partition, &key, &record);
            }
            ticks.poll_ends.push(ticks.records.len());
        }
        ticks
    }

    fn push(&mut self, partition: i32, key: &str, record: &TickRecord) {
        self.records.push(Tick { partition, key: key.to_owned(), value: record.encode().unwrap() });
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// How many there are in each partition: where a group is that has processed all of them.
    pub(crate) fn ends(&self) -> Vec<i64> {
        let count = |partition| self.records.iter().filter(|tick| tick.partition == partition).count();
        (0..DEFAULT_PARTITIONS).map(|partition| i64::try_from(count(partition)).unwrap()).collect()
    }

    /// The records of some polls, with what comes before the first of them.
    pub(crate) fn of_polls(&self, polls: Range<usize>) -> &[Tick] {
        let end = |polls: usize| polls.checked_sub(1).map_or(0, |last| self.poll_ends[last]);
        &self.records[end(polls.start)..end(polls.end)]
    }

    /// The records in so many pieces, one after the other.
    pub(crate) fn pieces(&self, count: usize) -> impl Iterator<Item = &[Tick]> {
        self.records.chunks(self.records.len().div_ceil(count))
    }
}

fn of_key(key: &str) -> i32 {
    partition_of(key, DEFAULT_PARTITIONS)
}

/// An idempotent producer without a time limit: it sends what is queued when the broker is back, each record once.
pub(crate) struct PatientPublisher {
    producer: BaseProducer,
    topic: String,
}

impl PatientPublisher {
    pub(crate) fn new(kafka: &Environment) -> Self {
        let mut config = kafka.client();
        config.set("enable.idempotence", "true");
        config.set("message.timeout.ms", "0").set("reconnect.backoff.max.ms", "500");
        Self { producer: config.create().unwrap(), topic: kafka.name(ODDS_TICKS.name) }
    }

    /// Queues records and waits for nothing.
    pub(crate) fn send(&self, ticks: &[Tick]) {
        for Tick { partition, key, value } in ticks {
            let record = BaseRecord::to(&self.topic).partition(*partition).key(key).payload(value);
            self.producer.send(record).map_err(|(error, _)| error).unwrap();
        }
        self.producer.poll(Duration::ZERO);
    }

    /// Waits until everything is acknowledged.
    pub(crate) fn flush(&self) {
        let started = Instant::now();
        self.producer.flush(FLUSH).unwrap_or_else(|error| panic!("{error} after {:?}", started.elapsed()));
    }
}
