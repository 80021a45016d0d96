//! The end of a sink: the shutdown signal, and for how long what is under way may then still take.
//!
//! It must never end anything itself: the loop asks it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use arb_runtime::stop::Stop;

/// Whether the end has begun, and whether it is over.
pub(super) struct Ending {
    stop: Stop,
    close: Duration,
    /// Once the signal has been seen.
    ends_at: Cell<Option<Instant>>,
}

impl Ending {
    /// Ends so long after the signal.
    pub(super) fn new(stop: Stop, close: Duration) -> Self {
        Self { stop, close, ends_at: Cell::new(None) }
    }

    /// Whether the signal was sent.
    pub(super) fn has_begun(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Whether nothing is to be waited for any longer, such as a Kafka that is away.
    pub(super) fn is_over(&self) -> bool {
        if !self.has_begun() {
            return false;
        }
        let now = Instant::now();
        let ends_at = self.ends_at.get().unwrap_or(now + self.close);
        self.ends_at.set(Some(ends_at));
        now >= ends_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_so_long_after_the_signal() {
        let stop = Stop::default();
        let (at_once, later) =
            (Ending::new(stop.clone(), Duration::ZERO), Ending::new(stop.clone(), Duration::from_hours(1)));
        assert!(!at_once.has_begun() && !at_once.is_over());
        stop.stop();
        assert!(at_once.has_begun() && at_once.is_over());
        assert!(later.has_begun() && !later.is_over());
    }
}
