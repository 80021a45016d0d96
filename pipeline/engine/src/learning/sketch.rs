//! How often values of a quantity were seen: counts in buckets that grow by 2^(1/4), and their quantiles.
//!
//! A bucket is 19 % wide, so a quantile is never too small and at most 19 % too large. All counts are halved
//! when there are too many, so that old values fade. Integers only: a replay must give the same statistics.
//! It never knows the quantity or its unit: bucket 0 has what is below one unit, the last one everything
//! above all others.

/// 2^(k/4) in 65536ths.
const QUARTERS: [i64; 4] = [65_536, 77_936, 92_682, 110_218];
/// Doublings from one unit to the end of the scale.
const OCTAVES: usize = 17;
/// Below one unit, then four an octave; the last also holds all that is larger.
const BUCKETS: usize = 1 + 4 * OCTAVES;
/// The last bucket.
const LAST: u8 = 68;
/// Samples before all are halved. A poll gives one for each market of each event, a hundred at once: so many
/// that one odd poll stays below the twentieth that would move a quantile.
const MOST: u32 = 4_096;
/// Samples below which nothing is known yet.
const LEAST: u32 = 100;

/// Counts of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sketch {
    counts: [u16; BUCKETS],
    total: u32,
}

/// The bucket of a value, by the unit of its scale.
pub(crate) fn bucket(value: i64, unit: i64) -> u8 {
    let units = value / unit;
    if units <= 0 {
        return 0;
    }
    let octave = units.ilog2();
    if octave as usize >= OCTAVES {
        return LAST;
    }
    let part = ((value << 16) / unit) >> octave;
    let quarter = QUARTERS[1..].iter().filter(|bound| part >= **bound).count();
    u8::try_from(1 + 4 * octave as usize + quarter).unwrap_or(LAST)
}

/// The least value that is above those of a bucket.
fn bound(bucket: usize, unit: i64) -> i64 {
    let (octave, quarter) = (bucket / 4, bucket % 4);
    ((QUARTERS[quarter] * unit) << octave) >> 16
}

impl Sketch {
    /// Of which nothing is known.
    pub(crate) const EMPTY: Self = Self { counts: [0; BUCKETS], total: 0 };

    /// From its counts; `None` when they are not such as it makes.
    #[must_use]
    pub(crate) fn from_counts(counts: &[u16]) -> Option<Self> {
        let mut sketch = Self::EMPTY;
        sketch.counts.get_mut(..counts.len())?.copy_from_slice(counts);
        sketch.total = counts.iter().copied().map(u32::from).sum();
        (sketch.total <= MOST).then_some(sketch)
    }

    /// Its counts, without the empty buckets at the end.
    #[must_use]
    pub(crate) fn counts(&self) -> &[u16] {
        let used = self.counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        &self.counts[..used]
    }

    pub(crate) fn add(&mut self, bucket: u8) {
        self.counts[usize::from(bucket)] += 1;
        self.total += 1;
        if self.total > MOST {
            self.counts.iter_mut().for_each(|count| *count /= 2);
            self.total = self.counts.iter().copied().map(u32::from).sum();
        }
    }

    /// The least bound below which so many of a hundred samples lie; `None` while there are too few.
    pub(crate) fn quantile(&self, percent: u32, unit: i64) -> Option<i64> {
        if self.total < LEAST {
            return None;
        }
        let wanted = (self.total * percent).div_ceil(100);
        let mut below = 0;
        let place = self.counts.iter().position(|count| {
            below += u32::from(*count);
            below >= wanted
        });
        Some(bound(place.unwrap_or(BUCKETS - 1), unit))
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const UNIT: i64 = 1_000_000;

    #[test]
    fn buckets_grow_by_the_fourth_root_of_two() {
        let of = |units: f64| bucket((units * 1e6) as i64, UNIT);
        assert_eq!([of(-1.0), of(0.0), of(0.99), of(1.0), of(1.18)], [0, 0, 0, 1, 1]);
        assert_eq!([of(1.2), of(1.42), of(1.7), of(2.0), of(4.0)], [2, 3, 4, 5, 9]);
        assert_eq!((of(86_400.0), of(1e9), bucket(i64::MAX, UNIT)), (66, LAST, LAST));
        assert_eq!(usize::from(LAST) + 1, BUCKETS);
        assert_eq!((bound(0, UNIT), bound(4, UNIT), bound(8, UNIT)), (UNIT, 2 * UNIT, 4 * UNIT));
    }

    #[test]
    fn it_is_restored_from_its_counts() {
        let mut sketch = Sketch::EMPTY;
        for value in [1, 5 * UNIT, 90_000 * UNIT] {
            sketch.add(bucket(value, UNIT));
        }
        assert_eq!(Sketch::from_counts(sketch.counts()), Some(sketch));
        assert_eq!(Sketch::from_counts(&[0; BUCKETS + 1]), None);
        assert_eq!(Sketch::from_counts(&[u16::MAX]), None);
    }

    proptest! {
        #[test]
        fn the_quantile_is_never_too_small_and_at_most_a_fifth_too_large(
            values in prop::collection::vec(UNIT..86_400 * UNIT, 100..1_000), percent in 1_u32..100
        ) {
            let mut sketch = Sketch::EMPTY;
            for value in &values {
                sketch.add(bucket(*value, UNIT));
            }
            let reported = sketch.quantile(percent, UNIT).unwrap();
            let mut sorted = values;
            sorted.sort_unstable();
            let exact = sorted[(sorted.len() * percent as usize).div_ceil(100) - 1];
            // One for the rounding of the bounds.
            prop_assert!(exact <= reported + 1 && reported <= exact * 1_190 / 1_000 + 1, "{exact} {reported}");
        }
    }

    proptest! {
        /// However many samples are added, the sketch can be written and read back.
        #[test]
        fn it_can_always_be_read_back(buckets in prop::collection::vec(0..=LAST, 0..6_000)) {
            let mut sketch = Sketch::EMPTY;
            for bucket in buckets {
                sketch.add(bucket);
                prop_assert!(sketch.total <= MOST);
            }
            prop_assert_eq!(sketch.total, sketch.counts.iter().copied().map(u32::from).sum::<u32>());
            prop_assert_eq!(Sketch::from_counts(sketch.counts()), Some(sketch));
        }

        /// A higher share of the samples is never below a lower one, and an added value that is larger lowers none.
        #[test]
        fn quantiles_are_ordered(
            buckets in prop::collection::vec(0..=LAST, 100..400), a in 1_u32..100, b in 1_u32..100,
        ) {
            let mut sketch = Sketch::EMPTY;
            for bucket in &buckets {
                sketch.add(*bucket);
            }
            let of = |sketch: &Sketch, percent| sketch.quantile(percent, UNIT).unwrap();
            prop_assert!(of(&sketch, a.min(b)) <= of(&sketch, a.max(b)));
            let mut larger = sketch;
            larger.add(LAST);
            prop_assert!(of(&larger, a) >= of(&sketch, a));
        }

        /// Below the cap the order of the samples has no effect.
        #[test]
        fn the_order_of_samples_changes_nothing(mut buckets in prop::collection::vec(0..=LAST, 0..300)) {
            let of = |buckets: &[u8]| {
                let mut sketch = Sketch::EMPTY;
                for bucket in buckets {
                    sketch.add(*bucket);
                }
                sketch
            };
            let forward = of(&buckets);
            buckets.reverse();
            prop_assert_eq!(of(&buckets), forward);
        }

        /// A value lies below the bound of its bucket, and not below that of the bucket before.
        #[test]
        fn a_value_lies_between_the_bounds_of_its_bucket(value in UNIT..60_000 * UNIT) {
            let at = usize::from(bucket(value, UNIT));
            // One for the rounding of the bounds.
            prop_assert!(value <= bound(at, UNIT) + 1, "{} {}", value, at);
            prop_assert!(value + 1 >= bound(at - 1, UNIT), "{} {}", value, at);
        }
    }
}
