//! The yardstick of `arb-bench pipeline`: what rdkafka alone costs for the work of the pump.
//!
//! It reads the same topic as a member of a group and, in transactions of the same number of records, writes what the
//! pump wrote, byte for byte: same topics, same partitions, same keys. Its clients have the pump's settings, so that
//! the ratio does not flatter the pump. It looks into nothing and computes nothing.
//!
//! It reads by `poll`, as the pump does: the client's batch call would be cheaper, but is `unsafe`, which this crate
//! forbids.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use arb_runtime::log::Output;
use arb_schemas::topics::ODDS_TICKS;
use rdkafka::Message;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseProducer, Producer};

use super::cluster::Cluster;
use super::group::member;
use super::producer::{enqueue, flush};
use super::reader::is_transient;
use super::transaction::{Silent, offsets, record, settings, transactional};
use super::{Error, Listener};

/// How long the coordinator, and all that was sent, may take.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long a record may take that is in the topic.
const RECORD: Duration = Duration::from_mins(1);

/// What is promised about the records that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarantee {
    /// Transactions with the offsets of what was read.
    ExactlyOnce,
    /// Delivered first, offsets then.
    AtLeastOnce,
}

/// One transaction: how many records it reads and writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Cut {
    pub read: usize,
    pub written: usize,
}

impl Cut {
    /// How many records are written after the record of this index: all of them evenly.
    fn share(&self, index: usize) -> usize {
        let until = |index: usize| index * self.written / self.read.max(1);
        until(index + 1) - until(index)
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// As whom; with a transaction also the transactional id.
    pub group: &'a str,
    /// In which transactions.
    pub cuts: &'a [Cut],
    /// What is written, from the start again when it is used up.
    pub outputs: &'a [Output],
}

/// Does the work; says when the first record has come.
///
/// # Errors
/// [`Error`], at the first thing that goes wrong: it is a measurement.
pub fn run(
    cluster: &Cluster,
    guarantee: Guarantee,
    work: &Work<'_>,
    mut begun: impl FnMut(),
) -> Result<(), Error> {
    let bare = Bare::connect(cluster, guarantee, work.group)?;
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

struct Bare {
    guarantee: Guarantee,
    consumer: BaseConsumer<Listener>,
    producer: BaseProducer<Silent>,
}

impl Bare {
    fn connect(cluster: &Cluster, guarantee: Guarantee, group: &str) -> Result<Self, Error> {
        let broker = |source| cluster.broker(source);
        let mut config = member(cluster, group);
        config.set("auto.offset.reset", "earliest");
        let consumer = cluster.consumer(&config, Listener::new(cluster))?;
        let config = match guarantee {
            Guarantee::ExactlyOnce => transactional(cluster, group),
            Guarantee::AtLeastOnce => settings(cluster),
        };
        let producer: BaseProducer<Silent> = cluster.producer(&config, Silent::new(cluster))?;
        if guarantee == Guarantee::ExactlyOnce {
            producer.init_transactions(TIMEOUT).map_err(broker)?;
        }
        consumer.subscribe(&[ODDS_TICKS.name]).map_err(broker)?;
        Ok(Self { guarantee, consumer, producer })
    }

    /// The place of the next record.
    fn read(&self) -> Result<(i32, i64), Error> {
        let deadline = Instant::now() + RECORD;
        loop {
            match self.consumer.poll(Duration::from_millis(100)) {
                Some(Ok(message)) => {
                    black_box((message.key(), message.payload()));
                    return Ok((message.partition(), message.offset()));
                }
                Some(Err(error)) if !is_transient(&error) => return Err(error.into()),
                _ if Instant::now() < deadline => {}
                _ => {
                    let (topic, problem) = (ODDS_TICKS.name.to_owned(), "nothing comes from it".to_owned());
                    return Err(Error::Topic { topic, problem });
                }
            }
        }
    }

    fn begin(&self) -> Result<(), KafkaError> {
        match self.guarantee {
            Guarantee::ExactlyOnce => self.producer.begin_transaction(),
            Guarantee::AtLeastOnce => Ok(()),
        }
    }

    fn commit(&self, next: &BTreeMap<i32, i64>) -> Result<(), Error> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_spread_evenly_and_complete() {
        for (read, written) in [(1, 0), (1, 5), (3, 7), (7, 3), (10_000, 421)] {
            let cut = Cut { read, written };
            let shares: Vec<_> = (0..read).map(|index| cut.share(index)).collect();
            assert_eq!(shares.iter().sum::<usize>(), written);
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }
    }
}
