//! A commit of offsets that is waited for as long as its caller wants to.
//!
//! librdkafka's own has no limit: while the coordinator of the group is away it waits for it. It must never try again, and
//! never report a commit as failed that was not answered: that one may still be taken as long as the client lives.

use std::time::Duration;

use rdkafka::ClientContext;
use rdkafka::bindings as c;
use rdkafka::client::Client;
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::topic_partition_list::TopicPartitionList;
use rdkafka::types::RDKafkaRespErr;

use crate::handle::Handle;

/// How long one look for the answer takes.
const LOOK: Duration = Duration::from_millis(50);

/// Commits offsets of a consumer with a group, and waits for the answer as long as `waits` says so.
///
/// # Errors
/// The broker's or the client's error; [`RDKafkaErrorCode::OperationTimedOut`] where it was not waited for any longer.
pub fn commit<C: ClientContext>(
    client: &Client<C>,
    offsets: &TopicPartitionList,
    waits: &dyn Fn() -> bool,
) -> Result<(), RDKafkaErrorCode> {
    let milliseconds = i32::try_from(LOOK.as_millis()).unwrap_or(i32::MAX);
    let native = client.native_ptr();
    // SAFETY: the client is alive while it is borrowed; the caller owns the queue.
    let queue = unsafe { Handle::new(c::rd_kafka_queue_new(native), c::rd_kafka_queue_destroy) };
    let queue = queue.ok_or(RDKafkaErrorCode::Fail)?;
    let (no_callback, no_data) = (None, std::ptr::null_mut());
    // SAFETY: client, list and queue are valid until the call returns. librdkafka copies the list and keeps a reference to
    // the queue.
    check(unsafe { c::rd_kafka_commit_queue(native, offsets.ptr(), queue.get(), no_callback, no_data) })?;
    loop {
        // SAFETY: the queue is alive; the caller owns the event.
        let answer = unsafe {
            Handle::new(c::rd_kafka_queue_poll(queue.get(), milliseconds), c::rd_kafka_event_destroy)
        };
        match answer {
            // SAFETY: the event is alive.
            Some(answer) => return check(unsafe { c::rd_kafka_event_error(answer.get()) }),
            None if waits() => {}
            None => return Err(RDKafkaErrorCode::OperationTimedOut),
        }
    }
}

fn check(code: RDKafkaRespErr) -> Result<(), RDKafkaErrorCode> {
    if code == RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR { Ok(()) } else { Err(code.into()) }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rdkafka::Offset;
    use rdkafka::config::ClientConfig;
    use rdkafka::consumer::{BaseConsumer, Consumer};

    use super::*;

    #[test]
    fn a_coordinator_that_is_away_is_waited_for_as_long_as_is_wanted() {
        let answer = |group: Option<&str>| {
            let mut config = ClientConfig::new();
            // The close waits for the coordinator for a session's time.
            config.set("bootstrap.servers", "127.0.0.1:1").set("session.timeout.ms", "100");
            config.set("heartbeat.interval.ms", "50");
            group.map(|group| config.set("group.id", group));
            let consumer: BaseConsumer = config.create().unwrap();
            let mut offsets = TopicPartitionList::new();
            offsets.add_partition_offset("topic", 0, Offset::Offset(7)).unwrap();
            let looks = Cell::new(0);
            let waits = || looks.replace(looks.get() + 1) < 3;
            commit(consumer.client(), &offsets, &waits)
        };
        assert_eq!(answer(Some("group")), Err(RDKafkaErrorCode::OperationTimedOut));
        assert_eq!(answer(None), Err(RDKafkaErrorCode::UnknownGroup));
    }
}
