//! When a delivery is tried again, and when it is given up. Pure.

use arb_accounts::endpoint::Policy;
use arb_schemas::time::{Micros, SECOND};
use sha2::{Digest, Sha256};

/// Before each attempt, after the one before it.
const LIVE: &[Micros] = &[0, SECOND, 5 * SECOND, 30 * SECOND, 120 * SECOND];
const DURABLE: &[Micros] = &[
    0,
    5 * SECOND,
    300 * SECOND,
    1_800 * SECOND,
    7_200 * SECOND,
    18_000 * SECOND,
    36_000 * SECOND,
    36_000 * SECOND,
];
/// After so long an event of `live` is not sent any more: its schedule with all jitter, and the time-outs of its attempts.
pub const LIVE_AGE: Micros = 270 * SECOND;
/// A receiver's `Retry-After` delays an attempt by no more.
pub const MAX_RETRY_AFTER: Micros = 86_400 * SECOND;

/// The time before which a delivery is not tried again after so many attempts of its schedule; `None` when it is given up.
/// The jitter is of the delivery and the attempt, so that it is the same wherever it is computed.
#[must_use]
pub fn delay(policy: Policy, id: &str, attempts: usize) -> Option<Micros> {
    let schedule = if policy == Policy::Live { LIVE } else { DURABLE };
    let delay = *schedule.get(attempts)?;
    // From -20 % to +20 % in thousandths.
    let digest = Sha256::digest(format!("{id}/{attempts}"));
    let random = digest.iter().take(2).fold(0, |sum, byte| sum * 256 + i64::from(*byte));
    Some(delay + delay * (random % 401 - 200) / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_follow_the_schedule_within_a_fifth() {
        for (policy, schedule) in [(Policy::Live, LIVE), (Policy::Durable, DURABLE)] {
            for (attempts, expected) in schedule.iter().enumerate() {
                let delays: Vec<_> =
                    (0..100).map(|n| delay(policy, &format!("msg_{n}"), attempts).unwrap()).collect();
                assert!(delays.iter().all(|delay| (delay - expected).abs() <= expected / 5), "{attempts}");
                let spread = delays.iter().max().unwrap() - delays.iter().min().unwrap();
                assert!(spread >= expected / 4, "it is spread: {spread} of {expected}");
            }
            assert_eq!(delay(policy, "msg", schedule.len()), None);
        }
    }

    #[test]
    fn the_age_of_live_covers_its_schedule() {
        let longest: Micros = LIVE.iter().map(|delay| delay * 6 / 5).sum();
        assert!(longest + 5 * 15 * SECOND <= LIVE_AGE);
    }
}
