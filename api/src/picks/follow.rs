//! The reader of the picks' topic. It never skips a record: one that cannot be read ends it with an error.

use std::time::Duration;

use arb_kafka::{Table, TableEvent};
use arb_runtime::stop::Stop;
use arb_schemas::topics::PICKS;
use arb_schemas::wire;

use super::store::PickStore;
use crate::lists::follow::FollowError;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// Reads the topic until the shutdown signal.
///
/// # Errors
/// [`FollowError`].
pub(crate) fn follow(mut table: Table, picks: &PickStore, stop: &Stop) -> Result<(), FollowError> {
    while !stop.is_stopped() {
        match table.next(WAIT)? {
            TableEvent::Put { partition, offset, value: Some(value), .. } => {
                let pick = wire::decode(&value).map_err(|error| FollowError::Record {
                    topic: PICKS.name,
                    partition,
                    offset,
                    error,
                })?;
                picks.put(pick);
            }
            TableEvent::Put { value: None, key, .. } => picks.remove(&String::from_utf8_lossy(&key)),
            TableEvent::CaughtUp => picks.ready(),
            TableEvent::Idle => {}
        }
    }
    Ok(())
}
