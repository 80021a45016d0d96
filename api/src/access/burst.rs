//! Burst limits: how often each key may ask in a short time, at this instance.
//!
//! A key has a bucket of so many requests, which fills up again at the rate of its plan (the generic cell rate algorithm). It never
//! knows what a request is for, and never charges.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError, RwLock};

use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use super::plan::{Plan, PlanLimits};

type Limiter = RateLimiter<String, HashMapStateStore<String>, DefaultClock>;
/// Requests a second, and at once.
type Rate = (NonZeroU32, NonZeroU32);

/// The buckets of all keys that have asked lately, by plan.
#[derive(Debug, Default)]
pub(crate) struct Bursts {
    clock: DefaultClock,
    limiters: RwLock<BTreeMap<Plan, (Rate, Arc<Limiter>)>>,
}

impl Bursts {
    /// Counts a request of a key of a plan with these limits.
    ///
    /// # Errors
    /// The seconds, rounded up, until the key may ask again.
    pub(crate) fn check(&self, kid: &str, plan: Plan, limits: &PlanLimits) -> Result<(), u64> {
        let Some(per_second) = NonZeroU32::new(limits.per_second) else { return Ok(()) };
        let burst = NonZeroU32::new(limits.burst).unwrap_or(per_second);
        let limiter = self.limiter(plan, (per_second, burst));
        limiter.check_key(&kid.to_owned()).map_err(|until| {
            let wait = until.wait_time_from(self.clock.now());
            wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
        })
    }

    /// Forgets the keys whose buckets are full again.
    pub(crate) fn forget(&self) {
        let limiters = self.limiters.read().unwrap_or_else(PoisonError::into_inner);
        for (_, limiter) in limiters.values() {
            limiter.retain_recent();
        }
    }

    /// That of a plan; another one when its rate was changed.
    fn limiter(&self, plan: Plan, rate: Rate) -> Arc<Limiter> {
        let limiters = self.limiters.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, limiter)) = limiters.get(&plan).filter(|(of, _)| *of == rate) {
            return Arc::clone(limiter);
        }
        drop(limiters);
        let limiter = Arc::new(RateLimiter::hashmap(Quota::per_second(rate.0).allow_burst(rate.1)));
        let mut limiters = self.limiters.write().unwrap_or_else(PoisonError::into_inner);
        limiters.insert(plan, (rate, Arc::clone(&limiter)));
        limiter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(per_second: u32, burst: u32) -> PlanLimits {
        PlanLimits { per_second, burst, ..PlanLimits::default() }
    }

    #[test]
    fn a_key_may_ask_so_often_at_once_and_another_one_as_often() {
        let (bursts, free) = (Bursts::default(), limits(1, 3));
        for kid in ["a", "b"] {
            let asked: Vec<_> = (0..5).map(|_| bursts.check(kid, Plan::Free, &free)).collect();
            assert_eq!(asked, [Ok(()), Ok(()), Ok(()), Err(1), Err(1)], "{kid}");
        }
        assert_eq!(bursts.check("a", Plan::Pro, &limits(1, 1)), Ok(()), "another plan");
    }

    #[test]
    fn a_rate_that_is_changed_counts_at_once_and_none_is_no_limit() {
        let bursts = Bursts::default();
        bursts.check("a", Plan::Free, &limits(1, 1)).unwrap();
        assert_eq!(bursts.check("a", Plan::Free, &limits(1, 1)), Err(1));
        assert_eq!(bursts.check("a", Plan::Free, &limits(2, 1)), Ok(()));
        assert!((0..10_000).all(|_| bursts.check("a", Plan::Free, &limits(0, 1)).is_ok()));
    }

    #[test]
    fn a_bucket_fills_up_again_and_is_forgotten_then() {
        let (bursts, fast) = (Bursts::default(), limits(1_000, 1));
        bursts.check("a", Plan::Free, &fast).unwrap();
        let held = || bursts.limiters.read().unwrap()[&Plan::Free].1.len();
        assert_eq!(held(), 1);
        std::thread::sleep(std::time::Duration::from_millis(5));
        bursts.forget();
        assert_eq!(held(), 0);
        assert_eq!(bursts.check("a", Plan::Free, &fast), Ok(()));
    }
}
