//! What instances of the API ask of an account's quota: slices of it, and reports on what they charged.
//!
//! These commands have no reply of their own: an instance reads what became of them in the [`Ledger`](crate::ledger::Ledger) of the
//! account. They carry numbers that grow and counts that are cumulative, so that one that arrives twice, late or in another
//! order does nothing twice.

use std::collections::BTreeMap;

use arb_schemas::time::Micros;

/// An instance asks for a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseQuota {
    /// The instance: random, and another one after each start.
    pub instance: String,
    /// Grows with each lease that the instance asks for.
    pub number: u64,
    /// Whose quota.
    pub account: String,
    /// The key whose requests it is for.
    pub kid: String,
    /// Requests a month of the account's plan.
    pub quota: u64,
    /// What the request that waits costs: less is of no use.
    pub cost: u64,
    /// Two seconds of the key's rate at the instance.
    pub wanted: u64,
}

/// An instance reports what it has charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettleQuota {
    /// The instance.
    pub instance: String,
    /// The state of some of its leases.
    pub leases: Vec<LeaseReport>,
}

/// What was charged of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseReport {
    /// Whose quota.
    pub account: String,
    /// The lease's month, by its first moment.
    pub period: Micros,
    /// The lease's number.
    pub number: u64,
    /// Nothing more will be charged: the rest is free again.
    pub is_returned: bool,
    /// All that was charged so far.
    pub charges: Charges,
}

/// Requests by what they are counted for.
pub type Charges = BTreeMap<ChargedTo, u64>;

/// What a request is counted for, beside its key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChargedTo {
    /// Days since 1970-01-01 (UTC).
    pub day: i64,
    /// The pattern of its path.
    pub route: String,
}
