//! The reader of the processor's changelog.
//!
//! A record that does not fit ends what is served of it, not the process: the board, the signals and the streams need none of it.
//! It never skips one.

use std::time::Duration;

use arb_kafka::{self as kafka, Table, TableEvent};
use arb_runtime::stop::Stop;

use super::store::Quotes;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// Reads the changelog until the shutdown signal.
///
/// # Errors
/// [`kafka::Error`].
pub(crate) fn follow(mut table: Table, quotes: &Quotes, stop: &Stop) -> Result<(), kafka::Error> {
    while !stop.is_stopped() {
        let taken = match table.next(WAIT)? {
            TableEvent::Put { partition, key, value, .. } => quotes.put(partition, &key, value.as_deref()),
            TableEvent::CaughtUp => quotes.ready(),
            TableEvent::Idle => Ok(()),
        };
        if let Err(error) = taken {
            quotes.fail();
            tracing::error!(%error, "the changelog of the processor cannot be read: pages of own books, events and odds are not served");
            while !stop.wait(WAIT) {}
        }
    }
    Ok(())
}
