//! How much may be staked at a price, as its book or exchange states it.
//!
//! It is whole minor units of the book's currency, and of a lay the backer's stake, as order books quote it;
//! `stakes` computes the liability. Eight bytes, including "no limit": a quote, which is copied often, has 64
//! with it, a line of a processor's cache, where an `Option<i64>` would make it 72. It never guesses a limit
//! that no source reports.

use std::num::NonZeroU64;

/// The most that can be staked at a price, in minor units; 0 is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Limit(
    /// The limit plus one, so that `None` takes no additional room.
    NonZeroU64,
);

impl Limit {
    /// From minor units, as messages carry it; `None` of what is below 0.
    #[must_use]
    pub fn from_minor(minor: i64) -> Option<Self> {
        NonZeroU64::new(u64::try_from(minor).ok()? + 1).map(Self)
    }

    /// In minor units.
    #[must_use]
    pub fn minor(self) -> i64 {
        i64::try_from(self.0.get() - 1).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quotes::Quote;

    #[test]
    fn a_limit_has_the_value_it_was_created_from() {
        for minor in [0, 1, 10_050, i64::MAX] {
            assert_eq!(Limit::from_minor(minor).map(Limit::minor), Some(minor));
        }
        assert_eq!([-1, i64::MIN].map(Limit::from_minor), [None, None]);
        assert!(Limit::from_minor(0) < Limit::from_minor(1));
    }

    #[test]
    fn a_quote_has_the_documented_size() {
        assert_eq!((size_of::<Option<Limit>>(), size_of::<Quote>()), (8, 64));
    }

    #[test]
    fn limits_are_ordered_as_their_amounts() {
        let amounts = [0, 1, 99, 10_000, i64::MAX - 1, i64::MAX];
        let limits = amounts.map(|minor| Limit::from_minor(minor).unwrap());
        assert!(limits.is_sorted_by(|a, b| a < b));
        assert_eq!(limits.map(Limit::minor), amounts);
        assert_eq!([-1, i64::MIN].map(Limit::from_minor), [None, None]);
    }
}
