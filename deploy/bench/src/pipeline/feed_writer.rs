//! Events of the feed that a measurement writes itself, marked as the processor marks them. It is no yardstick.

use std::time::Duration;

use anyhow::{Context, anyhow};
use arb::system::clock;
use arb_runtime::feed_mark::{FeedMark, SEQUENCE};
use arb_schemas::time::Micros;
use arb_schemas::topics::{DEFAULT_PARTITIONS, FEED_EVENTS};
use rdkafka::ClientConfig;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord};

use super::client::flush;

/// How long the broker may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A writer of the feed.
pub(crate) struct FeedWriter {
    producer: BaseProducer,
    epoch: Micros,
    sequence: i64,
}

impl FeedWriter {
    pub(crate) fn new(brokers: &str) -> anyhow::Result<Self> {
        let mut config = ClientConfig::new();
        let producer = config.set("bootstrap.servers", brokers).set("linger.ms", "1").create();
        Ok(Self { producer: producer.context("a producer of the feed")?, epoch: clock::now(), sequence: 0 })
    }

    /// Writes an event that is made of its sequence, which is larger than those before.
    pub(crate) fn write(&mut self, event: impl FnOnce(i64) -> anyhow::Result<Vec<u8>>) -> anyhow::Result<()> {
        self.sequence += 1;
        let value = event(self.sequence)?;
        let mark = FeedMark { epoch: self.epoch, sequence: self.sequence }.to_string();
        let partition = i32::try_from(self.sequence)? % DEFAULT_PARTITIONS;
        let headers = OwnedHeaders::new().insert(Header { key: SEQUENCE, value: Some(&mark) });
        let record = BaseRecord::<str, _>::to(FEED_EVENTS.name).partition(partition).payload(&value);
        self.producer.send(record.headers(headers)).map_err(|(error, _)| anyhow!("the feed: {error}"))?;
        self.producer.poll(Duration::ZERO);
        Ok(())
    }

    /// Waits until the broker has all of them.
    pub(crate) fn flush(&self) -> anyhow::Result<()> {
        Ok(flush(&self.producer, PATIENCE)?)
    }
}
