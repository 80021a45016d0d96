//! Times: UTC microseconds since the epoch in messages, RFC 3339 in JSON, the date of HTTP in headers.
//!
//! [`Time`] is a time in a record. It never reads a clock.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize, Serializer};

use crate::described::{Described, Shape};

/// UTC, microseconds since the epoch.
pub type Micros = i64;

/// One second, in [`Micros`].
pub const SECOND: Micros = 1_000_000;

/// Times of an event and of its prices: the years 1900 to 2299, which is what `DateTime64(6)` of ClickHouse holds. A time outside of it is refused
/// where it comes in, so that nothing is on the board which ClickHouse cannot store.
///
/// Source: ClickHouse documentation, "`DateTime64`": a range of 1900-01-01 to 2299-12-31.
pub const EVENT_TIMES: Range<Micros> = -2_208_988_800_000_000..10_413_792_000_000_000;

/// What is wrong with a time outside of [`EVENT_TIMES`].
pub const NO_EVENT_TIME: &str = "is not in the years 1900 to 2299";

/// Times at which a record was received or made: the years 1970 to 2099. Tables are parted by their months.
pub const RECORD_TIMES: Range<Micros> = 0..4_102_444_800_000_000;

/// What is wrong with a time outside of [`RECORD_TIMES`].
pub const NO_RECORD_TIME: &str = "is not in the years 1970 to 2099";

/// Reads an RFC 3339 time, cut to microseconds.
///
/// Returns `None` when `text` is no such time.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<Micros> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond)
}

/// Writes a time as RFC 3339 in UTC; a time beyond the calendar (year 9999) as its number.
#[must_use]
pub fn to_rfc3339(at: Micros) -> String {
    Rfc3339(at).to_string()
}

/// The date of a time in UTC, as 2026-11-26.
#[must_use]
pub fn to_date(at: Micros) -> String {
    to_rfc3339(at).chars().take_while(|c| *c != 'T').collect()
}

/// A time that is written as [`to_rfc3339`] writes it, without allocating a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rfc3339(pub Micros);

impl Display for Rfc3339 {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match Timestamp::from_microsecond(self.0) {
            Ok(time) => time.fmt(formatter),
            Err(_) => self.0.fmt(formatter),
        }
    }
}

impl Serialize for Rfc3339 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A time of a record: microseconds since the epoch in binary, RFC 3339 in text.
///
/// ```
/// use arb_model::Time;
/// use arb_model::time::parse_rfc3339;
///
/// let start = Time(parse_rfc3339("2026-01-01T12:00:00.5Z").unwrap());
/// assert_eq!(start.0, 1_767_268_800_500_000);
/// assert_eq!(serde_json::to_string(&start).unwrap(), "\"2026-01-01T12:00:00.5Z\"");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct Time(pub Micros);

impl Display for Time {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        Rfc3339(self.0).fmt(formatter)
    }
}

impl Described for Time {
    const SHAPE: Shape = Shape::Time;
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

/// Reads the date of an HTTP header (RFC 9110, section 5.6.7, the form that is to be sent).
///
/// Returns `None` when `text` is no such time.
#[must_use]
pub fn parse_http_date(text: &str) -> Option<Micros> {
    jiff::fmt::rfc2822::parse(text).ok().map(|time| time.timestamp().as_microsecond())
}

/// The next midnight in UTC with which a day of this number begins, or the last day of a month that has none.
///
/// Returns `None` beyond the calendar, and for a day that no month has.
#[must_use]
pub fn next_day(at: Micros, day: i8) -> Option<Micros> {
    let today = Timestamp::from_microsecond(at).ok()?.to_zoned(TimeZone::UTC).date();
    let in_month = |first: jiff::civil::Date| {
        let last = first.last_of_month().day();
        let day = first.with().day(day.min(last)).build().ok()?;
        Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond())
    };
    let first = today.first_of_month();
    let this = in_month(first)?;
    if this > at { Some(this) } else { in_month(first.last_of_month().tomorrow().ok()?) }
}

/// The calendar month in UTC that a time lies in: its first moment, and the next month's.
///
/// Returns `None` beyond the calendar.
#[must_use]
pub fn month(at: Micros) -> Option<(Micros, Micros)> {
    let day = Timestamp::from_microsecond(at).ok()?.to_zoned(TimeZone::UTC).date();
    let midnight = |day: jiff::civil::Date| {
        day.to_zoned(TimeZone::UTC).ok().map(|midnight| midnight.timestamp().as_microsecond())
    };
    Some((midnight(day.first_of_month())?, midnight(day.last_of_month().tomorrow().ok()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_whole_years() {
        let at = |text| parse_rfc3339(text).unwrap();
        assert_eq!(EVENT_TIMES, at("1900-01-01T00:00:00Z")..at("2300-01-01T00:00:00Z"));
        assert_eq!(RECORD_TIMES, at("1970-01-01T00:00:00Z")..at("2100-01-01T00:00:00Z"));
    }

    #[test]
    fn reads_and_writes_the_same_moment() {
        for text in ["2026-06-06T04:52:30Z", "1970-01-01T00:00:00Z", "2026-06-06T04:52:30.000001Z"] {
            assert_eq!(parse_rfc3339(text).map(to_rfc3339).as_deref(), Some(text));
        }
        assert_eq!(parse_rfc3339("1970-01-01T01:00:01+01:00"), Some(SECOND));
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in ["", "yesterday", "2026-06-06", "2026-13-06T04:52:30Z", "1780721550"] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn reads_the_date_of_a_header() {
        let at = parse_rfc3339("1994-11-06T08:49:37Z");
        assert_eq!(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), at);
        for text in ["", "120", "Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }

    #[test]
    fn the_next_day_of_a_number_is_after_now_and_exists() {
        for (time, day, next) in [
            ("2026-11-21T16:00:00Z", 1, "2026-12-01T00:00:00Z"),
            ("2026-11-21T16:00:00Z", 22, "2026-11-22T00:00:00Z"),
            ("2026-11-21T16:00:00Z", 21, "2026-12-21T00:00:00Z"),
            ("2026-02-10T00:00:00Z", 31, "2026-02-28T00:00:00Z"),
            ("2026-02-28T00:00:00Z", 31, "2026-03-31T00:00:00Z"),
            ("2026-12-31T23:59:59Z", 31, "2027-01-31T00:00:00Z"),
        ] {
            let found = next_day(parse_rfc3339(time).unwrap(), day).map(to_rfc3339);
            assert_eq!(found.as_deref(), Some(next), "{time}, {day}");
        }
        assert_eq!((next_day(0, 0), next_day(i64::MAX, 1)), (None, None));
    }

    #[test]
    fn a_month_begins_with_its_first_moment_and_ends_with_the_next() {
        let month_of = |text| month(parse_rfc3339(text).unwrap()).unwrap();
        for (time, begins, ends) in [
            ("2026-02-28T23:59:59.999999Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
            ("2028-02-29T12:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"),
            ("2026-12-31T23:59:59Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            ("2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"),
            ("1969-12-31T23:00:00Z", "1969-12-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ] {
            let (from, to) = month_of(time);
            assert_eq!((&*to_rfc3339(from), &*to_rfc3339(to)), (begins, ends), "{time}");
        }
        assert_eq!(month(i64::MAX), None);
    }
}
