//! The sink's input: a member of a consumer group on the topics that are kept by time.
//!
//! Beside an offset it commits a note of the sink, and only as a member of the group: a commit that the group
//! refuses is reported as such. It never decides from where a partition is read, never skips, and never looks
//! into a note.

use std::sync::Arc;
use std::time::Duration;

use arb_runtime::feed_mark::FeedMark;
use arb_runtime::progress::Span;
use arb_schemas::topics::{FEED_EVENTS, Topic};
use rdkafka::Message;
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::{Asker, Committed};
use crate::readers::mark;
use crate::topics::TopicIds;

use super::commit::Commit;
use super::member::{Member, MemberEvent, Rebalance};

/// A partition of one of the topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// Which of the topics, by its place in the list that was joined with.
    pub topic: usize,
    /// Its partition.
    pub partition: i32,
}

/// A record as it lies in the client's memory.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a> {
    /// Where it was read.
    pub source: Source,
    /// Its offset.
    pub offset: i64,
    /// Its key, empty when it has none.
    pub key: &'a [u8],
    /// Its value, empty when it has none.
    pub value: &'a [u8],
    /// The mark of a record of the feed.
    pub mark: Option<FeedMark>,
}

/// An event of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SinkEvent {
    /// A record was returned to the caller.
    Record,
    /// These partitions are now assigned; all must be started.
    Assigned(Vec<Source>),
    /// These must be given back.
    Revoked(Vec<Source>),
    /// These are another's already.
    Lost(Vec<Source>),
    /// A position is not there any more: the log was cut beneath the reader.
    OutOfRange,
    /// Nothing new.
    Idle,
}

/// An offset to be committed, with a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Of which partition.
    pub source: Source,
    /// Of the next record.
    pub offset: i64,
    /// What is written beside it.
    pub note: String,
}

/// A member of a group on some topics.
pub struct SinkConsumer {
    member: Member,
    asker: Arc<Asker>,
    ids: TopicIds,
}

impl SinkConsumer {
    /// Joins a group.
    ///
    /// # Errors
    /// [`Error`] when the broker does not answer, or one of the topics does not exist.
    pub fn join(cluster: &Cluster, group: &str, topics: &[Topic]) -> Result<Self, Error> {
        let ids = TopicIds::now(cluster, topics)?;
        let names: Vec<_> = topics.iter().map(|topic| cluster.topic(topic.name)).collect();
        // What is read ahead is memory, and the sink counts what it holds.
        let settings = [("queued.max.messages.kbytes", "16384")];
        let member = Member::join(cluster, group, &names, &settings)?;
        Ok(Self { member, asker: Asker::of_committed(cluster)?, ids })
    }

    /// The topics' ids, as they were when the group was joined.
    #[must_use]
    pub fn ids(&self) -> &TopicIds {
        &self.ids
    }

    /// A topic's id, as it was when the group was joined.
    #[must_use]
    pub fn id(&self, topic: usize) -> [u8; 16] {
        self.ids.get(topic).map_or([0; 16], |(_, id)| id)
    }

    fn name(&self, topic: usize) -> &'static str {
        self.ids.name(topic)
    }

    fn sources(&self, places: Vec<(String, i32)>) -> Vec<Source> {
        let source =
            |(name, partition): (String, i32)| Some(Source { topic: self.ids.find(&name)?, partition });
        places.into_iter().filter_map(source).collect()
    }

    /// The next event, waiting at most so long; a record is given to `take`.
    ///
    /// # Errors
    /// [`Error::Client`] for what librdkafka does not recover from by itself.
    pub fn next(&mut self, wait: Duration, take: &mut dyn FnMut(Taken<'_>)) -> Result<SinkEvent, Error> {
        let rebalance = match self.member.poll(wait) {
            Ok(MemberEvent::Record(message)) => {
                let topic = self.ids.find(message.topic()).unwrap_or(usize::MAX);
                let source = Source { topic, partition: message.partition() };
                let (key, value) = (message.key(), message.payload());
                let (key, value) = (key.unwrap_or_default(), value.unwrap_or_default());
                let is_feed = self.ids.get(topic).is_some_and(|(topic, _)| topic.name == FEED_EVENTS.name);
                let mark = is_feed.then(|| mark(&message)).flatten();
                take(Taken { source, offset: message.offset(), key, value, mark });
                return Ok(SinkEvent::Record);
            }
            Ok(MemberEvent::Idle) => {
                self.member.tend();
                return Ok(SinkEvent::Idle);
            }
            Ok(MemberEvent::Rebalance(rebalance)) => rebalance,
            Err(error) if is_out_of_range(&error) => return Ok(SinkEvent::OutOfRange),
            Err(error) => return Err(error.into()),
        };
        Ok(match rebalance {
            Rebalance::Assigned(places) => SinkEvent::Assigned(self.sources(places)),
            Rebalance::Revoked(places) => SinkEvent::Revoked(self.sources(places)),
            Rebalance::Lost(places) => SinkEvent::Lost(self.sources(places)),
        })
    }

    /// What the group has committed for a partition.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn committed(&self, source: Source) -> Result<Option<Committed>, Error> {
        Ok(self.member.committed(self.name(source.topic), source.partition)?)
    }

    /// Where a partition begins, and where what is committed in it ends.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn span(&self, source: Source) -> Result<Span, Error> {
        self.asker.span(self.name(source.topic), source.partition)
    }

    /// Starts partitions that were assigned, each at an offset, and paused.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn start_paused(&mut self, places: &[(Source, i64)]) -> Result<(), Error> {
        let mut list = TopicPartitionList::new();
        for (source, offset) in places {
            let offset = Offset::Offset(*offset);
            list.add_partition_offset(self.name(source.topic), source.partition, offset)?;
        }
        self.member.start(&list)?;
        Ok(self.member.pause(&list, true)?)
    }

    /// Reads paused partitions no more, or others again.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn pause(&mut self, source: Source, paused: bool) -> Result<(), Error> {
        let list = self.list(&[source]);
        Ok(self.member.pause(&list, paused)?)
    }

    /// Gives back partitions that were revoked or lost.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn give_back(&mut self, sources: &[Source]) -> Result<(), Error> {
        let list = self.list(sources);
        Ok(self.member.give_back(&list)?)
    }

    /// Commits offsets with their notes, as a member of the group; waits for the answer as long as `waits` says so. Who gives up
    /// must then close this: the commit may still be taken.
    ///
    /// # Errors
    /// [`Error::Commit`] for what the group will never take; [`Error::Client`] for what cannot be written at all.
    pub fn mark(&self, marks: &[Mark], waits: &dyn Fn() -> bool) -> Result<Commit, Error> {
        let mut list = TopicPartitionList::new();
        for mark in marks {
            let mut element = list.add_partition(self.name(mark.source.topic), mark.source.partition);
            element.set_offset(Offset::Offset(mark.offset))?;
            element.set_metadata(&mark.note);
        }
        self.member.commit(&list, waits)
    }

    fn list(&self, sources: &[Source]) -> TopicPartitionList {
        let mut list = TopicPartitionList::new();
        for source in sources {
            list.add_partition(self.name(source.topic), source.partition);
        }
        list
    }
}

fn is_out_of_range(error: &KafkaError) -> bool {
    let code = error.rdkafka_error_code();
    matches!(code, Some(RDKafkaErrorCode::AutoOffsetReset | RDKafkaErrorCode::OffsetOutOfRange))
}
