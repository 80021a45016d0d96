//! How long to wait before ClickHouse is asked again.
//!
//! It never decides whether to.

use std::time::Duration;

/// Before the second attempt.
const FIRST: Duration = Duration::from_millis(100);
/// At most.
const LONGEST: Duration = Duration::from_secs(5);

/// The pause after so many failures in a row: twice as long each time, and of that a random half to the whole, so that
/// many sinks do not come back at one moment. `random` is from 0 to 1.
///
/// ```
/// use arb_sink::retry::pause;
/// use std::time::Duration;
///
/// assert_eq!(pause(1, 1.0), Duration::from_millis(100));
/// assert_eq!(pause(3, 0.0), Duration::from_millis(200), "half of 400 ms at least");
/// assert_eq!(pause(50, 1.0), Duration::from_secs(5), "at most");
/// ```
#[must_use]
pub fn pause(failures: u32, random: f64) -> Duration {
    let whole = FIRST.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST);
    whole.mul_f64(0.5 + random.clamp(0.0, 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit() {
        let whole = |failures| pause(failures, 1.0).as_millis();
        assert_eq!(
            [0, 1, 2, 3, 6, 7, 8, u32::MAX].map(whole),
            [100, 100, 200, 400, 3_200, 5_000, 5_000, 5_000]
        );
        assert_eq!(pause(2, 0.0).as_millis(), 100);
    }
}
