//! Whether a sport may be polled for a scan, and what such polls have cost. It never decides which poll is due.

use arb_schemas::time::Micros;

use super::{Allowance, Plan, REFRESH, Verdict};
use crate::live::scan_budget::{ScanBudget, ScanShare};
use crate::scan::ScanOutcome;

impl Plan {
    /// The account that pays for a poll of a sport, of those whose scans wait for it, whatever the schedule is; `None` when a free
    /// listing has to report the credits first.
    ///
    /// # Errors
    /// Why it may not be polled.
    pub fn scan<'a>(
        &self,
        sport: &str,
        accounts: impl IntoIterator<Item = &'a str>,
        now: Micros,
    ) -> Result<Option<&'a str>, ScanOutcome> {
        let Some((_, polled)) = self.polled_sports().find(|(name, _)| *name == sport) else {
            return Err(ScanOutcome::NotCovered);
        };
        if polled.gone_until.is_some_and(|until| now < until) {
            return Err(ScanOutcome::NotCovered);
        }
        if !self.throttle.allows(now) || !polled.trouble.allows(now) {
            return Err(ScanOutcome::BackOff);
        }
        if polled.asked_at.is_some_and(|at| at <= now && now - at < REFRESH) {
            return Err(ScanOutcome::PolledRecently);
        }
        let Allowance { cost, floor, .. } = self.rules.allowance;
        let held = (self.polled_sports().count() as u64, self.roster.len() as u64);
        let share = ScanShare { floor, percent: self.rules.scans.percent, held };
        match self.verdict(now) {
            Verdict::Pay => {
                self.scans.payer(accounts, cost, share, now).map(Some).ok_or(ScanOutcome::Credits)
            }
            Verdict::Ask => Ok(None),
            Verdict::Later(_) | Verdict::Low(_) | Verdict::Silent => Err(ScanOutcome::Credits),
        }
    }

    /// A poll of a sport for a scan of an account is about to be asked for: the note at its lease says so. What it costs by the
    /// documentation, and what scans had spent before.
    pub fn scanned(&mut self, sport: &str, account: &str, now: Micros) -> (u64, ScanBudget) {
        let (cost, before) = (self.rules.allowance.cost, self.scans.clone());
        self.scans.spend((self.home(sport), account), cost, now);
        (cost, before)
    }

    /// The poll was not asked for.
    pub fn not_scanned(&mut self, before: ScanBudget) {
        self.scans = before;
    }

    /// How many sports a scan may have polled by a worker.
    #[must_use]
    pub fn scan_sports(&self) -> usize {
        self.rules.scans.sports
    }
}
