//! What a producer of transactions is told by librdkafka. It keeps whether a record was not delivered, and decides nothing.

use std::sync::atomic::{AtomicBool, Ordering};

use rdkafka::message::DeliveryResult;
use rdkafka::producer::ProducerContext;

use crate::client::{Listener, heard};
use crate::cluster::Cluster;

/// Only notes that a record was not delivered: such a record fails the commit.
pub(super) struct Silent {
    listener: Listener,
    has_failed: AtomicBool,
}

impl Silent {
    /// Of a producer of this cluster.
    pub(super) fn new(cluster: &Cluster) -> Self {
        Self { listener: Listener::new(cluster), has_failed: AtomicBool::default() }
    }

    /// What a topic of the catalogue is called in Kafka.
    pub(super) fn topic(&self, name: &'static str) -> &'static str {
        self.listener.cluster().topic(name)
    }

    /// Whether a record has not been delivered since this was last asked.
    pub(super) fn take_failure(&self) -> bool {
        self.has_failed.swap(false, Ordering::Relaxed)
    }
}

heard!(Silent, listener);

impl ProducerContext for Silent {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if result.is_err() {
            self.has_failed.store(true, Ordering::Relaxed);
        }
    }
}
