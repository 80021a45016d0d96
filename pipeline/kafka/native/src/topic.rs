//! What librdkafka keeps of one topic: its settings in one client, and the end that it last heard of.
//!
//! It must never ask a broker.

use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::Arc;

use rdkafka::ClientContext;
use rdkafka::bindings as c;
use rdkafka::client::Client;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::producer::{BaseProducer, Producer, ProducerContext};
use rdkafka::types::RDKafkaRespErr;

use crate::handle::Handle;

/// Settings of a topic that differ from its client's, for as long as this lives.
pub struct TopicSettings<K> {
    /// librdkafka requires that a topic is destroyed before its client: it is dropped first.
    _topic: Handle<c::rd_kafka_topic_t>,
    _client: Arc<K>,
}

impl<C: ConsumerContext> TopicSettings<BaseConsumer<C>> {
    /// Of a topic that the consumer does not use yet: librdkafka ignores settings for one that it does. `None` where it refuses them.
    #[must_use]
    pub fn of_consumer(of: &Arc<BaseConsumer<C>>, topic: &str, settings: &[(&str, &str)]) -> Option<Self> {
        // SAFETY: the client is alive, and stays so as long as the topic: both are in one value, and the topic is dropped first.
        let topic = unsafe { open(of.client().native_ptr(), topic, settings) }?;
        Some(Self { _topic: topic, _client: Arc::clone(of) })
    }
}

impl<C: ProducerContext> TopicSettings<BaseProducer<C>> {
    /// The same of a producer.
    #[must_use]
    pub fn of_producer(of: &Arc<BaseProducer<C>>, topic: &str, settings: &[(&str, &str)]) -> Option<Self> {
        // SAFETY: as above.
        let topic = unsafe { open(of.client().native_ptr(), topic, settings) }?;
        Some(Self { _topic: topic, _client: Arc::clone(of) })
    }
}

/// # Safety
/// The client is alive until the topic is dropped.
unsafe fn open(
    client: *mut c::rd_kafka_t,
    topic: &str,
    settings: &[(&str, &str)],
) -> Option<Handle<c::rd_kafka_topic_t>> {
    let topic = CString::new(topic).ok()?;
    // SAFETY: the client is alive; the caller owns the copy that it returns.
    let config =
        unsafe { Handle::new(c::rd_kafka_default_topic_conf_dup(client), c::rd_kafka_topic_conf_destroy) }?;
    for (name, value) in settings {
        let (name, value) = (CString::new(*name).ok()?, CString::new(*value).ok()?);
        // SAFETY: all three are alive during the call; no text of an error is asked for.
        let result =
            unsafe { c::rd_kafka_topic_conf_set(config.get(), name.as_ptr(), value.as_ptr(), null_mut(), 0) };
        if result != c::rd_kafka_conf_res_t::RD_KAFKA_CONF_OK {
            return None;
        }
    }
    // SAFETY: the client and the name are alive. librdkafka takes the settings, so it is given a copy; the caller owns the topic. Whether it
    // takes them when it refuses depends on why, so they are left to it then too.
    unsafe {
        let config = c::rd_kafka_topic_conf_dup(config.get());
        Handle::new(c::rd_kafka_topic_new(client, topic.as_ptr(), config), c::rd_kafka_topic_destroy)
    }
}

/// Where a partition ended when the client last heard of it, by all that was written; `None` before the first answer.
#[must_use]
pub fn known_end<C: ClientContext>(client: &Client<C>, topic: &str, partition: i32) -> Option<i64> {
    let topic = CString::new(topic).ok()?;
    let (mut first, mut end) = (0, 0);
    // SAFETY: the client and the name are alive during the call; there is a place for both answers.
    let error = unsafe {
        c::rd_kafka_get_watermark_offsets(
            client.native_ptr(),
            topic.as_ptr(),
            partition,
            &raw mut first,
            &raw mut end,
        )
    };
    (error == RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR && end >= 0).then_some(end)
}

#[cfg(test)]
mod tests {
    use rdkafka::config::ClientConfig;

    use super::*;

    #[test]
    fn a_topic_has_settings_and_no_end_before_a_broker_has_answered() {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", "127.0.0.1:1").set("group.id", "group");
        let consumer: Arc<BaseConsumer> = Arc::new(config.create().unwrap());
        assert!(
            TopicSettings::of_consumer(&consumer, "topic", &[("auto.offset.reset", "earliest")]).is_some()
        );
        assert!(
            TopicSettings::of_consumer(&consumer, "other", &[("auto.offset.reset", "somewhere")]).is_none()
        );
        assert!(TopicSettings::of_consumer(&consumer, "a\0b", &[]).is_none());
        assert_eq!(known_end(consumer.client(), "topic", 0), None);
    }
}
