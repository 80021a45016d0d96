//! Times: UTC microseconds since the epoch in messages, RFC 3339 in JSON.
//!
//! It never reads a clock.

use jiff::Timestamp;

/// UTC, microseconds since the epoch.
pub type Micros = i64;

/// One second, in [`Micros`].
pub const SECOND: Micros = 1_000_000;

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
    Timestamp::from_microsecond(at).map_or_else(|_| at.to_string(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
