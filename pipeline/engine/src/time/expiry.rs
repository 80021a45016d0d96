//! When an event is over: so long after its start, or so long after any source last named it.
//!
//! No feed reports that an event has ended: it stops naming it, or continues with prices that cannot be bet
//! on. It never looks at a price.

use crate::Micros;

/// One hour.
const HOUR: Micros = 3_600_000_000;
/// After a gap this long an event is removed, whatever its sport.
const RETENTION: Micros = 24 * HOUR;
/// After its start: the longest event of four recordings (42,000 polled hours) was on offer 4.6 hours
/// after its start; delays by weather double that.
const DEFAULT: Micros = 12 * HOUR;
/// Sports whose events go on for days.
const LIMITS: [(&str, Micros); 4] = [
    // A Test match: five days, and one in reserve.
    ("cricket", 7 * 24 * HOUR),
    // Four rounds on four days, and a Monday for a play-off.
    ("golf", 6 * 24 * HOUR),
    // Rain or darkness moves a match to the next day, and again.
    ("tennis", 48 * HOUR),
    // A suspended game is often resumed on the next day.
    ("baseball", 36 * HOUR),
];

/// Whether an event of this sport that began then is over.
pub(crate) fn is_over(sport: &str, commence_time: Micros, watermark: Micros) -> bool {
    watermark > over_after(sport, commence_time)
}

/// The last watermark at which it is not.
pub(crate) fn over_after(sport: &str, commence_time: Micros) -> Micros {
    commence_time.saturating_add(played_within(sport))
}

/// So long after its start an event of a sport may still be played.
#[must_use]
pub fn played_within(sport: &str) -> Micros {
    let listed = LIMITS.iter().find(|(name, _)| *name == sport);
    listed.map_or(DEFAULT, |(_, limit)| *limit)
}

/// Whether an event whose sources last named it then is removed.
pub(crate) fn is_expired(named_at: Micros, watermark: Micros) -> bool {
    watermark > expires_after(named_at)
}

/// The last watermark at which it is not.
pub(crate) fn expires_after(named_at: Micros) -> Micros {
    named_at.saturating_add(RETENTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_end_by_their_sport() {
        assert!(!is_over("soccer", 0, 12 * HOUR) && is_over("soccer", 0, 12 * HOUR + 1));
        assert!(!is_over("cricket", 0, 5 * 24 * HOUR) && is_over("cricket", 0, 8 * 24 * HOUR));
        assert!(!is_over("soccer", Micros::MAX, Micros::MAX) && !is_over("soccer", 0, Micros::MIN));
        assert!(is_expired(0, 24 * HOUR + 1) && !is_expired(0, 24 * HOUR));
    }

    /// Hours after the start until which an event is on the board, by the sources that the list names.
    #[test]
    fn golden_limits() {
        let limits =
            [("cricket", 168), ("golf", 144), ("tennis", 48), ("baseball", 36), ("soccer", 12), ("", 12)];
        for (sport, hours) in limits {
            let last = 1_000 + hours * HOUR;
            assert_eq!(over_after(sport, 1_000), last, "{sport}");
            assert!(!is_over(sport, 1_000, last) && is_over(sport, 1_000, last + 1), "{sport}");
        }
    }

    #[test]
    fn an_event_is_forgotten_a_day_after_the_last_record_that_names_it() {
        assert_eq!(expires_after(7), 7 + 24 * HOUR);
        assert!(!is_expired(7, 7 + 24 * HOUR) && is_expired(7, 8 + 24 * HOUR));
    }

    #[test]
    fn no_time_is_too_large() {
        assert!(!is_over("golf", Micros::MAX, Micros::MAX), "it never begins, so it never ends");
        assert!(is_over("golf", Micros::MIN, 0) && !is_over("golf", 0, Micros::MIN));
        assert!(!is_expired(Micros::MAX, Micros::MAX) && is_expired(Micros::MIN, 0));
    }
}
