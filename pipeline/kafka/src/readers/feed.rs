//! A reader of a topic kept by time, from positions: the whole feed.
//!
//! It reads only committed records, belongs to no consumer group, and never skips: a position that the broker
//! does not have is an error. It drops duplicates ([`arb_runtime::feed_mark`]), so that its callers need not
//! know that a broker can lose markers. Dropping a reader blocks for a moment, so it belongs on a dedicated
//! thread.

use std::time::{Duration, Instant};

use arb_runtime::feed_mark::{self, FeedMark, FeedMarks};
use arb_runtime::progress::Span;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry;
use arb_schemas::topics::Topic;
use rdkafka::Message;
use rdkafka::message::Headers;
use rdkafka::topic_partition_list::Offset;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::Asker;

use super::first_ends::FirstEnds;
use super::following::TopicReader;
use super::reader::ReaderEvent;

/// How often to ask whether a transaction has ended.
const POLL: Duration = Duration::from_millis(20);

/// A reader of one topic.
pub struct Feed {
    reader: TopicReader,
    topic: &'static str,
    marks: FeedMarks,
    behind: FirstEnds,
    /// Of the record that was given last, if it was the last one that was there at first.
    ended: Option<i32>,
}

/// A record or an end.
#[derive(Debug)]
pub enum FeedEvent {
    /// A record.
    Record {
        /// Its partition.
        partition: i32,
        /// Its offset; markers of transactions take offsets too, so the next one may be further on.
        offset: i64,
        /// Its mark, unless it was written before there were marks.
        mark: Option<FeedMark>,
        /// Its value, empty when it has none.
        value: Vec<u8>,
    },
    /// A partition has been read to where it ended when its first record came, or to an end since then.
    End(i32),
    /// Nothing new.
    Idle,
}

impl Feed {
    /// A reader of a topic of so many partitions; it reads nothing before [`Self::read_from`].
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub fn open(cluster: &Cluster, topic: &Topic, partitions: i32) -> Result<Self, Error> {
        let reader = TopicReader::new(cluster, topic, partitions, &[])?;
        Ok(Self {
            reader,
            topic: topic.name,
            marks: FeedMarks::default(),
            behind: FirstEnds::of([]),
            ended: None,
        })
    }

    /// Where each partition begins, and where what is committed ends: before the first open transaction.
    ///
    /// # Errors
    /// [`Error::Client`] when the broker does not answer.
    pub fn spans(&self) -> Result<Vec<Span>, Error> {
        self.reader.spans()
    }

    /// Begins to read partitions, each at a position, the offset of the next record; of the others it reads
    /// nothing. `had` are the marks of the last records before these positions, as far as the caller knows
    /// them.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn read_from(
        &mut self,
        positions: impl IntoIterator<Item = (i32, i64)>,
        had: FeedMarks,
    ) -> Result<(), Error> {
        self.marks = had;
        let positions: Vec<_> = positions.into_iter().collect();
        self.behind = FirstEnds::of(positions.iter().map(|(partition, _)| *partition));
        self.reader.assign(positions.into_iter().map(|(partition, next)| (partition, Offset::Offset(next))))
    }

    /// The next event that is none that it has had, waiting at most so long.
    ///
    /// # Errors
    /// [`Error::Client`] for errors that librdkafka does not recover from by itself.
    pub fn next(&mut self, wait: Duration) -> Result<FeedEvent, Error> {
        if let Some(partition) = self.ended.take() {
            return Ok(FeedEvent::End(partition));
        }
        let deadline = Instant::now() + wait;
        loop {
            let message = match self.reader.poll(deadline.saturating_duration_since(Instant::now()))? {
                ReaderEvent::Idle => return Ok(FeedEvent::Idle),
                ReaderEvent::End(partition) => {
                    self.behind.ended(partition);
                    return Ok(FeedEvent::End(partition));
                }
                ReaderEvent::Record(message) => message,
            };
            let (partition, offset, mark) = (message.partition(), message.offset(), mark(&message));
            let value = message.payload().unwrap_or_default().to_vec();
            let is_read = self.behind.has_read((partition, offset), || self.reader.known_end(partition));
            self.ended = is_read.then_some(partition);
            if self.marks.admit(partition, mark) {
                return Ok(FeedEvent::Record { partition, offset, mark, value });
            }
            telemetry::kafka::double(self.topic);
            if let Some(partition) = self.ended.take() {
                return Ok(FeedEvent::End(partition));
            }
        }
    }
}

/// The mark of a feed record.
pub(crate) fn mark(message: &impl Message) -> Option<FeedMark> {
    let header = message.headers()?.iter().find(|header| header.key == feed_mark::SEQUENCE)?;
    FeedMark::parse(std::str::from_utf8(header.value?).ok()?)
}

/// Waits until every record that is written to a topic now is decided, or until the shutdown signal.
///
/// A transaction's markers reach its partitions one after the other: a reader that has seen its records in
/// one topic may not see yet its records in another. But its records are written before any of its markers.
/// So after this call a committed read to the end contains everything of every transaction that any reader
/// had seen before it.
///
/// # Errors
/// [`Error::Client`] when the broker does not answer.
pub fn settle(cluster: &Cluster, topic: &Topic, partitions: i32, stop: &Stop) -> Result<(), Error> {
    let (everything, committed) = (Asker::of_everything(cluster)?, Asker::of_committed(cluster)?);
    let (name, mut is_waiting) = (cluster.topic(topic.name), false);
    let ends = everything.ends(name, partitions)?;
    while (0..).zip(committed.ends(name, partitions)?).any(|(place, end): (usize, _)| end < ends[place]) {
        if !std::mem::replace(&mut is_waiting, true) {
            tracing::info!(topic = topic.name, "waiting for the end of an open transaction");
        }
        if stop.wait(POLL) {
            break;
        }
    }
    Ok(())
}
