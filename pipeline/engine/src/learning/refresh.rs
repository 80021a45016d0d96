//! The interval at which a book confirms its prices, from its own confirmations.
//!
//! A sample is the age that a price reaches before its next confirmation comes: `received_at` of the frame that
//! confirms it, less the `last_seen_at` that held until then. Samples are counted in a [`Sketch`] from a second to a day.
//! It never looks at a price.
//!
//! Source of the rule: ages when polled are 30 s in the median and 300 s at the 99th percentile, so one bound for
//! all books calls half of a healthy feed stale (design notes, measured on 32.8 million quotes).

use crate::Micros;

use super::sketch::{self, Sketch};

/// One second.
const SECOND: Micros = 1_000_000;
/// What is expected of a book that is not known: a quarter of an hour, the slowest polling of our recordings.
const PRIOR: Micros = 900 * SECOND;
/// A price is stale when it is older than so many times the expected interval: one confirmation was missed.
const PATIENCE: Micros = 2;
/// Nothing younger is stale: the clock skew and the delays of the feed itself.
const FLOOR: Micros = 30 * SECOND;
/// Nothing older is fresh, whatever a book's habits are.
const CEILING: Micros = 86_400 * SECOND;

/// The ages at which a book's prices were confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refresh {
    ages: Sketch,
    /// `received_at` of the latest sample.
    sampled_at: Micros,
    /// Within which 95 of 100 prices were confirmed when it was last looked at.
    interval: Option<Micros>,
}

impl Default for Refresh {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

/// The bucket of an age.
pub(crate) fn bucket(age: Micros) -> u8 {
    sketch::bucket(age, SECOND)
}

impl Refresh {
    /// That of a book of which nothing is known.
    pub(crate) const UNKNOWN: Self = Self { ages: Sketch::EMPTY, sampled_at: Micros::MIN, interval: None };

    /// From its counts; `None` when they are not such as it makes.
    #[must_use]
    pub fn from_counts(counts: &[u16], sampled_at: Micros, interval: Option<Micros>) -> Option<Self> {
        Some(Self { ages: Sketch::from_counts(counts)?, sampled_at, interval })
    }

    /// Its counts, without the empty buckets at the end.
    #[must_use]
    pub fn counts(&self) -> &[u16] {
        self.ages.counts()
    }

    /// `received_at` of its latest sample.
    #[must_use]
    pub fn sampled_at(&self) -> Micros {
        self.sampled_at
    }

    /// Within which 95 of 100 prices were confirmed when it was last looked at.
    #[must_use]
    pub fn interval(&self) -> Option<Micros> {
        self.interval
    }

    pub(crate) fn add(&mut self, bucket: u8, at: Micros) {
        self.ages.add(bucket);
        self.sampled_at = self.sampled_at.max(at);
    }

    /// Within which 95 of 100 prices were confirmed; `None` while there are too few samples.
    pub(crate) fn learnt_interval(&self) -> Option<Micros> {
        self.ages.quantile(95, SECOND)
    }

    /// Stores the current statistics as the expected interval.
    pub(crate) fn learn_interval(&mut self) {
        self.interval = self.learnt_interval();
    }
}

/// What is expected of each book, by its symbol: what its samples gave when they were last counted.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    intervals: Vec<Micros>,
    /// The least that any book is allowed.
    least_allowed: Micros,
    /// Some book is allowed less than when this was last asked.
    is_stricter: bool,
}

impl Default for Expected {
    fn default() -> Self {
        Self { intervals: Vec::new(), least_allowed: allowed(PRIOR), is_stricter: true }
    }
}

fn allowed(interval: Micros) -> Micros {
    (PATIENCE * interval).clamp(FLOOR, CEILING)
}

impl Expected {
    pub(crate) fn set(&mut self, book: usize, interval: Option<Micros>) {
        if self.intervals.len() <= book {
            self.intervals.resize(book + 1, PRIOR);
        }
        let interval = interval.unwrap_or(PRIOR);
        self.is_stricter |= allowed(interval) < allowed(self.intervals[book]);
        self.intervals[book] = interval;
        self.least_allowed = self.intervals.iter().copied().map(allowed).fold(allowed(PRIOR), Micros::min);
    }

    /// Whether some book is allowed less than when this was last asked. At first it is not known, so yes.
    pub(crate) fn take_stricter(&mut self) -> bool {
        std::mem::take(&mut self.is_stricter)
    }

    /// Within which 95 of 100 prices of the book are confirmed.
    pub(crate) fn interval(&self, book: usize) -> Micros {
        self.intervals.get(book).copied().unwrap_or(PRIOR)
    }

    /// The age beyond which a price of the book is stale.
    pub(crate) fn allowed(&self, book: usize) -> Micros {
        allowed(self.interval(book))
    }

    /// The least age beyond which any price can be stale.
    pub(crate) fn least_allowed(&self) -> Micros {
        self.least_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn learnt(ages: &[Micros]) -> Refresh {
        let mut refresh = Refresh::default();
        for age in ages {
            refresh.add(bucket(*age), 0);
        }
        refresh.learn_interval();
        refresh
    }

    #[test]
    fn a_book_is_known_after_a_hundred_samples() {
        let mut expected = Expected::default();
        assert_eq!(expected.allowed(3), 1_800 * SECOND);
        assert_eq!(learnt(&vec![20 * SECOND; 99]).interval(), None);
        let known = learnt(&vec![20 * SECOND; 100]).interval();
        expected.set(3, known);
        assert_eq!((known, expected.allowed(3)), (Some(22_627_441), 45_254_882));
        expected.set(3, Some(2 * SECOND));
        assert_eq!(expected.allowed(3), 30 * SECOND);
        expected.set(3, Some(80_000 * SECOND));
        assert_eq!(expected.allowed(3), 86_400 * SECOND);
    }

    #[test]
    fn old_habits_fade_and_one_gap_changes_nothing() {
        let mut refresh = learnt(&vec![900 * SECOND; 4_000]);
        let was = refresh.interval();
        (0..150).for_each(|_| refresh.add(bucket(30_000 * SECOND), 0));
        assert_eq!(refresh.learnt_interval(), was, "a gap of one poll");
        (0..20_000).for_each(|_| refresh.add(bucket(20 * SECOND), 0));
        assert_eq!(refresh.learnt_interval(), Some(22_627_441));
    }

    #[test]
    fn golden_patience() {
        let expected = |interval| {
            let mut expected = Expected::default();
            expected.set(0, interval);
            expected.allowed(0) / SECOND
        };
        // Twice the interval, at least half a minute, at most a day; 900 s where nothing is known.
        assert_eq!([None, Some(900 * SECOND)].map(expected), [1_800, 1_800]);
        assert_eq!([Some(1), Some(15 * SECOND), Some(16 * SECOND)].map(expected), [30, 30, 32]);
        assert_eq!([Some(43_200 * SECOND), Some(80_000 * SECOND)].map(expected), [86_400, 86_400]);
        assert_eq!(Expected::default().allowed(7), 1_800 * SECOND, "a book that was never named");
    }

    proptest! {
        /// The minimum of all books bounds each of them; a book whose limit becomes stricter is reported
        /// once.
        #[test]
        fn the_least_allowed_is_that_of_some_book_or_of_the_unknown(
            sets in prop::collection::vec((0..5_usize, prop::option::of(1..2_000 * SECOND)), 1..30),
        ) {
            let mut expected = Expected::default();
            prop_assert!(expected.take_stricter(), "at first nothing is known");
            for (book, interval) in sets {
                let was = expected.allowed(book);
                expected.set(book, interval);
                prop_assert_eq!(expected.interval(book), interval.unwrap_or(PRIOR));
                prop_assert_eq!(expected.take_stricter(), expected.allowed(book) < was);
                prop_assert!(!expected.take_stricter());
                let least = (0..6).map(|book| expected.allowed(book)).min();
                prop_assert_eq!(Some(expected.least_allowed()), least, "the sixth is a book that is not known");
            }
        }

        /// What is learnt of a book is within a fifth of the age that 95 of 100 of its confirmations had.
        #[test]
        fn the_interval_is_the_95th_percentile(ages in prop::collection::vec(SECOND..50_000 * SECOND, 100..500)) {
            let refresh = learnt(&ages);
            let mut sorted = ages;
            sorted.sort_unstable();
            let exact = sorted[(sorted.len() * 95).div_ceil(100) - 1];
            let found = refresh.learnt_interval().unwrap();
            prop_assert!(exact <= found + 1 && found <= exact * 1_190 / 1_000 + 1, "{} {}", exact, found);
        }
    }

    #[test]
    fn the_time_of_the_latest_sample_is_kept() {
        let mut refresh = Refresh::default();
        assert_eq!(refresh.sampled_at(), Micros::MIN);
        for (at, latest) in [(50, 50), (20, 50), (60, 60)] {
            refresh.add(3, at);
            assert_eq!(refresh.sampled_at(), latest);
        }
        let again = Refresh::from_counts(refresh.counts(), refresh.sampled_at(), refresh.interval());
        assert_eq!(again, Some(refresh));
    }
}
