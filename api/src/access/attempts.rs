//! How often somebody may try within a time: a fixed number for each name, and for all together.
//!
//! It holds a bounded number of names; the oldest are forgotten first. It never asks a clock.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Names that are held.
const MAX_NAMES: usize = 100_000;

/// A limit of attempts.
#[derive(Debug)]
pub(crate) struct Attempts {
    most: usize,
    within: Duration,
    /// When each name has tried.
    tried: Mutex<BTreeMap<String, VecDeque<Instant>>>,
}

impl Attempts {
    /// So many within a time.
    pub(crate) fn new(most: usize, within: Duration) -> Self {
        Self { most, within, tried: Mutex::default() }
    }

    /// Counts an attempt of a name.
    ///
    /// # Errors
    /// How long it is until the next one is allowed; this one is not counted.
    pub(crate) fn note(&self, name: &str, now: Instant) -> Result<(), Duration> {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if tried.len() >= MAX_NAMES {
            self.forget(&mut tried, now);
        }
        let times = tried.entry(name.to_owned()).or_default();
        while times.front().is_some_and(|time| now.saturating_duration_since(*time) >= self.within) {
            times.pop_front();
        }
        if let Some(first) = times.front().filter(|_| times.len() >= self.most) {
            return Err(self.within.saturating_sub(now.saturating_duration_since(*first)));
        }
        times.push_back(now);
        Ok(())
    }

    /// Forgets who has not tried within the time, and everybody when that is nobody.
    fn forget(&self, tried: &mut BTreeMap<String, VecDeque<Instant>>, now: Instant) {
        let is_recent = |time: &Instant| now.saturating_duration_since(*time) < self.within;
        tried.retain(|_, times| times.back().is_some_and(is_recent));
        if tried.len() >= MAX_NAMES {
            tried.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_try_so_often_within_the_time() {
        let (attempts, start) = (Attempts::new(2, Duration::from_secs(10)), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(attempts.note("a", after(0)), Ok(()));
        assert_eq!(attempts.note("a", after(4)), Ok(()));
        assert_eq!(attempts.note("a", after(5)), Err(Duration::from_secs(5)));
        assert_eq!(attempts.note("b", after(5)), Ok(()), "another name");
        assert_eq!(attempts.note("a", after(10)), Ok(()), "a refused attempt is not counted");
        assert_eq!(attempts.note("a", after(10)), Err(Duration::from_secs(4)));
    }

    #[test]
    fn names_are_forgotten_before_memory_grows() {
        let (attempts, start) = (Attempts::new(1, Duration::from_secs(1)), Instant::now());
        for number in 0..MAX_NAMES + 10 {
            let _ = attempts.note(&number.to_string(), start);
        }
        assert!(attempts.tried.lock().unwrap().len() <= MAX_NAMES);
    }
}
