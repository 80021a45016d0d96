//! The one clock on the wall that is asked what time it is.
//!
//! For current facts only: the simulated market, the month of a quota, and ages in metrics. Everything that
//! is computed from records takes its time from them, never from here.

use std::time::{SystemTime, UNIX_EPOCH};

use arb_schemas::time::Micros;

/// UTC.
#[expect(clippy::disallowed_methods, reason = "this is the edge where it is asked")]
#[must_use]
pub fn now() -> Micros {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(Micros::MAX)
}

/// The same in milliseconds since 1970: the epoch of counters that begin now.
#[must_use]
pub fn epoch() -> i64 {
    now() / 1_000
}
