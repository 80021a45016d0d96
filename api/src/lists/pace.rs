//! Whether the board is older than its sources promise: how often polls come, and for how long none has come.
//!
//! The expected interval of a source is learnt from the gaps between its own polls, as they arrive here:
//! short for a recording that is replayed fast, long for a league that is polled every six hours. It never
//! reads a clock.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Gaps that are remembered.
const GAPS: usize = 8;
/// A board is stale when nothing has come for so many of the longest of them,
const TIMES: u32 = 3;
/// and for this long at the least: transactions and restarts take their time.
const LEAST: Duration = Duration::from_secs(30);
/// What is allowed before a gap is known.
const UNKNOWN: Duration = Duration::from_mins(15);

/// When polls came.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    last: Option<Instant>,
    /// The latest ones.
    gaps: VecDeque<Duration>,
}

impl Pace {
    /// A poll that is newer than all before has come.
    pub(crate) fn poll(&mut self, now: Instant) {
        if let Some(last) = self.last.replace(now) {
            self.gaps.truncate(GAPS - 1);
            self.gaps.push_front(now.duration_since(last));
        }
    }

    /// For how long none may come.
    fn allowed(&self) -> Duration {
        self.gaps.iter().max().map_or(UNKNOWN, |gap| (*gap * TIMES).max(LEAST))
    }

    /// Whether none has come for longer than that. Where none has ever come there is nothing that could be old.
    pub(crate) fn is_late(&self, now: Instant) -> bool {
        self.last.is_some_and(|last| now.duration_since(last) > self.allowed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pace after polls at these seconds, and the moment of second 0.
    fn polled(seconds: &[u64]) -> (Pace, Instant) {
        let (mut pace, begun) = (Pace::default(), Instant::now());
        for second in seconds {
            pace.poll(begun + Duration::from_secs(*second));
        }
        (pace, begun)
    }

    fn late_from(seconds: &[u64]) -> Option<u64> {
        let (pace, begun) = polled(seconds);
        let last = *seconds.last()?;
        (last..100_000).find(|second| pace.is_late(begun + Duration::from_secs(*second)))
    }

    #[test]
    fn a_board_is_late_after_three_of_its_longest_gaps() {
        assert_eq!(late_from(&[0, 60, 100]), Some(100 + 181));
        assert_eq!(late_from(&[0, 21_600]), Some(21_600 + 64_801));
    }

    #[test]
    fn half_a_minute_is_always_allowed_and_a_quarter_of_an_hour_before_a_gap_is_known() {
        assert_eq!(late_from(&[0, 2, 4]), Some(4 + 31));
        assert_eq!(late_from(&[5]), Some(5 + 901));
        let (none, begun) = polled(&[]);
        assert!(!none.is_late(begun + Duration::from_hours(1)));
    }

    #[test]
    fn long_gaps_are_forgotten() {
        let quick: Vec<_> = [0, 600].into_iter().chain((1..=8).map(|poll| 600 + 20 * poll)).collect();
        assert_eq!(late_from(&quick[..9]), Some(740 + 1_801), "one of the last eight");
        assert_eq!(late_from(&quick), Some(760 + 61));
    }
}
