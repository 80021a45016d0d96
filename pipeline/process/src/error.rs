//! Why a pump stops: one sentence for whoever runs it.
//!
//! What it can undo and do again is no error of it.

use arb_runtime::log::LogError;
use arb_schemas::topics::{ODDS_TICKS, PROCESS_STATE};
use arb_schemas::wire::WireError;
use thiserror::Error;

use crate::codec::state::StateError;

/// Why the pump stopped.
#[derive(Debug, Error)]
pub enum PumpError {
    /// The log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The group's offset and the changelog name different places.
    #[error(
        "partition {partition}: the group has committed offset {committed} of {ticks}, and {changelog} is that of \
         {}: one of them was changed by hand, or belongs to another group",
        .state.map_or("no offset".to_owned(), |state| format!("offset {state}")),
        ticks = ODDS_TICKS.name,
        changelog = PROCESS_STATE.name
    )]
    Disagree {
        /// The partition.
        partition: i32,
        /// What the group says.
        committed: i64,
        /// What the changelog says.
        state: Option<i64>,
    },
    /// The changelog's windows were made by other rules.
    #[error(
        "partition {partition}: the windows of {changelog} were made with --policy {policy}: start with it, or with \
         empty topics",
        changelog = PROCESS_STATE.name
    )]
    OtherPolicy {
        /// The partition.
        partition: i32,
        /// Which rules.
        policy: String,
    },
    /// The changelog holds what is none of its records.
    #[error("{changelog} partition {partition} offset {offset} key {key}: {error}", changelog = PROCESS_STATE.name)]
    State {
        /// The partition.
        partition: i32,
        /// The record's offset.
        offset: i64,
        /// The record's key.
        key: String,
        /// What is wrong.
        error: StateError,
    },
    /// The log failed while a record was processed, or what came of it was written.
    #[error("{error} (at {topic} partition {partition} offset {offset})", topic = ODDS_TICKS.name)]
    At {
        /// The partition.
        partition: i32,
        /// The record's offset.
        offset: i64,
        /// What the log says.
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// What comes of a record fits no schema.
    #[error("{topic} partition {partition} offset {offset}: {error}")]
    Record {
        /// The topic.
        topic: &'static str,
        /// The partition.
        partition: i32,
        /// The record's offset.
        offset: i64,
        /// What is wrong with it.
        error: WireError,
    },
}

impl PumpError {
    /// The same, with the record that was being processed where the log alone could not name it.
    pub(super) fn at(self, partition: i32, offset: i64) -> Self {
        match self {
            Self::Log(LogError::Fatal(error)) => Self::At { partition, offset, error },
            error => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_the_pump_names_the_record() {
        let error = PumpError::Log(LogError::Fatal("fenced".into())).at(3, 17);
        assert_eq!(error.to_string(), "fenced (at odds.ticks.v1 partition 3 offset 17)");
        let undone = PumpError::Log(LogError::Abort("timed out".into())).at(3, 17);
        assert!(matches!(undone, PumpError::Log(LogError::Abort(_))), "it is done again");
    }
}
