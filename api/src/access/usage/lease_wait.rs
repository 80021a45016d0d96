//! A request that waits for a lease of its quota. It never outlives its request.

use super::Usage;
use crate::access::authority::Caller;

/// A request that waits for a lease, until this is dropped: also when its connection ends.
pub(super) struct LeaseWait<'a> {
    usage: &'a Usage,
    caller: &'a Caller,
    cost: u64,
}

impl<'a> LeaseWait<'a> {
    pub(super) fn begin(usage: &'a Usage, caller: &'a Caller, cost: u64) -> Self {
        usage.pools(&caller.account).begin_waiting(&caller.kid, cost);
        Self { usage, caller, cost }
    }
}

impl Drop for LeaseWait<'_> {
    fn drop(&mut self) {
        self.usage.pools(&self.caller.account).end_waiting(&self.caller.kid, self.cost);
    }
}
