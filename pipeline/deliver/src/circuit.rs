//! The circuit breaker of an endpoint: after failures in a row it is left alone for a while, then tried with one request. Pure.

use arb_schemas::time::{Micros, SECOND};

/// Failures in a row that open it.
const FAILURES: u32 = 5;
/// For how long it is open at first, and at most; the time doubles while its trials fail.
const FIRST: Micros = 5 * SECOND;
const LONGEST: Micros = 120 * SECOND;

/// Whether an endpoint is left alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Circuit {
    failures: u32,
    open_until: Option<Micros>,
    pause: Micros,
}

impl Circuit {
    /// Whether a request may be sent while so many are under way.
    pub(crate) fn allows(&self, now: Micros, in_flight: usize) -> bool {
        self.open_until.is_none_or(|until| now >= until && in_flight == 0)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open_until.is_some()
    }

    /// Whether the last request failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// A request ended.
    pub(crate) fn note(&mut self, is_success: bool, now: Micros) {
        if is_success {
            *self = Self::default();
            return;
        }
        self.failures += 1;
        if self.failures >= FAILURES {
            self.pause = (self.pause * 2).clamp(FIRST, LONGEST);
            self.open_until = Some(now + self.pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
