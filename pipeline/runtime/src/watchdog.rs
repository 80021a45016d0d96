//! The watchdog: detects that a loop, a pump's or the sink's, has stalled.
//!
//! It reads a counter that each loop increments, and never a loop's state. The caller decides what to do
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

/// Looks at the pulses of the loops of a process from time to time.
#[derive(Debug)]
pub struct Watcher(Vec<Watched>);

/// The pulse of one loop, as it was seen last.
#[derive(Debug)]
struct Watched {
    pulse: Pulse,
    seen: u64,
    since: Instant,
}

impl Watched {
    /// How long it has seen no beat; `None` before the first.
    fn silence(&mut self, now: Instant) -> Option<Duration> {
        let beats = self.pulse.0.load(Ordering::Relaxed);
        if beats != self.seen {
            (self.seen, self.since) = (beats, now);
        }
        (beats > 0).then(|| now.saturating_duration_since(self.since))
    }
}

impl Watcher {
    /// Of these pulses.
    #[must_use]
    pub fn new(pulses: &[Pulse]) -> Self {
        let watched = |pulse: &Pulse| Watched { pulse: pulse.clone(), seen: 0, since: Instant::now() };
        Self(pulses.iter().map(watched).collect())
    }

    /// The longest that it has seen no beat of one of them until now; `None` before the first: until then a loop connects, with its own
    /// time-outs.
    pub fn silence(&mut self, now: Instant) -> Option<Duration> {
        self.0.iter_mut().filter_map(|watched| watched.silence(now)).max()
    }
}

/// Watches until there was no beat of a loop for so long after its first, or the work is done; whether it was a stall.
#[must_use]
pub fn watch(pulses: &[Pulse], limit: Duration, done: &Stop) -> bool {
    let mut watcher = Watcher::new(pulses);
    while !done.wait(limit / 8) {
        if watcher.silence(Instant::now()).is_some_and(|silence| silence >= limit) {
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
        let (pulse, done) = ([Pulse::default()], Stop::default());
        pulse[0].beat();
        assert!(watch(&pulse, Duration::from_millis(20), &done));
        done.stop();
        assert!(!watch(&pulse, Duration::from_millis(20), &done));
    }

    #[test]
    fn one_loop_that_stalls_among_others_is_a_stall() {
        let [moving, stalled, not_begun] = [(); 3].map(|()| Pulse::default());
        let mut watcher = Watcher::new(&[moving.clone(), stalled.clone(), not_begun]);
        let (begun, second) = (Instant::now(), Duration::from_secs(1));
        assert_eq!(watcher.silence(begun + 9 * second), None, "none has begun");
        stalled.beat();
        assert_eq!(watcher.silence(begun + 10 * second), Some(Duration::ZERO));
        moving.beat();
        assert_eq!(watcher.silence(begun + 11 * second), Some(second));
        stalled.beat();
        assert_eq!(watcher.silence(begun + 12 * second), Some(second), "the other one is silent since then");
    }
}
