//! Formats of odds: decimal, American and fractional.
//!
//! A price that a source wrote in American odds reads as it wrote it, though prices are kept in millionths, rounded down. It
//! never changes a price, only how it reads.

use arb_model::Price;
use arb_model::described::{Described, Shape};
use serde::{Deserialize, Serialize};

/// Millionths in one.
const UNIT: u64 = 1_000_000;

/// How prices read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OddsFormat {
    /// What a stake of 1 returns: 2.1.
    #[default]
    Decimal,
    /// What 100 win, or minus what wins 100: 110, -110.
    American,
    /// What a stake wins: `11/10`.
    Fractional,
}

/// A price in a format: a number, of fractional odds a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[allow(missing_docs)] // As the formats are.
pub enum ShownOdds {
    Decimal(Price),
    American(i64),
    Fractional(String),
}

impl Described for ShownOdds {
    const SHAPE: Shape = Shape::OneOf(
        &[Shape::Double, Shape::Text],
        "Decimal odds, or as odds_format asks: American odds, or a fraction as text.",
    );
}

impl OddsFormat {
    /// A price in this format.
    #[must_use]
    pub fn show(self, price: Price) -> ShownOdds {
        match self {
            Self::Decimal => ShownOdds::Decimal(price),
            Self::American => ShownOdds::American(american(price)),
            Self::Fractional => ShownOdds::Fractional(fractional(price)),
        }
    }
}

/// The American odds nearest to a price: from 2.0 on positive, below negative.
///
/// Source: `+a` wins `a` on a stake of 100, `-a` wins 100 on a stake of `a`.
fn american(price: Price) -> i64 {
    let wins = i64::from(price.millionths()) - UNIT.cast_signed();
    let (hundred, half) = (100 * UNIT.cast_signed(), UNIT.cast_signed() / 2);
    if wins >= UNIT.cast_signed() {
        (100 * wins + half) / UNIT.cast_signed()
    } else {
        -((hundred + wins / 2) / wins)
    }
}

/// The fraction with the least denominator that is this price when it is cut to millionths: a million is always one.
fn fractional(price: Price) -> String {
    let wins = u64::from(price.millionths()) - UNIT;
    let mut under = 1;
    loop {
        let over = (wins * under).div_ceil(UNIT);
        if over * UNIT < (wins + 1) * under || under >= UNIT {
            return format!("{over}/{under}");
        }
        under += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn price(millionths: i64) -> Price {
        Price::from_millionths(millionths).unwrap()
    }

    #[test]
    fn a_price_reads_in_each_format() {
        for (millionths, decimal, american, fractional) in [
            (2_000_000, json!(2.0), 100, "1/1"),
            (2_100_000, json!(2.1), 110, "11/10"),
            (1_909_090, json!(1.90909), -110, "10/11"),
            (1_333_333, json!(1.333_333), -300, "1/3"),
            (1_300_300, json!(1.3003), -333, "100/333"),
            (3_500_000, json!(3.5), 250, "5/2"),
            (1_000_001, json!(1.000_001), -100_000_000, "1/500001"),
            (1_001_000_000, json!(1001.0), 100_000, "1000/1"),
        ] {
            let formats = [OddsFormat::Decimal, OddsFormat::American, OddsFormat::Fractional];
            let shown = formats.map(|format| json!(format.show(price(millionths))));
            assert_eq!(shown, [decimal, json!(american), json!(fractional)], "{millionths}");
        }
    }

    proptest! {
        /// Beyond 5,000 a millionth is more than one of the odds.
        #[test]
        fn american_odds_read_as_they_were_written(odds in 101_i64..5_000, is_negative in any::<bool>()) {
            let written = if is_negative { -odds } else { odds };
            prop_assert_eq!(american(Price::from_american(written).unwrap()), written);
        }

        #[test]
        fn fractional_odds_are_the_price_cut_to_millionths(millionths in 1_000_100_i64..50_000_000) {
            let text = fractional(price(millionths));
            let (over, under) = text.split_once('/').unwrap();
            let (over, under): (u64, u64) = (over.parse().unwrap(), under.parse().unwrap());
            prop_assert_eq!(i64::try_from(UNIT + over * UNIT / under).unwrap(), millionths);
        }

        #[test]
        fn simple_fractions_read_as_they_were_written(over in 1_u64..200, under in 1_u64..200) {
            let text = fractional(price(i64::try_from(UNIT + over * UNIT / under).unwrap()));
            let (a, b) = text.split_once('/').unwrap();
            let (a, b): (u64, u64) = (a.parse().unwrap(), b.parse().unwrap());
            prop_assert_eq!(a * under, b * over, "{}", text);
        }
    }
}
