//! A topic's id by `DescribeTopics`.
//!
//! One request, one answer. It must never retry, and never outlive its client: the client is borrowed until the answer
//! has come or the time is over.

use std::ffi::CString;
use std::fmt;
use std::time::Duration;

use rdkafka::ClientContext;
use rdkafka::bindings as c;
use rdkafka::client::Client;
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::types::RDKafkaRespErr;

use crate::handle::Handle;

/// Why an id is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescribeError {
    /// The request failed, or the broker refuses to describe the topic.
    Code(RDKafkaErrorCode),
    /// The broker did not answer in time.
    TimedOut,
    /// The answer does not contain the id: the broker is older than Apache Kafka 2.8.
    NoId,
}

impl fmt::Display for DescribeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(formatter, "{code}"),
            Self::TimedOut => formatter.write_str("the broker did not answer in time"),
            Self::NoId => formatter.write_str("the broker does not report topic ids"),
        }
    }
}

impl std::error::Error for DescribeError {}

/// The id of a topic: 16 bytes, as the protocol has them.
///
/// # Errors
/// [`DescribeError`].
pub fn topic_id<C: ClientContext>(
    client: &Client<C>,
    topic: &str,
    within: Duration,
) -> Result<[u8; 16], DescribeError> {
    let event = describe(client, topic, within).ok_or(DescribeError::TimedOut)?;
    // SAFETY: the event is alive until the end of this function.
    check(unsafe { c::rd_kafka_event_error(event.get()) })?;
    // SAFETY: as above; the result is the event itself seen as its type, or null for an event of another type.
    let result = unsafe { c::rd_kafka_event_DescribeTopics_result(event.get()) };
    if result.is_null() {
        return Err(DescribeError::NoId);
    }
    let mut count = 0;
    // SAFETY: the result is alive as long as the event; `count` is a valid place for a number.
    let topics = unsafe { c::rd_kafka_DescribeTopics_result_topics(result, &raw mut count) };
    if topics.is_null() || count == 0 {
        return Err(DescribeError::NoId);
    }
    // SAFETY: librdkafka returned an array of `count` pointers, and `count` is at least 1.
    of_description(unsafe { *topics })
}

/// Sends the request and waits for its event; `None` when none has come in time.
fn describe<C: ClientContext>(
    client: &Client<C>,
    topic: &str,
    within: Duration,
) -> Option<Handle<c::rd_kafka_event_t>> {
    let name = CString::new(topic).ok()?;
    let mut names = [name.as_ptr()];
    let milliseconds = i32::try_from(within.as_millis()).unwrap_or(i32::MAX);
    let native = client.native_ptr();
    // SAFETY: one name in an array of one; librdkafka copies it and gives the collection to the caller.
    let topics = unsafe {
        let topics = c::rd_kafka_TopicCollection_of_topic_names(names.as_mut_ptr(), names.len());
        Handle::new(topics, c::rd_kafka_TopicCollection_destroy)?
    };
    // SAFETY: the client is alive while it is borrowed; the caller owns the options.
    let options = unsafe {
        let api = c::rd_kafka_admin_op_t::RD_KAFKA_ADMIN_OP_DESCRIBETOPICS;
        Handle::new(c::rd_kafka_AdminOptions_new(native, api), c::rd_kafka_AdminOptions_destroy)?
    };
    // SAFETY: the options are alive; no text of an error is asked for. A limit that is refused leaves the default.
    unsafe {
        let (no_text, no_size) = (std::ptr::null_mut(), 0);
        c::rd_kafka_AdminOptions_set_request_timeout(options.get(), milliseconds, no_text, no_size);
    }
    // SAFETY: the client is alive; the caller owns the queue.
    let queue = unsafe { Handle::new(c::rd_kafka_queue_new(native), c::rd_kafka_queue_destroy)? };
    // SAFETY: all four are valid until the call returns. librdkafka copies the names and options, and keeps a
    // reference to the queue.
    unsafe { c::rd_kafka_DescribeTopics(native, topics.get(), options.get(), queue.get()) };
    // SAFETY: the queue is alive; the caller owns the event.
    unsafe { Handle::new(c::rd_kafka_queue_poll(queue.get(), milliseconds), c::rd_kafka_event_destroy) }
}

/// The id in the description of a topic.
fn of_description(description: *const c::rd_kafka_TopicDescription_t) -> Result<[u8; 16], DescribeError> {
    // SAFETY: the description belongs to an event that the caller keeps alive; its error is never null.
    check(unsafe { c::rd_kafka_error_code(c::rd_kafka_TopicDescription_error(description)) })?;
    // SAFETY: as above.
    let id = unsafe { c::rd_kafka_TopicDescription_topic_id(description) };
    if id.is_null() {
        return Err(DescribeError::NoId);
    }
    // SAFETY: the id belongs to the description.
    let (high, low) =
        unsafe { (c::rd_kafka_Uuid_most_significant_bits(id), c::rd_kafka_Uuid_least_significant_bits(id)) };
    let bytes = (u128::from(high.cast_unsigned()) << 64 | u128::from(low.cast_unsigned())).to_be_bytes();
    if bytes == [0; 16] { Err(DescribeError::NoId) } else { Ok(bytes) }
}

fn check(code: RDKafkaRespErr) -> Result<(), DescribeError> {
    match code {
        RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR => Ok(()),
        RDKafkaRespErr::RD_KAFKA_RESP_ERR__TIMED_OUT => Err(DescribeError::TimedOut),
        code => Err(DescribeError::Code(code.into())),
    }
}

#[cfg(test)]
mod tests {
    use rdkafka::config::ClientConfig;
    use rdkafka::consumer::{BaseConsumer, Consumer};

    use super::*;

    #[test]
    fn a_broker_that_does_not_answer_is_an_error_in_time() {
        let consumer: BaseConsumer =
            ClientConfig::new().set("bootstrap.servers", "127.0.0.1:1").create().unwrap();
        let found = topic_id(consumer.client(), "t", Duration::from_millis(200));
        assert_eq!(found, Err(DescribeError::TimedOut));
        assert_eq!(topic_id(consumer.client(), "a\0b", Duration::ZERO), Err(DescribeError::TimedOut));
    }
}
