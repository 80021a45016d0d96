//! Records of quotas: what is asked of the accounts machine, and what it remembers of an account and a month.
//!
//! They never say how much is granted: `arb_accounts` decides.

use serde::{Deserialize, Serialize};

use crate::time::Micros;

/// What an account has spent in a month, and what is leased of its quota.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountUsage {
    pub account: String,
    pub period: Micros,
    pub settled: i64,
    pub forfeited: i64,
    pub days: Vec<UsageOfDay>,
    pub routes: Vec<UsageOfRoute>,
    pub keys: Vec<UsageOfKey>,
    pub leases: Vec<UsageLease>,
    pub askers: Vec<UsageAsker>,
}

/// What was reported of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct UsageOfDay {
    pub day: i64,
    pub requests: i64,
}

/// What was reported of a route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct UsageOfRoute {
    pub route: String,
    pub requests: i64,
}

/// What was reported of a key, and what its leases forfeited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct UsageOfKey {
    pub kid: String,
    pub requests: i64,
    pub forfeited: i64,
}

/// A slice of the quota that an instance may spend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct UsageLease {
    pub instance: String,
    pub number: i64,
    pub kid: String,
    pub granted: i64,
    pub is_recalled: bool,
    pub expires_at: Micros,
    pub charges: Vec<UsageCharge>,
}

/// Requests of a route on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct UsageCharge {
    pub day: i64,
    pub route: String,
    pub requests: i64,
}

/// An instance, and the newest lease that it asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct UsageAsker {
    pub instance: String,
    pub number: i64,
    pub at: Micros,
}

/// An instance asks for a slice of an account's quota.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountLeaseQuota {
    pub instance: String,
    pub number: i64,
    pub account: String,
    pub kid: String,
    pub quota: i64,
    pub cost: i64,
    pub wanted: i64,
}

/// An instance reports what it has charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountSettleQuota {
    pub instance: String,
    pub leases: Vec<SettledLease>,
}

/// What was charged of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SettledLease {
    pub account: String,
    pub period: Micros,
    pub number: i64,
    pub is_returned: bool,
    pub charges: Vec<UsageCharge>,
}
