//! What the accounts machine reports, once a transaction: commands by what became of them, and how much it holds.
//!
//! It never counts what was aborted, and never carries an id, an e-mail or an address.

use arb_runtime::machine::Counts;
use arb_runtime::telemetry::list;

use crate::counts::{AccountCounts, Size};

/// What became of a command.
const COMMANDS: [&str; 3] = ["carried_out", "refused", "repeated"];
/// What became of a lease that was asked for.
const LEASES: [&str; 3] = ["granted", "denied", "repeated"];

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    list::ACCOUNT_COMMANDS.begin_each(COMMANDS);
    list::ACCOUNT_LEASES.begin_each(LEASES);
}

/// A transaction was committed: what it took in, and what came of it.
pub(crate) fn committed(counts: &Counts<AccountCounts>) {
    let AccountCounts { carried_out, refused, repeated, timers, expired, leases, settled, forfeited } =
        counts.tally;
    list::ACCOUNT_COMMANDS.add_each(COMMANDS.into_iter().zip([carried_out, refused, repeated]));
    list::ACCOUNT_LEASES.add_each(LEASES.into_iter().zip([leases.granted, leases.denied, leases.repeated]));
    list::ACCOUNT_TIMERS.add(timers);
    list::ACCOUNT_EXPIRED.add(expired);
    list::ACCOUNT_SETTLED.add(settled);
    list::ACCOUNT_FORFEITED.add(forfeited);
}

/// Reports what the partitions hold.
pub(crate) fn sizes(of: impl Iterator<Item = Size>) {
    let mut sum = [0; 4];
    for Size { accounts, sessions, keys, replies } in of {
        sum.iter_mut().zip([accounts, sessions, keys, replies]).for_each(|(sum, one)| *sum += one);
    }
    let gauges = [list::ACCOUNTS, list::ACCOUNT_SESSIONS, list::ACCOUNT_KEYS, list::ACCOUNT_REPLIES];
    gauges.iter().zip(sum).for_each(|(gauge, sum)| gauge.set(sum as f64));
}
