//! What each account has spent this month, and whether it may spend more, by leases of its quota from the accounts machine
//! (docs/adr/028-quota-leases.md).
//!
//! An answered request is charged one unit, and so is a stream; a request that is refused, fails or reads the usage is free. What
//! a request costs is reserved of a lease before it is answered, and charged or given back with its answer: never above the quota.

mod lease_wait;
mod spent;

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicU64;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use arb_accounts::codec;
use arb_accounts::directory::Directory;
use arb_accounts::quota::{ChargedTo, LeaseReport, SettleQuota};
use arb_schemas::time::{Micros, SECOND, month};
use arb_schemas::wire::WireError;
use std::sync::Arc;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::access::authority::Caller;
use crate::access::lease_pool::{Hold, LeasePools, Spender};
use crate::access::plan::{Plan, PlanLimits, Plans};
use crate::access::replica::Replica;
use crate::access::usage::lease_wait::LeaseWait;
use crate::access::usage::spent::{Spent, spent, spent_by_key};
use crate::files::reload::Reloaded;

/// A day.
pub(crate) const DAY: Micros = 24 * 60 * 60 * SECOND;
/// How long a request waits for a lease.
const GRANT: Duration = Duration::from_secs(2);
/// Into so many shares the leases are divided, each under a lock of its own.
const SHARES: usize = 32;
/// Leases in one report: it fits into a record.
const LEASES_OF_A_REPORT: usize = 100;

/// An accounts machine in this process, which takes in a record of the command topic and has carried it out when it returns.
pub type LocalMachine = Box<dyn Fn(&[u8]) + Send + Sync>;

/// The usage of all accounts, and the leases of this instance.
pub struct Usage {
    instance: String,
    replica: Arc<Replica>,
    plans: Reloaded<Plans>,
    clock: fn() -> Micros,
    /// Each has some accounts, with all of their keys: requests of two accounts hardly ever wait for each other.
    pools: [Mutex<LeasePools>; SHARES],
    /// The number of the newest lease that was asked for.
    asked: AtomicU64,
    /// There is something to send, or to read.
    work: (Mutex<bool>, Condvar),
    /// Leases were read.
    granted: Notify,
    /// Without Kafka.
    machine: Option<LocalMachine>,
    is_charged: bool,
    /// The first moment of the month and that of the next one.
    month: RwLock<(Micros, Micros)>,
}

/// The quota of an account, and what is used of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuotaStatus {
    pub(crate) plan: Plan,
    pub(crate) quota: u64,
    /// Never above the quota, also when the plan was made smaller within the month.
    pub(crate) used: u64,
    pub(crate) period: (Micros, Micros),
}

impl QuotaStatus {
    /// What may still be spent.
    pub(crate) fn remaining(&self) -> u64 {
        self.quota - self.used
    }
}

/// Why a request is not charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The quota is spent, for so many seconds.
    Exhausted(u64),
    /// The cap of the key is spent, for so many seconds.
    Capped(u64),
    /// No lease has what it costs.
    NoLease,
}

/// A random name for an instance: another one after each start.
///
/// # Errors
/// That of the system when it has no random numbers.
pub fn instance_name() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{:016x}", u64::from_be_bytes(bytes)))
}

impl fmt::Debug for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Usage").field("pools", &self.pools).finish_non_exhaustive()
    }
}

impl Usage {
    /// Of an instance with this random name, by the accounts that its replica reads.
    #[must_use]
    pub fn new(
        instance: String,
        replica: Arc<Replica>,
        plans: Reloaded<Plans>,
        clock: fn() -> Micros,
    ) -> Self {
        let pools = std::array::from_fn(|_| Mutex::new(LeasePools::new(instance.clone())));
        let (asked, work) = (AtomicU64::new(0), (Mutex::new(false), Condvar::new()));
        let (granted, month) = (Notify::new(), RwLock::default());
        Self {
            instance,
            replica,
            plans,
            clock,
            pools,
            asked,
            work,
            granted,
            machine: None,
            is_charged: true,
            month,
        }
    }

    /// The same with a machine in this process, for what runs without Kafka.
    #[must_use]
    pub fn with_machine(self, machine: LocalMachine) -> Self {
        Self { machine: Some(machine), ..self }
    }

    /// The same without leases, nothing being charged: for a measurement of what they cost. No role does this.
    #[must_use]
    pub fn uncharged(self) -> Self {
        Self { is_charged: false, ..self }
    }

    /// Whether requests are charged.
    pub(crate) fn is_charged(&self) -> bool {
        self.is_charged
    }

    /// Reserves what a request costs.
    ///
    /// # Errors
    /// [`Refusal`]; after [`Refusal::NoLease`] a lease has been asked for.
    pub(crate) fn reserve_now(&self, caller: &Caller, cost: u64) -> Result<Hold, Refusal> {
        let reserved = self.try_reserve(caller, cost);
        if reserved != Err(Refusal::NoLease) {
            return reserved;
        }
        self.wake();
        if self.machine.is_none() {
            return reserved;
        }
        self.step(Instant::now());
        self.try_reserve(caller, cost)
    }

    /// Reserves what a request costs, once there is a lease that has it.
    ///
    /// # Errors
    /// [`Refusal`]; [`Refusal::NoLease`] after two seconds.
    pub(crate) async fn reserve(&self, caller: &Caller, cost: u64) -> Result<Hold, Refusal> {
        let _waiting = LeaseWait::begin(self, caller, cost);
        let waited = async {
            loop {
                let mut granted = std::pin::pin!(self.granted.notified());
                granted.as_mut().enable();
                match self.reserve_now(caller, cost) {
                    // A machine in this process has answered already, also when it grants nothing: the time-out must have its turn.
                    Err(Refusal::NoLease) => {
                        granted.await;
                        tokio::task::yield_now().await;
                    }
                    reserved => return reserved,
                }
            }
        };
        timeout(GRANT, waited).await.unwrap_or(Err(Refusal::NoLease))
    }

    fn try_reserve(&self, caller: &Caller, cost: u64) -> Result<Hold, Refusal> {
        let (quota, mut pools) = (self.quota(caller.plan), self.pools(&caller.account));
        let status = self.replica.with(|directory| {
            let status = self.status_of(&pools, directory, &caller.account, caller.plan);
            let seconds = self.seconds_left(directory, status.period);
            if status.remaining() < cost {
                return Err(Refusal::Exhausted(seconds));
            }
            let Some(cap) = caller.monthly_cap else { return Ok(status) };
            let ledger = directory.ledger(&caller.account, status.period.0);
            let spent = ledger.map_or(0, |ledger| spent_by_key(&pools, ledger, &caller.kid));
            if spent.saturating_add(cost) > cap { Err(Refusal::Capped(seconds)) } else { Ok(status) }
        })?;
        let spender = Spender { kid: &caller.kid, account: &caller.account, quota };
        pools.reserve(spender, cost, status.period.0, Instant::now()).ok_or(Refusal::NoLease)
    }

    /// Charges what was reserved, since its request is answered: the quota of the caller's account then.
    pub(crate) fn commit(&self, caller: &Caller, hold: &Hold, route: &str) -> QuotaStatus {
        let mut pools = self.pools(&caller.account);
        let (status, is_lease_due) = self.replica.with(|directory| {
            let to = ChargedTo { day: self.now(directory).div_euclid(DAY), route: route.to_owned() };
            let is_lease_due = pools.finish(hold, Some(to));
            (self.status_of(&pools, directory, &caller.account, caller.plan), is_lease_due)
        });
        drop(pools);
        if is_lease_due {
            self.wake();
        }
        status
    }

    /// Gives back what was reserved: its request costs nothing.
    pub(crate) fn release(&self, caller: &Caller, hold: &Hold) {
        self.pools(&caller.account).finish(hold, None);
    }

    /// The quota of a caller's account.
    pub(crate) fn status(&self, caller: &Caller) -> QuotaStatus {
        self.account(&caller.account, caller.plan)
    }

    /// The quota of an account of a plan.
    pub(crate) fn account(&self, account: &str, plan: Plan) -> QuotaStatus {
        let pools = self.pools(account);
        self.replica.with(|directory| self.status_of(&pools, directory, account, plan))
    }

    /// Asks something of the accounts and of the quota of each.
    pub(crate) fn with_accounts<A>(
        &self,
        question: impl FnOnce(&Directory, &dyn Fn(&str, Plan) -> QuotaStatus) -> A,
    ) -> A {
        // All of them before the replica, as everybody locks: nobody waits for one while another waits for what he holds.
        let pools: Vec<_> = self.pools.iter().map(lock).collect();
        self.replica.with(|directory| {
            question(directory, &|account, plan| {
                self.status_of(&pools[share_of(account)], directory, account, plan)
            })
        })
    }

    /// What a plan allows.
    pub(crate) fn limits(&self, plan: Plan) -> PlanLimits {
        self.plans.with(|plans| plans.limits(plan))
    }

    fn status_of(&self, pools: &LeasePools, directory: &Directory, account: &str, plan: Plan) -> QuotaStatus {
        let (period, quota) = (self.period(directory), self.quota(plan));
        let used = directory.ledger(account, period.0).map_or(0, |ledger| {
            let own = ledger.leases.iter().filter(|(id, _)| id.instance == pools.instance);
            let unsettled: u64 = own.map(|(id, lease)| pools.unsettled_requests(id.number, lease)).sum();
            ledger.used() + unsettled
        });
        QuotaStatus { plan, quota, used: used.min(quota), period }
    }

    fn quota(&self, plan: Plan) -> u64 {
        self.plans.with(|plans| plans.quota(plan))
    }

    /// The machine's time: months and days are the same at all instances.
    fn now(&self, directory: &Directory) -> Micros {
        match directory.clock() {
            0 => (self.clock)(),
            now => now,
        }
    }

    /// The month, which is computed when it is another one: a calendar costs more than all else that a request asks here.
    fn period(&self, directory: &Directory) -> (Micros, Micros) {
        let now = self.now(directory);
        let known = *self.month.read().unwrap_or_else(PoisonError::into_inner);
        if (known.0..known.1).contains(&now) {
            return known;
        }
        let period = month(now).unwrap_or_default();
        *self.month.write().unwrap_or_else(PoisonError::into_inner) = period;
        period
    }

    fn seconds_left(&self, directory: &Directory, period: (Micros, Micros)) -> u64 {
        ((period.1 - self.now(directory)).max(0) / SECOND + 1).unsigned_abs()
    }

    /// What an account has spent this month. Its sums are above what is used after the plan was made smaller.
    pub(crate) fn spent(&self, account: &str) -> Spent {
        let pools = self.pools(account);
        self.replica.with(|directory| {
            let period = self.period(directory).0;
            directory.ledger(account, period).map(|ledger| spent(&pools, ledger)).unwrap_or_default()
        })
    }

    /// Reads the plans again, if they have changed.
    pub(crate) fn reload_plans(&self) {
        let _ = self.plans.reload_if_changed();
    }

    /// The leases of an account's share.
    fn pools(&self, account: &str) -> MutexGuard<'_, LeasePools> {
        lock(&self.pools[share_of(account)])
    }

    /// Takes over what the accounts topic has of the leases of each share; what each is to send.
    fn read_each<A>(&self, now: Instant, mut send: impl FnMut(&mut LeasePools) -> A) -> Vec<A> {
        let shares = self.pools.iter().map(|share| {
            let mut pools = lock(share);
            self.replica.with(|directory| {
                let period = self.period(directory).0;
                pools.read(directory, period, now);
            });
            send(&mut pools)
        });
        shares.collect()
    }

    /// There may be something to send, or something new in the accounts topic.
    pub(crate) fn wake(&self) {
        *self.work.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.work.1.notify_one();
    }

    /// Waits until there may be something to do, at most so long.
    pub(crate) fn wait_for_work(&self, most: Duration) {
        let is_woken = self.work.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.work.1.wait_timeout_while(is_woken, most, |is_woken| !*is_woken);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }

    /// Takes over what the accounts topic has, and returns the commands that are due at a moment.
    pub(crate) fn commands(&self, now: Instant) -> Vec<Result<Vec<u8>, WireError>> {
        let due = self.read_each(now, |pools| (pools.reports(now), pools.asks(now, &self.asked)));
        self.granted.notify_waiters();
        let (reports, asks): (Vec<_>, Vec<_>) = due.into_iter().unzip();
        let asks = asks.iter().flatten().map(codec::encode_lease);
        self.settlements(&reports.concat()).into_iter().chain(asks).collect()
    }

    /// The last reports: everything that is left is given back.
    pub(crate) fn last_commands(&self, now: Instant) -> Vec<Result<Vec<u8>, WireError>> {
        let last = self.pools.iter().flat_map(|share| {
            let mut pools = lock(share);
            pools.return_all();
            pools.reports(now)
        });
        self.settlements(&last.collect::<Vec<_>>())
    }

    /// Reports as commands.
    fn settlements(&self, reports: &[LeaseReport]) -> Vec<Result<Vec<u8>, WireError>> {
        let chunks = reports.chunks(LEASES_OF_A_REPORT).map(|leases| {
            codec::encode_settlement(&SettleQuota { instance: self.instance(), leases: leases.to_vec() })
        });
        chunks.collect()
    }

    /// The key under which commands are sent.
    pub(crate) fn instance(&self) -> String {
        self.instance.clone()
    }

    /// What the thread that sends commands does, with the machine in this process.
    fn step(&self, now: Instant) {
        let Some(machine) = &self.machine else { return };
        self.commands(now).into_iter().flatten().for_each(|command| machine(&command));
        self.read_each(now, |_| ());
        self.granted.notify_waiters();
    }

    /// Reports to the machine in this process what is due.
    pub(crate) fn run_local_machine(&self) {
        self.step(Instant::now());
    }
}

fn lock(share: &Mutex<LeasePools>) -> MutexGuard<'_, LeasePools> {
    share.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which share has the leases of an account.
fn share_of(account: &str) -> usize {
    let mut hasher = DefaultHasher::new();
    account.hash(&mut hasher);
    usize::try_from(hasher.finish() % SHARES as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests;
