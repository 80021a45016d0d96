//! Burst limits: how often each key may ask in a short time, at this instance.
//!
//! A key has a bucket of so many requests, which fills up again at the rate of its plan (the generic cell rate algorithm). It never
//! knows what a request is for, and never charges. A [`KeyedRate`] is the same without a plan.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::plan::{Plan, PlanLimits};

type Limiter = RateLimiter<String, HashMapStateStore<String>, DefaultClock, StateInformationMiddleware>;
/// Requests a second, and at once.
type Rate = (NonZeroU32, NonZeroU32);

/// How often something may be done by each of many, whatever its plan: so many at once, and one more after each period.
#[derive(Debug)]
pub(crate) struct KeyedRate {
    clock: DefaultClock,
    limiter: DefaultKeyedRateLimiter<String>,
    at_once: NonZeroU32,
}

impl KeyedRate {
    /// One a period over time, of which a bucket holds so many.
    pub(crate) fn new(period: Duration, at_once: NonZeroU32) -> Self {
        let quota = Quota::with_period(period).unwrap_or(Quota::per_second(NonZeroU32::MIN));
        let limiter = RateLimiter::keyed(quota.allow_burst(at_once));
        Self { clock: DefaultClock::default(), limiter, at_once }
    }

    /// Counts so many of one of them; else the seconds, rounded up, until it may do them.
    pub(crate) fn count(&self, of: &str, number: u32) -> Result<(), u64> {
        let number = NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN).min(self.at_once);
        match self.limiter.check_key_n(&of.to_owned(), number) {
            Ok(Err(until)) => Err(until.wait_time_from(self.clock.now()).as_secs() + 1),
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }

    /// Forgets those whose buckets are full again.
    pub(crate) fn forget(&self) {
        self.limiter.retain_recent();
    }
}

/// What a key may still ask at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BurstStatus {
    /// Requests at once.
    pub(crate) burst: u32,
    /// Requests a second.
    pub(crate) per_second: u32,
    /// Requests that are left.
    pub(crate) remaining: u32,
    /// Seconds, rounded up, until another request is possible; 0 while one is left.
    pub(crate) wait: u64,
}

impl BurstStatus {
    /// Seconds, rounded up, until the bucket is full again.
    pub(crate) fn refill(&self) -> u32 {
        self.burst.saturating_sub(self.remaining).div_ceil(self.per_second)
    }
}

/// The buckets of all keys that have asked lately, by plan.
#[derive(Debug, Default)]
pub(crate) struct Bursts {
    clock: DefaultClock,
    limiters: RwLock<BTreeMap<Plan, (Rate, Arc<Limiter>)>>,
}

impl Bursts {
    /// Counts a request of a key of a plan with these limits, unless the key has asked too often: then `wait` is set. `None` is a
    /// plan without a limit.
    pub(crate) fn check(&self, kid: &str, plan: Plan, limits: &PlanLimits) -> Option<BurstStatus> {
        let per_second = NonZeroU32::new(limits.per_second)?;
        let burst = NonZeroU32::new(limits.burst).unwrap_or(per_second);
        let limiter = self.limiter(plan, (per_second, burst));
        let (remaining, wait) = match limiter.check_key(&kid.to_owned()) {
            Ok(state) => (state.remaining_burst_capacity(), 0),
            Err(until) => {
                let wait = until.wait_time_from(self.clock.now());
                (0, wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
            }
        };
        Some(BurstStatus { burst: burst.get(), per_second: per_second.get(), remaining, wait })
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
        let quota = Quota::per_second(rate.0).allow_burst(rate.1);
        let limiter = Arc::new(RateLimiter::hashmap(quota).with_middleware());
        let mut limiters = self.limiters.write().unwrap_or_else(PoisonError::into_inner);
        limiters.insert(plan, (rate, Arc::clone(&limiter)));
        limiter
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn limits(per_second: u32, burst: u32) -> PlanLimits {
        PlanLimits { per_second, burst, ..PlanLimits::default() }
    }

    #[test]
    fn each_has_a_bucket_of_its_own_and_waits_for_what_it_needs() {
        let rate = KeyedRate::new(Duration::from_mins(1), NonZeroU32::new(120).unwrap());
        assert!((0..40).all(|_| rate.count("one", 3) == Ok(())));
        let wait = rate.count("one", 3).unwrap_err();
        assert!((121..=181).contains(&wait), "{wait}");
        assert_eq!((rate.count("two", 3), rate.count("three", 1_000)), (Ok(()), Ok(())));
    }

    /// What is left, and how long the key waits.
    fn ask(bursts: &Bursts, kid: &str, plan: Plan, limits: &PlanLimits) -> (u32, u64) {
        let status = bursts.check(kid, plan, limits).unwrap();
        (status.remaining, status.wait)
    }

    /// What is asked of new buckets within a second, in which none gets a request more. Where the machine stood still it is asked again.
    fn at_once<T>(asked: impl Fn(&Bursts) -> T) -> T {
        loop {
            let begun = Instant::now();
            let answers = asked(&Bursts::default());
            if begun.elapsed() < Duration::from_secs(1) {
                return answers;
            }
        }
    }

    #[test]
    fn a_key_may_ask_so_often_at_once_and_another_one_as_often() {
        let (free, pro) = (limits(1, 3), limits(1, 1));
        let (of_keys, of_another_plan) = at_once(|bursts| {
            let five = |kid| [(); 5].map(|()| ask(bursts, kid, Plan::Free, &free));
            (["a", "b"].map(five), ask(bursts, "a", Plan::Pro, &pro))
        });
        assert_eq!(of_keys, [[(2, 0), (1, 0), (0, 0), (0, 1), (0, 1)]; 2]);
        assert_eq!(of_another_plan, (0, 0));
        let status = BurstStatus { burst: 50, per_second: 10, remaining: 29, wait: 0 };
        assert_eq!(status.refill(), 3, "21 requests at 10 a second");
    }

    #[test]
    fn a_rate_that_is_changed_counts_at_once_and_none_is_no_limit() {
        let rates = [limits(1, 1), limits(1, 1), limits(2, 1)];
        let asked = at_once(|bursts| rates.each_ref().map(|limits| ask(bursts, "a", Plan::Free, limits)));
        assert_eq!(asked, [(0, 0), (0, 1), (0, 0)]);
        let bursts = Bursts::default();
        assert!((0..10_000).all(|_| bursts.check("a", Plan::Free, &limits(0, 1)).is_none()));
    }

    #[test]
    fn a_bucket_fills_up_again_and_is_forgotten_then() {
        let (bursts, fast) = (Bursts::default(), limits(1_000, 1));
        assert_eq!(ask(&bursts, "a", Plan::Free, &fast), (0, 0));
        let held = || bursts.limiters.read().unwrap()[&Plan::Free].1.len();
        assert_eq!(held(), 1);
        while held() > 0 {
            bursts.forget();
            std::thread::yield_now();
        }
        assert_eq!(ask(&bursts, "a", Plan::Free, &fast), (0, 0));
    }
}
