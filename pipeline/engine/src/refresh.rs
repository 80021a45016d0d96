//! How long a book takes to confirm its prices, learnt from its own confirmations.
//!
//! A sample is the age that a price reaches before its next confirmation comes: `received_at` of the frame that
//! confirms it, less the `last_seen_at` that held until then. Samples are counted in buckets whose bounds
//! grow by 2^(1/4) from a second to a day, so that a quantile is never too small and at most 19 % too
//! large; all counts are halved when there are too many, so that old habits fade. Integers only: a replay must
//! learn the same. It never looks at a price.
//!
//! Source of the rule: ages when polled are 30 s in the median and 300 s at the 99th percentile, so one bound for
//! all books calls half of a healthy feed stale (design notes, measured on 32.8 million quotes).

use crate::Micros;

/// One second.
const SECOND: Micros = 1_000_000;
/// 2^(k/4) in 65536ths.
const QUARTERS: [Micros; 4] = [65_536, 77_936, 92_682, 110_218];
/// Octaves from a second to a day.
const OCTAVES: usize = 17;
/// Below a second, four an octave; the last also holds all that is older.
const BUCKETS: usize = 1 + 4 * OCTAVES;
/// The last bucket.
const LAST: u8 = 68;
/// Samples before all are halved. A poll gives one for each market of each event, a hundred at once: so many
/// that one long gap between polls stays below the twentieth that would move the quantile.
const MOST: u32 = 4_096;
/// Samples below which the book is not known yet.
const LEAST: u32 = 100;
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
    counts: [u16; BUCKETS],
    total: u32,
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
    let seconds = age / SECOND;
    if seconds <= 0 {
        return 0;
    }
    let octave = seconds.ilog2();
    if octave as usize >= OCTAVES {
        return LAST;
    }
    let part = ((age << 16) / SECOND) >> octave;
    let quarter = QUARTERS[1..].iter().filter(|bound| part >= **bound).count();
    u8::try_from(1 + 4 * octave as usize + quarter).unwrap_or(LAST)
}

/// The least age that is above those of a bucket.
fn bound(bucket: usize) -> Micros {
    let (octave, quarter) = (bucket / 4, bucket % 4);
    ((QUARTERS[quarter] * SECOND) << octave) >> 16
}

impl Refresh {
    /// That of a book of which nothing is known.
    pub(crate) const UNKNOWN: Self =
        Self { counts: [0; BUCKETS], total: 0, sampled_at: Micros::MIN, interval: None };

    /// From its counts; `None` when they are not such as it makes.
    #[must_use]
    pub fn from_counts(counts: &[u16], sampled_at: Micros, interval: Option<Micros>) -> Option<Self> {
        let mut refresh = Self { sampled_at, interval, ..Self::default() };
        refresh.counts.get_mut(..counts.len())?.copy_from_slice(counts);
        refresh.total = counts.iter().copied().map(u32::from).sum();
        (refresh.total <= MOST).then_some(refresh)
    }

    /// Its counts, without the empty buckets at the end.
    #[must_use]
    pub fn counts(&self) -> &[u16] {
        let used = self.counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        &self.counts[..used]
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
        self.counts[usize::from(bucket)] += 1;
        self.total += 1;
        self.sampled_at = self.sampled_at.max(at);
        if self.total > MOST {
            self.counts.iter_mut().for_each(|count| *count /= 2);
            self.total = self.counts.iter().copied().map(u32::from).sum();
        }
    }

    /// Within which 95 of 100 prices were confirmed; `None` while there are too few samples.
    pub(crate) fn learnt_interval(&self) -> Option<Micros> {
        (self.total >= LEAST).then(|| self.quantile(95, 100))
    }

    /// Remembers what is learnt as what is expected.
    pub(crate) fn look(&mut self) {
        self.interval = self.learnt_interval();
    }

    /// The least bound below which so many parts of the samples lie.
    fn quantile(&self, parts: u32, of: u32) -> Micros {
        let wanted = (self.total * parts).div_ceil(of);
        let mut below = 0;
        let place = self.counts.iter().position(|count| {
            below += u32::from(*count);
            below >= wanted
        });
        bound(place.unwrap_or(BUCKETS - 1))
    }
}

/// What is expected of each book, by its symbol: what the last look at its samples said.
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
#[allow(clippy::cast_possible_truncation)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn learnt(ages: &[Micros]) -> Refresh {
        let mut refresh = Refresh::default();
        for age in ages {
            refresh.add(bucket(*age), 0);
        }
        refresh.look();
        refresh
    }

    #[test]
    fn buckets_grow_by_the_fourth_root_of_two() {
        let of = |seconds: f64| bucket((seconds * 1e6) as Micros);
        assert_eq!([of(-1.0), of(0.0), of(0.99), of(1.0), of(1.18)], [0, 0, 0, 1, 1]);
        assert_eq!([of(1.2), of(1.42), of(1.7), of(2.0), of(4.0)], [2, 3, 4, 5, 9]);
        assert_eq!((of(86_400.0), of(1e9), bucket(Micros::MAX)), (66, LAST, LAST));
        assert_eq!(usize::from(LAST) + 1, BUCKETS);
        assert_eq!((bound(0), bound(4), bound(8)), (SECOND, 2 * SECOND, 4 * SECOND));
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
    fn counts_make_it_again() {
        let refresh = learnt(&[1, 5 * SECOND, 90_000 * SECOND]);
        let again = Refresh::from_counts(refresh.counts(), 0, None);
        assert_eq!(again, Some(refresh));
        assert_eq!(Refresh::from_counts(&[0; BUCKETS + 1], 0, None), None);
        assert_eq!(Refresh::from_counts(&[u16::MAX], 0, None), None);
    }

    proptest! {
        #[test]
        fn the_quantile_is_never_too_small_and_at_most_a_fifth_too_large(
            ages in prop::collection::vec(SECOND..86_400 * SECOND, 100..1_000)
        ) {
            let said = learnt(&ages).interval().unwrap();
            let mut sorted = ages;
            sorted.sort_unstable();
            let exact = sorted[(sorted.len() * 95).div_ceil(100) - 1];
            // A microsecond for the rounding of the bounds.
            prop_assert!(exact <= said + 1 && said <= exact * 1_190 / 1_000 + 1, "{exact} {said}");
        }
    }
}
