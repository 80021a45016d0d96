//! What an account has used of its plan. It never counts.

use std::collections::BTreeMap;

use arb_model::{Time, view};

view! {
    /// What the account has used of its plan this month.
    pub(crate) struct UsageView => "Usage" {
        plan: &'static str,
        quota: u64,
        used: u64,
        remaining: u64,
        period_start: Time,
        period_end: Time,
        reset: Time,
        /// Requests by route.
        routes: BTreeMap<String, u64>,
        /// Requests by day.
        days: BTreeMap<String, u64>,
        /// Requests by the kid of a key.
        keys: BTreeMap<String, u64>,
        /// Of instances that ended without giving the rest of their leases back.
        forfeited: u64,
        open_leases: usize,
        open_streams: u32,
        /// What was spent before the plan was made smaller, above its quota now.
        beyond_quota: u64,
    }
}
