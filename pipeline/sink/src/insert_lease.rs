//! The lease: for how long after the group was asked to confirm an owner that owner may begin to send rows.
//!
//! It is checked before an insert begins, and does not limit how long the insert then takes. Two clocks are
//! read: the steady one stops while the machine sleeps, and the wall clock may be set. When either has passed
//! the limit, the lease has expired. It never calls the group.

use std::time::{Duration, Instant};

use arb_schemas::time::Micros;

/// Less than the group waits for a silent member (6 s).
const LENGTH: Duration = Duration::from_secs(3);

/// Since when, by both clocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct InsertLease {
    since: Instant,
    /// UTC, in microseconds.
    since_at: Micros,
    clock: fn() -> Micros,
}

impl InsertLease {
    /// From now on, which must be before the group is asked.
    pub(super) fn from_now(clock: fn() -> Micros) -> Self {
        Self { since: Instant::now(), since_at: clock(), clock }
    }

    /// When it began.
    pub(super) fn since(&self) -> Instant {
        self.since
    }

    /// Whether it still holds.
    pub(super) fn holds(&self) -> bool {
        self.holds_at(Instant::now(), (self.clock)())
    }

    fn holds_at(&self, now: Instant, at: Micros) -> bool {
        // A clock that was set back gives no answer, and the next lease comes soon.
        let by_wall = u64::try_from(at.saturating_sub(self.since_at)).map(Duration::from_micros);
        now.duration_since(self.since) < LENGTH && by_wall.is_ok_and(|passed| passed < LENGTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Micros = 1_000_000;

    #[test]
    fn a_lease_ends_by_whichever_clock_is_first() {
        let lease = InsertLease::from_now(|| 1_000 * SECOND);
        let holds = |steady, wall: Micros| {
            lease.holds_at(lease.since() + Duration::from_millis(steady), (1_000 + wall) * SECOND)
        };
        assert!(holds(0, 0) && holds(2_999, 2));
        assert!(!holds(3_000, 2), "the wall was set back a little");
        assert!(!holds(100, 3), "the machine slept: the steady clock stood still");
        assert!(!holds(100, -1), "the wall was set back");
        assert!(lease.holds());
    }
}
