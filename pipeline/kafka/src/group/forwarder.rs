//! Turns the records of a topic into tasks of a machine: a member of a consumer group whose offsets are committed after the broker has the
//! tasks.
//!
//! What it had written before a kill it writes again, and the machine must drop it. It never skips a record and never interprets one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arb_runtime::feed_mark::FeedMark;
use arb_runtime::stop::Stop;
use arb_schemas::topics::Topic;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::producers::TaskProducer;

use super::commit::Commit;
use super::sink::{Mark, SinkConsumer, SinkEvent, Source};

/// How long to wait for a record.
const WAIT: Duration = Duration::from_millis(50);
/// How often offsets are committed.
const COMMIT: Duration = Duration::from_millis(200);
/// Tasks that are gathered at most, while there are further records, before they are sent.
const GATHERED: usize = 256;

/// Where a group that is new begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// With the oldest record that the topic has.
    Oldest,
    /// With the next record that is written.
    Next,
}

/// A record that is to be turned into tasks.
#[derive(Debug)]
pub struct ForwardedRecord {
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: i64,
    /// The mark of a record of the feed.
    pub mark: Option<FeedMark>,
    /// Its value, empty when it has none.
    pub value: Vec<u8>,
}

/// A task that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingTask {
    /// The partition.
    pub partition: i32,
    /// The key.
    pub key: String,
    /// The record.
    pub value: Vec<u8>,
}

/// What turns a record into tasks: it adds them to those that are gathered.
type Forward<'a, E> = dyn FnMut(&ForwardedRecord, &mut Vec<OutgoingTask>) -> Result<(), E> + 'a;

/// The reader of one topic and the writer of another.
pub struct Forwarder {
    consumer: SinkConsumer,
    producer: TaskProducer,
    group: String,
    from: &'static Topic,
    beginning: Beginning,
    /// The next offset of each partition that the group has not taken yet. One that it refuses is committed again, or a reader
    /// of a topic that has become quiet would seem to lag for ever, and its next owner forward all of it once more.
    positions: BTreeMap<Source, i64>,
    /// What is to be sent.
    gathered: Vec<OutgoingTask>,
}

impl Forwarder {
    /// Joins a group on a topic, for tasks of another.
    ///
    /// # Errors
    /// [`Error`] when the broker does not answer, or the topic does not exist.
    pub fn join(
        cluster: &Cluster,
        group: &str,
        (from, to): (&'static Topic, &'static Topic),
        beginning: Beginning,
    ) -> Result<Self, Error> {
        let consumer = SinkConsumer::join(cluster, group, &[*from])?;
        let producer = TaskProducer::new(cluster, to)?;
        let (group, positions, gathered) = (group.to_owned(), BTreeMap::new(), Vec::new());
        Ok(Self { consumer, producer, group, from, beginning, positions, gathered })
    }

    /// Reads until the shutdown signal.
    ///
    /// # Errors
    /// Those of `forward`, and [`Error`].
    pub fn run<E: From<Error>>(&mut self, stop: &Stop, forward: &mut Forward<'_, E>) -> Result<(), E> {
        let mut committed_at = Instant::now();
        while !stop.is_stopped() {
            self.step(forward)?;
            if committed_at.elapsed() >= COMMIT {
                self.commit()?;
                committed_at = Instant::now();
            }
        }
        Ok(self.commit()?)
    }

    fn step<E: From<Error>>(&mut self, forward: &mut Forward<'_, E>) -> Result<(), E> {
        let mut taken = None;
        let wait = if self.gathered.is_empty() { WAIT } else { Duration::ZERO };
        let event = self.consumer.next(wait, &mut |record| {
            let (partition, offset, mark) = (record.source.partition, record.offset, record.mark);
            let value = record.value.to_vec();
            taken = Some((record.source, ForwardedRecord { partition, offset, mark, value }));
        });
        match event? {
            SinkEvent::Record => {
                if let Some((source, record)) = taken {
                    forward(&record, &mut self.gathered)?;
                    self.positions.insert(source, record.offset + 1);
                    if self.gathered.len() >= GATHERED {
                        self.send()?;
                    }
                }
            }
            SinkEvent::Assigned(sources) => self.start(&sources)?,
            SinkEvent::Revoked(sources) => {
                self.commit()?;
                self.give_back(&sources)?;
            }
            SinkEvent::Lost(sources) => self.give_back(&sources)?,
            SinkEvent::OutOfRange => {
                return Err(Error::Cut { topic: self.from.name, group: self.group.clone() }.into());
            }
            SinkEvent::Idle => self.send()?,
        }
        Ok(())
    }

    /// Where the group has come to, or where one that is new begins.
    fn start(&mut self, sources: &[Source]) -> Result<(), Error> {
        let mut places = Vec::new();
        for source in sources {
            let span = self.consumer.span(*source)?;
            let first = match self.beginning {
                Beginning::Oldest => span.first,
                Beginning::Next => span.next,
            };
            let next = self.consumer.committed(*source)?.map_or(first, |committed| committed.offset);
            places.push((*source, next));
        }
        self.consumer.start_paused(&places)?;
        for source in sources {
            self.consumer.pause(*source, false)?;
        }
        // A position that is not committed would be the end again after a kill, and skip what came meanwhile.
        self.positions.extend(places);
        self.commit()
    }

    /// What was not committed of these partitions is for their next owner.
    fn give_back(&mut self, sources: &[Source]) -> Result<(), Error> {
        self.positions.retain(|source, _| !sources.contains(source));
        self.consumer.give_back(sources)
    }

    /// Commits positions once the broker has all tasks before them.
    fn commit(&mut self) -> Result<(), Error> {
        if self.positions.is_empty() {
            return Ok(());
        }
        self.send()?;
        self.producer.flush()?;
        let mark = |(source, offset): (&Source, &i64)| Mark {
            source: *source,
            offset: *offset,
            note: String::new(),
        };
        let marks: Vec<_> = self.positions.iter().map(mark).collect();
        match self.consumer.mark(&marks, &|| true)? {
            Commit::Taken => self.positions.clear(),
            refused => tracing::debug!(?refused, topic = self.from.name, "offsets are committed again"),
        }
        Ok(())
    }

    /// Sends what is gathered.
    fn send(&mut self) -> Result<(), Error> {
        let mut gathered = std::mem::take(&mut self.gathered).into_iter();
        gathered.try_for_each(|OutgoingTask { partition, key, value }| {
            self.producer.send(partition, &key, &value)
        })
    }
}
