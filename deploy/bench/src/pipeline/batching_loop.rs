//! The yardstick of what `arb-bench pipeline` expects: a bare client that reads many records a call and sends full batches.
//!
//! It does the work of `bare_loop`, exactly once: same topics, same records, same transactions. It reads by librdkafka's batch call
//! from a queue of its partitions' own, hands the outputs of a batch over in one burst, and waits at a commit as the pump
//! does. It looks into nothing and computes nothing.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use arb_kafka_native::{RecordQueue, flush};
use arb_schemas::topics::ODDS_TICKS;
use rdkafka::Message;
use rdkafka::consumer::{BaseConsumer, Consumer, DefaultConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseProducer, Producer};

use super::bare_loop::{RECORD, TIMEOUT, Work, is_transient};
use super::client::{batched, enqueue, member, offsets, record};

/// Most records of a call.
const BATCH: usize = 2_000;
/// Between two looks at a queue that is empty.
const POLL: Duration = Duration::from_micros(200);
/// How long a flush waits at first, and then by which part of what it has waited longer.
const FLUSH: (Duration, u32) = (Duration::from_millis(1), 8);

/// Runs the work; calls `begun` when the first record has come.
///
/// It ends at the first thing that goes wrong: it is a measurement.
pub(super) fn run(brokers: &str, work: &Work<'_>, mut begun: impl FnMut()) -> anyhow::Result<()> {
    let consumer: BaseConsumer = member(brokers, work.group).create().context("a consumer")?;
    let consumer = Arc::new(consumer);
    let producer: BaseProducer = batched(brokers, work.group).create().context("a producer")?;
    producer.init_transactions(TIMEOUT)?;
    consumer.subscribe(&[ODDS_TICKS.name])?;
    let mut reader = BatchReader::assigned(&consumer)?;
    let mut outputs = work.outputs.iter().cycle();
    let mut first = Some(reader.read(1)?);
    begun();
    for cut in work.cuts {
        producer.begin_transaction()?;
        let mut read = 0;
        while read < cut.read {
            let count = first.take().map_or_else(|| reader.read(cut.read - read), Ok)?;
            let burst = outputs.by_ref().take(cut.until(read + count) - cut.until(read));
            burst.into_iter().try_for_each(|output| enqueue(&producer, record(output)))?;
            read += count;
        }
        commit(&producer, &consumer, &reader.next)?;
    }
    Ok(())
}

fn commit(producer: &BaseProducer, consumer: &BaseConsumer, next: &BTreeMap<i32, i64>) -> anyhow::Result<()> {
    let begun = Instant::now();
    while !flush(producer.client(), FLUSH.0 + begun.elapsed() / FLUSH.1) {
        producer.poll(Duration::ZERO);
        if begun.elapsed() > TIMEOUT {
            bail!("the outputs are not acknowledged");
        }
    }
    let none = || KafkaError::ClientCreation("the consumer has no group".to_owned());
    let group = consumer.group_metadata().ok_or_else(none)?;
    producer.send_offsets_to_transaction(&offsets(next)?, &group, TIMEOUT)?;
    Ok(producer.commit_transaction(TIMEOUT)?)
}

/// The ticks of all partitions.
struct BatchReader {
    queue: RecordQueue<DefaultConsumerContext>,
    /// Where events come, and records that came before the partitions were forwarded.
    consumer: Arc<BaseConsumer>,
    /// The next offset of each partition.
    next: BTreeMap<i32, i64>,
}

impl BatchReader {
    /// Waits for the assignment.
    fn assigned(consumer: &Arc<BaseConsumer>) -> anyhow::Result<Self> {
        let queue = RecordQueue::new(Arc::clone(consumer)).context("a queue")?;
        let mut reader = Self { queue, consumer: Arc::clone(consumer), next: BTreeMap::new() };
        let deadline = Instant::now() + RECORD;
        while consumer.assignment()?.count() == 0 {
            // A record would come after the assignment only, which ends the loop.
            reader.events()?;
            if Instant::now() > deadline {
                bail!("no partitions of {} are assigned", ODDS_TICKS.name);
            }
            sleep(POLL);
        }
        for of_topic in consumer.assignment()?.elements_for_topic(ODDS_TICKS.name) {
            if !reader.queue.forward(ODDS_TICKS.name, of_topic.partition()) {
                bail!("partition {} has no queue", of_topic.partition());
            }
        }
        Ok(reader)
    }

    /// Reads at least one record, and at most so many.
    fn read(&mut self, most: usize) -> anyhow::Result<usize> {
        let deadline = Instant::now() + RECORD;
        while Instant::now() < deadline {
            // What came before the partitions were forwarded is earlier.
            let early = self.events()?;
            let came = if early == 0 { self.take(most.min(BATCH))? } else { early };
            if came > 0 {
                return Ok(came);
            }
            sleep(POLL);
        }
        bail!("nothing comes from {}", ODDS_TICKS.name)
    }

    /// Serves the consumer's events; returns whether a record was among them.
    fn events(&mut self) -> anyhow::Result<usize> {
        match self.consumer.poll(Duration::ZERO) {
            Some(Ok(message)) => {
                black_box((message.key(), message.payload()));
                self.next.insert(message.partition(), message.offset() + 1);
                Ok(1)
            }
            Some(Err(error)) if !is_transient(&error) => Err(error.into()),
            _ => Ok(0),
        }
    }

    /// Takes a batch.
    fn take(&mut self, most: usize) -> anyhow::Result<usize> {
        let (next, mut failed) = (&mut self.next, Ok(()));
        let came = self.queue.take(most, |it| match it {
            Ok(record) => {
                black_box((record.key, record.value));
                next.insert(record.partition, record.offset + 1);
            }
            Err(error) => failed = Err(anyhow!("{}: {}", error.code, error.reason)),
        });
        failed.map(|()| came)
    }
}
