//! The end of a member's client. It must never wait for Kafka longer than the group waits for the member.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use rdkafka::consumer::BaseConsumer;

use super::Rebalances;

/// Closes a client within a session's time, after which the group gives its partitions to others anyway. librdkafka's close waits for the
/// answer to every commit, and while the coordinator is away it waits without end to send one.
pub(super) struct Close {
    pub(super) consumer: Option<Arc<BaseConsumer<Rebalances>>>,
    pub(super) limit: Duration,
}

impl Drop for Close {
    fn drop(&mut self) {
        let (consumer, (closed, has_closed)) = (self.consumer.take(), channel());
        std::thread::spawn(move || {
            drop(consumer);
            // It may be waited for no longer.
            let _ = closed.send(());
        });
        if has_closed.recv_timeout(self.limit).is_err() {
            tracing::warn!("Kafka does not answer: the member leaves its group with the end of the process");
        }
    }
}
