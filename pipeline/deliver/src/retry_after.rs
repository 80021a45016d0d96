//! The header `Retry-After`: seconds, or a date of HTTP. Pure.
//!
//! Source: RFC 9110, 10.2.3 and 5.6.7.

use arb_schemas::time::{SECOND, parse_rfc3339};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The moment that it names, in seconds since 1970; `None` when it names none.
#[must_use]
pub fn parse(text: &str, now: i64) -> Option<i64> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return now.checked_add(text.parse().ok()?);
    }
    date(text)
}

/// The preferred form of a date: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once(", ")?;
    let [day, month, year, time, "GMT"] = rest.split(' ').collect::<Vec<_>>()[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    parse_rfc3339(&format!("{year}-{month:02}-{day}T{time}Z")).map(|at| at / SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read_and_nothing_else() {
        assert_eq!(parse("120", 1_000), Some(1_120));
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT", 0), Some(784_111_777));
        for text in ["", "-1", "1.5", "soon", "Sun, 06 Foo 1994 08:49:37 GMT", "99999999999999999999"] {
            assert_eq!(parse(text, i64::MAX), None, "{text}");
        }
    }
}
