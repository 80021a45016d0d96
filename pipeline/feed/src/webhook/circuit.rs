//! Until when an endpoint is left alone after failures in a row: what the deliverer does, and the API shows. Pure.

use arb_schemas::time::{Micros, SECOND};

/// Failures in a row that open it.
const FAILURES: u32 = 5;
/// For how long it is open at first, and at most; the time doubles while its trials fail.
const FIRST: Micros = 5 * SECOND;
const LONGEST: Micros = 120 * SECOND;
/// How often it doubles at most.
const DOUBLED: u32 = 5;

/// Until when an endpoint is left alone after so many failures in a row, the last one at a moment; `None` while its circuit is closed.
#[must_use]
pub fn open_until(failures: u32, failed_at: Micros) -> Option<Micros> {
    let doubled = failures.checked_sub(FAILURES)?.min(DOUBLED);
    Some(failed_at.saturating_add((FIRST << doubled).min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_five_failures_for_two_minutes_at_most() {
        let pauses: Vec<_> = (1..=12).map(|failures| open_until(failures, 0).unwrap_or(0) / SECOND).collect();
        assert_eq!(pauses, [0, 0, 0, 0, 5, 10, 20, 40, 80, 120, 120, 120]);
    }
}
