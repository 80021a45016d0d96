//! Numbers with a unit: lines in thousandths of a point, money in minor units, durations in microseconds.
//!
//! The binary form is the whole number, the text form the decimal in the unit that people use. It never rounds a whole number.

use serde::{Deserialize, Serialize, Serializer};

use crate::described::{Described, Measure, Shape};
use crate::market::Line;
use crate::time::{Micros, SECOND};

/// A line: thousandths in binary, points or goals in text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct Points(pub Line);

/// An amount: minor units (cents) in binary, units of the currency in text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct Money(pub i64);

/// A duration: microseconds in binary, seconds in text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct Seconds(pub Micros);

impl Points {
    /// In points or goals.
    #[must_use]
    pub fn decimal(self) -> f64 {
        f64::from(self.0) / 1e3
    }
}

impl Described for Points {
    const SHAPE: Shape = Shape::Measured(&Measure {
        number: Shape::Int,
        unit: "In thousandths; of a spread the home side's handicap.",
        text_unit: "In points or goals; of a spread the home side's handicap.",
    });
}

impl Described for Money {
    const SHAPE: Shape = Shape::Measured(&Measure {
        number: Shape::Long,
        unit: "In minor units of its currency.",
        text_unit: "In units of its currency.",
    });
}

impl Described for Seconds {
    const SHAPE: Shape =
        Shape::Measured(&Measure { number: Shape::Long, unit: "In microseconds.", text_unit: "In seconds." });
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_f64(self.decimal())
        } else {
            serializer.serialize_i32(self.0)
        }
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_f64(self.0 as f64 / 100.0)
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_f64(self.0 as f64 / SECOND as f64)
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::to_string;

    use super::*;

    #[test]
    fn text_is_in_the_unit_that_people_use() {
        assert_eq!(to_string(&[Points(-1_500), Points(2_250)]).unwrap(), "[-1.5,2.25]");
        assert_eq!(to_string(&[Money(5_001), Money(0)]).unwrap(), "[50.01,0.0]");
        assert_eq!(to_string(&[Seconds(90_500_000), Seconds(1)]).unwrap(), "[90.5,1e-6]");
    }
}
