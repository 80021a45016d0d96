//! The split of a recording: the prior is fitted to the part before it, and reported on the part after it.
//!
//! It never looks at a window.

use std::str::FromStr;

use arb_schemas::time::{Micros, parse_rfc3339};

/// Where a recording is cut in time.
///
/// ```
/// use arb_lab::evaluate::Split;
///
/// assert_eq!("0.5".parse(), Ok(Split::Part(0.5)));
/// assert_eq!(Split::Part(0.5).time(0, 100), 50);
/// assert_eq!("2026-01-01".parse(), Ok(Split::At(1_767_225_600_000_000)));
/// assert!("tomorrow".parse::<Split>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Split {
    /// At a time.
    At(Micros),
    /// At a part of the time from its first poll to its last.
    Part(f64),
}

impl Split {
    /// When that is in a recording of these first and last polls.
    #[must_use]
    pub fn time(self, first: Micros, last: Micros) -> Micros {
        match self {
            Self::At(time) => time,
            Self::Part(part) => {
                // A part of a span of microseconds.
                #[allow(clippy::cast_possible_truncation)]
                let passed = ((last - first) as f64 * part) as Micros;
                first + passed
            }
        }
    }
}

impl FromStr for Split {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = text.parse().ok().filter(|part| (0.0..1.0).contains(part)).map(Self::Part);
        let day = || parse_rfc3339(&format!("{text}T00:00:00Z"));
        part.or_else(|| parse_rfc3339(text).or_else(day).map(Self::At)).ok_or_else(|| {
            "give a date such as 2026-07-20, an RFC 3339 time, or a part of the time such as 0.5".to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_a_time_or_a_part() {
        let time = |text: &str| text.parse().map(|split: Split| split.time(1_000, 2_000));
        assert_eq!(time("0.25"), Ok(1_250));
        assert_eq!(time("0"), Ok(1_000));
        assert_eq!(time("1970-01-02"), Ok(86_400_000_000));
        assert_eq!(time("1970-01-01T00:00:01Z"), Ok(1_000_000));
        assert!(["1", "-0.5", "NaN", "soon", ""].into_iter().all(|text| time(text).is_err()));
    }
}
