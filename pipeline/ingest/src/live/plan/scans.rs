//! Whether a sport may be polled for a scan, and what such polls have cost. It never decides which poll is due.

use arb_schemas::time::Micros;

use super::{Allowance, Plan, REFRESH, Verdict};
use crate::scan::ScanOutcome;

impl Plan {
    /// Whether a sport may be polled for a scan, whatever its schedule is; `Ok(false)` when a free listing has to report the
    /// credits first.
    ///
    /// # Errors
    /// Why it may not.
    pub fn scan(&self, sport: &str, now: Micros) -> Result<bool, ScanOutcome> {
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
        // The workers of a group share what scans may spend as they share the sports.
        let held = (self.polled_sports().count() as u64, self.roster.len() as u64);
        match self.verdict(now) {
            Verdict::Pay if self.scans.allows(cost, floor, self.rules.scans.percent, held) => Ok(true),
            Verdict::Ask => Ok(false),
            Verdict::Pay | Verdict::Later(_) | Verdict::Low(_) | Verdict::Silent => Err(ScanOutcome::Credits),
        }
    }

    /// A poll of a sport for a scan is asked for; what it costs by the documentation.
    pub fn scanned(&mut self) -> u64 {
        let cost = self.rules.allowance.cost;
        self.scans.spend(cost);
        cost
    }

    /// How many sports a scan may have polled by a worker.
    #[must_use]
    pub fn scan_sports(&self) -> usize {
        self.rules.scans.sports
    }
}
