//! What a reader of a topic of one partition must have read to know everything that is committed now.
//!
//! The end of a partition alone does not say it: markers of transactions and aborted records lie before the end, and no reader
//! receives them. The probe reads what lies between the reader's position and the end with a client of its own, which has no
//! outstanding fetch, so that what it receives is newer than the question. It never keeps a record.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_schemas::topics::Topic;
use rdkafka::Message;
use rdkafka::topic_partition_list::Offset;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::Asker;

use super::reader::{Reader, ReaderEvent};

/// The partition.
const PARTITION: i32 = 0;
/// How long one wait for a record lasts.
const POLL: Duration = Duration::from_millis(20);

/// Asks where a topic of one partition ends.
pub struct EndProbe {
    reader: Reader,
    asker: Arc<Asker>,
    topic: &'static str,
    /// An end, and the position that a reader must reach to have everything before it.
    known: Option<(i64, i64)>,
}

impl EndProbe {
    /// Of a topic of one partition.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn open(cluster: &Cluster, topic: &'static Topic) -> Result<Self, Error> {
        let reader = Reader::new(cluster, topic, &[("fetch.wait.max.ms", "5")])?;
        Ok(Self {
            reader,
            asker: Asker::of_committed(cluster)?,
            topic: cluster.topic(topic.name),
            known: None,
        })
    }

    /// The position from which nothing that is committed now is missing, for a reader that has read everything before `next`;
    /// `None` when that cannot be learnt within the time.
    ///
    /// # Errors
    /// [`Error::Client`] for errors that librdkafka does not recover from by itself.
    pub fn required(&mut self, next: i64, within: Duration) -> Result<Option<i64>, Error> {
        let deadline = Instant::now() + within;
        while let ReaderEvent::Record(_) = self.reader.poll(Duration::ZERO)? {}
        let Ok(ends) = self.asker.at(&[(self.topic, PARTITION)], Offset::End, within) else {
            return Ok(None);
        };
        let Some(&end) = ends.first() else { return Ok(None) };
        if let Some((known, required)) = self.known
            && known == end
        {
            return Ok(Some(required));
        }
        if next >= end {
            self.known = Some((end, next));
            return Ok(Some(next));
        }
        let required = after_last_record(&mut self.reader, PARTITION, next..end, deadline)?;
        self.known = required.map(|required| (end, required));
        Ok(required)
    }
}

/// The position after the last record of a partition between two positions, or the first of them where there is none; `None` when that is
/// not known in time.
pub(super) fn after_last_record(
    reader: &mut Reader,
    partition: i32,
    between: Range<i64>,
    deadline: Instant,
) -> Result<Option<i64>, Error> {
    reader.assign([(partition, Offset::Offset(between.start))])?;
    let (mut after, mut is_read) = (between.start, false);
    while !is_read && Instant::now() < deadline {
        match reader.poll(POLL)? {
            ReaderEvent::Record(record) if record.offset() >= between.end => is_read = true,
            ReaderEvent::Record(record) => after = record.offset() + 1,
            ReaderEvent::End(_) => is_read = true,
            ReaderEvent::Idle => {}
        }
    }
    reader.assign([])?;
    Ok(is_read.then_some(after))
}
