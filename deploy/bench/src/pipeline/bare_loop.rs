//! A yardstick of `arb-bench pipeline`: what rdkafka alone costs for the work of the pump, used record by record.
//!
//! It reads the same topic as a member of a group and, in transactions of the same number of records, writes what the
//! pump wrote, byte for byte: same topics, same partitions, same keys. It looks into nothing and computes nothing.
//!
//! It reads by `poll` and sends each output at once. `batching_loop` does the same work with fewer calls.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb_runtime::log::Output;
use arb_schemas::topics::ODDS_TICKS;
use rdkafka::Message;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::{BaseProducer, Producer};

use super::client::{enqueue, flush, member, offsets, producer, record, transactional};

/// How long the coordinator, and all that was sent, may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(15);
/// How long a record may take that is in the topic.
pub(super) const RECORD: Duration = Duration::from_mins(1);

/// What is promised about the records that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guarantee {
    /// Transactions with the offsets of what was read.
    ExactlyOnce,
    /// Delivered first, offsets then.
    AtLeastOnce,
}

/// One transaction: how many records it reads and writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) struct Cut {
    pub(super) read: usize,
    pub(super) written: usize,
}

impl Cut {
    /// How many records are written once so many are read: all of them evenly.
    pub(super) fn until(&self, read: usize) -> usize {
        read * self.written / self.read.max(1)
    }

    /// How many records are written after the record of this index.
    fn share(&self, index: usize) -> usize {
        self.until(index + 1) - self.until(index)
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work<'a> {
    /// The consumer group; with transactions also the transactional id.
    pub(super) group: &'a str,
    /// In which transactions.
    pub(super) cuts: &'a [Cut],
    /// What is written, from the start again when it is used up.
    pub(super) outputs: &'a [Output],
}

/// Runs the work; calls `begun` when the first record has come.
///
/// It ends at the first thing that goes wrong: it is a measurement.
pub(super) fn run(
    brokers: &str,
    guarantee: Guarantee,
    work: &Work<'_>,
    mut begun: impl FnMut(),
) -> anyhow::Result<()> {
    let bare = BareLoop::connect(brokers, guarantee, work.group)?;
    let mut outputs = work.outputs.iter().cycle();
    let mut first = Some(bare.read()?);
    begun();
    for cut in work.cuts {
        let mut next = BTreeMap::new();
        bare.begin()?;
        for index in 0..cut.read {
            let (partition, offset) = first.take().map_or_else(|| bare.read(), Ok)?;
            next.insert(partition, offset + 1);
            let share = outputs.by_ref().take(cut.share(index));
            share.into_iter().try_for_each(|output| enqueue(&bare.producer, record(output)))?;
        }
        bare.commit(&next)?;
    }
    Ok(())
}

struct BareLoop {
    guarantee: Guarantee,
    consumer: BaseConsumer,
    producer: BaseProducer,
}

impl BareLoop {
    fn connect(brokers: &str, guarantee: Guarantee, group: &str) -> anyhow::Result<Self> {
        let consumer: BaseConsumer = member(brokers, group).create().context("a consumer")?;
        let config = match guarantee {
            Guarantee::ExactlyOnce => transactional(brokers, group),
            Guarantee::AtLeastOnce => producer(brokers),
        };
        let producer: BaseProducer = config.create().context("a producer")?;
        if guarantee == Guarantee::ExactlyOnce {
            producer.init_transactions(TIMEOUT)?;
        }
        consumer.subscribe(&[ODDS_TICKS.name])?;
        Ok(Self { guarantee, consumer, producer })
    }

    /// The place of the next record.
    fn read(&self) -> anyhow::Result<(i32, i64)> {
        let deadline = Instant::now() + RECORD;
        loop {
            match self.consumer.poll(Duration::from_millis(100)) {
                Some(Ok(message)) => {
                    black_box((message.key(), message.payload()));
                    return Ok((message.partition(), message.offset()));
                }
                Some(Err(error)) if !is_transient(&error) => return Err(error.into()),
                _ if Instant::now() < deadline => {}
                _ => bail!("nothing comes from {}", ODDS_TICKS.name),
            }
        }
    }

    fn begin(&self) -> Result<(), KafkaError> {
        match self.guarantee {
            Guarantee::ExactlyOnce => self.producer.begin_transaction(),
            Guarantee::AtLeastOnce => Ok(()),
        }
    }

    fn commit(&self, next: &BTreeMap<i32, i64>) -> anyhow::Result<()> {
        flush(&self.producer, TIMEOUT)?;
        let offsets = offsets(next)?;
        match self.guarantee {
            Guarantee::ExactlyOnce => {
                let none = || KafkaError::ClientCreation("the consumer has no group".to_owned());
                let group = self.consumer.group_metadata().ok_or_else(none)?;
                self.producer.send_offsets_to_transaction(&offsets, &group, TIMEOUT)?;
                Ok(self.producer.commit_transaction(TIMEOUT)?)
            }
            Guarantee::AtLeastOnce => Ok(self.consumer.commit(&offsets, CommitMode::Sync)?),
        }
    }
}

/// Errors that librdkafka reports and then recovers from: the group has no coordinator yet, or a connection
/// was lost.
pub(super) fn is_transient(error: &KafkaError) -> bool {
    use RDKafkaErrorCode as Code;
    matches!(
        error.rdkafka_error_code(),
        Some(
            Code::BrokerTransportFailure
                | Code::AllBrokersDown
                | Code::OperationTimedOut
                | Code::NotCoordinator
                | Code::CoordinatorLoadInProgress
                | Code::CoordinatorNotAvailable
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outputs_are_spread_evenly_and_complete() {
        for (read, written) in [(1, 0), (1, 5), (3, 7), (7, 3), (10_000, 421)] {
            let cut = Cut { read, written };
            let shares: Vec<_> = (0..read).map(|index| cut.share(index)).collect();
            assert_eq!(shares.iter().sum::<usize>(), written);
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }
    }
}
