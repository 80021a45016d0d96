//! The watchdog: notices that the pump no longer moves.
//!
//! It looks at a counter that the pump raises, and never at the pump's state. What to do about a stall is for
//! whoever asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::stop::Stop;

/// The pump's sign of life.
#[derive(Debug, Clone, Default)]
pub struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// It lives.
    pub fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Watches until there was no beat for so long, or the end is wished; whether it was a stall.
#[must_use]
pub fn watch(pulse: &Pulse, limit: Duration, stop: &Stop) -> bool {
    let (mut seen, mut since) = (pulse.0.load(Ordering::Relaxed), Instant::now());
    while !stop.wait(limit / 8) {
        let now = pulse.0.load(Ordering::Relaxed);
        if now != seen {
            (seen, since) = (now, Instant::now());
        } else if since.elapsed() >= limit {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_a_stall_and_a_wish_to_end_is_none() {
        let (pulse, stop) = (Pulse::default(), Stop::default());
        pulse.beat();
        assert!(watch(&pulse, Duration::from_millis(20), &stop));
        stop.stop();
        assert!(!watch(&pulse, Duration::from_millis(20), &stop));
    }

    #[test]
    fn beats_put_it_off() {
        let (pulse, stop) = (Pulse::default(), Stop::default());
        let watched = {
            let (pulse, stop) = (pulse.clone(), stop.clone());
            std::thread::spawn(move || watch(&pulse, Duration::from_mins(1), &stop))
        };
        pulse.beat();
        stop.stop();
        assert!(!watched.join().unwrap());
    }
}
