//! What each key has spent this month, and whether it may spend more.
//!
//! An answered request costs one, a stream too; what is refused, fails or asks for the usage itself costs nothing. A
//! request is charged before it is answered, and never above the quota. The ledger is a file that is written each
//! second and at the end: a process that is killed forgets at most the charges of its last second, in favour of the
//! caller; a machine that loses its power may forget what the system had not written yet. One instance owns the file; two that share it overwrite one another's counts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arb_pipeline::stop::Stop;
use arb_schemas::time::{Micros, SECOND, month};
use serde::{Deserialize, Serialize};

use crate::files::{self, FileError};
use crate::keys::Caller;
use crate::plan::{Plan, Plans};

/// How often what has been spent is written.
const EVERY: Duration = Duration::from_secs(1);

/// The ledger, and the rules by which it is charged.
#[derive(Debug)]
pub struct Usage {
    plans: Plans,
    clock: fn() -> Micros,
    path: PathBuf,
    ledger: Mutex<Ledger>,
}

/// As the file has it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ledger {
    /// The month's first moment, and the next month's.
    period: (Micros, Micros),
    /// By kid.
    spent: BTreeMap<String, Spent>,
    #[serde(skip)]
    is_changed: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spent {
    requests: u64,
    routes: BTreeMap<String, u64>,
}

/// Where a key stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) plan: Plan,
    pub(crate) quota: u64,
    /// Never above the quota, also when the plan was made smaller within the month.
    pub(crate) used: u64,
    pub(crate) period: (Micros, Micros),
    /// Requests by route.
    pub(crate) routes: BTreeMap<String, u64>,
}

impl Standing {
    /// What may still be spent.
    pub(crate) fn remaining(&self) -> u64 {
        self.quota - self.used
    }
}

/// Nothing is left, for so many seconds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Exhausted(pub(crate) u64);

impl Usage {
    /// Opens a ledger; where there is no file nothing has been spent.
    ///
    /// # Errors
    /// [`FileError`] when there is a file and it is none of ours.
    pub fn open(path: PathBuf, plans: Plans, clock: fn() -> Micros) -> Result<Self, FileError> {
        let ledger = match files::read_json(&path) {
            Err(error) if error.is_missing() => Ledger::default(),
            read => read?,
        };
        Ok(Self { plans, clock, path, ledger: Mutex::new(ledger) })
    }

    /// Charges a request to a route.
    pub(crate) fn charge(&self, caller: &Caller, route: &str) -> Result<(), Exhausted> {
        let quota = self.plans.quota(caller.plan);
        let now = (self.clock)();
        self.ledger(now).charge(&caller.kid, route, quota, now)
    }

    /// Where a key stands.
    pub(crate) fn standing(&self, caller: &Caller) -> Standing {
        let quota = self.plans.quota(caller.plan);
        let ledger = self.ledger((self.clock)());
        let Spent { requests, routes } = ledger.spent.get(&caller.kid).cloned().unwrap_or_default();
        Standing { plan: caller.plan, quota, used: requests.min(quota), period: ledger.period, routes }
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
        let text = {
            let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
            if !std::mem::take(&mut ledger.is_changed) {
                return Ok(());
            }
            serde_json::to_vec(&*ledger).map_err(files::format(&self.path))
        };
        let written = text.and_then(|text| files::write(&self.path, &text));
        if written.is_err() {
            self.ledger.lock().unwrap_or_else(PoisonError::into_inner).is_changed = true;
        }
        written
    }

    /// Writes the ledger each second until the end is wished.
    pub fn keep(&self, stop: &Stop) {
        while !stop.wait(EVERY) {
            if let Err(error) = self.save() {
                tracing::warn!(%error, "what has been spent could not be written; it is tried again");
            }
        }
    }
}

impl Ledger {
    /// Begins a new month. A clock that is set back begins none: it would give the quota back.
    fn turn(&mut self, now: Micros) {
        if now >= self.period.1
            && let Some(period) = month(now)
        {
            *self = Self { period, spent: BTreeMap::new(), is_changed: true };
        }
    }

    fn charge(&mut self, kid: &str, route: &str, quota: u64, now: Micros) -> Result<(), Exhausted> {
        let spent = self.spent.entry(kid.to_owned()).or_default();
        if spent.requests >= quota {
            let left = (self.period.1 - now).max(0) / SECOND + 1;
            return Err(Exhausted(left.unsigned_abs()));
        }
        spent.requests += 1;
        *spent.routes.entry(route.to_owned()).or_default() += 1;
        self.is_changed = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::time::parse_rfc3339;
    use proptest::prelude::*;

    use super::*;

    fn ledger(now: &str) -> (Ledger, Micros) {
        let (mut ledger, now) = (Ledger::default(), parse_rfc3339(now).unwrap());
        ledger.turn(now);
        (ledger, now)
    }

    #[test]
    fn the_quota_is_spent_to_the_last_request_and_not_beyond() {
        let (mut ledger, now) = ledger("2026-01-31T23:59:30Z");
        for _ in 0..3 {
            ledger.charge("a", "/v1/arbs", 3, now).unwrap();
        }
        assert_eq!(ledger.charge("a", "/v1/arbs", 3, now), Err(Exhausted(31)));
        ledger.charge("b", "/v1/arbs", 3, now).unwrap();
        assert_eq!((ledger.spent["a"].requests, ledger.spent["b"].requests), (3, 1));
    }

    #[test]
    fn a_new_month_begins_at_its_first_moment() {
        let (mut ledger, now) = ledger("2026-01-31T23:59:59.999999Z");
        ledger.charge("a", "/v1/arbs", 1, now).unwrap();
        ledger.turn(now);
        assert!(ledger.charge("a", "/v1/arbs", 1, now).is_err());
        ledger.turn(now + 1);
        assert_eq!(ledger.charge("a", "/v1/arbs", 1, now + 1), Ok(()));
        ledger.turn(now);
        assert!(ledger.charge("a", "/v1/arbs", 1, now).is_err(), "a clock set back gives nothing back");
    }

    #[test]
    fn what_was_spent_outlives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("usage.json");
        let clock = || 1_000_000_000_000_000;
        let caller = Caller { kid: "a".into(), plan: Plan::Free };
        let usage = || Usage::open(path.clone(), Plans::default(), clock).unwrap();
        let first = usage();
        first.charge(&caller, "/v1/arbs").unwrap();
        first.charge(&caller, "/v1/stream").unwrap();
        first.save().unwrap();
        let standing = usage().standing(&caller);
        assert_eq!((standing.used, standing.remaining(), standing.routes["/v1/stream"]), (2, 998, 1));
        assert_eq!(standing, first.standing(&caller));
        std::fs::write(&path, "{}").unwrap();
        assert!(
            Usage::open(path.clone(), Plans::default(), clock).is_err(),
            "another file is not overwritten"
        );
    }

    #[test]
    fn a_plan_made_smaller_is_used_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("usage.json");
        let mut usage = Usage::open(path, Plans::default(), || 0).unwrap();
        let caller = Caller { kid: "a".into(), plan: Plan::Free };
        for _ in 0..5 {
            usage.charge(&caller, "/v1/arbs").unwrap();
        }
        usage.plans = serde_json::from_str(r#"{"free": 2}"#).unwrap();
        let standing = usage.standing(&caller);
        assert_eq!((standing.used, standing.remaining()), (2, 0));
        assert!(usage.charge(&caller, "/v1/arbs").is_err());
    }

    proptest! {
        #[test]
        fn used_and_remaining_are_the_quota(quota in 0..50_u64, asked in 0..60_u64) {
            let (mut ledger, now) = ledger("2026-05-05T00:00:00Z");
            let charged = (0..asked).filter(|_| ledger.charge("a", "r", quota, now).is_ok()).count() as u64;
            prop_assert_eq!(charged, asked.min(quota));
        }
    }
}
