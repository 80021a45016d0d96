//! The feed's topic: what it is called in ids, where reading begins, and the one reader of this instance.
//!
//! The reader blocks, so it has a dedicated thread. It never skips: a record that cannot be read ends it with
//! an error, because a stream with a missing record is wrong.

use std::time::{Duration, Instant};

use arb_feed::fold::OpenEntries;
use arb_feed::position::{Epoch, Positions};
use arb_kafka::{self as kafka, Cluster, Feed, FeedEvent, ReaderGroup};
use arb_runtime::progress::Span;
use arb_runtime::stop::Stop;
use arb_schemas::topics::FEED_EVENTS;

use super::hub::FeedHub;
use crate::lists::Lists;
use crate::lists::follow::FollowError;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);
/// How often the positions are committed.
const COMMIT: Duration = Duration::from_secs(5);
/// How often to look whether the board and the signals have been read.
const POLL: Duration = Duration::from_millis(10);

/// Where the feed is read from.
#[derive(Debug)]
pub struct Source {
    cluster: Cluster,
    epoch: Epoch,
    start: Positions,
    /// The consumer group that shows how far this instance is.
    group: Option<String>,
}

impl Source {
    /// Notes the feed's end, and begins so many records before it. To be called before the board and the signals
    /// are read.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn find(cluster: &Cluster, partitions: i32, look_back: usize) -> Result<Self, kafka::Error> {
        let epoch = kafka::topic_id(cluster, &FEED_EVENTS)?;
        let spans = kafka::committed_spans(cluster, &FEED_EVENTS, partitions)?;
        let each = i64::try_from(look_back / spans.len().max(1)).unwrap_or(0);
        let start = |span: &Span| (span.next - each).max(span.first);
        let start = Positions::new(spans.iter().map(start).collect());
        Ok(Self { cluster: cluster.clone(), epoch, start, group: None })
    }

    /// The same, whose reader commits its positions to a consumer group of this name.
    #[must_use]
    pub fn in_group(self, name: String) -> Self {
        Self { group: Some(name), ..self }
    }

    /// A feed that is not read from Kafka: the caller hands over its records. Events that have left memory
    /// are gone.
    #[must_use]
    pub fn by_hand(partitions: i32) -> Self {
        let start = Positions::new((0..partitions).map(|_| 0).collect());
        Self { cluster: Cluster::plaintext(""), epoch: [0; 16], start, group: None }
    }

    /// The id of the feed's topic.
    pub(super) fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Where reading begins.
    pub(super) fn start(&self) -> &Positions {
        &self.start
    }

    /// A reader of the whole feed.
    pub(super) fn open(&self) -> Result<Feed, kafka::Error> {
        Feed::open(&self.cluster, &FEED_EVENTS, self.partitions())
    }

    fn partitions(&self) -> i32 {
        i32::try_from(self.start.as_slice().len()).unwrap_or(i32::MAX)
    }

    /// Reads the feed until the shutdown signal; `hub` explains the order.
    ///
    /// # Errors
    /// [`FollowError`].
    pub(super) fn follow(&self, hub: &FeedHub, lists: &Lists, stop: &Stop) -> Result<(), FollowError> {
        while !lists.is_ready() {
            if stop.wait(POLL) {
                return Ok(());
            }
        }
        hub.begin(OpenEntries { windows: lists.board.entries(), signals: lists.signals.entries() });
        kafka::settle(&self.cluster, &FEED_EVENTS, self.partitions(), stop)?;
        let mut feed = self.open()?;
        feed.read_from((0..).zip(self.start.as_slice().iter().copied()), self.start.marks())?;
        let group = self.group.as_ref();
        let group = group.map(|name| ReaderGroup::open(&self.cluster, &FEED_EVENTS, name)).transpose()?;
        let mut committed_at: Option<Instant> = None;
        while !stop.is_stopped() {
            if let Some(group) = &group
                && committed_at.is_none_or(|at| at.elapsed() >= COMMIT)
            {
                group.commit(hub.head().as_slice());
                committed_at = Some(Instant::now());
            }
            match feed.next(WAIT)? {
                FeedEvent::Record { partition, offset, mark, value } => {
                    let pushed = hub.push((partition, offset, mark), &value);
                    pushed.map_err(|error| FollowError::Record {
                        topic: FEED_EVENTS.name,
                        partition,
                        offset,
                        error,
                    })?;
                }
                FeedEvent::End(partition) => hub.ended(partition),
                FeedEvent::Idle => {}
            }
        }
        Ok(())
    }
}
