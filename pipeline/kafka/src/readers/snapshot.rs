//! Compacted topics of one machine as they were at one point of a partition: what a backup holds.
//!
//! Each topic is read to its end, and what comes meanwhile after it, until nothing was written while it read and no transaction
//! is open: the topics of a partition are then of one and the same commit. It belongs to no group, and never returns
//! what was not committed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_schemas::topics::Topic;
use rdkafka::Message;
use rdkafka::consumer::Consumer;
use rdkafka::topic_partition_list::Offset;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::Asker;

use super::reader::{EARLIEST, Reader, ReaderEvent};

/// How long to wait for the next record.
const WAIT: Duration = Duration::from_millis(100);
/// How long a partition may give nothing, and how long one common point of its topics may take to come.
const PATIENCE: Duration = Duration::from_mins(1);
/// Between two looks at an open transaction.
const AGAIN: Duration = Duration::from_millis(20);

/// The last value of each key of a partition.
pub type Kept = BTreeMap<Vec<u8>, Vec<u8>>;

/// The last value of each key of a partition of each topic, all as of one commit.
///
/// # Errors
/// [`Error::Broker`] and [`Error::Client`]; [`Error::Topic`] where a transaction stays open, or the writer does not pause for a minute.
pub fn snapshot(cluster: &Cluster, topics: &[&Topic], partition: i32) -> Result<Vec<Kept>, Error> {
    let open = |topic: &&Topic| Side::open(cluster, topic, partition);
    let mut sides = topics.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut since = Instant::now();
    loop {
        let mut ends = Vec::new();
        for side in &sides {
            ends.push(side.settled_end()?);
        }
        if ends.iter().all(Option::is_some) {
            let is_first = sides.iter().all(|side| side.next.is_none());
            for side in &mut sides {
                side.read()?;
            }
            let mut is_one_point = true;
            for (side, end) in sides.iter().zip(&ends) {
                is_one_point &= Some(side.everything.end(side.name, partition)?) == *end;
            }
            // What one topic holds at any end of it is of one commit.
            if is_one_point || sides.len() == 1 {
                return Ok(sides.into_iter().map(|side| side.kept).collect());
            }
            since = if is_first { Instant::now() } else { since };
        } else {
            std::thread::sleep(AGAIN);
        }
        if since.elapsed() > PATIENCE {
            let topic = topics.iter().map(|topic| cluster.topic(topic.name)).collect::<Vec<_>>().join(", ");
            let problem = format!(
                "partition {partition} is written to without a pause, or a transaction stays open in it: stop the role that writes it and try again"
            );
            return Err(Error::Topic { topic, problem });
        }
    }
}

/// One topic.
struct Side {
    name: &'static str,
    partition: i32,
    committed: Reader,
    /// Sees what open transactions have written.
    everything: Arc<Asker>,
    decided: Arc<Asker>,
    /// Where to read on; `None` before the first time.
    next: Option<i64>,
    kept: Kept,
}

impl Side {
    fn open(cluster: &Cluster, topic: &Topic, partition: i32) -> Result<Self, Error> {
        let committed = [EARLIEST, ("fetch.wait.max.ms", "5")];
        Ok(Self {
            name: cluster.topic(topic.name),
            partition,
            committed: Reader::new(cluster, topic, &committed)?,
            everything: Asker::of_everything(cluster)?,
            decided: Asker::of_committed(cluster)?,
            next: None,
            kept: Kept::new(),
        })
    }

    /// The end of what anybody has written; `None` while an open transaction hides some of it.
    fn settled_end(&self) -> Result<Option<i64>, Error> {
        let end = self.everything.end(self.name, self.partition)?;
        Ok((self.decided.end(self.name, self.partition)? >= end).then_some(end))
    }

    /// Reads on to the end that the partition has after this call. A new assignment, because an end of a former one may wait still.
    fn read(&mut self) -> Result<(), Error> {
        let from = self.next.map_or(Offset::Beginning, Offset::Offset);
        self.committed.assign([(self.partition, from)])?;
        let mut heard = Instant::now();
        self.next = self.next.or(Some(0));
        loop {
            match self.committed.poll(WAIT)? {
                ReaderEvent::Record(message) => {
                    heard = Instant::now();
                    self.next = Some(message.offset() + 1);
                    let key = message.key().unwrap_or_default();
                    match message.payload() {
                        Some(value) => self.kept.insert(key.to_owned(), value.to_owned()),
                        None => self.kept.remove(key),
                    };
                }
                ReaderEvent::End(_) => return Ok(self.committed.consumer().unassign()?),
                ReaderEvent::Idle if heard.elapsed() > PATIENCE => {
                    let problem = format!("partition {} gave nothing for a minute", self.partition);
                    return Err(Error::Topic { topic: self.name.to_owned(), problem });
                }
                ReaderEvent::Idle => {}
            }
        }
    }
}
