//! The shutdown signal, shared by threads and tasks.
//!
//! It never ends anything itself: its holders poll it, or wait for it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// Set once, seen by all clones.
///
/// ```
/// use arb_runtime::stop::Stop;
/// use std::time::Duration;
///
/// let stop = Stop::default();
/// let worker = std::thread::spawn({
///     let stop = stop.clone();
///     move || while !stop.wait(Duration::from_secs(60)) {}
/// });
/// stop.stop();
/// worker.join().unwrap();
/// assert!(stop.is_stopped());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<StopState>);

#[derive(Debug, Default)]
struct StopState {
    is_sent: Mutex<bool>,
    /// For threads.
    sent: Condvar,
    /// For tasks.
    notify: Notify,
}

impl Stop {
    /// Sends the signal.
    pub fn stop(&self) {
        *self.0.is_sent.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.sent.notify_all();
        self.0.notify.notify_waiters();
    }

    /// Whether the signal was sent.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.is_sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits so long, or until the signal; returns whether it was sent.
    #[must_use]
    pub fn wait(&self, time: Duration) -> bool {
        let is_sent = self.0.is_sent.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.sent.wait_timeout_while(is_sent, time, |is_sent| !*is_sent);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits until the signal, in a task.
    pub async fn stopped(&self) {
        // Registered before the check, so that a signal in between is not lost.
        let notify = self.0.notify.notified();
        if !self.is_stopped() {
            notify.await;
        }
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
        let (task, runtime) = (stop.clone(), tokio::runtime::Builder::new_current_thread().build().unwrap());
        let (begun, has_begun) = std::sync::mpsc::channel();
        let task = std::thread::spawn(move || {
            runtime.block_on(async {
                let stopped = task.stopped();
                begun.send(()).unwrap();
                stopped.await;
            });
        });
        has_begun.recv().unwrap();
        stop.stop();
        assert!(waiter.join().unwrap() && stop.is_stopped());
        task.join().unwrap();
    }

    #[test]
    fn a_task_that_comes_late_does_not_wait() {
        let stop = Stop::default();
        stop.stop();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(stop.stopped());
    }
}
