//! Records of a consumer's partitions by a queue of their own, many in one call or one at a time.
//!
//! rdkafka reads one record a call. It must never read the queue in which a consumer's events come: librdkafka's batch call
//! would take an assignment from it that rdkafka must see. So it reads a queue of its own, to which partitions are forwarded.
//!
//! Source: librdkafka `rdkafka.h` (`rd_kafka_queue_new`, `rd_kafka_queue_forward`, `rd_kafka_consume_batch_queue`).

use std::ffi::{CStr, CString};
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::Duration;

use rdkafka::Timestamp;
use rdkafka::bindings as c;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::message::OwnedMessage;
use rdkafka::types::RDKafkaRespErr;

use crate::handle::Handle;
use crate::message::{bytes, owned, timestamp};

/// A record that librdkafka holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its partition.
    pub partition: i32,
    /// Where it is in it.
    pub offset: i64,
    /// Its key.
    pub key: Option<&'a [u8]>,
    /// Its value.
    pub value: Option<&'a [u8]>,
    /// When the broker appended it, in milliseconds since 1970; `None` where the topic keeps the time of the producer.
    pub appended_ms: Option<i64>,
}

/// What librdkafka reports instead of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordError {
    /// The partition that it is of.
    pub partition: i32,
    /// What went wrong.
    pub code: RDKafkaErrorCode,
    /// In words.
    pub reason: String,
}

/// A queue for the records of a consumer's partitions, apart from that of its events.
pub struct RecordQueue<C: ConsumerContext> {
    /// librdkafka requires that a queue is destroyed before its client: it is dropped first.
    queue: Handle<c::rd_kafka_queue_t>,
    messages: Vec<*mut c::rd_kafka_message_t>,
    consumer: Arc<BaseConsumer<C>>,
}

// SAFETY: the queue and its client may be used by any thread, and no message is kept between calls.
unsafe impl<C: ConsumerContext> Send for RecordQueue<C> {}

impl<C: ConsumerContext> RecordQueue<C> {
    /// A queue to which no partition is forwarded yet; `None` where librdkafka makes none.
    #[must_use]
    pub fn new(consumer: Arc<BaseConsumer<C>>) -> Option<Self> {
        // SAFETY: the client is alive, and stays so as long as the queue; the caller owns the queue that it returns.
        let queue = unsafe {
            let queue = c::rd_kafka_queue_new(consumer.client().native_ptr());
            Handle::new(queue, c::rd_kafka_queue_destroy)
        }?;
        Some(Self { queue, messages: Vec::new(), consumer })
    }

    /// From now on a partition's records come here. What is already in the consumer's queue stays there, and is earlier; where the partition
    /// is moved to a position afterwards, librdkafka drops it.
    ///
    /// It ends when the partition is given back, or assigned again. Returns `false` where the name is no topic's.
    pub fn forward(&self, topic: &str, partition: i32) -> bool {
        let Ok(topic) = CString::new(topic) else { return false };
        // SAFETY: the client and the name are alive during the call; the caller owns the queue that it returns.
        let of_partition = unsafe {
            let client = self.consumer.client().native_ptr();
            let queue = c::rd_kafka_queue_get_partition(client, topic.as_ptr(), partition);
            Handle::new(queue, c::rd_kafka_queue_destroy)
        };
        let Some(of_partition) = of_partition else { return false };
        // SAFETY: both queues are alive, and of one client; librdkafka counts its own reference to the second.
        unsafe { c::rd_kafka_queue_forward(of_partition.get(), self.queue.get()) };
        true
    }

    /// Takes what is there, at most so many, without waiting; returns how many there were, records and errors.
    pub fn take(&mut self, most: usize, mut each: impl FnMut(Result<Record<'_>, RecordError>)) -> usize {
        self.messages.resize(most, null_mut());
        // SAFETY: the queue is alive, and there is room for `most` pointers.
        let came =
            unsafe { c::rd_kafka_consume_batch_queue(self.queue.get(), 0, self.messages.as_mut_ptr(), most) };
        let messages = self.messages.drain(..).take(usize::try_from(came).unwrap_or(0));
        // SAFETY: the caller owns each of the messages that the call returned.
        messages.map(|message| usize::from(unsafe { give(message, &mut each) })).sum()
    }

    /// The next record, or an error, waiting at most so long.
    #[must_use]
    pub fn next(&self, time: Duration) -> Option<Result<OwnedMessage, RecordError>> {
        let milliseconds = i32::try_from(time.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: the queue is alive; the caller owns the message that it returns.
        let message = unsafe {
            let message = c::rd_kafka_consume_queue(self.queue.get(), milliseconds);
            Handle::new(message, c::rd_kafka_message_destroy)
        }?;
        // SAFETY: the message is alive until the end of this call.
        Some(unsafe { error(message.get()).map_or_else(|| Ok(owned(message.get())), Err) })
    }

    /// Waits for a record or an error, at most so long; returns whether one came.
    pub fn wait(&self, time: Duration, mut each: impl FnMut(Result<Record<'_>, RecordError>)) -> bool {
        let milliseconds = i32::try_from(time.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: the queue is alive; the caller owns the message that it returns.
        unsafe { give(c::rd_kafka_consume_queue(self.queue.get(), milliseconds), &mut each) }
    }
}

/// Gives a message away and destroys it; returns whether it was one, and not null.
///
/// # Safety
/// The message is null, or the caller owns it.
unsafe fn give(
    message: *mut c::rd_kafka_message_t,
    each: &mut impl FnMut(Result<Record<'_>, RecordError>),
) -> bool {
    // SAFETY: the caller's promise.
    let Some(message) = (unsafe { Handle::new(message, c::rd_kafka_message_destroy) }) else {
        return false;
    };
    // SAFETY: the message is alive until the end of this call, and nobody else has it.
    let fields = unsafe { &*message.get() };
    // SAFETY: as above.
    if let Some(error) = unsafe { error(message.get()) } {
        each(Err(error));
        return true;
    }
    // SAFETY: the bytes belong to the message, whose lengths are theirs.
    let (key, value) = unsafe { (bytes(fields.key, fields.key_len), bytes(fields.payload, fields.len)) };
    // SAFETY: the message is alive.
    let appended_ms = match unsafe { timestamp(message.get()) } {
        Timestamp::LogAppendTime(at) => Some(at),
        Timestamp::CreateTime(_) | Timestamp::NotAvailable => None,
    };
    each(Ok(Record { partition: fields.partition, offset: fields.offset, key, value, appended_ms }));
    true
}

/// The error that a message stands for; `None` for a record.
///
/// # Safety
/// The message is alive during the call.
unsafe fn error(message: *mut c::rd_kafka_message_t) -> Option<RecordError> {
    // SAFETY: the caller's promise.
    let fields = unsafe { &*message };
    if fields.err == RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR {
        return None;
    }
    // SAFETY: of a message with an error librdkafka returns a text that lives as long as the message.
    let reason = unsafe { CStr::from_ptr(c::rd_kafka_message_errstr(message)) };
    let reason = reason.to_string_lossy().trim().to_owned();
    Some(RecordError { partition: fields.partition, code: fields.err.into(), reason })
}

#[cfg(test)]
mod tests {
    use rdkafka::config::ClientConfig;

    use super::*;

    #[test]
    fn partitions_without_records_give_none() {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", "127.0.0.1:1").set("group.id", "group");
        let consumer: BaseConsumer = config.create().unwrap();
        let mut queue = RecordQueue::new(Arc::new(consumer)).unwrap();
        assert!(queue.forward("topic", 0) && queue.forward("topic", 1));
        assert!(!queue.forward("a\0b", 0), "no topic has such a name");
        assert_eq!(queue.take(100, |record| panic!("{record:?}")), 0);
        assert!(!queue.wait(Duration::from_millis(1), |record| panic!("{record:?}")));
    }
}
