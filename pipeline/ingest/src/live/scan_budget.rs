//! What scans may spend of the credits: a share of those that are left above the floor, until the credits are reset; and of what is left of
//! it, an account a quarter within an hour, beyond its first poll. Pure.
//!
//! What was spent is kept by partition, as leases are, and is left to the next holder of a lease in its note: a restart spends nothing
//! twice. It never allows what the budget of all polls refuses: it is asked beside it.

use std::collections::BTreeMap;

use arb_schemas::time::{Micros, SECOND};

/// Time within which an account has its part.
const HOUR: Micros = 3_600 * SECOND;
/// The part of an account of what is left for scans: one in so many.
const PART: u64 = 4;
/// Accounts of an hour that a note names: those that have spent the most.
const MOST_ACCOUNTS: usize = 40;

/// What an operator lets scans spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanCaps {
    /// Of the credits above the floor, until they are reset.
    pub percent: u8,
    /// Sports that one scan may have polled by a worker.
    pub sports: usize,
}

impl Default for ScanCaps {
    fn default() -> Self {
        Self { percent: 20, sports: 10 }
    }
}

/// What scans have spent of a partition's sports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanLedger {
    /// Credits since they were last reset.
    spent: u64,
    /// The credits that the provider last reported to its holder.
    remaining: Option<u64>,
    /// Number of the hour, since 1970.
    hour: i64,
    /// Credits of that hour, by account.
    accounts: BTreeMap<String, u64>,
}

impl ScanLedger {
    /// Writes the text form, without spaces.
    #[must_use]
    pub fn write(&self) -> String {
        let Self { spent, remaining, hour, accounts } = self;
        let remaining = remaining.map(|remaining| remaining.to_string()).unwrap_or_default();
        let mut most: Vec<_> = accounts.iter().collect();
        most.sort_by_key(|(account, spent)| (std::cmp::Reverse(**spent), *account));
        let entries =
            most.into_iter().take(MOST_ACCOUNTS).map(|(account, spent)| format!(",{account}:{spent}"));
        entries.fold(format!("{spent},{remaining},{hour}"), |text, entry| text + &entry)
    }

    /// Parses the text form; `None` where it is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(',');
        let spent = parts.next()?.parse().ok()?;
        let remaining =
            parts.next().map(|text| if text.is_empty() { Ok(None) } else { text.parse().map(Some) });
        let (remaining, hour) = (remaining?.ok()?, parts.next()?.parse().ok()?);
        let account = |entry: &str| {
            let (account, spent) = entry.split_once(':')?;
            Some((account.to_owned(), spent.parse().ok()?))
        };
        Some(Self { spent, remaining, hour, accounts: parts.map(account).collect::<Option<_>>()? })
    }

    fn is_empty(&self) -> bool {
        self.spent == 0 && self.accounts.is_empty()
    }
}

/// The credits that scans have spent since the credits were last reset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanBudget {
    /// By partition whose lease is held.
    ledgers: BTreeMap<i32, ScanLedger>,
    /// The last that was reported.
    remaining: Option<u64>,
}

/// A share of the credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanShare {
    /// Credits that stay.
    pub floor: u64,
    /// Percent of those above it.
    pub percent: u8,
    /// Sports that the worker holds, and all: the workers of a group share what scans may spend as they share the sports.
    pub held: (u64, u64),
}

impl ScanBudget {
    /// A lease is held, with what its last holder left.
    pub fn granted(&mut self, partition: i32, ledger: ScanLedger) {
        self.ledgers.insert(partition, ledger);
        if let Some(remaining) = self.remaining {
            self.reset_if_more(remaining);
        }
    }

    /// A lease is held no more.
    pub fn gone(&mut self, partitions: &[i32]) {
        self.ledgers.retain(|partition, _| !partitions.contains(partition));
    }

    /// What to leave to the next holder of a lease; `None` where that is nothing.
    #[must_use]
    pub fn note(&self, partition: i32) -> Option<String> {
        self.ledgers.get(&partition).filter(|ledger| !ledger.is_empty()).map(ScanLedger::write)
    }

    /// The provider has reported so many remaining credits; more than before means that they were reset.
    pub fn reported(&mut self, remaining: u64) {
        self.reset_if_more(remaining);
        self.remaining = Some(remaining);
    }

    fn reset_if_more(&mut self, remaining: u64) {
        for ledger in self.ledgers.values_mut() {
            if ledger.remaining.is_some_and(|before| remaining > before) {
                ledger.spent = 0;
            }
            ledger.remaining = Some(remaining);
        }
    }

    /// A poll for a scan of an account is asked for.
    pub fn spend(&mut self, (partition, account): (i32, &str), cost: u64, now: Micros) {
        let ledger = self.ledgers.entry(partition).or_default();
        if ledger.hour != now.div_euclid(HOUR) {
            ledger.hour = now.div_euclid(HOUR);
            ledger.accounts.clear();
        }
        ledger.remaining = ledger.remaining.or(self.remaining);
        ledger.spent = ledger.spent.saturating_add(cost);
        let of_account = ledger.accounts.entry(account.to_owned()).or_default();
        *of_account = of_account.saturating_add(cost);
    }

    /// The account that pays for a poll that costs so much, of those whose scans wait for it: the one that has spent the least within the
    /// hour. `None` when none may. Where the provider reports no credits there is no share of them, unless it is nothing.
    #[must_use]
    pub fn payer<'a>(
        &self,
        accounts: impl IntoIterator<Item = &'a str>,
        cost: u64,
        share: ScanShare,
        now: Micros,
    ) -> Option<&'a str> {
        let least = accounts.into_iter().min_by_key(|account| self.of_hour(account, now))?;
        let Some(remaining) = self.remaining else { return (share.percent > 0).then_some(least) };
        let spent = self.spent();
        let above = remaining.saturating_sub(share.floor).saturating_add(spent);
        let (held, of) = share.held;
        let all = (above.saturating_mul(share.percent.into()) / 100).saturating_mul(held) / of.max(1);
        let left = all.checked_sub(spent).filter(|left| *left >= cost)?;
        let own = self.of_hour(least, now);
        let is_within = own.saturating_add(cost).saturating_mul(PART) <= left.saturating_add(own);
        (own == 0 || is_within).then_some(least)
    }

    fn spent(&self) -> u64 {
        self.ledgers.values().map(|ledger| ledger.spent).fold(0, u64::saturating_add)
    }

    /// What an account has spent within the hour.
    fn of_hour(&self, account: &str, now: Micros) -> u64 {
        let hour = now.div_euclid(HOUR);
        let present = self.ledgers.values().filter(|ledger| ledger.hour == hour);
        present
            .filter_map(|ledger| ledger.accounts.get(account))
            .fold(0, |sum, spent| sum.saturating_add(*spent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of all sports all are held.
    const ALL: (u64, u64) = (7, 7);
    const FIFTH: ScanShare = ScanShare { floor: 10, percent: 20, held: ALL };

    fn held() -> ScanBudget {
        let mut budget = ScanBudget::default();
        budget.granted(3, ScanLedger::default());
        budget
    }

    /// Whether a poll may cost so much, of an account that has not asked before.
    fn allows(budget: &ScanBudget, cost: u64, share: ScanShare) -> bool {
        budget.payer(["new"], cost, share, 0).is_some()
    }

    #[test]
    fn scans_spend_a_fifth_of_what_is_above_the_floor_until_the_reset() {
        let mut budget = held();
        assert!(allows(&budget, 3, FIFTH), "nothing is reported");
        budget.reported(110);
        let mut polls = 0;
        while allows(&budget, 3, FIFTH) {
            budget.spend((3, &polls.to_string()), 3, 0);
            polls += 1;
            budget.reported(110 - 3 * polls);
        }
        assert_eq!(polls, 6, "6 polls are 18 of 100 credits; a seventh would be more than a fifth");
        budget.reported(110);
        assert!(allows(&budget, 20, FIFTH) && !allows(&budget, 21, FIFTH), "they were reset");
        budget.reported(10);
        assert!(!allows(&budget, 1, FIFTH), "at the floor");
        let (none, all) = (ScanShare { percent: 0, ..FIFTH }, ScanShare { percent: 100, ..FIFTH });
        let mut other = held();
        assert!(!allows(&other, 1, none), "scans may spend nothing");
        other.reported(110);
        assert!(allows(&other, 100, all) && !allows(&other, 101, all) && !allows(&other, 1, none));
        let half = ScanShare { held: (1, 2), ..FIFTH };
        assert!(allows(&other, 10, half) && !allows(&other, 11, half), "half of the sports");
    }

    #[test]
    fn an_account_leaves_three_quarters_of_an_hour_to_others() {
        let share = ScanShare { floor: 0, percent: 100, held: ALL };
        let mut budget = held();
        budget.reported(100);
        let mut polls = 0;
        while budget.payer(["a"], 4, share, 0).is_some() {
            budget.spend((3, "a"), 4, 0);
            polls += 1;
            budget.reported(100 - 4 * polls);
        }
        assert_eq!(polls, 6, "24 of 100 credits");
        assert_eq!(budget.payer(["a", "b"], 4, share, 0), Some("b"), "who has spent less pays");
        assert_eq!(budget.payer(["a"], 4, share, HOUR), Some("a"), "in the next hour");
        budget.reported(4);
        budget.spend((3, "b"), 4, 0);
        assert_eq!(
            budget.payer(["c"], 4, share, 0),
            Some("c"),
            "the first poll of an hour, while there is one"
        );
        assert_eq!(budget.payer(["b"], 4, share, 0), None);
    }

    #[test]
    fn what_was_spent_survives_a_restart_and_a_reset_between() {
        let mut budget = held();
        budget.reported(110);
        for _ in 0..2 {
            budget.spend((3, "acc_a"), 6, HOUR);
        }
        let note = budget.note(3).unwrap();
        assert_eq!(note, "12,110,1,acc_a:12");
        let after = |remaining| {
            let mut next = ScanBudget::default();
            next.granted(3, ScanLedger::read(&note).unwrap());
            next.reported(remaining);
            next
        };
        let next = after(98);
        assert_eq!((next.spent(), next.of_hour("acc_a", HOUR)), (12, 12));
        assert!(allows(&next, 8, FIFTH) && !allows(&next, 9, FIFTH), "a fifth of 100, less 12");
        assert_eq!(after(111).spent(), 0, "they were reset meanwhile");
        assert_eq!((held().note(3), held().note(4)), (None, None));
        let mut other = after(98);
        other.gone(&[3]);
        assert_eq!(other.spent(), 0, "the next holder has it");
        for wrong in ["", "1", "1,2", "x,1,2", "1,x,2", "1,2,x", "1,2,3,a", "1,2,3,a:x"] {
            assert_eq!(ScanLedger::read(wrong), None, "{wrong}");
        }
        assert_eq!(ScanLedger::read("1,,3").map(|ledger| ledger.remaining), Some(None));
    }
}
