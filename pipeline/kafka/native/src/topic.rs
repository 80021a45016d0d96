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
use rdkafka::types::RDKafkaRespErr;

use crate::handle::Handle;

/// Settings of a topic that differ from its client's, for as long as this lives.
pub struct TopicSettings<C: ConsumerContext> {
    /// librdkafka requires that a topic is destroyed before its client: it is dropped first.
    _topic: Handle<c::rd_kafka_topic_t>,
    _consumer: Arc<BaseConsumer<C>>,
}

impl<C: ConsumerContext> TopicSettings<C> {
    /// Of a topic that the client does not use yet: librdkafka ignores settings for one that it does. `None` where it refuses them.
    #[must_use]
    pub fn new(consumer: &Arc<BaseConsumer<C>>, topic: &str, settings: &[(&str, &str)]) -> Option<Self> {
        let topic = CString::new(topic).ok()?;
        // SAFETY: the caller owns the settings that it returns.
        let config = unsafe { Handle::new(c::rd_kafka_topic_conf_new(), c::rd_kafka_topic_conf_destroy) }?;
        for (name, value) in settings {
            let (name, value) = (CString::new(*name).ok()?, CString::new(*value).ok()?);
            // SAFETY: all three are alive during the call; no text of an error is asked for.
            let result = unsafe {
                c::rd_kafka_topic_conf_set(config.get(), name.as_ptr(), value.as_ptr(), null_mut(), 0)
            };
            if result != c::rd_kafka_conf_res_t::RD_KAFKA_CONF_OK {
                return None;
            }
        }
        // SAFETY: the client and the name are alive. librdkafka takes the settings when it returns a topic, so it is given a copy, and
        // the caller owns the topic.
        let topic = unsafe {
            let config = c::rd_kafka_topic_conf_dup(config.get());
            let topic = c::rd_kafka_topic_new(consumer.client().native_ptr(), topic.as_ptr(), config);
            if topic.is_null() {
                c::rd_kafka_topic_conf_destroy(config);
            }
            Handle::new(topic, c::rd_kafka_topic_destroy)
        }?;
        Some(Self { _topic: topic, _consumer: Arc::clone(consumer) })
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
        assert!(TopicSettings::new(&consumer, "topic", &[("auto.offset.reset", "earliest")]).is_some());
        assert!(TopicSettings::new(&consumer, "other", &[("auto.offset.reset", "somewhere")]).is_none());
        assert!(TopicSettings::new(&consumer, "a\0b", &[]).is_none());
        assert_eq!(known_end(consumer.client(), "topic", 0), None);
    }
}
