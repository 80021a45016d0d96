//! How often somebody may try within a time: a fixed number for each name.
//!
//! It holds a bounded number of names; those that tried longest ago are forgotten first. It never asks a clock.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
        let mut tried = self.tried();
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

    /// Takes back an attempt that was counted at a moment.
    pub(crate) fn take_back(&self, name: &str, counted: Instant) {
        let mut tried = self.tried();
        let Some(times) = tried.get_mut(name) else { return };
        if let Some(place) = times.iter().rposition(|time| *time == counted) {
            times.remove(place);
        }
        if times.is_empty() {
            tried.remove(name);
        }
    }

    fn tried(&self) -> MutexGuard<'_, BTreeMap<String, VecDeque<Instant>>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets who has not tried within the time, and the half that tried longest ago when that is nobody. Whoever brings ever new
    /// names makes room among them, and never clears the count of a name that has just tried.
    fn forget(&self, tried: &mut BTreeMap<String, VecDeque<Instant>>, now: Instant) {
        let is_recent = |time: &Instant| now.saturating_duration_since(*time) < self.within;
        tried.retain(|_, times| times.back().is_some_and(is_recent));
        if tried.len() >= MAX_NAMES {
            let mut last: Vec<_> = tried.values().filter_map(|times| times.back().copied()).collect();
            let half = last.len() / 2;
            let (_, middle, _) = last.select_nth_unstable(half);
            let middle = *middle;
            tried.retain(|_, times| times.back().is_some_and(|time| *time > middle));
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
    fn an_attempt_that_is_taken_back_was_none() {
        let (attempts, start) = (Attempts::new(2, Duration::from_secs(10)), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        (0..2).for_each(|second| assert_eq!(attempts.note("a", after(second)), Ok(())));
        attempts.take_back("a", after(0));
        assert_eq!(attempts.note("a", after(2)), Ok(()));
        assert_eq!(attempts.note("a", after(2)), Err(Duration::from_secs(9)), "the other one counts");
        attempts.take_back("a", after(7));
        attempts.take_back("b", after(0));
        assert_eq!(attempts.note("a", after(2)), Err(Duration::from_secs(9)), "what was never counted");
    }

    #[test]
    fn the_names_that_tried_longest_ago_are_forgotten_before_memory_grows() {
        let (attempts, start) = (Attempts::new(1, Duration::from_hours(1)), Instant::now());
        for number in 0..MAX_NAMES + 10 {
            let _ = attempts.note(&number.to_string(), start + Duration::from_micros(number as u64));
        }
        assert!(attempts.tried.lock().unwrap().len() <= MAX_NAMES);
        let later = start + Duration::from_mins(1);
        assert!(attempts.note(&(MAX_NAMES - 1).to_string(), later).is_err(), "one of the last still counts");
        assert_eq!(attempts.note("0", later), Ok(()), "the first is forgotten");
    }
}
