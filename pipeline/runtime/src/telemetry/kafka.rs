//! What Kafka's client reports beside its calls, and what readers drop.
//!
//! It never decides whether an error matters: whatever must be acted upon comes back from a call.

use std::fmt::Display;
use std::time::Duration;

use arb_schemas::topics::FEED_EVENTS;

use super::{list, took};

/// A role that reads the feed begins. Before the first double its counter is 0, so that the first is seen to come.
pub fn begin_feed() {
    list::DOUBLES.counter(&[FEED_EVENTS.name]).absolute(0);
}

/// A record was dropped because its reader has had it.
pub fn double(topic: &'static str) {
    tracing::debug!(topic, "a record that was had before is dropped");
    list::DOUBLES.counter(&[topic]).increment(1);
}

/// A partition is assigned again: its consumer had read it to the first of these offsets and fetched nothing
/// more, though the partition ends at the second.
pub fn stall(topic: &str, partition: i32, [read, end]: [i64; 2], state: &str) {
    tracing::warn!(
        topic,
        partition,
        read,
        end,
        state,
        "a partition was fetched no more; it is assigned again"
    );
    list::STALLS.counter(&[topic]).increment(1);
}

/// An error that a client mends by itself, by librdkafka's name of it, which is one of some hundred.
pub fn error(code: &str, error: &dyn Display, reason: &str) {
    tracing::debug!(%error, reason, "librdkafka");
    list::KAFKA_ERRORS.counter(&[code]).increment(1);
}

/// An output partition has been held back for so long by a transaction that does not end.
pub fn held_back(topic: &'static str, partition: i32, time: Duration) {
    list::HELD_BACK.gauge(&[topic, &partition.to_string()]).set(took(time));
}
