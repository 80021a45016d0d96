//! How a worker answers scans: it polls what they cover of the sports whose lease it holds, once for all scans that wait.
//!
//! It never polls what the plan refuses, and answers every scan that covers one of its sports, with the reason when there was no
//! poll.

use std::collections::BTreeSet;

use arb_schemas::records::ScanRequest;
use arb_schemas::time::Micros;

use super::LiveError;
use super::plan::Action;
use super::worker::Worker;
use crate::scan::{Covered, ScanOutcome};
use crate::scan_queue::ScanQueue;
use crate::telemetry;

/// What became of a sport: the outcome, the time of the poll, its cost.
type SportPoll = (ScanOutcome, Option<Micros>, u64);

impl Worker<'_> {
    /// Answers the scans that wait; of sports that it holds only now, those of the last seconds too, which the worker that held
    /// them may have left.
    pub(super) fn answer_scans(&mut self, queue: &ScanQueue) -> Result<(), LiveError> {
        let held: BTreeSet<String> = self.plan.held().cloned().collect();
        let new: Vec<String> = held.difference(&self.answering).cloned().collect();
        let before: Vec<String> = held.intersection(&self.answering).cloned().collect();
        let scans = queue.take();
        self.answer_of(&scans, before)?;
        if !new.is_empty() {
            self.answer_of(&queue.recent(), new)?;
        }
        self.answering = held;
        Ok(())
    }

    fn answer_of(&mut self, scans: &[ScanRequest], sports: Vec<String>) -> Result<(), LiveError> {
        let mut polled = 0;
        for sport in sports {
            let scans: Vec<_> = scans.iter().filter(|scan| self.covers(&sport, scan)).collect();
            if scans.is_empty() {
                continue;
            }
            self.publish(&sport, |to| scans.iter().try_for_each(|scan| to.scan_begin(scan)))?;
            let (outcome, at, credits) = if polled < self.plan.scan_sports() {
                self.poll_for_scan(&sport, &scans)?
            } else {
                (ScanOutcome::ScanCap, None, 0)
            };
            polled += usize::from(credits > 0);
            self.publish(&sport, |to| {
                scans.iter().try_for_each(|scan| to.scan_end(&scan.id, outcome, at, credits))
            })?;
            telemetry::scans(outcome, scans.len());
            tracing::info!(sport, scans = scans.len(), outcome = outcome.key(), credits, "scans answered");
        }
        Ok(())
    }

    fn covers(&self, sport: &str, scan: &ScanRequest) -> bool {
        match self.covered.get(sport) {
            // A scan of the league covers it, whatever its last poll had.
            Some(covered) => covered.is_scanned(scan) || Covered::league(sport).is_scanned(scan),
            None => Covered::league(sport).is_scanned(scan),
        }
    }

    fn poll_for_scan(&mut self, sport: &str, scans: &[&ScanRequest]) -> Result<SportPoll, LiveError> {
        let accounts = || scans.iter().map(|scan| &*scan.account);
        let mut payer = self.plan.scan(sport, accounts(), self.now());
        if payer == Ok(None) {
            let now = self.now();
            self.act(&Action::List, now)?;
            payer = self.plan.scan(sport, accounts(), self.now());
        }
        let payer = match payer {
            Err(outcome) => return Ok((outcome, None, 0)),
            Ok(None) => return Ok((ScanOutcome::Credits, None, 0)),
            Ok(Some(payer)) => payer,
        };
        let (before, now) = (self.plan.received_at(sport), self.now());
        let (credits, spent_before) = self.plan.scanned(sport, payer, now);
        if !self.act(&Action::Poll(sport.to_owned()), now)? {
            // The lease was not confirmed: another worker may hold it.
            self.plan.not_scanned(spent_before);
            return Ok((ScanOutcome::Failed, None, 0));
        }
        let after = self.plan.received_at(sport);
        telemetry::scan_credits(credits);
        let is_new = after > before;
        let outcome = if is_new { ScanOutcome::Polled } else { ScanOutcome::Failed };
        Ok((outcome, after.filter(|_| is_new), credits))
    }
}
