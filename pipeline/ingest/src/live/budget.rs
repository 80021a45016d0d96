//! Credits: whether a poll, or another paid call, may be paid for.
//!
//! The remaining credits are only ever what the API has reported, and each report pays for one poll at most:
//! the response to that poll reports them again, and where a response is missing, a free call fetches them.
//! Credits that the other workers of the group may be spending at this moment are kept in reserve: each has
//! one report at most, so once the remainder is below the floor plus one poll for each of them, no new poll
//! begins and those under way end at the floor or above. A poll without a response counts as paid until the
//! API must have charged it. It never reads a clock.
//!
//! Source: The Odds API v4, "Usage quota costs" (<https://the-odds-api.com/liveapi/guides/v4/>): markets times regions
//! for each call of `/odds`, 1 for `/scores` and 2 with `daysFrom`, nothing for `/sports` and `/events`; `x-requests-remaining`, `x-requests-last` on every
//! answer. Credits are reset each month on a day that no answer names.

use arb_schemas::time::{Micros, SECOND, next_day};

/// What was asked so long ago has been charged, or never will be.
const CHARGED: Micros = 60 * SECOND;

/// What may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Credits that stay. Without any (0) an API that names none is polled too.
    pub floor: u64,
    /// Credits that a poll costs, by the documentation.
    pub cost: u64,
    /// The most that any call costs, polls included: so much is kept for each call that may be under way.
    pub dearest: u64,
    /// Paid calls that may be under way in the whole group: one for each partition.
    pub at_once: u64,
    /// Spread what remains evenly until the day of the month on which the credits are reset.
    pub reset_day: Option<i8>,
}

/// The credits that the API has reported, and those spent since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    allowance: Allowance,
    /// What a poll costs, as far as is known.
    cost: u64,
    /// What any call costs at most.
    dearest: u64,
    reading: Reading,
    /// When polls were asked that have not been answered.
    unanswered: Vec<Micros>,
}

/// The API's last word on what remains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// It was used up, or there has been none.
    None,
    /// It names no number.
    Silent,
    /// So many.
    Credits(u64),
}

/// Whether a poll may be paid for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Pay,
    /// Not before this time: what remains is to last.
    Later(Micros),
    /// What remains is to be asked for first.
    Ask,
    /// So many credits remain, and they stay.
    Low(u64),
    /// The API does not report the remaining credits.
    Silent,
}

impl Budget {
    /// Of an API that has not been asked yet.
    #[must_use]
    pub fn new(allowance: Allowance) -> Self {
        let Allowance { cost, dearest, .. } = allowance;
        Self { allowance, cost, dearest: dearest.max(cost), reading: Reading::None, unanswered: Vec::new() }
    }

    /// A response reported so many remaining credits, and its own cost.
    pub fn reported(&mut self, now: Micros, remaining: Option<u64>, cost: Option<u64>) {
        self.reading = remaining.map_or(Reading::Silent, Reading::Credits);
        self.cost = self.cost.max(cost.unwrap_or(0));
        self.dearest = self.dearest.max(self.cost);
        self.unanswered.retain(|asked| now.saturating_sub(*asked) < CHARGED);
    }

    /// A paid call that is no poll cost so many credits.
    pub fn charged(&mut self, cost: u64) {
        self.dearest = self.dearest.max(cost);
    }

    /// A paid call is made.
    pub fn asked(&mut self, now: Micros) {
        self.reading = Reading::None;
        self.unanswered.push(now);
    }

    /// Discards the last report of the API.
    pub fn discard(&mut self) {
        self.reading = Reading::None;
    }

    /// The last paid call has been answered.
    pub fn answered(&mut self) {
        self.unanswered.pop();
    }

    /// Whether a poll may be paid for, of a worker that makes this share of all polls and paid last at `paid_at`.
    #[must_use]
    pub fn verdict(&self, now: Micros, paid_at: Option<Micros>, share: f64) -> Verdict {
        let remaining = match self.reading {
            Reading::None => return Verdict::Ask,
            Reading::Silent if self.allowance.floor == 0 => return Verdict::Pay,
            Reading::Silent => return Verdict::Silent,
            Reading::Credits(remaining) => remaining,
        };
        let doubtful = self.dearest.saturating_mul(self.unanswered.len() as u64);
        let sure = remaining.saturating_sub(doubtful);
        let kept = self.allowance.floor.saturating_add(self.dearest.saturating_mul(self.allowance.at_once));
        let Some(free) = sure.checked_sub(kept) else { return Verdict::Low(remaining) };
        match paid_at.and_then(|paid| Some(paid.min(now) + self.gap(now, free, share)?)) {
            Some(at) if at > now => Verdict::Later(at),
            _ => Verdict::Pay,
        }
    }

    /// Time between two polls with which these credits last until they are reset.
    fn gap(&self, now: Micros, free: u64, share: f64) -> Option<Micros> {
        let left = next_day(now, self.allowance.reset_day?)?.saturating_sub(now);
        let polls = free as f64 / self.cost.max(1) as f64 * share.clamp(0.0, 1.0);
        // At the end of the credits it is as long as the rest of the month.
        let gap = left as f64 / polls.max(1.0);
        #[expect(clippy::cast_possible_truncation, reason = "at most a month")]
        Some(gap as Micros)
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    const ONE: Allowance = Allowance { floor: 10, cost: 3, dearest: 3, at_once: 1, reset_day: None };
    const DAY: Micros = 86_400 * SECOND;

    fn reported(allowance: Allowance, remaining: Option<u64>) -> Budget {
        let mut budget = Budget::new(allowance);
        budget.reported(0, remaining, None);
        budget
    }

    fn verdict(budget: &Budget) -> Verdict {
        budget.verdict(0, None, 1.0)
    }

    #[test]
    fn nothing_is_paid_before_the_api_has_reported_the_credits() {
        assert_eq!(verdict(&Budget::new(ONE)), Verdict::Ask);
        assert_eq!(verdict(&reported(ONE, None)), Verdict::Silent);
        assert_eq!(verdict(&reported(Allowance { floor: 0, ..ONE }, None)), Verdict::Pay);
        assert_eq!(verdict(&reported(ONE, Some(13))), Verdict::Pay);
        assert_eq!(verdict(&reported(ONE, Some(12))), Verdict::Low(12));
        assert_eq!(verdict(&reported(Allowance { at_once: 4, ..ONE }, Some(21))), Verdict::Low(21));
    }

    #[test]
    fn a_saying_pays_once() {
        let mut budget = reported(ONE, Some(1_000));
        budget.asked(0);
        assert_eq!(verdict(&budget), Verdict::Ask);
        budget.answered();
        budget.reported(0, Some(13), Some(3));
        assert_eq!(verdict(&budget), Verdict::Pay);
    }

    #[test]
    fn a_call_without_a_response_counts_as_paid_for_a_minute() {
        let mut budget = reported(ONE, Some(15));
        budget.asked(0);
        budget.reported(1, Some(15), Some(0));
        assert_eq!(verdict(&budget), Verdict::Low(15));
        budget.reported(CHARGED, Some(15), Some(0));
        assert_eq!(verdict(&budget), Verdict::Pay);
    }

    #[test]
    fn a_poll_that_costs_more_than_documented_is_believed() {
        let mut budget = reported(ONE, Some(19));
        budget.reported(0, Some(19), Some(10));
        assert_eq!(verdict(&budget), Verdict::Low(19));
    }

    #[test]
    fn the_dearest_call_is_kept_and_polls_alone_are_spread() {
        let mut budget = reported(Allowance { floor: 0, cost: 1, dearest: 2, ..ONE }, Some(2));
        assert_eq!(verdict(&budget), Verdict::Pay);
        budget.charged(5);
        assert_eq!(verdict(&budget), Verdict::Low(2));
    }

    #[test]
    fn the_remaining_credits_are_spread_until_the_reset() {
        let spread = Allowance { floor: 0, cost: 1, dearest: 2, at_once: 0, reset_day: Some(11) };
        // Ten days for ten credits: one a day; for a worker that makes half of the polls one in two days.
        let budget = reported(spread, Some(10));
        assert_eq!(budget.verdict(0, Some(-DAY), 1.0), Verdict::Pay);
        assert_eq!(budget.verdict(0, Some(0), 1.0), Verdict::Later(DAY));
        assert_eq!(budget.verdict(0, Some(0), 0.5), Verdict::Later(2 * DAY));
        assert_eq!(budget.verdict(0, None, 1.0), Verdict::Pay);
    }

    /// An API that charges as it is documented, also for what is answered late or never, and its readers.
    struct Market {
        credits: u64,
        rng: Rng,
    }

    impl Market {
        /// The value of a header: the truth, no header, or zero.
        fn header(&mut self) -> Option<u64> {
            match self.rng.u8(0..10) {
                0 => None,
                1 => Some(0),
                _ => Some(self.credits),
            }
        }
    }

    /// Whatever workers see, and in whatever order their calls are served, the floor holds.
    #[test]
    fn no_order_of_answers_takes_credits_below_the_floor() {
        for seed in 0..300 {
            let mut rng = Rng::with_seed(seed);
            let allowance = Allowance {
                floor: rng.u64(1..50),
                cost: rng.u64(1..7),
                dearest: rng.u64(1..4),
                at_once: rng.u64(1..6),
                reset_day: rng.bool().then_some(1),
            };
            let mut market = Market { credits: rng.u64(0..300), rng: rng.fork() };
            let begun_with = market.credits;
            let workers = usize::try_from(allowance.at_once).unwrap();
            let mut budgets = vec![Budget::new(allowance); workers];
            // What a call costs that was made, and is charged whenever the server gets to it.
            let mut asked = vec![None; workers];
            for now in (0..).map(|step| step * 3_600 * SECOND).take(400) {
                let worker = rng.usize(0..workers);
                let budget = &mut budgets[worker];
                if let Some(cost) = asked[worker].take() {
                    market.credits = market.credits.checked_sub(cost).expect("no credit is owed");
                    if rng.u8(0..4) > 0 {
                        budget.answered();
                        let header = market.header();
                        budget.reported(now, header, (cost == allowance.cost).then_some(cost));
                    }
                } else if budget.verdict(now, None, 1.0) == Verdict::Pay {
                    budget.asked(now);
                    asked[worker] = Some(if rng.bool() { allowance.cost } else { allowance.dearest });
                } else {
                    let header = market.header();
                    budget.reported(now, header, Some(0));
                }
                let least = allowance.floor.min(begun_with);
                assert!(market.credits >= least, "seed {seed}: {} of {least}", market.credits);
            }
        }
    }
}
