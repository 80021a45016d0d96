//! Prices: decimal odds in millionths, rounded down, so that a conversion never invents an arb.
//!
//! It never rounds a price up and never converts one through a floating-point number on the way in.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::described::{Described, Measure, Shape};

/// Millionths in one.
const UNIT: i64 = 1_000_000;
/// Digits of a price after the point.
const DIGITS: usize = 6;
/// The largest exponent of a number that means something here; a few digits more would be an endless loop of noughts.
const EXPONENT: i32 = 40;
/// The highest valid price: 1001, one above the ladders' top of 1000.
const MAX: i64 = 1_001 * UNIT;

/// Decimal odds in millionths, above 1 and at most 1001.
///
/// ```
/// use arb_model::{Price, PriceError};
///
/// let price = Price::from_decimal("1.909090909")?;
/// assert_eq!(price.millionths(), 1_909_090);
/// assert_eq!(Price::from_american(-110)?, price);
/// assert_eq!(Price::from_decimal("1.0"), Err(PriceError::OutOfRange));
/// # Ok::<(), PriceError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Price(u32);

/// The least, for records of which a price is not stated.
impl Default for Price {
    fn default() -> Self {
        Self::LEAST
    }
}

symbols! {
    /// How a source writes its prices, as its protocol has it: never guessed from a number.
    pub enum OddsFormat {
        /// Not stated, or one that a later writer added.
        Unknown = "unknown",
        /// `1.91`.
        Decimal = "decimal",
        /// `-110`.
        American = "american",
    }
}

/// Why something is no [`Price`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceError {
    /// Not a number of the format.
    NotANumber,
    /// A number, but odds of 1 or less, or above 1001.
    OutOfRange,
}

impl Price {
    /// The least above 1.
    pub const LEAST: Self = Self(1_000_001);

    /// From millionths, as messages carry it.
    ///
    /// # Errors
    /// [`PriceError::OutOfRange`].
    pub fn from_millionths(millionths: i64) -> Result<Self, PriceError> {
        if millionths <= UNIT || millionths > MAX {
            return Err(PriceError::OutOfRange);
        }
        u32::try_from(millionths).map(Self).map_err(|_| PriceError::OutOfRange)
    }

    /// From American odds: `+a` wins `a` on a stake of 100, `-a` wins 100 on a stake of `a`.
    ///
    /// # Errors
    /// [`PriceError::NotANumber`] between -100 and 100, where American odds do not exist.
    pub fn from_american(american: i64) -> Result<Self, PriceError> {
        match american {
            100.. => Self::from_millionths((american.saturating_add(100)).saturating_mul(UNIT / 100)),
            ..=-100 => Self::from_millionths(UNIT + 100 * UNIT / american.saturating_neg()),
            _ => Err(PriceError::NotANumber),
        }
    }

    /// From decimal odds as written (`2.3`, `1.90909090`, `2.5e1`), cut after six digits.
    ///
    /// # Errors
    /// [`PriceError`], for what is no plain number and for what is out of range.
    pub fn from_decimal(text: &str) -> Result<Self, PriceError> {
        Self::from_millionths(fixed_point(text, DIGITS).ok_or(PriceError::NotANumber)?)
    }

    /// In millionths.
    #[must_use]
    pub fn millionths(self) -> u32 {
        self.0
    }

    /// As decimal odds.
    #[must_use]
    pub fn decimal(self) -> f64 {
        f64::from(self.0) / UNIT as f64
    }

    /// `1/o`.
    #[must_use]
    pub fn implied_probability(self) -> f64 {
        UNIT as f64 / f64::from(self.0)
    }
}

/// A JSON number as a fixed-point integer with `digits` after the point, cut toward zero; `None` when it is no
/// number or does not fit.
#[must_use]
pub fn fixed_point(text: &str, digits: usize) -> Option<i64> {
    let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, exponent.parse().ok().filter(|e: &i32| e.abs() <= EXPONENT)?)
        }
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let wanted = i32::try_from(whole.len() + digits).ok()?.checked_add(exponent)?;
    let wanted = usize::try_from(wanted).unwrap_or(0);
    let mut value: i64 = 0;
    for digit in whole.bytes().chain(fraction.bytes()).chain(std::iter::repeat(b'0')).take(wanted) {
        value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
    }
    Some(if negative { -value } else { value })
}

impl Described for Price {
    const SHAPE: Shape = Shape::Measured(&Measure {
        number: Shape::Long,
        unit: "Decimal odds in millionths.",
        text_unit: "Decimal odds.",
    });
}

/// Millionths in binary, decimal odds in text.
impl Serialize for Price {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_f64(self.decimal())
        } else {
            serializer.serialize_i64(self.0.into())
        }
    }
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let millionths = i64::deserialize(deserializer)?;
        Self::from_millionths(millionths).map_err(|_| Error::custom(format_args!("{millionths} is no price")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Price {
        Price::from_decimal(text).expect(text)
    }

    #[test]
    fn american_is_converted_exactly_and_down() {
        let millionths = |american| Price::from_american(american).map(Price::millionths);
        assert_eq!(millionths(110), Ok(2_100_000));
        assert_eq!(millionths(-110), Ok(1_909_090));
        assert_eq!(millionths(100), Ok(2_000_000));
        assert_eq!(millionths(-100), Ok(2_000_000));
        assert_eq!(millionths(-333), Ok(1_300_300));
        assert_eq!(millionths(100_000), Ok(1_001_000_000));
        assert_eq!(millionths(100_001), Err(PriceError::OutOfRange));
        assert_eq!(millionths(-100_000_001), Err(PriceError::OutOfRange));
        assert_eq!(millionths(99), Err(PriceError::NotANumber));
        assert_eq!(millionths(0), Err(PriceError::NotANumber));
        assert_eq!(millionths(i64::MIN), Err(PriceError::OutOfRange));
        assert_eq!(millionths(i64::MAX), Err(PriceError::OutOfRange));
    }

    #[test]
    fn decimal_is_cut_not_rounded() {
        let millionths = |text| Price::from_decimal(text).map(Price::millionths);
        assert_eq!(millionths("2.3"), Ok(2_300_000));
        assert_eq!(millionths("1.9090909090909"), Ok(1_909_090));
        assert_eq!(millionths("2.9999999"), Ok(2_999_999));
        assert_eq!(millionths("2"), Ok(2_000_000));
        assert_eq!(millionths("2.5e1"), Ok(25_000_000));
        assert_eq!(millionths("2500E-3"), Ok(2_500_000));
        assert_eq!(millionths("1001"), Ok(1_001_000_000));
        for text in ["1", "1.0", "0.5", "-2.3", "1001.000001", "1e9", "0", "1e-9"] {
            assert_eq!(millionths(text), Err(PriceError::OutOfRange), "{text}");
        }
        for text in
            ["", "NaN", "inf", "2,3", "\"2.3\"", "null", ".5", "2.3.4", "1e99", "0e2147483640", "--2", "2e"]
        {
            assert_eq!(millionths(text), Err(PriceError::NotANumber), "{text}");
        }
    }

    proptest! {
        #[test]
        fn decimal_text_survives(millionths in 1_000_001_i64..=1_001_000_000) {
            let text = format!("{}.{:06}", millionths / UNIT, millionths % UNIT);
            prop_assert_eq!(decimal(&text).millionths(), u32::try_from(millionths).unwrap());
        }
    }

    #[test]
    fn a_price_is_decimal_odds_in_text_and_is_read_from_millionths() {
        assert_eq!(serde_json::to_string(&decimal("1.90909")).unwrap(), "1.90909");
        assert_eq!(serde_json::from_str::<Price>("1909090").unwrap(), decimal("1.90909"));
        assert!(serde_json::from_str::<Price>("1000000").is_err());
    }
}
