//! From the feed to the tasks: each event that endpoints want is written to the partitions of these endpoints, with the bytes that are
//! sent. All that is due at an endpoint is in the partition of its id, so that one process at a time sends to it.
//!
//! - `endpoint_index`: which endpoints an event may be for.
//!
//! What is written twice the machine drops by the feed's rule. It never sends anything and never skips a record.

mod endpoint_index;

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use arb_kafka::{self as kafka, ForwardedRecord, Forwarder, OutgoingTask, partition_of};
use arb_runtime::stop::Stop;
use arb_schemas::records::{WebhookEvent, WebhookTarget};
use arb_schemas::time::{Micros, to_rfc3339};
use arb_schemas::wire::{self, WireError};
use thiserror::Error;

pub use self::endpoint_index::EndpointIndex;
use crate::endpoints::Endpoints;

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
    /// The sport and the league of an event.
    fn place(event: &Self::Event) -> (&str, &str);
    /// Whether filters may include an event of a sport and a league.
    fn is_in(filter: &Self::Filter, place: (&str, &str)) -> bool;
    /// What of an event is sent under filters.
    fn part(filter: &Self::Filter, event: &Self::Event) -> FeedPart;
    /// The data of an event about a window that has left the filters.
    fn left(event: &Self::Event) -> String;
}

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

/// What turns events of the feed into tasks.
pub struct FanOut<R: FeedReader> {
    /// Partitions of the topic of tasks.
    pub partitions: i32,
    /// The endpoints.
    pub endpoints: Arc<Endpoints>,
    /// Which of them an event may be for.
    pub index: EndpointIndex<R::Filter>,
    /// The time at which a record is read.
    pub clock: fn() -> Micros,
}

impl<R: FeedReader> FanOut<R> {
    /// Reads until the shutdown signal.
    ///
    /// # Errors
    /// [`FanOutError`].
    pub fn run(&mut self, mut feed: Forwarder, stop: &Stop) -> Result<(), FanOutError> {
        feed.run(stop, &mut |record, tasks| self.record(record, tasks))
    }

    fn record(&mut self, record: &ForwardedRecord, tasks: &mut Vec<OutgoingTask>) -> Result<(), FanOutError> {
        let ForwardedRecord { partition: of_feed, offset, mark, value } = record;
        let (text, event) = R::read(value).map_err(|error| FanOutError::Record {
            partition: *of_feed,
            offset: *offset,
            error,
        })?;
        self.index.refresh::<R>(&self.endpoints, self.partitions);
        let mut due = by_partition(self.index.targets::<R>(text.kind, &event), self.partitions);
        if text.kind == "close_signal" {
            // It ends what is pending of its window, also where no endpoint receives it.
            for partition in self.index.live_partitions() {
                due.entry(partition).or_default();
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
            let value = wire::encode(&WebhookEvent {
                epoch,
                sequence,
                nonce: mark.map_or_else(|| format!("{of_feed}/{offset}"), |_| String::new()),
                kind: kind.to_owned(),
                subject: subject.clone(),
                at,
                body: if targets.is_empty() { String::new() } else { whole.clone() },
                left_body: targets.iter().any(|target| target.has_left).then(|| String::clone(&left)),
                targets,
                partition: *of_feed,
            })?;
            tasks.push(OutgoingTask { partition, key: "event".to_owned(), value });
        }
        Ok(())
    }
}
