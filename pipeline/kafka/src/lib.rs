//! Kafka: the only user of rdkafka in the product. (`deploy/bench` uses it too: a judge must not use the client that it judges.)
//!
//! Settings that matter for correctness are set here, explicitly, and nowhere else. It knows topics by the
//! catalogue and never looks into a record.
//!
//! Source of the settings: librdkafka `CONFIGURATION.md`; KIP-447 for the transactional loop.

mod adoption;
mod asker;
mod certificate;
mod changelog;
mod cluster;
mod command_producer;
mod consumer;
mod dead_letter_queue;
mod end_probe;
mod ends;
mod feed;
mod first_ends;
mod following;
mod forwarder;
mod group;
mod group_lag;
mod held_back;
mod leaders;
mod lease;
mod listener;
mod lost_commit;
mod origin;
mod outbox;
mod output_ends;
mod partitioner;
mod problem;
mod producer;
mod push_producer;
mod reader;
mod reader_group;
mod sink;
mod snapshot;
mod stall_watch;
mod table;
mod tail;
mod taken_records;
mod task_producer;
mod topic_id;
mod topics;
mod transaction;
mod transactional;

use arb_schemas::limits;
use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;

pub use asker::{committed_spans, spans};
pub use cluster::{
    Cluster, ClusterOptions, OAuthOptions, SaslMechanism, Secret, SecurityProtocol, SettingsError,
};
pub use command_producer::CommandProducer;
pub use consumer::InputConsumer;
pub use dead_letter_queue::{Letter, LetterEvent, Letters, NewLetters};
pub use end_probe::EndProbe;
pub use ends::Ends;
pub use feed::{Feed, FeedEvent, settle};
pub use forwarder::{Beginning, ForwardedRecord, Forwarder, OutgoingTask};
pub use group::Commit;
pub use group_lag::{GroupLags, WatchedGroup};
pub use held_back::watch as watch_held_back;
pub use lease::{Lease, Leases};
pub use origin::ORIGIN as TRANSACTION_HEADER;
pub use partitioner::partition_of;
pub use producer::TickProducer;
pub use push_producer::{PushProducer, PushReceipt};
pub use reader::Committed;
pub use reader_group::{ReaderGroup, remove_group};
pub use sink::{Mark, SinkConsumer, SinkEvent, Source, Taken};
pub use snapshot::{Kept, snapshot};
pub use table::{Table, TableEvent};
pub use tail::Tail;
pub use task_producer::TaskProducer;
pub use topic_id::{TopicIds, topic_id};
pub use topics::{answers, machine_partitions, partitions, provision};
pub use transaction::Transaction;
pub use transactional::{Surroundings, TransactionalProducer};

use arb_runtime::log::LogError;
use listener::Listener;

/// Something that Kafka refused or could not do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A client could not be made, or the broker did not answer.
    #[error("Kafka at {brokers}: {source}")]
    Broker {
        /// The addresses that were tried.
        brokers: String,
        /// The error of librdkafka.
        source: KafkaError,
    },
    /// No connection can be used: TLS or authentication fails.
    #[error("Kafka at {brokers}: {problem}")]
    Connect {
        /// The addresses that were tried.
        brokers: String,
        /// Why, and which setting to look at.
        problem: String,
    },
    /// A topic is not as the catalogue has it.
    #[error("topic {topic}: {problem}")]
    Topic {
        /// The topic.
        topic: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A record that a producer cannot send, now or later.
    #[error(
        "a record of {length} bytes for {topic} partition {partition}, key {key:?}, is not taken: {source}"
    )]
    NotTaken {
        /// Where it was to go.
        topic: &'static str,
        /// Its partition.
        partition: i32,
        /// Its key.
        key: Box<str>,
        /// Bytes of its value.
        length: usize,
        /// The error of librdkafka.
        source: Box<KafkaError>,
    },
    /// The group does not take what is committed, and never will.
    #[error("Kafka does not take the group's offsets, and trying again will not help: {0}")]
    Commit(KafkaError),
    /// A topic was cut beneath the position of a group.
    #[error(
        "{topic} does not have the position of the group {group} any more: records are lost; reset the group to continue"
    )]
    Cut {
        /// The topic.
        topic: &'static str,
        /// The group.
        group: String,
    },
    /// Another process uses the transactional id.
    #[error(
        "another process has taken over the transactional id {0}: the group gave its partition away while nothing came \
         from this process; start it again"
    )]
    Fenced(String),
    /// A transaction stays open on an output partition after a commit with unknown outcome.
    #[error(
        "a transaction of another producer has held an output partition back for {0} s: the log names it"
    )]
    HeldBack(u64),
    /// The system gave no thread.
    #[error("a thread: {0}")]
    Thread(#[from] std::io::Error),
    /// An event of a running client.
    #[error("Kafka: {0}")]
    Client(#[from] KafkaError),
}

/// A fatal error of a client, as the pump receives it.
fn fatal(error: impl Into<Error>) -> LogError {
    LogError::Fatal(error.into().into())
}

/// Settings that every client has.
fn client(cluster: &Cluster) -> ClientConfig {
    let mut config = cluster.settings();
    // The level at which connections that fail are logged: `listener` reads why, and writes warnings and errors alone.
    config.set("allow.auto.create.topics", "false").set_log_level(RDKafkaLogLevel::Info);
    config
}

/// Settings of every consumer that reads what transactions wrote.
fn read_committed(cluster: &Cluster) -> ClientConfig {
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
fn producer(cluster: &Cluster) -> ClientConfig {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_clients_are_those_of_the_table() {
        let setting = |config: &ClientConfig, key: &str| config.get(key).unwrap().parse::<usize>().unwrap();
        let b = &Cluster::plaintext("b");
        assert_eq!(setting(&read_committed(b), "fetch.message.max.bytes"), limits::READ);
        for config in [producer(b), transaction::settings(b), transaction::transactional(b, "id")] {
            assert_eq!(setting(&config, "message.max.bytes"), limits::WRITTEN);
        }
    }
}
