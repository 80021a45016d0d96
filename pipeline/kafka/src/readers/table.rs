//! A compacted topic read as a table: every partition from its start, then for ever.
//!
//! Reads only what transactions committed. It belongs to no consumer group: each reader sees all of it.

use std::time::Duration;

use arb_schemas::topics::Topic;
use rdkafka::Message;
use rdkafka::topic_partition_list::Offset;

use crate::cluster::Cluster;
use crate::error::Error;

use super::first_ends::FirstEnds;
use super::following::TopicReader;
use super::reader::{EARLIEST, ReaderEvent};

/// A reader of one compacted topic.
pub struct Table {
    reader: TopicReader,
    behind: FirstEnds,
    /// The record that was given last was the last one that was there at first.
    has_caught_up: bool,
}

/// A record or an end.
#[derive(Debug)]
pub enum TableEvent {
    /// A key got a value, or lost it.
    Put {
        /// Partition of the record.
        partition: i32,
        /// Its offset.
        offset: i64,
        /// Its key, empty when it had none.
        key: Vec<u8>,
        /// Its value; `None` is a tombstone.
        value: Option<Vec<u8>>,
    },
    /// Every partition has been read to where it ended when its first record came, or to an end since then.
    CaughtUp,
    /// Nothing new.
    Idle,
}

impl Table {
    /// Starts to read a topic of so many partitions from its beginning.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use arb_kafka::{Cluster, Table, TableEvent};
    /// use arb_schemas::topics::ARBS_BOARD;
    ///
    /// let cluster = Cluster::plaintext("127.0.0.1:9092");
    /// let mut board = Table::open(&cluster, &ARBS_BOARD, arb_kafka::partitions(&cluster)?)?;
    /// let mut open = 0;
    /// loop {
    ///     match board.next(Duration::from_millis(100))? {
    ///         TableEvent::Put { value: Some(_), .. } => open += 1,
    ///         TableEvent::CaughtUp => break,
    ///         _ => {}
    ///     }
    /// }
    /// println!("{open} records");
    /// # Ok::<(), arb_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Broker`].
    pub fn open(cluster: &Cluster, topic: &Topic, partitions: i32) -> Result<Self, Error> {
        let mut reader = TopicReader::new(cluster, topic, partitions, &[EARLIEST])?;
        reader.assign((0..partitions).map(|partition| (partition, Offset::Beginning)))?;
        Ok(Self { reader, behind: FirstEnds::of(0..partitions), has_caught_up: false })
    }

    /// The next event, waiting at most so long.
    ///
    /// # Errors
    /// [`Error::Client`] for errors that librdkafka does not recover from by itself.
    pub fn next(&mut self, wait: Duration) -> Result<TableEvent, Error> {
        if std::mem::take(&mut self.has_caught_up) {
            return Ok(TableEvent::CaughtUp);
        }
        match self.reader.poll(wait)? {
            ReaderEvent::Idle => Ok(TableEvent::Idle),
            ReaderEvent::Record(message) => {
                let (partition, offset) = (message.partition(), message.offset());
                let key = message.key().unwrap_or_default().to_vec();
                let value = message.payload().map(<[u8]>::to_vec);
                let is_read = self.behind.has_read((partition, offset), || self.reader.known_end(partition));
                self.has_caught_up = is_read && self.behind.are_read();
                Ok(TableEvent::Put { partition, offset, key, value })
            }
            ReaderEvent::End(partition) => {
                let is_last = self.behind.ended(partition) && self.behind.are_read();
                Ok(if is_last { TableEvent::CaughtUp } else { TableEvent::Idle })
            }
        }
    }
}
