//! Back-off: how long to leave alone what has just failed.
//!
//! Each failure in a row doubles the pause up to a limit; a random part of up to half is subtracted, so that
//! several workers do not retry at the same moment. A `Retry-After` of the server is the minimum. It never
//! sleeps and never reads a clock; its random numbers come from a seeded generator.
//!
//! Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 ("equal jitter").

use arb_schemas::time::{Micros, SECOND};
use fastrand::Rng;

/// The longest `Retry-After` that is respected.
const LONGEST_RETRY_AFTER: Micros = 3_600 * SECOND;

/// The limits of the pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// After a first failure, at most.
    pub first: Micros,
    /// The longest pause, unless the server requests more.
    pub longest: Micros,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first: 2 * SECOND, longest: 300 * SECOND }
    }
}

impl Backoff {
    /// How long to wait after so many failures in a row, of which the last came with this `Retry-After`.
    pub fn delay(&self, failures: u32, retry_after: Option<Micros>, rng: &mut Rng) -> Micros {
        let doubled = 1_i64.checked_shl(failures.saturating_sub(1).min(62)).unwrap_or(i64::MAX);
        let most = self.first.saturating_mul(doubled).min(self.longest).max(2);
        let delay = most / 2 + rng.i64(0..=most - most / 2);
        delay.max(retry_after.unwrap_or(0).min(LONGEST_RETRY_AFTER))
    }
}

/// Something that may be failing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Trouble {
    failures: u32,
    until: Option<Micros>,
}

impl Trouble {
    /// Another failure; `retry_after` is the pause that the server requests.
    pub fn failed(&mut self, now: Micros, retry_after: Option<Micros>, backoff: &Backoff, rng: &mut Rng) {
        self.failures = self.failures.saturating_add(1);
        self.until = Some(now.saturating_add(backoff.delay(self.failures, retry_after, rng)));
    }

    /// It works.
    pub fn ended(&mut self) {
        *self = Self::default();
    }

    /// Until when to leave it alone; `None` when it did not fail last.
    #[must_use]
    pub fn until(&self) -> Option<Micros> {
        self.until
    }

    /// Whether it may be tried.
    #[must_use]
    pub fn allows(&self, now: Micros) -> bool {
        self.until.is_none_or(|until| now >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_lies_between_half_and_all_of_a_time_that_doubles() {
        let backoff = Backoff::default();
        let mut rng = Rng::with_seed(1);
        for failures in 1..100 {
            let most = (2.0 * 2.0_f64.powi(i32::try_from(failures).unwrap() - 1)).min(300.0) * 1e6;
            let delays: Vec<_> = (0..200).map(|_| backoff.delay(failures, None, &mut rng)).collect();
            assert!(delays.iter().all(|delay| (most / 2.0..=most).contains(&(*delay as f64))), "{failures}");
            let (least, largest) = (delays.iter().min().unwrap(), delays.iter().max().unwrap());
            assert!((largest - least) as f64 > most / 4.0, "{failures}: no jitter");
        }
        assert!(backoff.delay(u32::MAX, None, &mut rng) <= 300 * SECOND);
    }

    #[test]
    fn a_seed_gives_the_same_delays() {
        let delays = |seed| {
            let mut rng = Rng::with_seed(seed);
            (1..20).map(|failures| Backoff::default().delay(failures, None, &mut rng)).collect::<Vec<_>>()
        };
        assert_eq!(delays(7), delays(7));
        assert_ne!(delays(7), delays(8));
    }

    #[test]
    fn the_servers_wish_is_the_least() {
        let mut rng = Rng::with_seed(1);
        let mut retry_after =
            |seconds: i64| Backoff::default().delay(1, Some(seconds * SECOND), &mut rng) / SECOND;
        assert_eq!((retry_after(60), retry_after(7_200)), (60, 3_600));
        assert!((1..=2).contains(&retry_after(0)) && (1..=2).contains(&retry_after(-5)));
    }

    #[test]
    fn trouble_ends_with_a_success() {
        let (backoff, mut rng, mut trouble) = (Backoff::default(), Rng::with_seed(1), Trouble::default());
        assert!(trouble.allows(0) && trouble.until().is_none());
        for _ in 0..9 {
            trouble.failed(0, None, &backoff, &mut rng);
        }
        let until = trouble.until().unwrap();
        assert!(until >= 150 * SECOND && !trouble.allows(until - 1) && trouble.allows(until));
        trouble.ended();
        trouble.failed(0, None, &backoff, &mut rng);
        assert!(trouble.until().unwrap() <= 2 * SECOND);
    }
}
