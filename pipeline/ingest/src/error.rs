//! Why a source ended early: one sentence for the operator.
//!
//! It decides nothing.

use arb_kafka as kafka;
use thiserror::Error;

use super::publish::PublishError;
use super::source::SourceError;

/// Why playing ended early.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The source cannot go on.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Kafka does not take it.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// The lease of the source cannot be kept.
    #[error(transparent)]
    Lease(#[from] kafka::Error),
}
