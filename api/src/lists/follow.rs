//! The readers of the compacted topics: every record into its list, for as long as the process runs.
//!
//! Each reader blocks, so it has a dedicated thread. It never skips: a record that cannot be read ends it
//! with an error, because a board with a missing record is wrong.

use std::time::Duration;

use arb_kafka::{self as kafka, Table, TableEvent};
use arb_runtime::stop::Stop;
use arb_schemas::wire::{self, RecordType, WireError};
use thiserror::Error;

use crate::lists::entries::Entries;
use crate::lists::listed::Listed;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// With what the key of a source's progress begins, before its name.
const PROGRESS: &str = "progress/";

/// Why the reader stopped.
#[derive(Debug, Error)]
pub enum FollowError {
    /// Kafka.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
    /// A record that is none of the topic's.
    #[error("{topic} partition {partition} offset {offset}: {error}")]
    Record {
        /// The topic.
        topic: &'static str,
        /// The partition.
        partition: i32,
        /// The record's offset.
        offset: i64,
        /// The error.
        error: WireError,
    },
}

/// Reads a topic into its list until the shutdown signal.
///
/// # Errors
/// [`FollowError`].
pub(crate) fn follow<E: Listed>(
    mut table: Table,
    entries: &Entries<E>,
    stop: &Stop,
) -> Result<(), FollowError> {
    while !stop.is_stopped() {
        match table.next(WAIT)? {
            TableEvent::Put { partition, offset, key, value } => {
                let put = apply(entries, partition, &key, value.as_deref());
                put.map_err(|error| FollowError::Record { topic: E::TOPIC.name, partition, offset, error })?;
            }
            TableEvent::CaughtUp => entries.ready(),
            TableEvent::Idle => {}
        }
    }
    Ok(())
}

fn apply<E: Listed>(
    entries: &Entries<E>,
    partition: i32,
    key: &[u8],
    value: Option<&[u8]>,
) -> Result<(), WireError> {
    let Some(value) = value else {
        let key = String::from_utf8_lossy(key);
        match key.strip_prefix(PROGRESS) {
            Some(source) if E::TOPIC.records.contains(&RecordType::BoardProgress) => {
                entries.polls().remove(partition, source);
            }
            _ => entries.remove(&key),
        }
        return Ok(());
    };
    let found = RecordType::of(value)?;
    if found == RecordType::BoardProgress && E::TOPIC.records.contains(&found) {
        entries.polls().note(partition, wire::decode(value)?);
    } else {
        entries.put(wire::decode(value)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arb_feed::fixtures::{entry, signal};
    use arb_schemas::records::{BoardEntry, BoardProgress, EdgeSignal};
    use arb_schemas::wire::encode;

    use super::*;
    use crate::lists::polls::Polls;

    #[test]
    fn each_topic_has_its_own_records() {
        let polls = Arc::new(Polls::new(1));
        let sports = Arc::default();
        let board = Entries::<BoardEntry>::new(&polls, &sports);
        let signals = Entries::<EdgeSignal>::new(&polls, &sports);
        let progress = encode(&BoardProgress { source: "s".into(), received_at: 7 }).unwrap();
        let (window, edge) = (encode(&entry("a", 0.02)).unwrap(), encode(&signal("b", 1)).unwrap());
        apply(&board, 0, b"a", Some(&window)).unwrap();
        apply(&board, 0, b"progress/s", Some(&progress)).unwrap();
        apply(&signals, 0, b"b", Some(&edge)).unwrap();
        assert_eq!((board.len(), signals.len(), polls.as_of()), (1, 1, Some(7)));
        for message in [&window, &progress, &vec![]] {
            assert!(apply(&signals, 0, b"x", Some(message)).is_err());
        }
        assert!(apply(&board, 0, b"x", Some(&edge)).is_err());
        apply(&signals, 0, b"b", None).unwrap();
        apply(&signals, 0, b"never there", None).unwrap();
        assert_eq!((board.len(), signals.len()), (1, 0));
        apply(&signals, 0, b"progress/s", None).unwrap();
        assert_eq!(polls.as_of(), Some(7), "it is the board's alone");
        apply(&board, 0, b"progress/s", None).unwrap();
        assert_eq!((board.len(), polls.as_of()), (1, None));
    }
}
