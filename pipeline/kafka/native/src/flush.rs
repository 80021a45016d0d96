//! A flush that waits.
//!
//! rdkafka's own returns at once, before librdkafka's threads have seen that batches are to be sent, and then looks again every
//! 100 ms. It must never take the reports of what was delivered: that is for the producer's owner.

use std::time::Duration;

use rdkafka::ClientContext;
use rdkafka::bindings as c;
use rdkafka::client::Client;
use rdkafka::types::RDKafkaRespErr;

/// Sends what waits in batches, and waits at most so long (whole milliseconds) until no message is in flight; whether none is. A message whose report
/// is to be taken is in flight until then.
#[must_use]
pub fn flush<C: ClientContext>(client: &Client<C>, within: Duration) -> bool {
    let milliseconds = i32::try_from(within.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: the client is alive while it is borrowed, and librdkafka's handle may be used by several threads.
    let code = unsafe { c::rd_kafka_flush(client.native_ptr(), milliseconds) };
    code == RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR
}

#[cfg(test)]
mod tests {
    use rdkafka::config::ClientConfig;
    use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

    use super::*;

    #[test]
    fn what_no_broker_takes_stays_in_flight() {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", "127.0.0.1:1").set("linger.ms", "60000");
        let producer: BaseProducer = config.create().unwrap();
        let within = Duration::from_millis(20);
        assert!(flush(producer.client(), within), "nothing was sent");
        producer.send(BaseRecord::<[u8], [u8]>::to("topic").partition(0).key(b"key")).unwrap();
        assert!(!flush(producer.client(), within));
        // Beside it events of a broker that is away may wait.
        assert!(producer.in_flight_count() >= 1);
    }
}
