//! The threads of the replica: one reads the accounts topic for as long as the process lives, one asks where it ends.
//!
//! It never skips a record: a directory with a missing record could accept a revoked key.

use std::time::{Duration, Instant};

use arb_accounts::codec;
use arb_kafka::{self as kafka, EndProbe, Table, TableEvent};
use arb_runtime::stop::Stop;
use arb_schemas::topics::ACCOUNTS;
use arb_schemas::wire::WireError;
use thiserror::Error;

use super::replica::{Change, Replica};
use crate::telemetry;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);
/// How often the end is asked for.
pub const EVERY: Duration = Duration::from_millis(250);
/// How long one question may take: a broker that does not answer is asked again.
const WITHIN: Duration = Duration::from_millis(500);

/// Why the replica is not followed any more.
#[derive(Debug, Error)]
pub enum ReplicaError {
    /// Kafka.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
    /// A record that is none of the topic's.
    #[error("{} offset {offset}: {error}", ACCOUNTS.name)]
    Part {
        /// The record's offset.
        offset: i64,
        /// What is wrong.
        error: WireError,
    },
}

/// Reads the topic until the shutdown signal; `changed` is called after each change but those of sessions and replies.
///
/// # Errors
/// [`ReplicaError`].
pub(crate) fn read(
    mut table: Table,
    replica: &Replica,
    stop: &Stop,
    changed: impl Fn(Change),
) -> Result<(), ReplicaError> {
    while !stop.is_stopped() {
        match table.next(WAIT)? {
            TableEvent::Put { offset, key, value, .. } => {
                let change = apply(replica, &key, value.as_deref())
                    .map_err(|error| ReplicaError::Part { offset, error })?;
                replica.has_read(offset + 1);
                if change != Change::Other {
                    changed(change);
                }
            }
            TableEvent::CaughtUp => replica.ready(),
            TableEvent::Idle => {}
        }
    }
    Ok(())
}

fn apply(replica: &Replica, key: &[u8], value: Option<&[u8]>) -> Result<Change, WireError> {
    let Some(value) = value else { return Ok(replica.remove(&String::from_utf8_lossy(key))) };
    let part = codec::decode_part(key, value)?;
    Ok(part.map_or(Change::Other, |part| replica.put(part)))
}

/// Asks where the topic ends until the shutdown signal.
///
/// # Errors
/// [`ReplicaError`].
pub(crate) fn watch_end(mut probe: EndProbe, replica: &Replica, stop: &Stop) -> Result<(), ReplicaError> {
    loop {
        let asked_at = Instant::now();
        if let Some(required) = probe.required(replica.next(), WITHIN)? {
            replica.note_required(asked_at, required);
        }
        telemetry::accounts_current(replica.is_current());
        if stop.wait(EVERY) {
            return Ok(());
        }
    }
}
