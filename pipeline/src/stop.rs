//! The wish to end, shared by threads.
//!
//! It never ends anything itself: whoever holds it looks.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Set once, seen by all clones.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<(Mutex<bool>, Condvar)>);

impl Stop {
    /// Wishes the end.
    pub fn stop(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    /// Whether it is wished.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits so long, or until the end is wished; returns whether it is.
    #[must_use]
    pub fn wait(&self, time: Duration) -> bool {
        let stopped = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.1.wait_timeout_while(stopped, time, |stopped| !*stopped);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clone_sees_it() {
        let stop = Stop::default();
        assert!(!stop.wait(Duration::from_millis(1)));
        let other = stop.clone();
        let waiter = std::thread::spawn(move || other.wait(Duration::from_mins(5)));
        stop.stop();
        assert!(waiter.join().unwrap() && stop.is_stopped());
    }
}
