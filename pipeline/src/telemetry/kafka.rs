//! What Kafka's client reports beside its calls.
//!
//! It never decides whether an error matters: whatever must be acted upon comes back from a call.

use std::fmt::Display;

use super::list;

/// An error that a client mends by itself, by librdkafka's name of it, which is one of some hundred.
pub fn error(code: &str, error: &dyn Display, reason: &str) {
    tracing::debug!(%error, reason, "librdkafka");
    list::KAFKA_ERRORS.counter(&[code]).increment(1);
}
