//! The delivery machine: what is due at endpoints, what has come of each attempt, and when the next one is due.
//!
//! Events, attempts and time are records of one topic; the state is in its changelog. What is committed is handed to the
//! [`Schedule`], from which the sender takes what is due. It never sends anything and never asks a clock.

mod attempt;
mod event;

use std::fmt;
use std::sync::Arc;

use arb_feed::webhook::circuit::open_until;
use arb_runtime::dead_letters::Reason;
use arb_runtime::log::Output;
use arb_runtime::machine::{Change, Counts, Fingerprint, InputPlace, Machine, MachineTopics, Outbox};
use arb_runtime::telemetry::Role;
use arb_schemas::records::{WebhookCircuit, WebhookDelivery};
use arb_schemas::time::Micros;
use arb_schemas::topics::{DEAD_WEBHOOK_TASKS, WEBHOOK_DELIVERIES, WEBHOOK_STATE, WEBHOOK_TASKS};
use arb_schemas::wire::{self, WireError};

use crate::book::{self, DraftBook};
use crate::circuit::Failing;
use crate::codec::{self, Part, Task};
use crate::counts::{DeliverCounts, Pending};
use crate::delivery::Delivery;
use crate::schedule::{Lane, Schedule};
use crate::telemetry;

/// Deliveries of an endpoint that are pending at most: beyond it the oldest is given up.
pub const MAX_PENDING: usize = 20_000;
/// Deliveries of an endpoint that failed and are kept at most.
pub const MAX_FAILED: usize = 4_000;
/// Bytes that the deliveries of a partition hold at most: beyond it the endpoint that has the most loses its oldest.
const MAX_HELD: usize = 256 << 20;
/// The rules, recorded in the changelog.
const RULES: &str = "webhooks-1";

/// The machine.
#[derive(Debug)]
pub struct DeliverMachine {
    book: DraftBook,
    lane: Lane,
    max_held: usize,
    /// When the newest timer was written that is not committed yet, by its own time.
    written_at: Option<Micros>,
}

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pending={} failed={}", self.pending, self.failed)
    }
}

/// What a step works on.
struct Step<'a> {
    book: &'a mut DraftBook,
    out: &'a mut Outbox,
    tally: &'a mut DeliverCounts,
    partition: i32,
    max_held: usize,
}

/// What is written to the log of deliveries beside the delivery itself.
#[derive(Default)]
struct Entry<'a> {
    attempt: u32,
    status: Option<i32>,
    latency: i64,
    answer: &'a str,
    next_at: Option<Micros>,
    at: Micros,
}

impl Step<'_> {
    /// Writes to the log of deliveries.
    fn log(&mut self, delivery: &Delivery, outcome: &str, entry: &Entry<'_>) -> Result<(), WireError> {
        let value = wire::encode(&WebhookDelivery {
            delivery: delivery.id.clone(),
            endpoint: delivery.endpoint.clone(),
            kind: delivery.kind.clone(),
            subject: delivery.subject.clone(),
            sequence: delivery.place.1,
            attempt: i64::from(entry.attempt),
            outcome: outcome.to_owned(),
            status: entry.status,
            latency: entry.latency,
            answer: entry.answer.to_owned(),
            next_at: entry.next_at,
            created_at: delivery.created_at,
            at: entry.at,
        })?;
        let (topic, key) = (WEBHOOK_DELIVERIES.name, delivery.endpoint.clone());
        self.out.send(Output::new(topic, self.partition, key, Some(value)));
        Ok(())
    }

    /// Ends a delivery without another attempt; it is not kept.
    fn end(&mut self, delivery: &Delivery, outcome: &str, at: Micros) -> Result<(), WireError> {
        book::remove_delivery(self.book, &delivery.id);
        self.tally.ended += 1;
        self.log(delivery, outcome, &Entry { at, ..Entry::default() })?;
        self.report_waiting(&delivery.endpoint)
    }

    /// Writes how an endpoint stands to the log of deliveries: attempts to it fail, or a success has closed its circuit at a moment.
    fn report_circuit(
        &mut self,
        endpoint: &str,
        failing: Failing,
        closed_at: Option<Micros>,
    ) -> Result<(), WireError> {
        let value = wire::encode(&WebhookCircuit {
            endpoint: endpoint.to_owned(),
            failures: i64::from(failing.failures),
            failed_at: failing.failed_at,
            closed_at,
            waiting: self.book.count(endpoint, false).try_into().unwrap_or(i64::MAX),
        })?;
        let topic = WEBHOOK_DELIVERIES.name;
        self.out.send(Output::new(topic, self.partition, endpoint.to_owned(), Some(value)));
        Ok(())
    }

    /// The same of one whose circuit is open, to which no attempt is made for a while: another number waits.
    fn report_waiting(&mut self, endpoint: &str) -> Result<(), WireError> {
        let failing = self.book.failing(endpoint);
        let open = failing.filter(|failing| open_until(failing.failures, failing.failed_at).is_some());
        open.map_or(Ok(()), |failing| self.report_circuit(endpoint, failing, None))
    }

    /// It is so late.
    fn timer(&mut self, now: Micros) -> Result<(), WireError> {
        if now > self.book.clock() {
            self.book.put(Part::Clock(now));
        }
        for nonce in self.book.old_notices(now) {
            self.book.remove(&nonce);
        }
        for endpoint in self.book.old_failing(now) {
            self.book.remove(&format!("failing/{endpoint}"));
        }
        while let Some(delivery) = self.book.next_end(now) {
            if delivery.has_failed {
                book::remove_delivery(self.book, &delivery.id);
            } else {
                self.end(&delivery, "expired", now)?;
            }
        }
        Ok(())
    }
}

impl Machine for DeliverMachine {
    type Config = Arc<Schedule>;
    type Input<'a> = Task;
    type Tally = DeliverCounts;
    type Size = Pending;
    type RestoreError = WireError;

    const TOPICS: MachineTopics = MachineTopics {
        input: &WEBHOOK_TASKS,
        changelog: &WEBHOOK_STATE,
        dead_letters: &DEAD_WEBHOOK_TASKS,
        outputs: &[&WEBHOOK_DELIVERIES],
    };
    const ROLE: Option<Role> = Some(Role::Deliver);

    fn new(schedule: &Arc<Schedule>) -> Self {
        Self {
            book: DraftBook::default(),
            lane: Schedule::lane(schedule),
            max_held: MAX_HELD,
            written_at: None,
        }
    }

    fn fingerprint(_: &Arc<Schedule>) -> Fingerprint {
        Fingerprint { rules: RULES.to_owned(), setting: "the version of arb", tables: 0 }
    }

    fn decode(message: &[u8]) -> Result<Task, WireError> {
        codec::decode_task(message)
    }

    fn timer(task: &mut Task) -> Option<&mut Micros> {
        if let Task::Timer { now, .. } = task { Some(now) } else { None }
    }

    fn step(
        &mut self,
        at: InputPlace,
        input: &Task,
        out: &mut Outbox,
        tally: &mut DeliverCounts,
    ) -> Result<(), WireError> {
        self.lane.set_partition(at.partition);
        if let Some(problem) = codec::problem(input) {
            out.dead_letter(Reason::Refused, problem.to_owned());
            return Ok(());
        }
        let (partition, max_held) = (at.partition, self.max_held);
        let mut step = Step { book: &mut self.book, out, tally, partition, max_held };
        match input {
            Task::Event(event) => step.event(event),
            Task::Attempt(attempt) => step.attempt(attempt),
            Task::Attempts(attempts) => attempts.iter().try_for_each(|attempt| step.attempt(attempt)),
            Task::Timer { at, now } => {
                self.written_at = Some(*at);
                step.timer(*now)
            }
            Task::Redelivery(redelivery) => {
                step.redeliver(redelivery);
                Ok(())
            }
        }
    }

    fn changes<E: From<WireError>>(&self, mut put: impl FnMut(Change) -> Result<(), E>) -> Result<(), E> {
        for (key, part) in book::changes(&self.book) {
            let value = part.map(|part| codec::encode_part(&part)).transpose()?;
            put(Change { key: key.to_owned(), value })?;
        }
        Ok(())
    }

    /// What is committed is what may be sent.
    fn apply(&mut self) {
        self.lane.update(book::changes(&self.book));
        self.lane.timer(self.written_at.take());
        self.book.apply();
    }

    fn abort(&mut self) {
        self.written_at = None;
        self.book.abort();
    }

    fn restore(&mut self, _: &[u8], value: &[u8]) -> Result<(), WireError> {
        let part = self.book.filled(codec::decode_part(value)?)?;
        self.book.restore(part.clone());
        self.lane.update(std::iter::once((part.key().as_str(), Some(part.clone()))));
        Ok(())
    }

    fn size(&self) -> Pending {
        let pending = || self.book.deliveries().filter(|delivery| !delivery.has_failed);
        Pending {
            pending: pending().count(),
            failed: self.book.deliveries().len() - pending().count(),
            age: pending()
                .map(|delivery| self.book.clock().saturating_sub(delivery.created_at))
                .max()
                .unwrap_or(0)
                .max(0),
        }
    }

    fn report(counts: &Counts<DeliverCounts>) {
        telemetry::committed(counts);
    }

    fn report_state(_worker: usize, machines: &[&Self]) {
        telemetry::sizes(machines.iter().map(|machine| machine.size()));
    }
}

#[cfg(test)]
mod tests;
