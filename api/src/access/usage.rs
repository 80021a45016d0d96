//! What each account has spent this month, and whether it may spend more. All keys of an account spend one quota; a key may have
//! a cap of its own beside it.
//!
//! An answered request is charged one unit, and so is a stream; a request that is refused, fails or reads the
//! usage is free. A request is charged before it is answered, and never above the quota. The ledger is a file
//! that is written twice a second (`app::periodic`) and at the end: a process that is killed, or a machine
//! that loses power, loses at most the charges of the last second, in favour of the caller. While the file
//! cannot be written, requests that would be charged are refused, so that no more than that second can be
//! lost. One instance owns the file; two instances with the same file would overwrite each other's counts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arb_schemas::time::{Micros, SECOND, month};
use serde::{Deserialize, Serialize};

use crate::access::authority::Caller;
use crate::access::plan::{Plan, PlanLimits, Plans};
use crate::files::reload::Reloaded;
use crate::files::{self, FileError};

/// A day.
pub(crate) const DAY: Micros = 24 * 60 * 60 * SECOND;
/// No month is longer.
const MONTH: Micros = 31 * DAY;

/// The ledger, and the rules by which it is charged.
#[derive(Debug)]
pub struct Usage {
    plans: Reloaded<Plans>,
    clock: fn() -> Micros,
    path: PathBuf,
    ledger: Mutex<Ledger>,
    /// Held by the thread that writes the file.
    writing: Mutex<()>,
    /// The last attempt to write it failed.
    is_unwritten: AtomicBool,
}

/// As the file has it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ledger {
    /// The month's first moment, and the next month's.
    period: (Micros, Micros),
    /// By account.
    spent: BTreeMap<String, Spent>,
    #[serde(skip)]
    is_changed: bool,
}

/// What an account has spent: in all, and the same by route, by day and by key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spent {
    pub(crate) requests: u64,
    pub(crate) routes: BTreeMap<String, u64>,
    /// By days since 1970-01-01.
    #[serde(default)]
    pub(crate) days: BTreeMap<Micros, u64>,
    /// By kid.
    #[serde(default)]
    pub(crate) keys: BTreeMap<String, u64>,
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
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The quota is spent, for so many seconds.
    Exhausted(u64),
    /// The cap of the key is spent, for so many seconds.
    Capped(u64),
    /// Charges cannot be written now.
    Unwritten,
}

impl Usage {
    /// Opens a ledger; where there is no file nothing has been spent.
    ///
    /// # Errors
    /// [`FileError`] when there is a file and it is none of ours.
    pub fn open(path: PathBuf, plans: Reloaded<Plans>, clock: fn() -> Micros) -> Result<Self, FileError> {
        let ledger = match files::read_json(&path) {
            Err(error) if error.is_missing() => Ledger::default(),
            read => read?,
        };
        let (ledger, is_unwritten) = (Mutex::new(ledger), AtomicBool::new(false));
        Ok(Self { plans, clock, path, ledger, writing: Mutex::new(()), is_unwritten })
    }

    /// Charges a request to a route that costs so many: the quota of its account then.
    pub(crate) fn charge(&self, caller: &Caller, route: &str, cost: u64) -> Result<QuotaStatus, Refusal> {
        if self.is_unwritten.load(Ordering::Relaxed) {
            return Err(Refusal::Unwritten);
        }
        let (quota, now) = (self.quota(caller), (self.clock)());
        let mut ledger = self.ledger(now);
        ledger.charge(caller, (route, cost), quota, now)?;
        Ok(ledger.status(&caller.account, caller.plan, quota))
    }

    /// The quota of an account whose request of this cost could be charged now.
    pub(crate) fn check(&self, caller: &Caller, cost: u64) -> Result<QuotaStatus, Refusal> {
        let (quota, now) = (self.quota(caller), (self.clock)());
        let ledger = self.ledger(now);
        ledger.check(caller, cost, quota, now)?;
        Ok(ledger.status(&caller.account, caller.plan, quota))
    }

    /// The quota of a caller's account.
    pub(crate) fn status(&self, caller: &Caller) -> QuotaStatus {
        self.account(&caller.account, caller.plan)
    }

    /// The quota of an account of a plan.
    pub(crate) fn account(&self, account: &str, plan: Plan) -> QuotaStatus {
        let quota = self.plans.with(|plans| plans.quota(plan));
        self.ledger((self.clock)()).status(account, plan, quota)
    }

    /// What a plan allows.
    pub(crate) fn limits(&self, plan: Plan) -> PlanLimits {
        self.plans.with(|plans| plans.limits(plan))
    }

    fn quota(&self, caller: &Caller) -> u64 {
        self.plans.with(|plans| plans.quota(caller.plan))
    }

    /// What an account has spent this month. Its sums are above what is used after the plan was made smaller.
    pub(crate) fn spent(&self, account: &str) -> Spent {
        self.ledger((self.clock)()).spent.get(account).cloned().unwrap_or_default()
    }

    /// Reads the plans again, if they have changed.
    pub(crate) fn reload_plans(&self) {
        let _ = self.plans.reload_if_changed();
    }

    /// The ledger of the month that it is now.
    fn ledger(&self, now: Micros) -> MutexGuard<'_, Ledger> {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.turn(now);
        ledger
    }

    /// Writes the ledger, if it has changed.
    ///
    /// # Errors
    /// [`FileError`]; the next call tries again.
    pub fn save(&self) -> Result<(), FileError> {
        // To the end: an older text is not to be written over a newer one.
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let text = {
            let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
            if !std::mem::take(&mut ledger.is_changed) {
                return Ok(());
            }
            serde_json::to_vec(&*ledger).map_err(files::format(&self.path))
        };
        let written = text.and_then(|text| files::write(&self.path, &text));
        self.is_unwritten.store(written.is_err(), Ordering::Relaxed);
        if written.is_err() {
            self.ledger.lock().unwrap_or_else(PoisonError::into_inner).is_changed = true;
        }
        written
    }
}

impl Ledger {
    /// Begins a new month. A clock that was set back begins none: that would return the quota that was used.
    /// A stored month far in the future comes from a wrong clock; the current month replaces it, else its
    /// count would last until then.
    fn turn(&mut self, now: Micros) {
        let is_far_ahead = self.period.0 > now.saturating_add(MONTH);
        if (now >= self.period.1 || is_far_ahead)
            && let Some(period) = month(now)
        {
            if is_far_ahead {
                tracing::warn!(
                    "the recorded usage is of a month far in the future: the count restarts with the current month"
                );
            }
            *self = Self { period, spent: BTreeMap::new(), is_changed: true };
        }
    }

    fn status(&self, account: &str, plan: Plan, quota: u64) -> QuotaStatus {
        let requests = self.spent.get(account).map_or(0, |spent| spent.requests);
        QuotaStatus { plan, quota, used: requests.min(quota), period: self.period }
    }

    fn check(&self, caller: &Caller, cost: u64, quota: u64, now: Micros) -> Result<(), Refusal> {
        let spent = self.spent.get(&caller.account);
        let (all, of_key) =
            spent.map_or((0, 0), |spent| (spent.requests, spent.keys.get(&caller.kid).copied().unwrap_or(0)));
        let seconds = ((self.period.1 - now).max(0) / SECOND + 1).unsigned_abs();
        if all.saturating_add(cost) > quota {
            return Err(Refusal::Exhausted(seconds));
        }
        match caller.monthly_cap {
            Some(cap) if of_key.saturating_add(cost) > cap => Err(Refusal::Capped(seconds)),
            _ => Ok(()),
        }
    }

    fn charge(
        &mut self,
        caller: &Caller,
        (route, cost): (&str, u64),
        quota: u64,
        now: Micros,
    ) -> Result<(), Refusal> {
        self.check(caller, cost, quota, now)?;
        let spent = entry(&mut self.spent, &caller.account);
        spent.requests += cost;
        *entry(&mut spent.routes, route) += cost;
        *entry(&mut spent.keys, &caller.kid) += cost;
        *spent.days.entry(now.div_euclid(DAY)).or_default() += cost;
        self.is_changed = true;
        Ok(())
    }
}

/// What a map has at a name, made where there is nothing: most names are there, and are not copied.
fn entry<'a, T: Default>(map: &'a mut BTreeMap<String, T>, name: &str) -> &'a mut T {
    if !map.contains_key(name) {
        map.insert(name.to_owned(), T::default());
    }
    map.get_mut(name).unwrap_or_else(|| unreachable!("it is there"))
}

#[cfg(test)]
mod tests {
    use arb_accounts::key::Mode;
    use arb_schemas::time::parse_rfc3339;
    use proptest::prelude::*;

    use super::*;

    fn ledger(now: &str) -> (Ledger, Micros) {
        let (mut ledger, now) = (Ledger::default(), parse_rfc3339(now).unwrap());
        ledger.turn(now);
        (ledger, now)
    }

    fn caller() -> Caller {
        key("a", "a")
    }

    /// A key of an account.
    fn key(account: &str, kid: &str) -> Caller {
        let (kid, account, plan) = (kid.to_owned(), account.to_owned(), Plan::Free);
        Caller { kid, mode: Mode::Live, account, plan, scopes: vec![], monthly_cap: None }
    }

    /// The usage that lies in a folder.
    fn usage(folder: &tempfile::TempDir) -> Usage {
        let plans = Reloaded::open(folder.path().join("plans.json")).unwrap();
        Usage::open(folder.path().join("usage.json"), plans, || 1_000_000_000_000_000).unwrap()
    }

    #[test]
    fn the_quota_is_spent_to_the_last_request_and_not_beyond() {
        let (mut ledger, now) = ledger("2026-01-31T23:59:30Z");
        for _ in 0..3 {
            ledger.charge(&caller(), ("/v1/arbs", 1), 3, now).unwrap();
        }
        assert_eq!(ledger.charge(&caller(), ("/v1/arbs", 1), 3, now), Err(Refusal::Exhausted(31)));
        ledger.charge(&key("b", "b"), ("/v1/arbs", 1), 3, now).unwrap();
        assert_eq!((ledger.spent["a"].requests, ledger.spent["b"].requests), (3, 1));
    }

    #[test]
    fn a_request_that_costs_more_than_is_left_is_refused_and_free() {
        let (mut ledger, now) = ledger("2026-01-31T23:59:30Z");
        ledger.charge(&caller(), ("/v1/scan", 2), 3, now).unwrap();
        assert_eq!(ledger.charge(&caller(), ("/v1/scan", 2), 3, now), Err(Refusal::Exhausted(31)));
        ledger.charge(&caller(), ("/v1/arbs", 1), 3, now).unwrap();
        assert_eq!((ledger.spent["a"].requests, ledger.spent["a"].routes["/v1/scan"]), (3, 2));
    }

    #[test]
    fn all_keys_of_an_account_spend_one_quota_and_a_key_at_most_its_cap() {
        let (mut ledger, now) = ledger("2026-01-31T23:59:30Z");
        let (one, other) = (key("a", "one"), Caller { monthly_cap: Some(1), ..key("a", "two") });
        ledger.charge(&other, ("/v1/arbs", 1), 3, now).unwrap();
        assert_eq!(ledger.charge(&other, ("/v1/arbs", 1), 3, now), Err(Refusal::Capped(31)));
        ledger.charge(&one, ("/v1/arbs", 1), 3, now).unwrap();
        ledger.charge(&one, ("/v1/signals", 1), 3, now).unwrap();
        assert_eq!(ledger.charge(&one, ("/v1/arbs", 1), 3, now), Err(Refusal::Exhausted(31)));
        assert_eq!(ledger.charge(&other, ("/v1/arbs", 1), 3, now), Err(Refusal::Exhausted(31)));
        assert_eq!(ledger.charge(&key("b", "three"), ("/v1/arbs", 1), 3, now), Ok(()));
        let spent = &ledger.spent["a"];
        let sums = [spent.routes.values().sum(), spent.days.values().sum(), spent.keys.values().sum::<u64>()];
        assert_eq!((sums, spent.requests), ([3; 3], 3));
    }

    #[test]
    fn a_new_month_begins_at_its_first_moment() {
        let (mut ledger, now) = ledger("2026-01-31T23:59:59.999999Z");
        ledger.charge(&caller(), ("/v1/arbs", 1), 1, now).unwrap();
        ledger.turn(now);
        assert!(ledger.charge(&caller(), ("/v1/arbs", 1), 1, now).is_err());
        ledger.turn(now + 1);
        assert_eq!(ledger.charge(&caller(), ("/v1/arbs", 1), 1, now + 1), Ok(()));
        ledger.turn(now);
        assert!(
            ledger.charge(&caller(), ("/v1/arbs", 1), 1, now).is_err(),
            "a clock set back gives nothing back"
        );
    }

    #[test]
    fn usage_survives_a_restart_of_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let caller = caller();
        let first = usage(&folder);
        first.charge(&caller, "/v1/arbs", 1).unwrap();
        first.charge(&caller, "/v1/stream", 1).unwrap();
        first.save().unwrap();
        let (status, routes) = (usage(&folder).status(&caller), usage(&folder).spent(&caller.account).routes);
        assert_eq!((status.used, status.remaining(), routes["/v1/stream"]), (2, 998, 1));
        assert_eq!(status, first.status(&caller));
        let path = folder.path().join("usage.json");
        std::fs::write(&path, "{}").unwrap();
        let plans = Reloaded::open(folder.path().join("plans.json")).unwrap();
        assert!(Usage::open(path, plans, || 0).is_err(), "another file is not overwritten");
    }

    #[test]
    fn concurrent_writes_lose_no_charge() {
        let folder = tempfile::tempdir().unwrap();
        let (usage, caller) = (usage(&folder), caller());
        let spend = || {
            for _ in 0..20 {
                usage.charge(&caller, "/v1/arbs", 1).unwrap();
                usage.save().unwrap();
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(spend))));
        assert_eq!(self::usage(&folder).status(&caller).used, 80);
    }

    #[test]
    fn a_month_that_lies_far_ahead_is_of_a_wrong_clock() {
        let (mut ledger, ahead) = ledger("2031-01-01T00:00:00Z");
        ledger.charge(&caller(), ("/v1/arbs", 1), 1, ahead).unwrap();
        ledger.turn(ahead - 20 * 24 * 3_600 * SECOND);
        assert_eq!(ledger.spent["a"].requests, 1, "the clock was set back a little");
        let now = parse_rfc3339("2026-05-05T00:00:00Z").unwrap();
        ledger.turn(now);
        assert_eq!(ledger.charge(&caller(), ("/v1/arbs", 1), 1, now), Ok(()));
        assert_eq!(Some(ledger.period), month(now));
    }

    #[test]
    fn nothing_is_charged_while_charges_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let (usage, caller) = (usage(&folder), caller());
        usage.charge(&caller, "/v1/arbs", 1).unwrap();
        // Where the new file is written the disk is full.
        let new = folder.path().join("usage.new");
        std::os::unix::fs::symlink("/dev/full", &new).unwrap();
        assert!(usage.save().unwrap_err().to_string().contains("No space left"));
        assert!(std::fs::symlink_metadata(&new).is_err(), "nothing is left behind");
        assert_eq!(usage.charge(&caller, "/v1/arbs", 1), Err(Refusal::Unwritten));
        assert_eq!(usage.status(&caller).used, 1);
        usage.save().unwrap();
        usage.charge(&caller, "/v1/arbs", 1).unwrap();
        usage.save().unwrap();
        assert_eq!(self::usage(&folder).status(&caller).used, 2, "no charge is lost");
    }

    #[test]
    fn a_plan_made_smaller_is_used_up() {
        let folder = tempfile::tempdir().unwrap();
        let (usage, caller) = (usage(&folder), caller());
        for _ in 0..5 {
            usage.charge(&caller, "/v1/arbs", 1).unwrap();
        }
        std::fs::write(folder.path().join("plans.json"), r#"{"free": 2}"#).unwrap();
        usage.reload_plans();
        let status = usage.status(&caller);
        assert_eq!((status.used, status.remaining()), (2, 0));
        assert!(usage.charge(&caller, "/v1/arbs", 1).is_err());
    }

    proptest! {
        #[test]
        fn used_and_remaining_are_the_quota(quota in 0..50_u64, asked in 0..60_u64, later in 0..60_u64) {
            let (mut ledger, now) = ledger("2026-05-05T00:00:00Z");
            let charged = (0..asked).filter(|_| ledger.charge(&caller(), ("r", 1), quota, now).is_ok()).count() as u64;
            prop_assert_eq!(charged, asked.min(quota));
            // Also after the plan has changed.
            for quota in [quota, later] {
                let status = ledger.status("a", Plan::Free, quota);
                prop_assert_eq!(status.used, charged.min(quota));
                prop_assert_eq!(status.used + status.remaining(), quota);
            }
        }
    }
}
