//! Why a pump stops: one sentence for the operator.
//!
//! What can be undone and done again is not an error of the pump.

use arb_schemas::wire::WireError;
use thiserror::Error;

use crate::log::LogError;

/// An error that is not known here in detail.
type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why the pump stopped.
#[derive(Debug, Error)]
pub enum PumpError {
    /// The log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The group's offset and the changelog name different places.
    #[error(
        "partition {partition}: the group has committed offset {committed} of {input}, and {changelog} is that of \
         {}: one of them was changed by hand, or belongs to another group",
        .state.map_or("no offset".to_owned(), |state| format!("offset {state}"))
    )]
    Disagree {
        /// The input topic.
        input: &'static str,
        /// The changelog.
        changelog: &'static str,
        /// The partition.
        partition: i32,
        /// The offset of the group.
        committed: i64,
        /// The offset of the changelog.
        state: Option<i64>,
    },
    /// The state of the changelog was computed under other rules.
    #[error(
        "partition {partition}: the records of {changelog} were made with {setting} {rules}: start with it, or with \
         empty topics"
    )]
    OtherRules {
        /// The changelog.
        changelog: &'static str,
        /// The partition.
        partition: i32,
        /// The setting.
        setting: &'static str,
        /// Its value then.
        rules: String,
    },
    /// The changelog holds a record that is not one of its records.
    #[error("{changelog} partition {partition} offset {offset} key {key}: {error}")]
    State {
        /// The changelog.
        changelog: &'static str,
        /// The partition.
        partition: i32,
        /// The record's offset.
        offset: i64,
        /// The record's key.
        key: String,
        /// The error.
        error: Source,
    },
    /// The log failed while a record was processed, or while its outputs were written.
    #[error("{error} (at {input} partition {partition} offset {offset})")]
    At {
        /// The input topic.
        input: &'static str,
        /// The partition.
        partition: i32,
        /// The record's offset.
        offset: i64,
        /// The error of the log.
        error: Source,
    },
    /// An output of a record fits no schema.
    #[error("{input} partition {partition} offset {offset}: {error}")]
    Record {
        /// The input topic.
        input: &'static str,
        /// The partition.
        partition: i32,
        /// The record's offset.
        offset: i64,
        /// What is wrong with it.
        error: WireError,
    },
}

/// Why a record could not be processed, before its position is added.
#[derive(Debug)]
pub(super) enum Failure {
    Log(LogError),
    Wire(WireError),
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl Failure {
    /// The same, with the record that was being processed where the log alone could not name it.
    pub(super) fn at(self, input: &'static str, partition: i32, offset: i64) -> PumpError {
        match self {
            Self::Log(LogError::Fatal(error)) => PumpError::At { input, partition, offset, error },
            Self::Log(error) => PumpError::Log(error),
            Self::Wire(error) => PumpError::Record { input, partition, offset, error },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_ends_the_pump_names_the_record() {
        let error = Failure::Log(LogError::Fatal("fenced".into())).at("odds.ticks.v1", 3, 17);
        assert_eq!(error.to_string(), "fenced (at odds.ticks.v1 partition 3 offset 17)");
        let undone = Failure::Log(LogError::Abort("timed out".into())).at("odds.ticks.v1", 3, 17);
        assert!(matches!(undone, PumpError::Log(LogError::Abort(_))), "it is done again");
    }
}
