//! The topics that the sink reads, and the names of their partitions in logs.
//!
//! It never reads a record.

use arb_kafka::Source;
use arb_schemas::topics::{FEED_EVENTS, ODDS_TICKS, Topic, WEBHOOK_DELIVERIES};

/// The topics that are read, in the order in which [`Source::topic`] counts them.
pub const TOPICS: [Topic; 3] = [ODDS_TICKS, FEED_EVENTS, WEBHOOK_DELIVERIES];
static READ: [Topic; 3] = TOPICS;

/// The topic of a partition.
pub(crate) fn topic(source: Source) -> &'static Topic {
    READ.get(source.topic).unwrap_or(&READ[0])
}

/// A partition as logs name it: `TOPIC/NUMBER`.
pub(crate) fn named(source: Source) -> String {
    format!("{}/{}", topic(source).name, source.partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_named_after_its_topic() {
        assert_eq!(named(Source { topic: 1, partition: 7 }), format!("{}/7", FEED_EVENTS.name));
    }
}
