//! Rebalances as a member of a group sees them: noted by the callback, answered by whoever owns the partitions.
//!
//! It never answers by itself while anybody else can.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rdkafka::ClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{TopicPartitionList, TopicPartitionListElem};
use rdkafka::types::RDKafkaRespErr;

use super::Listener;
use crate::process::log::Event;

/// A rebalance as the callback, which runs inside `poll`, saw it. There is one at most: the group goes on when it is
/// answered.
#[derive(Default)]
pub(super) struct Rebalances(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    rebalance: Option<Event>,
    /// Nobody will answer any more.
    closing: bool,
}

impl Rebalances {
    /// What has been seen since this was asked last.
    pub(super) fn take(&self) -> Option<Event> {
        self.seen().rebalance.take()
    }

    /// From now on the callback gives partitions back by itself.
    pub(super) fn close(&self) {
        self.seen().closing = true;
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientContext for Rebalances {
    fn error(&self, error: KafkaError, reason: &str) {
        Listener.error(error, reason);
    }
}

impl ConsumerContext for Rebalances {
    /// Only notes what happened: the owner of the partitions answers, and until then the group waits.
    fn rebalance(&self, consumer: &BaseConsumer<Self>, kind: RDKafkaRespErr, list: &mut TopicPartitionList) {
        let partitions = list.elements().iter().map(TopicPartitionListElem::partition).collect();
        let mut seen = self.seen();
        if seen.closing {
            if let Err(error) = consumer.incremental_unassign(list) {
                tracing::warn!(%error, "partitions could not be given back");
            }
            return;
        }
        seen.rebalance = Some(match kind {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => Event::Assigned(partitions),
            _ if consumer.assignment_lost() => Event::Lost(partitions),
            _ => Event::Revoked(partitions),
        });
    }
}
