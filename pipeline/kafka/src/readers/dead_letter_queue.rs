//! The reader of the dead-letter topic: what lies there, and how far it has been sent again.
//!
//! The records that were sent again are stored as the offsets of a consumer group, committed after the
//! records are acknowledged: a crash between the two sends some of them twice, and a frame that comes twice
//! counts once. A second letter of the same record is a duplicate ([`arb_runtime::feed_mark`]): the mark of
//! the last letter is beside the committed offset. It never removes a letter.

use std::collections::BTreeMap;
use std::time::Duration;

use arb_runtime::dead_letters::header;
use arb_runtime::feed_mark::{FeedMark, FeedMarks};
use arb_runtime::telemetry;
use arb_schemas::time::Micros;
use arb_schemas::topics::DEAD_TICKS;
use rdkafka::Message;
use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::Headers;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::{Asker, committed};
use crate::topics;

use super::first_ends::FirstEnds;
use super::following::TopicReader;
use super::reader::{EARLIEST, Reader, ReaderEvent};

const GROUP: &str = "arb-dlq-replay";
const TIMEOUT: Duration = Duration::from_secs(15);

/// A record that could not be taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Its partition, the same as in the topic that it came from.
    pub partition: i32,
    /// Its offset among the dead letters.
    pub offset: i64,
    /// When it was dead-lettered, in milliseconds since the epoch.
    pub at_millis: Option<i64>,
    /// Its key, as it was.
    pub key: Option<Vec<u8>>,
    /// Its value, as it was.
    pub value: Option<Vec<u8>>,
    /// Its reason and origin.
    pub headers: Vec<(String, String)>,
}

impl Letter {
    /// A header; empty when there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// Its epoch and the offset of the record that it came from; `None` when it was written before there were epochs.
    fn mark(&self) -> Option<FeedMark> {
        FeedMark::parse(&format!("{}:{}", self.header(header::EPOCH), self.header(header::OFFSET)))
    }
}

/// Reads [`DEAD_TICKS`] from somewhere to its end.
pub struct Letters {
    reader: Reader,
    topic: &'static str,
    /// Partitions that are not read to their end, each with the end that it had at first: a letter that is sent again
    /// may come back.
    open: BTreeMap<i32, i64>,
    had: FeedMarks,
}

/// What a reader of new dead letters brings.
#[derive(Debug)]
pub enum LetterEvent {
    /// A letter.
    Letter(Letter),
    /// Every partition has been read to its end.
    CaughtUp,
    /// Nothing new.
    Idle,
}

/// Reads [`DEAD_TICKS`] from a moment on, and for ever.
pub struct NewLetters {
    reader: TopicReader,
    had: FeedMarks,
    behind: FirstEnds,
}

impl NewLetters {
    /// Those that were written at a moment of UTC or after it.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open(cluster: &Cluster, since: Micros) -> Result<Self, Error> {
        let partitions = topics::partitions(cluster)?;
        let mut reader = TopicReader::new(cluster, &DEAD_TICKS, partitions, &[EARLIEST])?;
        reader.assign_since(since)?;
        Ok(Self { reader, had: FeedMarks::default(), behind: FirstEnds::of(0..partitions) })
    }

    /// The next event, waiting at most so long.
    ///
    /// # Errors
    /// [`Error::Client`] for errors that librdkafka does not recover from by itself.
    pub fn next(&mut self, wait: Duration) -> Result<LetterEvent, Error> {
        Ok(match self.reader.poll(wait)? {
            ReaderEvent::Idle => LetterEvent::Idle,
            ReaderEvent::Record(message) => {
                let letter = letter(&message);
                if self.had.admit(letter.partition, letter.mark()) {
                    return Ok(LetterEvent::Letter(letter));
                }
                telemetry::kafka::double(DEAD_TICKS.name);
                LetterEvent::Idle
            }
            ReaderEvent::End(partition) => {
                let is_last = self.behind.ended(partition) && self.behind.are_read();
                if is_last { LetterEvent::CaughtUp } else { LetterEvent::Idle }
            }
        })
    }
}

/// From where a partition is read, and what was had before.
type Start = (Offset, Option<FeedMark>);

impl Letters {
    /// All that are kept.
    ///
    /// # Errors
    /// [`Error`].
    pub fn all(cluster: &Cluster) -> Result<Self, Error> {
        Self::open(cluster, |_, _, _| Ok((Offset::Beginning, None)))
    }

    /// Those that have not been sent again.
    ///
    /// # Errors
    /// [`Error`].
    pub fn unsent(cluster: &Cluster) -> Result<Self, Error> {
        Self::open(cluster, sent_up_to)
    }

    fn open(
        cluster: &Cluster,
        from: impl Fn(&Reader, &str, i32) -> Result<Start, KafkaError>,
    ) -> Result<Self, Error> {
        let (partitions, topic) = (topics::partitions(cluster)?, cluster.topic(DEAD_TICKS.name));
        let settings = [("group.id", &*cluster.id(GROUP)), EARLIEST];
        let reader = Reader::new(cluster, &DEAD_TICKS, &settings)?;
        let open = (0..).zip(Asker::of_committed(cluster)?.ends(topic, partitions)?).collect();
        let from = (0..partitions).map(|partition| Ok((partition, from(&reader, topic, partition)?)));
        let from = from.collect::<Result<Vec<_>, KafkaError>>()?;
        reader.assign(from.iter().map(|(partition, (offset, _))| (*partition, *offset)))?;
        let had = from.iter().filter_map(|(partition, (_, mark))| Some((*partition, (*mark)?))).collect();
        Ok(Self { reader, topic, open, had })
    }

    /// The next letter; `None` when all have been read.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn read(&mut self) -> Result<Option<Letter>, Error> {
        while !self.open.is_empty() {
            match self.reader.poll(TIMEOUT)? {
                ReaderEvent::Idle => {}
                ReaderEvent::Record(message) => match self.open.get(&message.partition()) {
                    Some(end) if message.offset() < *end => {
                        let letter = letter(&message);
                        if self.had.admit(letter.partition, letter.mark()) {
                            return Ok(Some(letter));
                        }
                        telemetry::kafka::double(DEAD_TICKS.name);
                    }
                    _ => drop(self.open.remove(&message.partition())),
                },
                ReaderEvent::End(partition) => drop(self.open.remove(&partition)),
            }
        }
        Ok(None)
    }

    /// Commits that a letter, the last one of its partition that was read, and all before it have been sent
    /// again.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn sent(&self, partition: i32, offset: i64) -> Result<(), Error> {
        let mut list = TopicPartitionList::new();
        {
            let mut element = list.add_partition(self.topic, partition);
            element.set_offset(Offset::Offset(offset + 1))?;
            element.set_metadata(self.had.get(partition).map_or_else(String::new, |mark| mark.to_string()));
        }
        Ok(self.reader.consumer().commit(&list, CommitMode::Sync)?)
    }
}

fn sent_up_to(reader: &Reader, topic: &str, partition: i32) -> Result<Start, KafkaError> {
    let sent = committed(reader.consumer(), topic, partition)?;
    Ok(sent.map_or((Offset::Beginning, None), |sent| {
        (Offset::Offset(sent.offset), FeedMark::parse(&sent.metadata))
    }))
}

fn letter(message: &impl Message) -> Letter {
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let headers = message.headers().into_iter().flat_map(Headers::iter);
    Letter {
        partition: message.partition(),
        offset: message.offset(),
        at_millis: message.timestamp().to_millis(),
        key: message.key().map(<[u8]>::to_vec),
        value: message.payload().map(<[u8]>::to_vec),
        headers: headers.map(|header| (header.key.to_owned(), text(header.value))).collect(),
    }
}
