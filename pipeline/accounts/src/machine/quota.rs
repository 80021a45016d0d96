//! Slices of quotas: granted, reported, recalled and forfeited, in the order of the log.
//!
//! What instances ask is not answered by a reply of its own: the ledger of the account has it. It never grants more than the
//! quota that the plan of the account has.

use arb_schemas::time::{Micros, SECOND, month};

use crate::counts::AccountCounts;
use crate::directory::{Directory, Part};
use crate::ledger::{Asked, Ledger};
use crate::quota::{LeaseQuota, SettleQuota};
use crate::reply::Refusal;

use super::authority::live_key;
use super::timed_directory::Draft;

/// Bytes of an instance's name at most.
const MAX_INSTANCE: usize = 64;
/// Between two timers there is a second; after a longer silence nobody owned the partition, and no report was read.
const SILENCE: Micros = 3 * SECOND;

/// The first moment of the month that a time is in.
fn period(now: Micros) -> Option<Micros> {
    month(now).map(|(start, _)| start)
}

/// Why a command of an instance can mean nothing, in words.
pub(super) fn problem(instance: &str) -> Option<String> {
    let is_name = !instance.is_empty() && instance.len() <= MAX_INSTANCE;
    (!is_name).then(|| format!("the instance is empty or longer than {MAX_INSTANCE} bytes"))
}

/// The monthly cap of who spends, if it has one; refused where nobody may spend by this name.
fn cap_of(directory: &Directory, ask: &LeaseQuota) -> Result<Option<u64>, Refusal> {
    let key = live_key(directory, &ask.kid, &ask.account).ok_or(Refusal::NoKey)?;
    Ok(key.permissions.monthly_cap)
}

/// Grants a slice or denies it.
pub(super) fn lease(draft: &mut Draft, ask: &LeaseQuota, tally: &mut AccountCounts) {
    let directory = draft.directory();
    let now = directory.clock();
    let account = directory.account(&ask.account).filter(|account| !account.is_disabled);
    let (Some(_), Ok(cap), Some(period)) = (account, cap_of(directory, ask), period(now)) else {
        tally.leases.denied += 1;
        return;
    };
    let ledger = directory.ledger(&ask.account, period).cloned();
    let mut ledger = ledger.unwrap_or_else(|| Ledger::new(&ask.account, period));
    match ledger.ask(ask, cap, now) {
        Asked::Granted(_) => tally.leases.granted += 1,
        Asked::Denied => tally.leases.denied += 1,
        Asked::Repeated => {
            tally.leases.repeated += 1;
            return;
        }
    }
    draft.put(Part::Usage(ledger));
}

/// Notes what an instance has charged.
///
/// # Errors
/// What a ledger would have too many of: it is as before, and the others of the report are noted.
pub(super) fn settle(
    draft: &mut Draft,
    report: &SettleQuota,
    tally: &mut AccountCounts,
) -> Result<(), &'static str> {
    let (now, mut noted) = (draft.directory().clock(), Ok(()));
    for lease in &report.leases {
        let Some(ledger) = draft.directory().ledger(&lease.account, lease.period) else { continue };
        let mut ledger = ledger.clone();
        // A lease ends with its month: reports of the last moments are taken, and prolong nothing.
        let prolonged = (period(now) == Some(lease.period)).then_some(now);
        let before = ledger.settled;
        match ledger.settle(&report.instance, lease, prolonged) {
            Ok(true) => {
                tally.settled += ledger.settled - before;
                fold_keys(&mut ledger, draft.directory());
                draft.put(Part::Usage(ledger));
            }
            Ok(false) => {}
            Err(problem) => noted = Err(problem),
        }
    }
    noted
}

/// The record of a ledger does not grow with the keys that are made, used and revoked.
fn fold_keys(ledger: &mut Ledger, directory: &Directory) {
    let now = directory.clock();
    ledger.keys.fold(|kid| directory.key(kid).is_some_and(|key| !key.is_expired(now)));
}

/// It was one time and is another: leases of a month that is over are recalled, and no lease ends for want of reports that
/// nobody could read.
pub(super) fn turn(draft: &mut Draft, before: Micros, now: Micros) {
    let silence = now.saturating_sub(before);
    let (is_new_month, was_silent) = (period(before) != period(now), silence > SILENCE);
    if before == 0 || !(is_new_month || was_silent) {
        return;
    }
    let open: Vec<_> =
        draft.directory().ledgers().filter(|ledger| !ledger.leases.is_empty()).cloned().collect();
    for mut ledger in open {
        if Some(ledger.period) != period(now) {
            ledger.recall(|_, _| true);
        }
        if was_silent {
            ledger.postpone(silence);
        }
        draft.put(Part::Usage(ledger));
    }
}

/// Recalls what is leased to an account: its plan was changed.
pub(super) fn recall(draft: &mut Draft, account: &str) {
    let open = draft.directory().ledgers_of(account).filter(|ledger| !ledger.leases.is_empty());
    for mut ledger in open.cloned().collect::<Vec<_>>() {
        ledger.recall(|_, _| true);
        draft.put(Part::Usage(ledger));
    }
}

/// Something of a ledger has ended: what is left of it, and how many requests are forfeited.
pub(super) fn end(mut ledger: Ledger, directory: &Directory, now: Micros) -> (Option<Ledger>, u64) {
    let forfeited = ledger.expire(now);
    fold_keys(&mut ledger, directory);
    ((ledger.removed_at() > now).then_some(ledger), forfeited)
}
