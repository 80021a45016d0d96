//! What an account has spent, as the ledger has it, with what this instance has not reported. It never asks for anything, and reserves nothing.

use std::collections::BTreeMap;

use arb_accounts::ledger::Ledger;
use arb_schemas::time::Micros;

use crate::access::lease_pool::LeasePools;

/// What an account has spent: in all, and the same by route, by day and by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// Charged to answers: the sum of each of the next three.
    pub(crate) requests: u64,
    pub(crate) routes: BTreeMap<String, u64>,
    /// By days since 1970-01-01.
    pub(crate) days: BTreeMap<Micros, u64>,
    /// By kid.
    pub(crate) keys: BTreeMap<String, u64>,
    pub(crate) forfeited: u64,
    /// Leases that are open, of all instances.
    pub(crate) leases: usize,
}

/// What a key has spent, with what this instance has not reported.
pub(super) fn spent_by_key(pools: &LeasePools, ledger: &Ledger, kid: &str) -> u64 {
    let settled = ledger.keys.get(kid).map_or(0, |key| key.requests + key.forfeited);
    let own = ledger.leases.iter().filter(|(id, lease)| id.instance == pools.instance && lease.kid == kid);
    settled + own.map(|(id, lease)| pools.unsettled_requests(id.number, lease)).sum::<u64>()
}

/// What a ledger has, with what this instance has not reported.
pub(super) fn spent(pools: &LeasePools, ledger: &Ledger) -> Spent {
    let keys = ledger.keys.iter().filter(|(_, key)| key.requests > 0);
    let mut spent = Spent {
        requests: ledger.settled,
        routes: ledger.routes.clone(),
        days: ledger.days.clone(),
        keys: keys.map(|(kid, key)| (kid.to_owned(), key.requests)).collect(),
        forfeited: ledger.forfeited,
        leases: ledger.leases.len(),
    };
    for (id, lease) in ledger.leases.iter().filter(|(id, _)| id.instance == pools.instance) {
        for (to, requests) in pools.unsettled(id.number, lease).into_iter().filter(|(_, more)| *more > 0) {
            spent.requests += requests;
            *spent.days.entry(to.day).or_default() += requests;
            *spent.routes.entry(to.route).or_default() += requests;
            *spent.keys.entry(lease.kid.clone()).or_default() += requests;
        }
    }
    spent
}
