//! The settings on which correctness depends, of each kind of client.
//!
//! They are constants, set here explicitly and nowhere else; what is set beside them is of one client alone and depends on what it is for.
//! A setting here must never be left to a property of the user (`cluster::properties` refuses them all).
//!
//! Source: librdkafka `CONFIGURATION.md`; KIP-447 for the transactional loop.

use std::time::Duration;

use arb_schemas::limits;
use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;

use crate::cluster::Cluster;

use super::fetches::WATCHED;

/// No group is joined; librdkafka requires a name all the same.
const READER: &str = "arb-reader";

/// `max.poll.interval.ms`: within it a member must poll and answer a rebalance.
const MAX_POLL_INTERVAL: Duration = Duration::from_mins(5);
/// Heartbeats within a session: Kafka recommends that no more than a third of it passes without one.
const HEARTBEATS: u32 = 3;

/// Settings that every client has.
pub(crate) fn client(cluster: &Cluster) -> ClientConfig {
    let mut config = cluster.settings();
    // The level at which connections that fail are logged: `listener` reads why, and writes warnings and errors alone.
    config.set("allow.auto.create.topics", "false").set_log_level(RDKafkaLogLevel::Info);
    config
}

/// Settings of every consumer that reads what transactions wrote.
pub(crate) fn read_committed(cluster: &Cluster) -> ClientConfig {
    let mut config = client(cluster);
    config
        .set("isolation.level", "read_committed")
        .set("enable.auto.commit", "false")
        .set("enable.auto.offset.store", "false")
        .set("check.crcs", "true")
        .set("fetch.message.max.bytes", limits::READ.to_string())
        .set("queued.max.messages.kbytes", "65536")
        // The default stalls a consumer for a second after its queue was full.
        .set("fetch.queue.backoff.ms", "2");
    config
}

/// Settings of every producer.
pub(crate) fn producer(cluster: &Cluster) -> ClientConfig {
    let mut config = client(cluster);
    config
        .set("enable.idempotence", "true")
        .set("acks", "all")
        .set("compression.type", "lz4")
        // Java's default; librdkafka's own is another, and a key must have one partition.
        .set("partitioner", "murmur2_random")
        // Also for the ticks: a dead letter that is sent again may be as long as one can be.
        .set("message.max.bytes", limits::WRITTEN.to_string())
        .set("queue.buffering.max.messages", "100000")
        .set("queue.buffering.max.kbytes", "262144");
    config
}

/// Settings of every reader, before those of one.
pub(crate) fn reader(cluster: &Cluster) -> ClientConfig {
    let mut config = read_committed(cluster);
    config
        .set("group.id", cluster.id(READER))
        .set("auto.offset.reset", "error")
        .set("enable.partition.eof", "true")
        // Several may run in one process.
        .set("queued.max.messages.kbytes", "8192");
    config
}

/// Settings of a member of a group.
pub(crate) fn member(cluster: &Cluster, group: &str) -> ClientConfig {
    let mut config = read_committed(cluster);
    let (watched, interval) = WATCHED;
    config
        .set(watched, interval)
        .set("group.id", cluster.id(group))
        // A member that is not polled for so long loses its partitions, and so long may it keep a rebalance waiting. The
        // watchdog ends a loop that does not move before that.
        .set("max.poll.interval.ms", MAX_POLL_INTERVAL.as_millis().to_string())
        .set("partition.assignment.strategy", "cooperative-sticky")
        .set("session.timeout.ms", cluster.session().as_millis().to_string())
        .set("heartbeat.interval.ms", (cluster.session() / HEARTBEATS).as_millis().to_string());
    config
}

/// Settings of a transactional producer.
pub(crate) fn transactional(cluster: &Cluster, transactional_id: &str) -> ClientConfig {
    let mut config = producer(cluster);
    config
        .set("transactional.id", cluster.id(transactional_id))
        .set("transaction.timeout.ms", "10000")
        .set("delivery.report.only.error", "true")
        // Long enough for full batches; `settle` sends at once what waits.
        .set("linger.ms", "10")
        .set("message.timeout.ms", "9000")
        // A transaction begun right after another meets a coordinator that is still busy with the first. The
        // default is to ask again after 100 ms, which would then be what a small transaction costs.
        .set("retry.backoff.ms", "2");
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_clients_are_those_of_the_table() {
        let setting = |config: &ClientConfig, key: &str| config.get(key).unwrap().parse::<usize>().unwrap();
        let b = &Cluster::plaintext("b");
        for config in [read_committed(b), member(b, "g")] {
            assert_eq!(setting(&config, "fetch.message.max.bytes"), limits::READ);
        }
        for config in [producer(b), transactional(b, "id")] {
            assert_eq!(setting(&config, "message.max.bytes"), limits::WRITTEN);
        }
    }
}
