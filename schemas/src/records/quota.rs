//! Records of quotas: what is asked of the accounts machine, and what it remembers of an account and a month.
//!
//! They never say how much is granted: `arb_accounts` decides.

use arb_model::record;

use crate::time::Micros;

record! {
    /// What an account has spent of its quota in a calendar month (UTC), and what is leased of it.
    #[derive(Eq)]
    pub struct AccountUsage {
        /// The account.
        pub account: String,
        /// The first moment of the month.
        pub period: Micros,
        /// Requests that instances answered and reported: the sum by day, by route and by key.
        pub settled: i64,
        /// Requests of leases that ended without a report: perhaps answered, never granted again.
        pub forfeited: i64,
        /// What was reported, by day.
        pub days: Vec<UsageOfDay>,
        /// What was reported, by route.
        pub routes: Vec<UsageOfRoute>,
        /// What was reported and forfeited, by key.
        pub keys: Vec<UsageOfKey>,
        /// The leases that have not ended.
        pub leases: Vec<UsageLease>,
        /// The instances that asked for leases.
        pub askers: Vec<UsageAsker>,
    }
}

record! {
    /// What was reported of a day.
    #[derive(Eq)]
    pub struct UsageOfDay {
        /// Days since 1970-01-01 (UTC).
        pub day: i64,
        /// How many requests.
        pub requests: i64,
    }
}

record! {
    /// What was reported of a route.
    #[derive(Eq)]
    pub struct UsageOfRoute {
        /// Pattern of the route's path.
        pub route: String,
        /// How many requests.
        pub requests: i64,
    }
}

record! {
    /// What was reported of a key, and what its leases forfeited.
    #[derive(Eq)]
    pub struct UsageOfKey {
        /// The public part of the key.
        pub kid: String,
        /// How many requests.
        pub requests: i64,
        /// How many requests of its leases were forfeited.
        pub forfeited: i64,
    }
}

record! {
    /// A slice of the quota that an instance may spend.
    #[derive(Eq)]
    pub struct UsageLease {
        /// The instance of the API that may spend it.
        pub instance: String,
        /// Grows with each lease that the instance asks for.
        pub number: i64,
        /// The key whose requests it is for.
        pub kid: String,
        /// How many requests it is for.
        pub granted: i64,
        /// The instance is to return what is left.
        pub is_recalled: bool,
        /// By the machine's time: what is not reported until then is forfeited.
        pub expires_at: Micros,
        /// What was reported of it.
        pub charges: Vec<UsageCharge>,
    }
}

record! {
    /// Requests of a route on a day.
    #[derive(Eq)]
    pub struct UsageCharge {
        /// Days since 1970-01-01 (UTC).
        pub day: i64,
        /// Pattern of the route's path.
        pub route: String,
        /// How many.
        pub requests: i64,
    }
}

record! {
    /// An instance, and the newest lease that it asked for.
    #[derive(Eq)]
    pub struct UsageAsker {
        /// The instance.
        pub instance: String,
        /// The number of the newest lease that it asked for, granted or not.
        pub number: i64,
        /// When it asked, by the machine's time.
        pub at: Micros,
    }
}

record! {
    /// An instance of the API asks for a slice of an account's quota.
    #[derive(Eq)]
    pub struct AccountLeaseQuota {
        /// The instance.
        pub instance: String,
        /// Grows with each lease that the instance asks for: a command that arrives again grants nothing.
        pub number: i64,
        /// The account.
        pub account: String,
        /// The key whose requests it is for.
        pub kid: String,
        /// Requests a month of the account's plan.
        pub quota: i64,
        /// The least that is of use: what the request that waits costs.
        pub cost: i64,
        /// Two seconds of the key's rate at the instance.
        pub wanted: i64,
    }
}

record! {
    /// An instance of the API reports what it has charged of its leases.
    #[derive(Eq)]
    pub struct AccountSettleQuota {
        /// The instance.
        pub instance: String,
        /// What was charged of each.
        pub leases: Vec<SettledLease>,
    }
}

record! {
    /// What was charged of a lease.
    #[derive(Eq)]
    pub struct SettledLease {
        /// The account.
        pub account: String,
        /// The first moment of the lease's month.
        pub period: Micros,
        /// The number of the lease.
        pub number: i64,
        /// Nothing more will be charged: the rest is free again.
        pub is_returned: bool,
        /// All that was charged of the lease so far.
        pub charges: Vec<UsageCharge>,
    }
}
