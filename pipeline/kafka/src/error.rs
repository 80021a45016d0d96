//! What Kafka refuses or cannot do, as one error, and which errors of the client pass by themselves.
//!
//! It never decides whether anything is tried again.

use arb_runtime::log::LogError;
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode as Code;

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
pub(crate) fn fatal(error: impl Into<Error>) -> LogError {
    LogError::Fatal(error.into().into())
}

/// Errors that librdkafka reports and then recovers from.
pub(crate) fn is_transient(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(
            Code::BrokerTransportFailure
                | Code::AllBrokersDown
                | Code::OperationTimedOut
                | Code::Resolve
                | Code::NotCoordinator
                | Code::CoordinatorLoadInProgress
                | Code::CoordinatorNotAvailable
                // Connections are tried again: the password or a certificate may be changed meanwhile. A role that begins with
                // a wrong one ends (`topics`).
                | Code::Authentication
                | Code::SSL
                // The partitions that it lost are reported as a rebalance.
                | Code::PollExceeded
        )
    )
}
