//! The nine verification flags, and why one of them does not hold.
//!
//! It decides nothing: the engine checks them.

use std::fmt::{self, Formatter};

use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Open;
use crate::described::{Described, FieldShape, RecordShape, Shape};

keyed! {
    /// One thing that is proven, or not, in the order of the definition.
    pub enum Flag {
        /// The legs' prices were on offer at one moment.
        Simultaneous = "simultaneous",
        /// Every leg was confirmed within its book's own 95th percentile.
        Fresh = "fresh",
        /// No leg is suspended.
        Active = "active",
        /// All legs are on one line.
        SameLine = "same_line",
        /// The books settle the bets by the same rules.
        SameRules = "same_rules",
        /// No two legs are at one operator.
        IndependentOperators = "independent_operators",
        /// No leg is an outlier against the other books.
        PlausiblePrice = "plausible_price",
        /// The margin is plausible: verified windows have such margins.
        PlausibleMargin = "plausible_margin",
        /// Stakes that can be placed leave a profit.
        Stakeable = "stakeable",
    }
}

impl Flag {
    /// Its bit of [`Verification::bits`].
    #[must_use]
    pub fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Which flags hold.
///
/// ```
/// use arb_model::{Flag, Verification};
///
/// let all = Verification::of(Flag::ALL);
/// assert!(all.is_verified());
/// let stale = Verification::of(Flag::ALL.into_iter().filter(|flag| *flag != Flag::Fresh));
/// assert!(!stale.is_verified() && stale.holds(Flag::Simultaneous));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verification(u16);

impl Verification {
    /// The set of these flags.
    #[must_use]
    pub fn of(flags: impl IntoIterator<Item = Flag>) -> Self {
        Self(flags.into_iter().fold(0, |bits, flag| bits | flag.bit()))
    }

    /// Whether a flag holds.
    #[must_use]
    pub fn holds(self, flag: Flag) -> bool {
        self.0 & flag.bit() != 0
    }

    /// Whether all flags hold.
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

impl Described for Verification {
    const SHAPE: Shape =
        Shape::Record(&RecordShape { name: "Verification", doc: &["Which flags hold."], fields: &FLAGS });
}

/// A boolean for each flag.
const FLAGS: [FieldShape; Flag::ALL.len()] = {
    let mut fields = [FieldShape::new("", &[], Shape::Boolean); Flag::ALL.len()];
    let mut place = 0;
    while place < fields.len() {
        fields[place].name = Flag::KEYS[place];
        fields[place].text = Some(Flag::KEYS[place]);
        fields[place].doc = Flag::DOCS[place];
        place += 1;
    }
    fields
};

/// A record of a boolean for each flag, in every encoding.
impl Serialize for Verification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut record = serializer.serialize_struct("Verification", Flag::ALL.len())?;
        for flag in Flag::ALL {
            record.serialize_field(flag.key(), &self.holds(flag))?;
        }
        record.end()
    }
}

impl<'de> Deserialize<'de> for Verification {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Verification", Flag::KEYS, Flags)
    }
}

struct Flags;

impl<'de> Visitor<'de> for Flags {
    type Value = Verification;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a record of flags")
    }

    /// All flags in their order: a reader that knows no names.
    fn visit_seq<A: SeqAccess<'de>>(self, mut flags: A) -> Result<Verification, A::Error> {
        let mut bits = 0;
        for (place, flag) in Flag::ALL.into_iter().enumerate() {
            if flags.next_element()?.ok_or_else(|| Error::invalid_length(place, &self))? {
                bits |= flag.bit();
            }
        }
        Ok(Verification(bits))
    }

    /// A flag of a newer writer is left out.
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Verification, A::Error> {
        let mut bits = 0;
        while let Some(flag) = fields.next_key::<FlagName>()? {
            match flag.0 {
                Some(flag) if fields.next_value()? => bits |= flag.bit(),
                Some(_) => {}
                None => drop(fields.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Verification(bits))
    }
}

/// The name of a field; `None` of a flag that this program does not know.
struct FlagName(Option<Flag>);

impl<'de> Deserialize<'de> for FlagName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(NameVisitor)
    }
}

struct NameVisitor;

impl Visitor<'_> for NameVisitor {
    type Value = FlagName;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a flag")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<FlagName, E> {
        Ok(FlagName(Flag::parse(name)))
    }
}

record! {
    /// A flag that does not hold, and why, for a person.
    #[derive(Eq)]
    pub struct FailedCheck {
        /// The flag.
        pub flag: Open<Flag>,
        /// One sentence, for a person.
        pub reason: String,
    }
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
                    prop_assert_eq!(Verification::of(held), verification);
                }
            }
        }
    }

    /// The order of the flags is what is stored: a flag that moved would change what old records mean.
    #[test]
    fn flags_keep_their_bits() {
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

    #[test]
    fn flags_are_written_and_read_by_name() {
        let verification = Verification::of([Flag::Fresh, Flag::Stakeable]);
        let text = serde_json::to_string(&verification).unwrap();
        assert!(text.starts_with("{\"simultaneous\":false,\"fresh\":true,\"active\":false,"), "{text}");
        assert_eq!(serde_json::from_str::<Verification>(&text).unwrap(), verification);
        let newer = "{\"fresh\":true,\"insured\":true,\"stakeable\":true}";
        assert_eq!(serde_json::from_str::<Verification>(newer).unwrap(), verification);
    }
}
