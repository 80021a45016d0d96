//! The limit of plausible margins, from the margins of verified windows.
//!
//! A sample is the margin of a window when its legs are first proven to have been on offer at one moment; pre-match and
//! in-play windows are counted apart. A margin is plausible up to the 99th percentile of them. It never looks at a
//! margin that nothing proves: palpable errors are many among those.
//!
//! Source of what holds before enough is learnt: of the pre-match windows of ten recordings 1 in 100 exceeded 9.95 % (design
//! notes), and of 195 proven in-play moments of four recordings 1 in 100 exceeded 23 %, so 0.10 and 0.20.

use super::sketch::{self, Sketch};

/// Margins are counted in parts of a million, from a hundredth of a per cent on.
const UNIT: i64 = 100;
/// Parts of a million.
const PPM: f64 = 1e6;
/// The share of proven margins, in per cent, that are plausible.
const PERCENT: u32 = 99;
/// The limit before there are enough samples, pre-match and in play.
const PRIOR: [f64; 2] = [0.10, 0.20];

/// The margins of proven windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Margins {
    /// Pre-match, in play.
    phases: [Phase; 2],
}

/// The margins of a phase, and the limit that follows from them, which is asked for more often than a margin is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Phase {
    margins: Sketch,
    /// In parts of a million; `None` while there are too few.
    limit: Option<i64>,
}

impl Phase {
    const EMPTY: Self = Self { margins: Sketch::EMPTY, limit: None };

    fn from_counts(counts: &[u16]) -> Option<Self> {
        let margins = Sketch::from_counts(counts)?;
        Some(Self { margins, limit: margins.quantile(PERCENT, UNIT) })
    }

    fn add(&mut self, bucket: u8) {
        self.margins.add(bucket);
        self.limit = self.margins.quantile(PERCENT, UNIT);
    }
}

impl Default for Margins {
    fn default() -> Self {
        Self { phases: [Phase::EMPTY; 2] }
    }
}

impl Margins {
    /// From the counts of both phases; `None` when they are not such as it makes.
    #[must_use]
    pub fn from_counts(pre_match: &[u16], in_play: &[u16]) -> Option<Self> {
        Some(Self { phases: [Phase::from_counts(pre_match)?, Phase::from_counts(in_play)?] })
    }

    /// The counts of a phase, without the empty buckets at the end.
    #[must_use]
    pub fn counts(&self, in_play: bool) -> &[u16] {
        self.phases[usize::from(in_play)].margins.counts()
    }

    /// The largest margin that is plausible.
    #[must_use]
    pub fn limit(&self, in_play: bool) -> f64 {
        let learnt = self.phases[usize::from(in_play)].limit;
        learnt.map_or(PRIOR[usize::from(in_play)], |ppm| ppm as f64 / PPM)
    }

    pub(crate) fn add(&mut self, proven: Proven) {
        self.phases[usize::from(proven.in_play)].add(proven.bucket);
    }
}

/// The margin of a window that was proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Proven {
    in_play: bool,
    bucket: u8,
}

impl Proven {
    pub(crate) fn new(margin: f64, in_play: bool) -> Self {
        // A margin is positive, and below 1001.
        #[allow(clippy::cast_possible_truncation)]
        let ppm = (margin * PPM) as i64;
        Self { in_play, bucket: sketch::bucket(ppm, UNIT) }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // The very numbers.
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_limit_is_learnt_by_phase() {
        let mut margins = Margins::default();
        assert_eq!((margins.limit(false), margins.limit(true)), (0.10, 0.20));
        (0..99).for_each(|_| margins.add(Proven::new(0.005, false)));
        assert_eq!(margins.limit(false), 0.10, "too few");
        margins.add(Proven::new(3.0, false));
        // 0.005 lies between 2^(22/4) and 2^(23/4) hundredths of a per cent.
        assert_eq!(margins.limit(false), 0.005_381, "one palpable error in a hundred is not believed");
        assert_eq!(margins.limit(true), 0.20);
        let again = Margins::from_counts(margins.counts(false), margins.counts(true));
        assert_eq!(again, Some(margins));
    }

    proptest! {
        /// At most one in a hundred of the verified margins is above the limit, and the phases are
        /// independent.
        #[test]
        fn hardly_any_proven_margin_is_above_the_limit(
            margins in prop::collection::vec(0.000_2..0.5_f64, 100..600), in_play: bool,
        ) {
            let mut learnt = Margins::default();
            for margin in &margins {
                learnt.add(Proven::new(*margin, in_play));
            }
            let limit = learnt.limit(in_play);
            // One part of a million for the rounding of the bounds.
            let above = margins.iter().filter(|margin| **margin > limit + 1e-6).count();
            prop_assert!(above * 100 <= margins.len(), "{} of {} above {}", above, margins.len(), limit);
            prop_assert_eq!(learnt.limit(!in_play), PRIOR[usize::from(!in_play)]);
        }
    }
}
