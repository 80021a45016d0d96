//! From the feed to the tasks: each event that endpoints want is written to the partitions of these endpoints, with the bytes that are
//! sent. All that is due at an endpoint is in the partition of its id, so that one process at a time sends to it.
//!
//! A member of a consumer group on the feed. Its offsets are committed after the broker has the tasks; what is written twice the
//! machine drops by the feed's rule. It never sends anything and never skips a record.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_accounts::endpoint::{Endpoint, EndpointState, Policy};
use arb_kafka::{self as kafka, Commit, Mark, SinkConsumer, SinkEvent, Source, TaskProducer, partition_of};
use arb_runtime::feed_mark::FeedMark;
use arb_runtime::stop::Stop;
use arb_runtime::watchdog::Pulse;
use arb_schemas::records::{WebhookEvent, WebhookTarget};
use arb_schemas::time::{Micros, to_rfc3339};
use arb_schemas::wire::{self, WireError};
use thiserror::Error;

use crate::endpoints::Endpoints;

/// How long to wait for a record.
const WAIT: Duration = Duration::from_millis(50);
/// How often offsets are committed.
const COMMIT: Duration = Duration::from_millis(200);

/// An event of the feed as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedText {
    /// Its type.
    pub kind: &'static str,
    /// The window or signal that it is about; empty where there is none.
    pub subject: String,
    /// When it happened.
    pub at: Micros,
    /// JSON, as streams have it.
    pub data: String,
}

/// What of an event is sent to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedPart {
    /// Nothing: its filters exclude it.
    Nothing,
    /// It as it is.
    Whole,
    /// That the window has left the filters.
    Left,
}

/// How records of the feed read, and which of them filters include: the same as for streams.
pub trait FeedReader {
    /// What filters compare.
    type Event;
    /// The filters of an endpoint.
    type Filter;

    /// Reads a record of the feed.
    ///
    /// # Errors
    /// [`WireError`] when it is none.
    fn read(message: &[u8]) -> Result<(FeedText, Self::Event), WireError>;
    /// Filters from their query; `None` when another version wrote what this one does not know.
    fn filter(query: &str) -> Option<Self::Filter>;
    /// What of an event is sent under filters.
    fn part(filter: &Self::Filter, event: &Self::Event) -> FeedPart;
    /// The data of an event about a window that has left the filters.
    fn left(event: &Self::Event) -> String;
}

/// Queries whose filters are kept parsed; beyond it they are parsed again.
const PARSED: usize = 10_000;

/// Why the feed is not read any more.
#[derive(Debug, Error)]
pub enum FanOutError {
    /// Kafka.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
    /// A record of the feed that cannot be read.
    #[error("the feed, partition {partition}, offset {offset}: {error}")]
    Record {
        /// Its partition.
        partition: i32,
        /// Its offset.
        offset: i64,
        /// What is wrong.
        error: WireError,
    },
    /// A task that does not fit its schema.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The feed was cut beneath the group's position.
    #[error(
        "the feed does not have the position of the group any more: events are lost; reset the group to continue"
    )]
    OutOfRange,
}

/// The body that is sent: type, time and data.
#[must_use]
pub fn body(kind: &str, at: Micros, data: &str) -> String {
    format!(r#"{{"type":"{kind}","timestamp":"{}","data":{data}}}"#, to_rfc3339(at))
}

/// Targets by the partition of their endpoint.
#[must_use]
pub fn by_partition(targets: Vec<WebhookTarget>, partitions: i32) -> BTreeMap<i32, Vec<WebhookTarget>> {
    let mut due: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for target in targets {
        due.entry(partition_of(&target.endpoint, partitions)).or_default().push(target);
    }
    due
}

/// The reader of the feed.
pub struct FanOut<R: FeedReader> {
    /// A member of the group.
    pub consumer: SinkConsumer,
    /// Of tasks.
    pub producer: TaskProducer,
    /// Partitions of the topic of tasks.
    pub partitions: i32,
    /// The endpoints.
    pub endpoints: Arc<Endpoints>,
    /// The filters of endpoints, by their queries.
    pub filters: HashMap<String, Option<R::Filter>>,
    /// The time at which a record is read.
    pub clock: fn() -> Micros,
    /// Moved with each turn of the loop.
    pub pulse: Pulse,
}

/// A record of the feed.
struct Taken {
    source: Source,
    offset: i64,
    mark: Option<FeedMark>,
    value: Vec<u8>,
}

impl<R: FeedReader> FanOut<R> {
    /// Reads until the shutdown signal.
    ///
    /// # Errors
    /// [`FanOutError`].
    pub fn run(&mut self, stop: &Stop) -> Result<(), FanOutError> {
        let (mut positions, mut committed_at) = (BTreeMap::new(), Instant::now());
        while !stop.is_stopped() {
            self.pulse.beat();
            let mut taken = None;
            let event = self.consumer.next(WAIT, &mut |record| {
                let (source, offset, mark) = (record.source, record.offset, record.mark);
                taken = Some(Taken { source, offset, mark, value: record.value.to_vec() });
            })?;
            match event {
                SinkEvent::Record => {
                    if let Some(record) = taken {
                        self.record(&record)?;
                        positions.insert(record.source, record.offset + 1);
                    }
                }
                SinkEvent::Assigned(sources) => self.start(&sources)?,
                SinkEvent::Revoked(sources) => {
                    self.commit(&mut positions)?;
                    self.consumer.give_back(&sources)?;
                }
                SinkEvent::Lost(sources) => {
                    positions.retain(|source, _| !sources.contains(source));
                    self.consumer.give_back(&sources)?;
                }
                SinkEvent::OutOfRange => return Err(FanOutError::OutOfRange),
                SinkEvent::Idle => {}
            }
            if committed_at.elapsed() >= COMMIT {
                self.commit(&mut positions)?;
                committed_at = Instant::now();
            }
        }
        self.commit(&mut positions)
    }

    /// Where the group has come to; a group that is new begins at the end.
    fn start(&mut self, sources: &[Source]) -> Result<(), FanOutError> {
        let mut places = Vec::new();
        for source in sources {
            let span = self.consumer.span(*source)?;
            let next = self.consumer.committed(*source)?.map_or(span.next, |committed| committed.offset);
            places.push((*source, next));
        }
        self.consumer.start_paused(&places)?;
        for source in sources {
            self.consumer.pause(*source, false)?;
        }
        // A position that is not committed would be the end again after a kill, and skip what came meanwhile.
        self.mark(places)
    }

    /// Commits positions once the broker has all tasks before them.
    fn commit(&mut self, positions: &mut BTreeMap<Source, i64>) -> Result<(), FanOutError> {
        if positions.is_empty() {
            return Ok(());
        }
        self.producer.flush()?;
        self.mark(std::mem::take(positions))
    }

    fn mark(&self, places: impl IntoIterator<Item = (Source, i64)>) -> Result<(), FanOutError> {
        let mark = |(source, offset)| Mark { source, offset, note: String::new() };
        let marks: Vec<_> = places.into_iter().map(mark).collect();
        match self.consumer.mark(&marks)? {
            Commit::Taken => {}
            other => tracing::debug!(?other, "offsets of the feed were not committed: the next ones are"),
        }
        Ok(())
    }

    fn record(&mut self, record: &Taken) -> Result<(), FanOutError> {
        let Taken { source, offset, mark, value } = record;
        let (text, event) = R::read(value).map_err(|error| FanOutError::Record {
            partition: source.partition,
            offset: *offset,
            error,
        })?;
        let endpoints = self.endpoints.all();
        let targets: Vec<_> =
            endpoints.iter().filter_map(|endpoint| self.target(endpoint, text.kind, &event)).collect();
        let mut due = by_partition(targets, self.partitions);
        if text.kind == "close_signal" {
            // It ends what is pending of its window, also where no endpoint receives it.
            let live = endpoints.iter().filter(|endpoint| endpoint.settings.policy == Policy::Live);
            for endpoint in live {
                due.entry(partition_of(&endpoint.id, self.partitions)).or_default();
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        let (epoch, sequence) = mark.map_or((0, 0), |mark| (mark.epoch, mark.sequence));
        let whole = body(text.kind, text.at, &text.data);
        let left = LazyCell::new(|| body(text.kind, text.at, &R::left(&event)));
        let (kind, subject, at) = (text.kind, &text.subject, (self.clock)());
        for (partition, targets) in due {
            let task = wire::encode(&WebhookEvent {
                epoch,
                sequence,
                nonce: mark.map_or_else(|| format!("{}/{offset}", source.partition), |_| String::new()),
                kind: kind.to_owned(),
                subject: subject.clone(),
                at,
                body: if targets.is_empty() { String::new() } else { whole.clone() },
                left_body: targets.iter().any(|target| target.has_left).then(|| String::clone(&left)),
                targets,
                partition: source.partition,
            })?;
            self.producer.send(partition, "event", &task)?;
        }
        Ok(())
    }

    /// What an event is for an endpoint, if it is anything. One that is paused keeps events under the policy `durable` alone.
    fn target(&mut self, endpoint: &Endpoint, kind: &str, event: &R::Event) -> Option<WebhookTarget> {
        let settings = &endpoint.settings;
        let is_kept = endpoint.state == EndpointState::Active
            && (!settings.is_paused || settings.policy == Policy::Durable)
            && endpoint.wants(kind);
        let part = is_kept.then(|| self.part(&settings.filters, event))?;
        (part != FeedPart::Nothing).then(|| WebhookTarget {
            endpoint: endpoint.id.clone(),
            policy: settings.policy.key().to_owned(),
            is_ordered: settings.is_ordered,
            has_left: part == FeedPart::Left,
        })
    }

    /// What filters that are not known exclude is not known either: nothing is kept from the receiver.
    fn part(&mut self, query: &str, event: &R::Event) -> FeedPart {
        if self.filters.len() >= PARSED && !self.filters.contains_key(query) {
            self.filters.clear();
        }
        let filter = self.filters.entry(query.to_owned()).or_insert_with(|| R::filter(query));
        filter.as_ref().map_or(FeedPart::Whole, |filter| R::part(filter, event))
    }
}
