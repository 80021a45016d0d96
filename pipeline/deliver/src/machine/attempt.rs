//! What came of an attempt: the delivery is done, is tried again, or has failed. And what has failed is delivered again on request.

use std::sync::Arc;

use arb_feed::webhook::circuit::open_until;
use arb_schemas::records::{WebhookAttempt, WebhookRedelivery};
use arb_schemas::time::Micros;
use arb_schemas::wire::WireError;

use super::{Entry, MAX_FAILED, Step};
use crate::book;
use crate::circuit::Failing;
use crate::codec::{self, Part};
use crate::delivery::{AttemptOutcome, Delivery};
use crate::policy::{self, MAX_RETRY_AFTER};

/// Deliveries that one success makes due at most: each is a record of its transaction. While a circuit is open it is tried every 5 s at
/// most, and after three days without a success its endpoint is disabled, so that less waits for another attempt.
const BROUGHT_FORWARD: usize = 4_000;

impl Step<'_> {
    /// Takes in what came of an attempt; one of a delivery that is over, or of a number that was taken in, changes nothing.
    pub(super) fn attempt(&mut self, attempt: &WebhookAttempt) -> Result<(), WireError> {
        let outcome = codec::outcome(&attempt.outcome)?;
        let pending = self.book.delivery(&attempt.delivery).filter(|delivery| !delivery.has_failed).cloned();
        let Some(delivery) = pending.filter(|delivery| i64::from(delivery.attempts) + 1 == attempt.number)
        else {
            self.tally.doubles += 1;
            return Ok(());
        };
        self.tally.attempt(outcome);
        let before = self.note_failing(&delivery.endpoint, outcome, attempt.at);
        self.take_in(&delivery, outcome, attempt)?;
        self.report_change(&delivery.endpoint, before, attempt.at)
    }

    /// What becomes of a delivery.
    fn take_in(
        &mut self,
        delivery: &Arc<Delivery>,
        outcome: AttemptOutcome,
        attempt: &WebhookAttempt,
    ) -> Result<(), WireError> {
        match outcome {
            AttemptOutcome::Delivered | AttemptOutcome::Dropped => {
                book::remove_delivery(self.book, &delivery.id);
                self.log_attempt(delivery, outcome.key(), attempt, None)
            }
            AttemptOutcome::Gone => self.fail(delivery, attempt, "gone"),
            AttemptOutcome::Failed => match retry_at(delivery, attempt) {
                Some(next_at) => self.retry(delivery, attempt, next_at),
                None => self.fail(delivery, attempt, "given_up"),
            },
        }
    }

    fn retry(
        &mut self,
        delivery: &Arc<Delivery>,
        attempt: &WebhookAttempt,
        next_at: Micros,
    ) -> Result<(), WireError> {
        let attempts = delivery.attempts + 1;
        book::put_delivery(self.book, Delivery { attempts, next_at, ..delivery.as_ref().clone() });
        // While its circuit is open an endpoint is left alone, whatever is due; and what expires before that is not tried.
        let failing = self.book.failing(&delivery.endpoint);
        let open_until = failing.and_then(|failing| open_until(failing.failures, failing.failed_at));
        let next_at = next_at.max(open_until.unwrap_or(next_at));
        let is_tried = book::end(delivery).is_none_or(|end| next_at < end);
        self.log_attempt(delivery, "failed", attempt, is_tried.then_some(next_at))
    }

    /// Its schedule is over; it is kept for a while, so that it can be delivered again.
    fn fail(
        &mut self,
        delivery: &Arc<Delivery>,
        attempt: &WebhookAttempt,
        outcome: &str,
    ) -> Result<(), WireError> {
        let (attempts, next_at) = (delivery.attempts + 1, attempt.at);
        self.tally.ended += 1;
        book::put_delivery(
            self.book,
            Delivery { attempts, next_at, has_failed: true, ..delivery.as_ref().clone() },
        );
        if self.book.count(&delivery.endpoint, true) > MAX_FAILED
            && let Some(oldest) = self.book.oldest(&delivery.endpoint, true)
        {
            book::remove_delivery(self.book, &oldest.id);
        }
        self.log_attempt(delivery, outcome, attempt, None)
    }

    /// Counts failures in a row: whoever takes the endpoint over leaves it alone for as long. How it stood before.
    ///
    /// The record of an attempt can be late: one of before the run counts for nothing, nor does one of before the success that ended the
    /// last run, which is known for as long as such a record may come.
    fn note_failing(&mut self, endpoint: &str, outcome: AttemptOutcome, at: Micros) -> Option<Failing> {
        let before = self.book.failing(endpoint);
        if before.is_some_and(|before| before.is_before(at)) && outcome != AttemptOutcome::Dropped {
            return before;
        }
        let is_failing = before.as_ref().is_some_and(Failing::is_failing);
        match outcome {
            AttemptOutcome::Failed => {
                let next = before.map_or(Failing::first(at), |before| before.next(at));
                self.book.put(Part::Failing(endpoint.to_owned(), next));
            }
            AttemptOutcome::Delivered | AttemptOutcome::Gone if is_failing => {
                self.book.put(Part::Failing(endpoint.to_owned(), Failing::ended(at)));
            }
            AttemptOutcome::Dropped if before.is_some() => self.book.remove(&format!("failing/{endpoint}")),
            AttemptOutcome::Delivered | AttemptOutcome::Gone | AttemptOutcome::Dropped => {}
        }
        before
    }

    /// Reports how an endpoint stands after an attempt, if attempts to it fail or did before. With the success that closes its circuit
    /// all that waits for another attempt is due.
    fn report_change(
        &mut self,
        endpoint: &str,
        before: Option<Failing>,
        at: Micros,
    ) -> Result<(), WireError> {
        let is_failing = |failing: &Failing| failing.is_failing();
        match (self.book.failing(endpoint).filter(is_failing), before.filter(is_failing)) {
            (Some(failing), _) => self.report_circuit(endpoint, failing, None),
            (None, Some(before)) => {
                let closed_at = open_until(before.failures, before.failed_at).map(|_| at);
                if closed_at.is_some() {
                    self.bring_forward(endpoint, at);
                }
                self.report_circuit(endpoint, Failing { failures: 0, ..before }, closed_at)
            }
            (None, None) => Ok(()),
        }
    }

    /// What waits for another attempt is due at once, since the endpoint answers again: the oldest first, at its rate. It is in the state,
    /// so that whoever takes the endpoint over goes on.
    fn bring_forward(&mut self, endpoint: &str, now: Micros) {
        let due_at = |delivery: &Delivery| delivery.created_at.min(now);
        let waits = |delivery: &&Arc<Delivery>| delivery.next_at > due_at(delivery);
        let waiting: Vec<_> =
            self.book.of(endpoint, false).filter(waits).take(BROUGHT_FORWARD).cloned().collect();
        for delivery in waiting {
            book::put_delivery(
                self.book,
                Delivery { next_at: due_at(&delivery), ..delivery.as_ref().clone() },
            );
        }
    }

    fn log_attempt(
        &mut self,
        delivery: &Delivery,
        outcome: &str,
        attempt: &WebhookAttempt,
        next_at: Option<Micros>,
    ) -> Result<(), WireError> {
        let WebhookAttempt { status, latency, answer, at, .. } = attempt;
        let (attempt, status) = (delivery.attempts + 1, *status);
        self.log(delivery, outcome, &Entry { attempt, status, latency: *latency, answer, next_at, at: *at })
    }

    /// Begins the schedule of what has failed again.
    pub(super) fn redeliver(&mut self, asked: &WebhookRedelivery) {
        let is_asked = |one: &&Arc<Delivery>| {
            asked.delivery.as_ref().is_none_or(|id| *id == one.id)
                && asked.since.is_none_or(|since| one.created_at >= since)
        };
        let failed: Vec<_> = self.book.of(&asked.endpoint, true).filter(is_asked).cloned().collect();
        for delivery in failed {
            let (round, next_at) = (delivery.attempts, asked.at);
            self.tally.redelivered += 1;
            book::put_delivery(
                self.book,
                Delivery { round, next_at, has_failed: false, ..delivery.as_ref().clone() },
            );
        }
    }
}

/// When a delivery is due again: by its schedule, or later where its receiver asks for that; `None` when it is given up.
fn retry_at(delivery: &Delivery, attempt: &WebhookAttempt) -> Option<Micros> {
    let attempts = usize::try_from(delivery.attempts + 1 - delivery.round).unwrap_or(usize::MAX);
    let at = attempt.at.saturating_add(policy::delay(delivery.policy, &delivery.id, attempts)?);
    let asked = attempt.retry_at.map_or(at, |asked| asked.min(attempt.at.saturating_add(MAX_RETRY_AFTER)));
    Some(at.max(asked))
}
