//! Many records of one partition in one call.
//!
//! rdkafka reads one record a call. It must never read the queue in which a consumer's events come: librdkafka's batch call
//! would take an assignment from it that rdkafka must see. So it reads queues of single partitions only.
//!
//! Source: librdkafka `rdkafka.h` (`rd_kafka_queue_get_partition`, `rd_kafka_consume_batch_queue`).

use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::ptr::null_mut;

use rdkafka::ClientContext;
use rdkafka::bindings as c;
use rdkafka::client::Client;
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::types::RDKafkaRespErr;

use crate::handle::Handle;

/// A record that librdkafka holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Where it is in its partition.
    pub offset: i64,
    /// Its key.
    pub key: Option<&'a [u8]>,
    /// Its value.
    pub value: Option<&'a [u8]>,
}

/// The queue of a partition that is assigned, apart from the consumer's own. A new assignment ends it: then nothing comes from it.
pub struct PartitionQueue<'a> {
    queue: Handle<c::rd_kafka_queue_t>,
    messages: Vec<*mut c::rd_kafka_message_t>,
    /// librdkafka requires that a queue is destroyed before its client.
    client: PhantomData<&'a ()>,
}

impl<'a> PartitionQueue<'a> {
    /// Splits a partition's records from the consumer's queue. Records that are in that queue already stay there and come first.
    ///
    /// `None` where the client is no consumer, or the name is no topic's.
    #[must_use]
    pub fn split<C: ClientContext>(client: &'a Client<C>, topic: &str, partition: i32) -> Option<Self> {
        let topic = CString::new(topic).ok()?;
        // SAFETY: the client and the name are alive during the call; the caller owns the queue that it returns.
        let queue = unsafe {
            let queue = c::rd_kafka_queue_get_partition(client.native_ptr(), topic.as_ptr(), partition);
            Handle::new(queue, c::rd_kafka_queue_destroy)
        }?;
        // SAFETY: the queue is alive; null ends its forwarding to the consumer's queue.
        unsafe { c::rd_kafka_queue_forward(queue.get(), null_mut()) };
        Some(Self { queue, messages: Vec::new(), client: PhantomData })
    }

    /// Takes the records that are there, at most so many, without waiting; returns how many were there.
    ///
    /// # Errors
    /// The first that librdkafka reports instead of a record, after all records were taken.
    pub fn take(&mut self, most: usize, mut each: impl FnMut(Record<'_>)) -> Result<usize, RDKafkaErrorCode> {
        self.messages.resize(most, null_mut());
        // SAFETY: the queue is alive, and there is room for `most` pointers.
        let came =
            unsafe { c::rd_kafka_consume_batch_queue(self.queue.get(), 0, self.messages.as_mut_ptr(), most) };
        let (mut taken, mut failed) = (0, None);
        for message in self.messages.drain(..).take(usize::try_from(came).unwrap_or(0)) {
            // SAFETY: the caller owns each of the messages that the call returned.
            let Some(message) = (unsafe { Handle::new(message, c::rd_kafka_message_destroy) }) else {
                continue;
            };
            // SAFETY: the message is alive until the end of this turn, and nobody else has it.
            let fields = unsafe { &*message.get() };
            if fields.err == RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR {
                // SAFETY: the bytes belong to the message, whose lengths are theirs.
                let (key, value) =
                    unsafe { (bytes(fields.key, fields.key_len), bytes(fields.payload, fields.len)) };
                each(Record { offset: fields.offset, key, value });
                taken += 1;
            } else {
                failed = failed.or(Some(fields.err.into()));
            }
        }
        failed.map_or(Ok(taken), Err)
    }
}

/// Bytes that librdkafka lends; `None` for null.
///
/// # Safety
/// The pointer is null, or so many bytes are there for as long as the caller says.
unsafe fn bytes<'a>(pointer: *const c_void, length: usize) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts(pointer.cast(), length) })
}

#[cfg(test)]
mod tests {
    use rdkafka::config::ClientConfig;
    use rdkafka::consumer::{BaseConsumer, Consumer};
    use rdkafka::producer::{BaseProducer, Producer};

    use super::*;

    #[test]
    fn a_partition_without_records_gives_none() {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", "127.0.0.1:1").set("group.id", "group");
        let consumer: BaseConsumer = config.create().unwrap();
        let mut queue = PartitionQueue::split(consumer.client(), "topic", 0).unwrap();
        assert_eq!(queue.take(100, |record| panic!("{record:?}")), Ok(0));
    }

    #[test]
    fn only_a_consumer_has_queues_of_partitions() {
        let mut config = ClientConfig::new();
        let producer: BaseProducer = config.set("bootstrap.servers", "127.0.0.1:1").create().unwrap();
        assert!(PartitionQueue::split(producer.client(), "topic", 0).is_none());
        assert!(PartitionQueue::split(producer.client(), "a\0b", 0).is_none());
    }
}
