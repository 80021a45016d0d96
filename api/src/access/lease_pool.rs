//! The leases of this instance: what it may still spend of each key's quota, what it has charged, and what it reports to the owner.
//!
//! Pure: it never asks a clock, and sends nothing. It never spends more of a lease than was granted.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arb_accounts::directory::Directory;
use arb_accounts::ledger::{Lease, Ledger};
use arb_accounts::quota::{ChargedTo, Charges, LeaseQuota, LeaseReport};
use arb_schemas::time::Micros;

/// A lease is spent for so long after the newest report that the owner is known to have taken was sent: 2 s less than the owner
/// keeps it (docs/adr/028-quota-leases.md).
const SPENT_FOR: Duration = Duration::from_secs(8);
/// How often charges are reported.
const REPORT: Duration = Duration::from_secs(1);
/// How often a lease is reported of which nothing was charged since.
const IDLE_REPORT: Duration = Duration::from_secs(3);
/// Reports of a lease that are remembered until the owner is known to have taken them: beyond it the lease is not spent any more.
const UNCONFIRMED: usize = 64;
/// After so long without a request a key's leases are returned.
const IDLE: Duration = Duration::from_mins(1);
/// How long the outcome of a request for a lease is waited for before another one is sent.
const OUTCOME: Duration = Duration::from_secs(2);
/// Between a denied request for a lease and the next one.
const PAUSE: Duration = Duration::from_millis(100);
/// The rate of a key is what it spent within the last two of these.
const WINDOW: Duration = Duration::from_secs(1);

/// The leases of some accounts' keys.
#[derive(Debug)]
pub(crate) struct LeasePools {
    /// The name of this instance.
    pub(crate) instance: String,
    /// By kid.
    keys: HashMap<String, KeyPool>,
}

/// The leases of a key.
#[derive(Debug)]
struct KeyPool {
    account: String,
    /// The plan's.
    quota: u64,
    leases: BTreeMap<u64, OwnLease>,
    /// The number of the lease that was asked for, and when.
    asked: Option<(u64, Instant)>,
    denied_at: Option<Instant>,
    /// What a request that waits costs.
    waiting: Option<u64>,
    /// What all requests that wait cost.
    waiting_cost: u64,
    /// The plan's last hundredth is granted to requests that wait.
    is_last_hundredth: bool,
    rate: SpendRate,
    used_at: Instant,
}

/// A lease of this instance.
#[derive(Debug)]
struct OwnLease {
    period: Micros,
    granted: u64,
    charges: Charges,
    charged: u64,
    /// Reserved by requests that are not answered yet.
    held: u64,
    /// Not spent from then on.
    until: Instant,
    /// As the owner has it: later than before once a report was taken.
    expires_at: Micros,
    /// The reports that the owner is not known to have taken: what each had, and when it was sent.
    unconfirmed: VecDeque<(u64, Instant)>,
    /// What the newest report had, and when it was sent.
    reported: u64,
    reported_at: Instant,
    /// Nothing more is spent: the rest is given back.
    is_returning: bool,
    is_returned: bool,
}

/// What a key spends.
#[derive(Debug, Clone, Copy)]
struct SpendRate {
    since: Instant,
    before: u64,
    now: u64,
}

/// A part of a lease, reserved for a request until it is answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    kid: String,
    number: u64,
    cost: u64,
    /// Before it there was more than half of the lease left, and now there is not.
    is_past_half: bool,
}

/// Who spends: a key of an account, whose plan has such a quota.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spender<'a> {
    pub(crate) kid: &'a str,
    pub(crate) account: &'a str,
    pub(crate) quota: u64,
}

impl SpendRate {
    fn turn(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.since);
        if passed >= WINDOW {
            let before = if passed < 2 * WINDOW { self.now } else { 0 };
            *self = Self { since: now, before, now: 0 };
        }
    }
}

impl OwnLease {
    fn of(lease: &Lease, period: Micros, sent_at: Instant) -> Self {
        Self {
            period,
            granted: lease.granted,
            charges: lease.charges.clone(),
            charged: lease.charged(),
            held: 0,
            until: sent_at + SPENT_FOR,
            expires_at: lease.expires_at,
            unconfirmed: VecDeque::new(),
            reported: lease.charged(),
            reported_at: sent_at,
            is_returning: lease.is_recalled,
            is_returned: false,
        }
    }

    fn left(&self) -> u64 {
        self.granted.saturating_sub(self.charged + self.held)
    }

    fn is_past_half(&self) -> bool {
        self.left() * 2 <= self.granted
    }

    fn is_spent(&self, period: Micros, now: Instant) -> bool {
        !self.is_returning && self.period == period && now < self.until
    }

    /// Takes over what the owner has of it. Of several reports that had the same, the first that is not known to be taken is the one:
    /// what is read now may have been written before the others came.
    fn confirm(&mut self, lease: &Lease) {
        if lease.expires_at > self.expires_at {
            self.expires_at = lease.expires_at;
            let charged = lease.charged();
            while self.unconfirmed.pop_front_if(|(reported, _)| *reported < charged).is_some() {}
            let taken = self.unconfirmed.pop_front_if(|(reported, _)| *reported == charged);
            self.until = taken.map_or(self.until, |(_, sent_at)| sent_at + SPENT_FOR);
        }
        self.is_returning |= lease.is_recalled;
    }

    /// Whether a report is due at a moment.
    fn is_due(&self, now: Instant) -> bool {
        let since = now.saturating_duration_since(self.reported_at);
        let is_over = self.charged >= self.granted;
        if self.is_returning && self.held == 0 {
            return !self.is_returned || since >= REPORT;
        }
        if self.charged > self.reported { is_over || since >= REPORT } else { since >= IDLE_REPORT }
    }

    fn report(&mut self, account: &str, number: u64, now: Instant) -> LeaseReport {
        self.is_returned = self.is_returning && self.held == 0;
        (self.reported, self.reported_at) = (self.charged, now);
        if self.unconfirmed.len() < UNCONFIRMED {
            self.unconfirmed.push_back((self.charged, now));
        }
        LeaseReport {
            account: account.to_owned(),
            period: self.period,
            number,
            is_returned: self.is_returned,
            charges: self.charges.clone(),
        }
    }
}

impl KeyPool {
    fn new(spender: Spender<'_>, now: Instant) -> Self {
        Self {
            account: spender.account.to_owned(),
            quota: spender.quota,
            leases: BTreeMap::new(),
            asked: None,
            denied_at: None,
            waiting: None,
            waiting_cost: 0,
            is_last_hundredth: false,
            rate: SpendRate { since: now, before: 0, now: 0 },
            used_at: now,
        }
    }

    /// Whether to ask for another lease, and for how many requests.
    fn wants(&mut self, now: Instant) -> Option<(u64, u64)> {
        self.rate.turn(now);
        let is_within =
            |at: Option<Instant>, time| at.is_some_and(|at| now.saturating_duration_since(at) < time);
        if is_within(self.asked.map(|(_, at)| at), OUTCOME) || is_within(self.denied_at, PAUSE) {
            return None;
        }
        let wanted = self.rate.before + self.rate.now + self.waiting_cost;
        let left: u64 = self.leases.values().filter(|lease| !lease.is_returning).map(OwnLease::left).sum();
        match self.waiting.take() {
            Some(cost) => Some((cost, wanted)),
            None if wanted > 1 && left * 2 < wanted.min(self.quota / 100) && !self.is_last_hundredth => {
                Some((1, wanted))
            }
            None => None,
        }
    }

    /// Takes over what the ledgers of its account have of its leases.
    fn read<'a>(
        &mut self,
        (instance, kid): (&str, &str),
        ledgers: impl Iterator<Item = &'a Ledger>,
        now: Instant,
    ) {
        let mut open = BTreeMap::new();
        for ledger in ledgers {
            self.is_last_hundredth = self.quota.saturating_sub(ledger.used()) <= self.quota / 100;
            let is_exceeded = ledger.used() + ledger.outstanding() > self.quota;
            for (id, lease) in ledger.leases.iter().filter(|(id, _)| id.instance == instance) {
                if lease.kid == kid {
                    open.insert(id.number, (ledger.period, lease, is_exceeded));
                }
            }
            let asker = ledger.askers.get(instance).map_or(0, |asker| asker.number);
            if let Some((number, sent_at)) = self.asked.filter(|(number, _)| *number <= asker) {
                self.asked = None;
                match open.get(&number) {
                    Some((period, lease, _)) => {
                        self.leases.insert(number, OwnLease::of(lease, *period, sent_at));
                    }
                    None => self.denied_at = Some(now),
                }
            }
        }
        self.leases.retain(|number, _| open.contains_key(number));
        for (number, (period, lease, is_exceeded)) in open {
            // One that was granted after its outcome was not waited for any more is given back.
            let own = self
                .leases
                .entry(number)
                .or_insert_with(|| OwnLease { is_returning: true, ..OwnLease::of(lease, period, now) });
            own.confirm(lease);
            own.is_returning |= is_exceeded;
        }
    }
}

impl LeasePools {
    /// Of an instance with this name.
    pub(crate) fn new(instance: String) -> Self {
        Self { instance, keys: HashMap::new() }
    }

    /// Reserves what a request costs; `None` when no lease of the month has it.
    pub(crate) fn reserve(
        &mut self,
        spender: Spender<'_>,
        cost: u64,
        period: Micros,
        now: Instant,
    ) -> Option<Hold> {
        if !self.keys.contains_key(spender.kid) {
            self.keys.insert(spender.kid.to_owned(), KeyPool::new(spender, now));
        }
        let pool = self.keys.get_mut(spender.kid)?;
        (pool.quota, pool.used_at) = (spender.quota, now);
        let is_usable = |lease: &OwnLease| lease.left() >= cost && lease.is_spent(period, now);
        let Some((number, lease)) = pool.leases.iter_mut().find(|(_, lease)| is_usable(lease)) else {
            pool.waiting = Some(cost.max(pool.waiting.unwrap_or(0)));
            return None;
        };
        let was_past_half = lease.is_past_half();
        lease.held += cost;
        pool.rate.turn(now);
        pool.rate.now += cost;
        let is_past_half = !was_past_half && lease.is_past_half();
        Some(Hold { kid: spender.kid.to_owned(), number: *number, cost, is_past_half })
    }

    /// Requests of a key begin to wait for a lease.
    pub(crate) fn begin_waiting(&mut self, kid: &str, cost: u64) {
        self.keys.get_mut(kid).into_iter().for_each(|pool| pool.waiting_cost += cost);
    }

    /// Requests of a key wait no more.
    pub(crate) fn end_waiting(&mut self, kid: &str, cost: u64) {
        let pool = self.keys.get_mut(kid).into_iter();
        pool.for_each(|pool| pool.waiting_cost = pool.waiting_cost.saturating_sub(cost));
    }

    /// Ends a reservation: it was answered and is counted for something, or it was not. Whether another lease may be due, which one
    /// request of each lease decides: the thread that asks for leases is not woken by every request after it.
    pub(crate) fn finish(&mut self, hold: &Hold, charged: Option<ChargedTo>) -> bool {
        let Some(pool) = self.keys.get_mut(&hold.kid) else { return false };
        // A lease that ended meanwhile was forfeited, and has this request.
        let Some(lease) = pool.leases.get_mut(&hold.number) else { return true };
        lease.held -= hold.cost;
        if let Some(to) = charged {
            lease.charged += hold.cost;
            *lease.charges.entry(to).or_default() += hold.cost;
        }
        hold.is_past_half
    }

    /// What was charged of an open lease of a key and is not in the owner's record of it.
    pub(crate) fn unsettled(&self, number: u64, lease: &Lease) -> Charges {
        let own = self.keys.get(&lease.kid).and_then(|pool| pool.leases.get(&number));
        let mut charges = own.map(|own| own.charges.clone()).unwrap_or_default();
        for (to, requests) in &mut charges {
            *requests = requests.saturating_sub(lease.charges.get(to).copied().unwrap_or(0));
        }
        charges
    }

    /// How many requests [`Self::unsettled`] has.
    pub(crate) fn unsettled_requests(&self, number: u64, lease: &Lease) -> u64 {
        let own = self.keys.get(&lease.kid).and_then(|pool| pool.leases.get(&number));
        own.map_or(0, |own| own.charged.saturating_sub(lease.charged()))
    }

    /// Takes over what the accounts topic has of all leases, in a month.
    pub(crate) fn read(&mut self, directory: &Directory, period: Micros, now: Instant) {
        for (kid, pool) in &mut self.keys {
            pool.read((&self.instance, kid), directory.ledgers_of(&pool.account), now);
            let is_idle = now.saturating_duration_since(pool.used_at) >= IDLE;
            for lease in pool.leases.values_mut() {
                lease.is_returning |= is_idle || lease.period != period;
            }
        }
        self.keys.retain(|_, pool| {
            !pool.leases.is_empty() || now.saturating_duration_since(pool.used_at) < IDLE + OUTCOME
        });
    }

    /// Gives everything back that is not reserved.
    pub(crate) fn return_all(&mut self) {
        let leases = self.keys.values_mut().flat_map(|pool| pool.leases.values_mut());
        leases.for_each(|lease| lease.is_returning = true);
    }

    /// The leases to ask for, numbered after the newest one of the instance.
    pub(crate) fn asks(&mut self, now: Instant, newest: &AtomicU64) -> Vec<LeaseQuota> {
        let mut asks = Vec::new();
        for (kid, pool) in &mut self.keys {
            let Some((cost, wanted)) = pool.wants(now) else { continue };
            let number = newest.fetch_add(1, Ordering::Relaxed) + 1;
            pool.asked = Some((number, now));
            asks.push(LeaseQuota {
                instance: self.instance.clone(),
                number,
                account: pool.account.clone(),
                kid: kid.clone(),
                quota: pool.quota,
                cost,
                wanted,
            });
        }
        asks
    }

    /// The leases to report.
    pub(crate) fn reports(&mut self, now: Instant) -> Vec<LeaseReport> {
        let mut reports = Vec::new();
        for pool in self.keys.values_mut() {
            let due = pool.leases.iter_mut().filter(|(_, lease)| lease.is_due(now));
            reports.extend(due.map(|(number, lease)| lease.report(&pool.account, *number, now)));
        }
        reports
    }
}

#[cfg(test)]
mod tests;
