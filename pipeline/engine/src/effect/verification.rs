//! The nine verification flags, and why one of them does not hold.
//!
//! It decides nothing: `arbs` checks them.

/// One thing that is proven, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// The legs' prices were on offer at one moment.
    Simultaneous,
    /// Every leg was confirmed within its book's own 95th percentile.
    Fresh,
    /// No leg is suspended.
    Active,
    /// All legs are on one line.
    SameLine,
    /// The books settle the bets by the same rules.
    SameRules,
    /// No two legs are at one operator.
    IndependentOperators,
    /// No leg is an outlier against the other books.
    PlausiblePrice,
    /// The margin is one that proven windows have.
    PlausibleMargin,
    /// Stakes that can be placed leave a profit.
    Stakeable,
}

impl Flag {
    /// All of them, in the order of the definition.
    pub const ALL: [Self; 9] = [
        Self::Simultaneous,
        Self::Fresh,
        Self::Active,
        Self::SameLine,
        Self::SameRules,
        Self::IndependentOperators,
        Self::PlausiblePrice,
        Self::PlausibleMargin,
        Self::Stakeable,
    ];

    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Simultaneous => "simultaneous",
            Self::Fresh => "fresh",
            Self::Active => "active",
            Self::SameLine => "same_line",
            Self::SameRules => "same_rules",
            Self::IndependentOperators => "independent_operators",
            Self::PlausiblePrice => "plausible_price",
            Self::PlausibleMargin => "plausible_margin",
            Self::Stakeable => "stakeable",
        }
    }

    /// Its bit of [`Verification::bits`].
    #[must_use]
    pub fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Which flags hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verification(u16);

impl Verification {
    /// Of these flags.
    pub(crate) fn of(flags: impl Iterator<Item = Flag>) -> Self {
        Self(flags.fold(0, |bits, flag| bits | flag.bit()))
    }

    /// Whether this one does.
    #[must_use]
    pub fn holds(self, flag: Flag) -> bool {
        self.0 & flag.bit() != 0
    }

    /// Whether all do.
    #[must_use]
    pub fn is_verified(self) -> bool {
        Flag::ALL.into_iter().all(|flag| self.holds(flag))
    }

    /// As a number: bit i is the i-th flag of [`Flag::ALL`].
    #[must_use]
    pub fn bits(self) -> u16 {
        self.0
    }

    /// From its number; `None` for what is none.
    #[must_use]
    pub fn from_bits(bits: u16) -> Option<Self> {
        (bits >> Flag::ALL.len() == 0).then_some(Self(bits))
    }
}

/// A flag that does not hold, and why, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// Which.
    pub flag: Flag,
    /// One sentence.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_the_flags_that_hold(bits in any::<u16>()) {
            match Verification::from_bits(bits) {
                None => prop_assert!(bits >= 1 << Flag::ALL.len()),
                Some(verification) => {
                    let held: Vec<_> = Flag::ALL.into_iter().filter(|flag| verification.holds(*flag)).collect();
                    prop_assert_eq!(held.iter().map(|flag| flag.bit()).sum::<u16>(), bits);
                    prop_assert_eq!(verification.bits(), bits);
                    prop_assert_eq!(verification.is_verified(), held.len() == Flag::ALL.len());
                    prop_assert_eq!(Verification::of(held.into_iter()), verification);
                }
            }
        }
    }

    /// The order of the flags is what is stored: a flag that moved would change what old records mean.
    #[test]
    fn flags_have_their_bits_for_ever() {
        let bits: Vec<_> = Flag::ALL.iter().map(|flag| format!("{} {}", flag.key(), flag.bit())).collect();
        let golden = [
            "simultaneous 1",
            "fresh 2",
            "active 4",
            "same_line 8",
            "same_rules 16",
            "independent_operators 32",
            "plausible_price 64",
            "plausible_margin 128",
            "stakeable 256",
        ];
        assert_eq!(bits, golden);
    }
}
