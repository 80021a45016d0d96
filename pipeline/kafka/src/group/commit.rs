//! How a commit of a member ends. It must never call one taken, or lost, of which that is not known.
//!
//! Source of the errors of a commit: Kafka protocol guide, error codes; librdkafka `rd_kafka_handle_OffsetCommit`.

use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode as Code;

use crate::error::is_transient;

/// How a commit ended that can be taken, now or later, from this member or its next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commit {
    /// The group has it, and had this member when it took it.
    Taken,
    /// It may or may not have it; the same commit may be tried again.
    Again(String),
    /// It has not: the partitions belong to another member, or are about to move, which is reported as a
    /// rebalance.
    Lost(String),
}

/// The caller's view of an error of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It passes: a broker is away, or busy.
    Passes,
    /// The member is no longer what it was, or the group changes.
    Loses,
    /// The same commit will never be taken.
    Stays,
}

/// An error that is in no list may be permanent: it is treated so.
pub(super) fn kind(error: &KafkaError) -> Kind {
    let loses = [
        Code::IllegalGeneration,
        Code::UnknownMemberId,
        Code::RebalanceInProgress,
        Code::AssignmentLost,
        Code::NoOffset,
        Code::State,
    ];
    let passes = [
        Code::WaitingForCoordinator,
        Code::RequestTimedOut,
        Code::NetworkException,
        Code::TimedOutQueue,
        Code::MessageTimedOut,
        Code::BrokerNotAvailable,
        // A broker that left the cluster, with the request in its queue.
        Code::DestroyBroker,
        // A topic that is recreated, or that a broker does not know yet; the reader of a deleted one is
        // notified.
        Code::UnknownTopicOrPartition,
        Code::NotEnoughReplicas,
        Code::NotEnoughReplicasAfterAppend,
        Code::KafkaStorageError,
        Code::ThrottlingQuotaExceeded,
        // An exception of the broker's.
        Code::Unknown,
    ];
    match error.rdkafka_error_code() {
        Some(code) if loses.contains(&code) => Kind::Loses,
        Some(code) if passes.contains(&code) || is_transient(error) => Kind::Passes,
        _ => Kind::Stays,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_of_a_commit_is_one_of_three_kinds() {
        let of = |code: Code| kind(&KafkaError::ConsumerCommit(code));
        // Errors of the broker and the client: an outage, an eviction, and what no retry resolves.
        for code in [
            Code::BrokerTransportFailure,
            Code::AllBrokersDown,
            Code::OperationTimedOut,
            Code::WaitingForCoordinator,
            Code::NotCoordinator,
            Code::CoordinatorLoadInProgress,
            Code::CoordinatorNotAvailable,
            Code::RequestTimedOut,
            Code::UnknownTopicOrPartition,
            Code::Unknown,
        ] {
            assert_eq!(of(code), Kind::Passes, "{code:?}");
        }
        for code in [
            Code::IllegalGeneration,
            Code::UnknownMemberId,
            Code::RebalanceInProgress,
            Code::AssignmentLost,
            Code::State,
        ] {
            assert_eq!(of(code), Kind::Loses, "{code:?}");
        }
        for code in [
            Code::OffsetMetadataTooLarge,
            Code::InvalidCommitOffsetSize,
            Code::GroupAuthorizationFailed,
            Code::TopicAuthorizationFailed,
            Code::ClusterAuthorizationFailed,
            Code::SaslAuthenticationFailed,
            Code::InvalidGroupId,
            Code::UnsupportedVersion,
            Code::InvalidArgument,
            // Another with the same instance id: librdkafka calls it fatal.
            Code::FencedInstanceId,
            Code::Fatal,
        ] {
            assert_eq!(of(code), Kind::Stays, "{code:?}");
        }
        assert_eq!(kind(&KafkaError::Canceled), Kind::Stays);
    }
}
