//! Why a pump stops: one sentence for whoever runs it.
//!
//! What it can undo and do again is no error of it.

use arb_schemas::topics::{ODDS_TICKS, PROCESS_STATE};
use arb_schemas::wire::WireError;
use thiserror::Error;

use super::log::LogError;
use crate::records::state::StateError;

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
    #[error("{changelog} partition {partition}: {error}", changelog = PROCESS_STATE.name)]
    State {
        /// The partition.
        partition: i32,
        /// What is wrong.
        error: StateError,
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
