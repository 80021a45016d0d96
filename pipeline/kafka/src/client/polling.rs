//! How a client is polled. Errors that pass are logged and left out.
//!
//! It never decides what a record means.

use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;

use crate::error::is_transient;

/// The next record, end or lasting error, waiting at most so long. Errors that pass are logged, the first of those that wait
/// here; librdkafka queues hundreds of them in an outage, and whoever took one at a time would read on long after it.
pub(crate) fn poll<C: ConsumerContext>(
    consumer: &BaseConsumer<C>,
    wait: Duration,
) -> Option<Result<BorrowedMessage<'_>, KafkaError>> {
    let mut next = consumer.poll(whole_milliseconds(wait));
    if let Some(Err(error)) = next.as_ref().filter(|next| passes(next)) {
        tracing::warn!(%error, "the broker cannot be reached; trying on");
    }
    while next.as_ref().is_some_and(passes) {
        next = consumer.poll(Duration::ZERO);
    }
    next
}

/// A wait as rdkafka can wait: of a part of a millisecond it asks its queue without a pause until the part is over.
fn whole_milliseconds(wait: Duration) -> Duration {
    let milliseconds = wait.as_nanos().div_ceil(1_000_000);
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or(u64::MAX))
}

/// Whether a poll brought an error that passes.
fn passes(next: &Result<BorrowedMessage<'_>, KafkaError>) -> bool {
    next.as_ref().is_err_and(is_transient)
}

/// Takes what a client without partitions reports, or it would be kept, and errors of a past outage be reported long after
/// it. It is asked for offsets alone, and each question has an error of its own.
pub(crate) fn discard_reports<C: ConsumerContext>(consumer: &BaseConsumer<C>) {
    while consumer.poll(Duration::ZERO).is_some() {}
}
