//! The partition's time: the watermark, idle sources, and sources with clocks far in the future.
//!
//! The **watermark** is the time up to which the partition has received everything: the least publication
//! time of its active sources, less `DELAY`. A source that is more than `IDLE` behind the latest one is idle
//! and holds nothing back. The watermark never goes back, so a time that is wrong by years would end every
//! event permanently: a record more than `LEAP` ahead of all that was received is therefore accepted only
//! after ten seconds of such records without a single one from the present in between. All of it is a
//! function of the records only: it never reads a clock.
//!
//! Source: Akidau et al., "The Dataflow Model" (VLDB 2015), section 2.3, for watermarks; idle sources as in Apache
//! Flink's `WatermarkStrategy.withIdleness`.

use crate::Micros;

/// One second.
const SECOND: Micros = 1_000_000;
/// What a source may be late by: clock skew, and frames that wait in a producer.
const DELAY: Micros = 5 * SECOND;
/// Silence, measured against the partition's latest word, after which a source holds nothing back.
const IDLE: Micros = 60 * SECOND;
/// How far ahead a record may be and count at once: longer than an ingest is down for an upgrade.
const LEAP: Micros = 3_600 * SECOND;
/// How long records from beyond a leap must be alone before they are the present: ten beats of a source that is alive.
const PROBATION: Micros = 10 * SECOND;

/// The retention of the tick topic: of what was silent for longer no record is there to be read again.
const HISTORY: Micros = 7 * 86_400 * SECOND;

/// Whether a source's last record is so old that the source can be removed.
pub(crate) fn is_history(at: Micros, watermark: Micros) -> bool {
    watermark > at.saturating_add(HISTORY)
}

/// Where a partition's time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// The latest time of any source.
    pub now: Micros,
    /// Everything has been received up to here.
    pub watermark: Micros,
    /// The first time of those that publish from beyond a leap, while no one publishes from the present.
    pub leap: Option<Micros>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { now: Micros::MIN, watermark: Micros::MIN, leap: None }
    }
}

impl Clock {
    /// Whether a record of this time counts.
    pub(crate) fn believes(&mut self, at: Micros) -> bool {
        if self.now == Micros::MIN || at <= self.now.saturating_add(LEAP) {
            self.leap = None;
            return true;
        }
        let first =
            self.leap.filter(|first| at <= first.saturating_add(LEAP)).map_or(at, |first| first.min(at));
        self.leap = Some(first);
        let is_present = at - first >= PROBATION;
        if is_present {
            self.leap = None;
        }
        is_present
    }

    /// Advances to a record's time; `heard` are the latest times of all sources, including this one.
    pub(crate) fn advance(&mut self, at: Micros, heard: impl Iterator<Item = Micros>) {
        self.now = self.now.max(at);
        let active = heard.filter(|heard| self.now.saturating_sub(*heard) <= IDLE).min();
        if let Some(least) = active {
            self.watermark = self.watermark.max(least.saturating_sub(DELAY));
        }
    }

    /// Advances to the time of a pushed source, where no other source is active: else those are the time.
    pub(crate) fn advance_pushed(&mut self, at: Micros, others: impl Iterator<Item = Micros>) {
        let latest = others.max();
        if latest.is_none_or(|latest| at.saturating_sub(latest) > IDLE) {
            self.advance(at, std::iter::once(at));
        }
    }

    /// The whole second up to which what time brings has happened.
    pub(crate) fn checked(&self) -> Micros {
        self.second().saturating_mul(SECOND)
    }

    /// The whole second in which the watermark is.
    pub(crate) fn second(&self) -> Micros {
        self.watermark.div_euclid(SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The watermark after records of two sources, in seconds; a record that is not accepted moves nothing.
    fn watermarks(words: &[(usize, i64)]) -> Vec<i64> {
        let (mut clock, mut heard) = (Clock::default(), [Micros::MIN; 2]);
        let after = |(source, second): &(usize, i64)| {
            let at = second * SECOND;
            if clock.believes(at) {
                heard[*source] = heard[*source].max(at);
                clock.advance(at, heard.into_iter());
            }
            clock.watermark / SECOND
        };
        words.iter().map(after).collect()
    }

    #[test]
    fn the_watermark_is_the_least_active_time_less_five_seconds() {
        assert_eq!(watermarks(&[(0, 100), (1, 110), (0, 130), (1, 120)]), [95, 95, 105, 115]);
    }

    #[test]
    fn a_silent_source_holds_it_back_for_a_minute() {
        assert_eq!(watermarks(&[(0, 100), (1, 100), (1, 160), (1, 161), (0, 150)]), [95, 95, 95, 156, 156]);
    }

    #[test]
    fn the_watermark_never_goes_back() {
        assert_eq!(watermarks(&[(0, 100), (1, 40), (1, 41), (0, 99)]), [95, 95, 95, 95]);
    }

    #[test]
    fn one_record_from_the_far_future_is_not_accepted() {
        let year = 31_536_000;
        assert_eq!(watermarks(&[(0, 100), (1, year), (0, 101), (1, year + 90), (0, 102)])[4], 97);
        assert_eq!(watermarks(&[(0, 100), (0, 9 * year), (0, year), (0, 101)]), [95, 95, 95, 96]);
    }

    #[test]
    fn ten_seconds_of_words_from_beyond_a_gap_are() {
        let day = 86_400;
        let words = [(0, 100), (0, day), (1, day + 5), (0, day + 9), (0, day + 10)];
        assert_eq!(watermarks(&words), [95, 95, 95, 95, day + 5]);
    }

    #[test]
    fn no_time_overflows() {
        let (most, mut clock) = (Micros::MAX, Clock::default());
        assert!(clock.believes(Micros::MIN));
        clock.advance(Micros::MIN, [Micros::MIN].into_iter());
        assert!(clock.believes(0));
        clock.advance(0, [0, Micros::MIN].into_iter());
        assert!(!clock.believes(most) && !clock.believes(most - 1) && clock.watermark == -DELAY);
    }

    #[test]
    fn a_pushed_source_is_the_time_only_where_no_other_is_active() {
        let mut clock = Clock::default();
        clock.advance(100 * SECOND, [100 * SECOND].into_iter());
        let was = clock;
        clock.advance_pushed(160 * SECOND, [100 * SECOND].into_iter());
        assert_eq!(clock, was);
        clock.advance_pushed(161 * SECOND, [100 * SECOND].into_iter());
        assert_eq!(clock.watermark, 156 * SECOND);
        let mut alone = Clock::default();
        alone.advance_pushed(100 * SECOND, [].into_iter());
        assert_eq!(alone.watermark, 95 * SECOND);
    }

    /// Records of three sources: of which, and when, in seconds. Most are close together; some are from far ahead.
    fn random_times() -> impl Strategy<Value = Vec<(usize, i64)>> {
        let step =
            prop_oneof![6 => -10..20_i64, 2 => 50..200_i64, 1 => 3_500..4_000_i64, 1 => 100_000..200_000_i64];
        prop::collection::vec((0..3_usize, step), 1..60).prop_map(|steps| {
            let mut at = 0;
            let word = |(source, step): (usize, i64)| {
                // What is far ahead is one record, not the time from which the others go on.
                let time = at + step;
                at = if step < 50_000 { time.max(at) } else { at };
                (source, time)
            };
            steps.into_iter().map(word).collect()
        })
    }

    proptest! {
        /// The watermark never goes back, stays behind the latest record, and is held back by each active source.
        #[test]
        fn the_watermark_only_grows_and_waits_for_the_active(words in random_times()) {
            let (mut clock, mut heard) = (Clock::default(), [Micros::MIN; 3]);
            for (source, second) in words {
                let (was, at) = (clock, second * SECOND);
                if !clock.believes(at) {
                    prop_assert_eq!((clock.now, clock.watermark), (was.now, was.watermark));
                    continue;
                }
                heard[source] = heard[source].max(at);
                clock.advance(at, heard.into_iter().filter(|heard| *heard != Micros::MIN));
                prop_assert!(clock.watermark >= was.watermark && clock.now >= was.now);
                prop_assert!(clock.watermark <= clock.now - DELAY);
                let active = heard.into_iter().filter(|heard| clock.now.saturating_sub(*heard) <= IDLE);
                let least = active.min().unwrap();
                prop_assert!(clock.watermark == was.watermark || clock.watermark == least - DELAY);
                prop_assert!(clock.watermark >= least - DELAY || clock.watermark == was.watermark);
            }
        }

        /// A time far ahead is accepted only after ten seconds without any other.
        #[test]
        fn a_leap_is_accepted_after_ten_seconds_without_other_records(words in random_times()) {
            let mut clock = Clock::default();
            // The records from beyond the leap since the last one from the present.
            let mut ahead: Vec<Micros> = Vec::new();
            for (_, second) in words {
                let at = second * SECOND;
                let is_ahead = clock.now != Micros::MIN && at > clock.now + LEAP;
                let is_believed = clock.believes(at);
                if is_ahead {
                    ahead.push(at);
                    let is_old = ahead.iter().any(|first| at - first >= PROBATION);
                    prop_assert!(!is_believed || is_old, "{at} after {ahead:?}");
                } else {
                    prop_assert!(is_believed);
                    prop_assert_eq!(clock.leap, None);
                }
                if is_believed {
                    ahead.clear();
                    clock.advance(at, [at].into_iter());
                }
            }
        }
    }

    #[test]
    fn a_source_is_forgotten_after_the_retention_of_its_topic() {
        let week = 7 * 86_400 * SECOND;
        assert!(!is_history(0, week) && is_history(0, week + 1));
        assert!(!is_history(Micros::MAX, Micros::MAX), "no time overflows");
    }

    #[test]
    fn effects_of_time_are_checked_by_whole_seconds() {
        let clock = |watermark| Clock { watermark, ..Clock::default() };
        for (watermark, second) in [(0, 0), (999_999, 0), (1_000_000, 1), (-1, -1), (-1_000_000, -1)] {
            assert_eq!((clock(watermark).second(), clock(watermark).checked()), (second, second * SECOND));
        }
        assert_eq!(Clock::default().checked(), Micros::MIN, "no time is known");
    }
}
