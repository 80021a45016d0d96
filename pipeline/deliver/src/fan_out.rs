//! From the feed to the tasks: each event that endpoints want is written to the partitions of these endpoints, with the bytes that are
//! sent. All that is due at an endpoint is in the partition of its id, so that one process at a time sends to it.
//!
//! - `endpoint_index`: which endpoints an event may be for.
//!
//! What is written twice the machine drops by the feed's rule. It never sends anything and never skips a record.

mod endpoint_index;

use std::cell::LazyCell;
use std::sync::Arc;

use arb_feed::webhook::text::FeedText;
use arb_feed::webhook::{body, by_partition};
use arb_kafka::{self as kafka, ForwardedRecord, Forwarder, OutgoingTask, partition_of};
use arb_runtime::stop::Stop;
use arb_schemas::records::WebhookEvent;
use arb_schemas::time::Micros;
use arb_schemas::wire::{self, WireError};
use thiserror::Error;

pub use self::endpoint_index::EndpointIndex;
use crate::endpoints::Endpoints;

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

/// What turns events of the feed into tasks.
pub struct FanOut {
    /// Partitions of the topic of tasks.
    pub partitions: i32,
    /// The endpoints.
    pub endpoints: Arc<Endpoints>,
    /// Which of them an event may be for.
    pub index: EndpointIndex,
    /// The time at which a record is read.
    pub clock: fn() -> Micros,
}

impl FanOut {
    /// Reads until the shutdown signal.
    ///
    /// # Errors
    /// [`FanOutError`].
    pub fn run(&mut self, mut feed: Forwarder, stop: &Stop) -> Result<(), FanOutError> {
        feed.run(stop, &mut |record, tasks| self.record(record, tasks))
    }

    fn record(&mut self, record: &ForwardedRecord, tasks: &mut Vec<OutgoingTask>) -> Result<(), FanOutError> {
        let ForwardedRecord { partition: of_feed, offset, mark, value } = record;
        let text = FeedText::read(value).map_err(|error| FanOutError::Record {
            partition: *of_feed,
            offset: *offset,
            error,
        })?;
        self.index.refresh(&self.endpoints, self.partitions);
        let kind = text.kind();
        let mut due =
            by_partition(self.index.targets(&text), |endpoint| partition_of(endpoint, self.partitions));
        if kind == "close_signal" {
            // It ends what is pending of its window, also where no endpoint receives it.
            for partition in self.index.live_partitions() {
                due.entry(partition).or_default();
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        let (epoch, sequence) = mark.map_or((0, 0), |mark| (mark.epoch, mark.sequence));
        let whole = body(kind, text.at, &text.whole());
        let left = LazyCell::new(|| body(kind, text.at, &text.left()));
        let at = (self.clock)();
        for (partition, targets) in due {
            let value = wire::encode(&WebhookEvent {
                epoch,
                sequence,
                nonce: mark.map_or_else(|| format!("{of_feed}/{offset}"), |_| String::new()),
                kind: kind.to_owned(),
                subject: text.subject.clone(),
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
