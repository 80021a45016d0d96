//! The circuit breaker of an endpoint: after failures in a row it is left alone for a while, then tried with one request. Pure.

use arb_feed::webhook::circuit::open_until;
use arb_schemas::time::Micros;

/// Attempts to an endpoint that fail in a row, as the state of the machine has them: whoever takes the endpoint over goes on from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failing {
    /// The first one; the success that ended the run, where there are none.
    pub since: Micros,
    /// How many.
    pub failures: u32,
    /// The last one.
    pub failed_at: Micros,
}

impl Failing {
    /// One attempt has failed.
    pub(crate) fn first(at: Micros) -> Self {
        Self { since: at, failures: 1, failed_at: at }
    }

    /// A success has ended the run.
    pub(crate) fn ended(at: Micros) -> Self {
        Self { since: at, failures: 0, failed_at: at }
    }

    /// Another attempt has failed.
    pub(crate) fn next(self, at: Micros) -> Self {
        let Self { since, failures, failed_at } = self;
        if failures == 0 {
            return Self::first(at);
        }
        Self { since, failures: failures.saturating_add(1), failed_at: failed_at.max(at) }
    }

    /// Whether the last attempt failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.failures > 0
    }

    /// Whether an attempt of a moment was before the run, or before the success that ended the last one.
    pub(crate) fn is_before(&self, at: Micros) -> bool {
        at < self.since || self.failures == 0 && at == self.since
    }
}

/// Whether an endpoint is left alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Circuit {
    failures: u32,
    failed_at: Micros,
}

impl Circuit {
    /// Whether a request may be sent while so many are under way.
    pub(crate) fn allows(&self, now: Micros, in_flight: usize) -> bool {
        self.open_until().is_none_or(|until| now >= until && in_flight == 0)
    }

    /// Until when nothing is sent; `None` while it is closed.
    pub(crate) fn open_until(&self) -> Option<Micros> {
        open_until(self.failures, self.failed_at)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open_until().is_some()
    }

    /// Whether the last request failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// A request ended.
    pub(crate) fn note(&mut self, is_success: bool, now: Micros) {
        let failures = self.failures + 1;
        *self = if is_success { Self::default() } else { Self { failures, failed_at: now } };
    }

    /// Takes over what is known of attempts of another process, or of before a pause.
    pub(crate) fn take_over(&mut self, Failing { failures, failed_at, .. }: Failing) {
        if failures > self.failures {
            *self = Self { failures, failed_at };
        }
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::time::SECOND;

    use super::*;

    /// For how long it is open at first.
    const FIRST: Micros = 5 * SECOND;

    #[test]
    fn it_opens_after_five_failures_and_closes_with_a_success() {
        let mut circuit = Circuit::default();
        for _ in 0..4 {
            circuit.note(false, 0);
        }
        assert!(circuit.allows(0, 3) && !circuit.is_open());
        circuit.note(false, 0);
        assert!(circuit.is_open() && !circuit.allows(FIRST - 1, 0));
        assert!(circuit.allows(FIRST, 0) && !circuit.allows(FIRST, 1), "one trial at a time");
        circuit.note(false, FIRST);
        assert!(!circuit.allows(2 * FIRST, 0) && circuit.allows(3 * FIRST, 0), "the pause doubles");
        circuit.note(true, 3 * FIRST);
        assert!(circuit.allows(3 * FIRST, 3) && !circuit.is_open());
    }

    #[test]
    fn the_pause_goes_on_at_another_process() {
        let mut other = Circuit::default();
        other.take_over(Failing { since: 0, failures: 7, failed_at: SECOND });
        assert_eq!(other.open_until(), Some(21 * SECOND));
        other.take_over(Failing { since: 0, failures: 6, failed_at: 9 * SECOND });
        assert_eq!(other.open_until(), Some(21 * SECOND), "what it knows is newer");
    }
}
