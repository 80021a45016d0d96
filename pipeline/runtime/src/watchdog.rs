//! The watchdog: detects that a loop, the pump's or the sink's, has stalled.
//!
//! It reads a counter that the loop increments, and never the loop's state. The caller decides what to do
//! about a stall.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::stop::Stop;

/// A loop's sign of life.
#[derive(Debug, Clone, Default)]
pub struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// Reports that the loop is running.
    pub fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Looks at a pulse from time to time.
#[derive(Debug)]
pub struct Watcher {
    pulse: Pulse,
    seen: u64,
    since: Instant,
}

impl Watcher {
    /// Of this pulse.
    #[must_use]
    pub fn new(pulse: Pulse) -> Self {
        Self { pulse, seen: 0, since: Instant::now() }
    }

    /// How long it has seen no beat; `None` before the first: until then the loop connects, with its own
    /// time-outs.
    pub fn silence(&mut self) -> Option<Duration> {
        let now = self.pulse.0.load(Ordering::Relaxed);
        if now != self.seen {
            (self.seen, self.since) = (now, Instant::now());
        }
        (now > 0).then(|| self.since.elapsed())
    }
}

/// Watches until there was no beat for so long after the first, or the work is done; whether it was a stall.
#[must_use]
pub fn watch(pulse: &Pulse, limit: Duration, done: &Stop) -> bool {
    let mut watcher = Watcher::new(pulse.clone());
    while !done.wait(limit / 8) {
        if watcher.silence().is_some_and(|silence| silence >= limit) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_a_stall_and_the_end_of_the_work_is_none() {
        let (pulse, done) = (Pulse::default(), Stop::default());
        pulse.beat();
        assert!(watch(&pulse, Duration::from_millis(20), &done));
        done.stop();
        assert!(!watch(&pulse, Duration::from_millis(20), &done));
    }

    #[test]
    fn it_watches_after_the_first_beat() {
        let (pulse, done) = (Pulse::default(), Stop::default());
        let watched = {
            let (pulse, done) = (pulse.clone(), done.clone());
            std::thread::spawn(move || watch(&pulse, Duration::from_millis(8), &done))
        };
        std::thread::sleep(Duration::from_millis(40));
        assert!(!watched.is_finished(), "it has not begun");
        pulse.beat();
        assert!(watched.join().unwrap());
    }
}
