//! What the accounts machine counts and holds.

use std::fmt;

use arb_runtime::machine::Tally;

use crate::directory::Directory;

/// Counts of committed transactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccountCounts {
    /// Commands that were carried out.
    pub carried_out: u64,
    /// Commands that were refused.
    pub refused: u64,
    /// Commands that were sent again.
    pub repeated: u64,
    /// Timer records.
    pub timers: u64,
    /// Sessions, keys and replies that expired.
    pub expired: u64,
    /// Requests for leases, by what became of them.
    pub leases: LeaseCounts,
    /// Requests that instances reported.
    pub settled: u64,
    /// Requests of leases that ended without a report.
    pub forfeited: u64,
}

/// Requests for leases, by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeaseCounts {
    /// Granted.
    pub granted: u64,
    /// Denied: there was nothing to grant.
    pub denied: u64,
    /// Asked for again.
    pub repeated: u64,
}

impl AccountCounts {
    /// A command was decided.
    pub(crate) fn decided(&mut self, is_carried_out: bool) {
        if is_carried_out {
            self.carried_out += 1;
        } else {
            self.refused += 1;
        }
    }
}

impl Tally for AccountCounts {
    fn add(&mut self, other: &Self) {
        self.carried_out += other.carried_out;
        self.refused += other.refused;
        self.repeated += other.repeated;
        self.timers += other.timers;
        self.expired += other.expired;
        self.leases.granted += other.leases.granted;
        self.leases.denied += other.leases.denied;
        self.leases.repeated += other.leases.repeated;
        self.settled += other.settled;
        self.forfeited += other.forfeited;
    }
}

impl fmt::Display for AccountCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { carried_out, refused, repeated, timers, expired, leases, settled, forfeited } = self;
        let LeaseCounts { granted, denied, repeated: asked_again } = leases;
        write!(
            f,
            "carried_out={carried_out} refused={refused} repeated={repeated} timers={timers} expired={expired} "
        )?;
        write!(f, "granted={granted} denied={denied} asked_again={asked_again} ")?;
        write!(f, "settled={settled} forfeited={forfeited}")
    }
}

/// How much the state holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Accounts.
    pub accounts: usize,
    /// Sessions.
    pub sessions: usize,
    /// Keys, those that have expired included.
    pub keys: usize,
    /// Replies.
    pub replies: usize,
}

impl Size {
    pub(crate) fn of(directory: &Directory) -> Self {
        Self {
            accounts: directory.accounts().len(),
            sessions: directory.sessions().len(),
            keys: directory.keys().len(),
            replies: directory.replies().len(),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { accounts, sessions, keys, replies } = self;
        write!(f, "accounts={accounts} sessions={sessions} keys={keys} replies={replies}")
    }
}
