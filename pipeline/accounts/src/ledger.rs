//! What an account has spent of its quota in a month, and what is leased of it.
//!
//! A lease is a slice of the quota that one instance of the API may spend on requests of one key. What is granted is spent, given
//! back or forfeited, and never two of these: `answered <= used <= answered + forfeited` follows from the arithmetic here alone,
//! whatever clocks do and whichever reports are lost. It never asks a clock.

mod spent_keys;

use std::collections::{BTreeMap, BTreeSet};

use arb_schemas::time::{Micros, SECOND};

use crate::quota::{ChargedTo, Charges, LeaseQuota, LeaseReport};

pub use spent_keys::{KeySpent, MAX_KEYS, OTHER_KEYS, SpentKeys};

/// After so long without a report a lease ends, and what was not reported of it is forfeited.
pub const LEASE_KEPT: Micros = 10 * SECOND;
/// For how long the ledger of a month is kept after the month began: the month before this one is always there.
pub const LEDGER_KEPT: Micros = 93 * 86_400 * SECOND;
/// For how long the newest number of an instance that asks for nothing more is kept.
const ASKER_KEPT: Micros = 600 * SECOND;
/// Leases of one account at one time: its ledger is one record.
pub const MAX_LEASES: usize = 512;
/// Instances of which the newest number is kept.
pub const MAX_ASKERS: usize = 1_024;
/// What the open leases of an account are charged for: days and routes, each lease by itself.
pub const MAX_CHARGES: usize = 8_000;
/// Days of a month on which something was reported: leases of its last moments are reported in the next one.
pub const MAX_DAYS: usize = 64;
/// Patterns of paths, and bytes of one.
pub const MAX_ROUTES: usize = 256;
/// As above.
pub const MAX_ROUTE: usize = 128;

/// The ledger of an account and a month.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Whose.
    pub account: String,
    /// The month's first moment.
    pub period: Micros,
    /// What instances reported: the sum of each of the next three.
    pub settled: u64,
    /// What leases forfeited.
    pub forfeited: u64,
    /// Reported, by days since 1970-01-01 (UTC).
    pub days: BTreeMap<i64, u64>,
    /// Reported, by pattern of the path.
    pub routes: BTreeMap<String, u64>,
    /// By kid.
    pub keys: SpentKeys,
    /// Those that are open.
    pub leases: BTreeMap<LeaseId, Lease>,
    /// The newest lease that each instance asked for.
    pub askers: BTreeMap<String, Asker>,
}

/// Which lease.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaseId {
    /// Whose it is.
    pub instance: String,
    /// Among those of the instance.
    pub number: u64,
}

/// A slice of the quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The key whose requests it is for.
    pub kid: String,
    /// Requests.
    pub granted: u64,
    /// The instance is to return what is left.
    pub is_recalled: bool,
    /// What is not reported until then is forfeited.
    pub expires_at: Micros,
    /// What was reported of it.
    pub charges: Charges,
}

/// The newest lease that an instance asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker {
    /// Its number, granted or not.
    pub number: u64,
    /// When.
    pub at: Micros,
}

/// What became of a request for a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// So many requests.
    Granted(u64),
    /// There is nothing to grant; what other leases have left was recalled.
    Denied,
    /// This or a newer one was asked for already.
    Repeated,
}

impl Lease {
    /// What was reported of it.
    #[must_use]
    pub fn charged(&self) -> u64 {
        self.charges.values().sum()
    }

    /// What may not be reported yet.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.granted.saturating_sub(self.charged())
    }
}

impl Ledger {
    /// Nothing is spent yet.
    #[must_use]
    pub fn new(account: &str, period: Micros) -> Self {
        Self { account: account.to_owned(), period, ..Self::default() }
    }

    /// What is charged or forfeited.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.settled.saturating_add(self.forfeited)
    }

    /// What leases may still charge.
    #[must_use]
    pub fn outstanding(&self) -> u64 {
        self.leases.values().map(Lease::open).sum()
    }

    /// What a key has spent or may still spend by its leases.
    fn committed_to(&self, kid: &str) -> u64 {
        let spent = self.keys.get(kid).unwrap_or_default();
        let open = self.leases.values().filter(|lease| lease.kid == kid).map(Lease::open).sum::<u64>();
        spent.requests + spent.forfeited + open
    }

    /// Grants a lease where there is something to grant; `cap` is what the key may spend.
    pub(crate) fn ask(&mut self, ask: &LeaseQuota, cap: Option<u64>, now: Micros) -> Asked {
        match self.askers.get(&ask.instance) {
            Some(asker) if asker.number >= ask.number => return Asked::Repeated,
            None if self.askers.len() >= MAX_ASKERS => return Asked::Denied,
            _ => {}
        }
        self.askers.insert(ask.instance.clone(), Asker { number: ask.number, at: now });
        let free = ask.quota.saturating_sub(self.used()).saturating_sub(self.outstanding());
        let room = cap.map_or(u64::MAX, |cap| cap.saturating_sub(self.committed_to(&ask.kid)));
        let granted = slice(ask, free, room);
        if granted == 0 {
            // What the key may not spend, other keys do not have to return.
            let is_of_key = room < ask.cost.max(1);
            self.recall(|id, lease| {
                let (is_elsewhere, is_same) = (id.instance != ask.instance, lease.kid == ask.kid);
                if is_of_key { is_elsewhere && is_same } else { is_elsewhere || !is_same }
            });
            return Asked::Denied;
        }
        if self.leases.len() >= MAX_LEASES {
            return Asked::Denied;
        }
        let id = LeaseId { instance: ask.instance.clone(), number: ask.number };
        let lease = Lease {
            kid: ask.kid.clone(),
            granted,
            is_recalled: false,
            expires_at: now.saturating_add(LEASE_KEPT),
            charges: Charges::new(),
        };
        self.leases.insert(id, lease);
        Asked::Granted(granted)
    }

    /// Notes what was charged of a lease; `now` prolongs it, unless its month is over. A report about a lease that has ended, or
    /// of more than was granted, changes nothing.
    ///
    /// # Errors
    /// What the ledger would have too many of: it is as before.
    pub(crate) fn settle(
        &mut self,
        instance: &str,
        report: &LeaseReport,
        now: Option<Micros>,
    ) -> Result<bool, &'static str> {
        let id = LeaseId { instance: instance.to_owned(), number: report.number };
        let Some(mut lease) = self.leases.get(&id).cloned() else { return Ok(false) };
        for (to, requests) in &report.charges {
            let reported = lease.charges.entry(to.clone()).or_default();
            *reported = (*reported).max(*requests);
        }
        let charged = lease.charges.values().try_fold(0_u64, |sum, one| sum.checked_add(*one));
        if charged.is_none_or(|charged| charged > lease.granted) {
            return Ok(false);
        }
        self.check_room(&id, &lease.charges)?;
        let before = self.leases.remove(&id).map(|lease| lease.charges).unwrap_or_default();
        for (to, requests) in &lease.charges {
            let more = requests - before.get(to).copied().unwrap_or(0);
            self.settled += more;
            *self.days.entry(to.day).or_default() += more;
            *self.routes.entry(to.route.clone()).or_default() += more;
            self.keys.of(&lease.kid).requests += more;
        }
        lease.expires_at =
            now.map_or(lease.expires_at, |now| lease.expires_at.max(now.saturating_add(LEASE_KEPT)));
        if !report.is_returned && lease.open() > 0 {
            self.leases.insert(id, lease);
        }
        Ok(true)
    }

    /// Whether there is room for what a lease is charged for.
    fn check_room(&self, id: &LeaseId, charges: &Charges) -> Result<(), &'static str> {
        let is_new_route = |to: &&ChargedTo| !self.routes.contains_key(&to.route);
        let routes: BTreeSet<_> = charges.keys().filter(is_new_route).map(|to| &to.route).collect();
        let days: BTreeSet<_> =
            charges.keys().map(|to| to.day).filter(|day| !self.days.contains_key(day)).collect();
        let others =
            self.leases.iter().filter(|(other, _)| *other != id).map(|(_, lease)| lease.charges.len());
        if charges.keys().any(|to| to.route.len() > MAX_ROUTE) {
            Err("a route is longer than 128 bytes")
        } else if self.routes.len() + routes.len() > MAX_ROUTES {
            Err("more than 256 routes of an account in a month")
        } else if self.days.len() + days.len() > MAX_DAYS {
            Err("more than 64 days of an account in a month")
        } else if others.sum::<usize>() + charges.len() > MAX_CHARGES {
            Err("more than 8,000 days and routes of the open leases of an account")
        } else {
            Ok(())
        }
    }

    /// Asks for what leases have left.
    pub(crate) fn recall(&mut self, is_asked: impl Fn(&LeaseId, &Lease) -> bool) {
        let open = self.leases.iter_mut().filter(|(id, lease)| is_asked(id, lease));
        open.for_each(|(_, lease)| lease.is_recalled = true);
    }

    /// Ends the leases whose time is over; how many requests that forfeits.
    pub(crate) fn expire(&mut self, now: Micros) -> u64 {
        let mut forfeited = 0;
        let keys = &mut self.keys;
        self.leases.retain(|_, lease| {
            let is_over = lease.expires_at <= now;
            if is_over {
                forfeited += lease.open();
                keys.of(&lease.kid).forfeited += lease.open();
            }
            !is_over
        });
        self.forfeited += forfeited;
        self.askers.retain(|_, asker| asker.at.saturating_add(ASKER_KEPT) > now);
        forfeited
    }

    /// Prolongs all leases: nobody could report for so long.
    pub(crate) fn postpone(&mut self, by: Micros) {
        self.leases.values_mut().for_each(|lease| lease.expires_at = lease.expires_at.saturating_add(by));
    }

    /// When it is removed.
    pub(crate) fn removed_at(&self) -> Micros {
        self.period.saturating_add(LEDGER_KEPT)
    }

    /// When something of it ends next.
    pub(crate) fn next_end(&self) -> Micros {
        let leases = self.leases.values().map(|lease| lease.expires_at);
        let askers = self.askers.values().map(|asker| asker.at.saturating_add(ASKER_KEPT));
        leases.chain(askers).fold(self.removed_at(), Micros::min)
    }
}

/// How many requests a lease has: at most a hundredth of the plan, and of its last hundredth no more than the request that waits
/// costs. `free` is what the account has left, `room` what the key may spend.
fn slice(ask: &LeaseQuota, free: u64, room: u64) -> u64 {
    let (cost, hundredth) = (ask.cost.max(1), ask.quota / 100);
    let available = free.min(room);
    if available < cost {
        return 0;
    }
    let most = hundredth.min(free.saturating_sub(hundredth)).max(cost);
    ask.wanted.max(cost).min(most).min(available)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(cost: u64, wanted: u64, quota: u64) -> LeaseQuota {
        let (instance, account, kid) = ("i".to_owned(), "a".to_owned(), "k".to_owned());
        LeaseQuota { instance, number: 1, account, kid, quota, cost, wanted }
    }

    #[test]
    fn a_slice_is_at_most_a_hundredth_and_the_last_hundredth_is_granted_by_the_request() {
        for ((cost, wanted, quota), free, room, expected) in [
            ((1, 50, 1_000), 1_000, u64::MAX, 10),
            ((1, 4, 1_000), 1_000, u64::MAX, 4),
            ((1, 0, 1_000), 1_000, u64::MAX, 1),
            ((1, 50, 1_000), 14, u64::MAX, 4),
            ((1, 50, 1_000), 10, u64::MAX, 1),
            ((1, 50, 1_000), 1, u64::MAX, 1),
            ((1, 50, 1_000), 0, u64::MAX, 0),
            ((1, 50, 1_000), 500, 3, 3),
            ((1, 50, 1_000), 500, 0, 0),
            ((3, 50, 20), 20, u64::MAX, 3),
            ((3, 50, 20), 2, u64::MAX, 0),
            ((0, 0, 3), 3, u64::MAX, 1),
        ] {
            assert_eq!(slice(&ask(cost, wanted, quota), free, room), expected, "{cost} {wanted} {free}");
        }
    }
}
