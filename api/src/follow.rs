//! The reader of the board's topic: every record into the [`Board`], for as long as the process lives.
//!
//! It blocks, so it has a thread of its own. It never skips: a record that cannot be read ends it with a sentence,
//! because a board with a hole in it is a wrong board.

use std::time::Duration;

use arb_pipeline::kafka::{self, Table, TableEvent};
use arb_pipeline::stop::Stop;
use arb_schemas::topics::ARBS_BOARD;
use arb_schemas::wire::{self, RecordType, WireError};
use thiserror::Error;

use crate::board::Board;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// Why the reader stopped.
#[derive(Debug, Error)]
pub enum FollowError {
    /// Kafka.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
    /// A record that is none of the topic's.
    #[error("{topic}: {error}")]
    Record {
        /// The topic.
        topic: &'static str,
        /// What is wrong.
        error: WireError,
    },
}

/// Reads until the end is wished.
///
/// # Errors
/// [`FollowError`].
pub fn follow(mut table: Table, board: &Board, stop: &Stop) -> Result<(), FollowError> {
    while !stop.is_stopped() {
        match table.next(WAIT)? {
            TableEvent::Put { partition, key, value } => {
                let put = apply(board, partition, &key, value.as_deref());
                put.map_err(|error| FollowError::Record { topic: ARBS_BOARD.name, error })?;
            }
            TableEvent::CaughtUp => board.ready(),
            TableEvent::Idle => {}
        }
    }
    Ok(())
}

fn apply(board: &Board, partition: i32, key: &[u8], value: Option<&[u8]>) -> Result<(), WireError> {
    let Some(value) = value else {
        board.remove(&String::from_utf8_lossy(key));
        return Ok(());
    };
    match RecordType::of(value)? {
        RecordType::BoardProgress => board.progress(partition, wire::decode(value)?),
        _ => board.put(wire::decode(value)?),
    }
    Ok(())
}
