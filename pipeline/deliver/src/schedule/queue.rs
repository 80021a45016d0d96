//! What is due at one endpoint, and when it can be sent next. Pure.

use std::collections::{BTreeMap, BTreeSet};

use arb_feed::webhook::TEST_EVENT;
use arb_schemas::time::Micros;

use crate::circuit::{Circuit, Failing};
use crate::delivery::Delivery;

/// Requests to one endpoint that are under way at one time, if it answered the last one.
const PER_ENDPOINT: usize = 4;

/// A delivery that is pending: its place in the feed, and its id.
type Waiting = ((i64, i64), String);

/// What is pending of a subject, by its place, with the time at which each is due by itself; `None` of one that is under way.
type OfSubject = BTreeMap<Waiting, Option<Micros>>;

/// When a delivery is due, and which it is.
type Due = (Micros, (i64, i64), String);

/// The deliveries of an endpoint.
#[derive(Default)]
pub(super) struct Queue {
    /// Those that wait for no other, by the time at which each is due. One that is held behind an earlier one of its subject is not.
    pub(super) due: BTreeSet<Due>,
    /// Those of them that try an endpoint which is left alone: test events, which its owner asked for.
    probes: BTreeSet<Due>,
    /// Of ordered endpoints: what is pending of each subject.
    subjects: BTreeMap<String, OfSubject>,
    pub(super) in_flight: usize,
    pub(super) circuit: Circuit,
    /// Before which nothing is sent, by the endpoint's rate.
    pub(super) free_at: Micros,
    /// Before which it is not looked at: nothing of it could be sent the last time.
    pub(super) put_off: Micros,
    /// Its place among all endpoints that have something to send.
    pub(super) ready_at: Option<Micros>,
}

impl Queue {
    /// One that holds nothing, of an endpoint to which attempts may fail.
    pub(super) fn after(failing: Option<Failing>) -> Self {
        let mut queue = Self::default();
        if let Some(failing) = failing {
            queue.circuit.take_over(failing);
        }
        queue
    }

    pub(super) fn put(&mut self, delivery: &Delivery) {
        let Some(subject) = subject_of(delivery) else { return self.set_due(delivery, true) };
        let waiting = (delivery.place, delivery.id.clone());
        self.change(subject, |pending| _ = pending.insert(waiting, Some(delivery.next_at)));
    }

    /// It is under way: it is due no longer, and holds the later ones of its subject.
    pub(super) fn take(&mut self, delivery: &Delivery) {
        let Some(subject) = subject_of(delivery) else { return self.set_due(delivery, false) };
        let waiting = (delivery.place, delivery.id.clone());
        self.change(subject, |pending| _ = pending.insert(waiting, None));
    }

    pub(super) fn remove(&mut self, delivery: &Delivery) {
        let Some(subject) = subject_of(delivery) else { return self.set_due(delivery, false) };
        let waiting = (delivery.place, delivery.id.clone());
        self.change(subject, |pending| _ = pending.remove(&waiting));
    }

    /// Of one that waits for no other: whether it is due.
    fn set_due(&mut self, delivery: &Delivery, is_due: bool) {
        let due = (delivery.next_at, delivery.place, delivery.id.clone());
        if !is_due {
            self.probes.remove(&due);
            self.due.remove(&due);
            return;
        }
        if delivery.kind == TEST_EVENT {
            self.probes.insert(due.clone());
        }
        self.due.insert(due);
    }

    /// What may be sent at a moment: while the endpoint is left alone, what tries it.
    pub(super) fn due_at(&self, now: Micros) -> impl Iterator<Item = &String> {
        let due = if self.circuit.allows(now, self.in_flight) { &self.due } else { &self.probes };
        due.iter().take_while(move |(at, ..)| *at <= now).map(|(.., id)| id)
    }

    /// Changes what is pending of a subject, of which the first alone is due.
    fn change(&mut self, subject: &str, change: impl FnOnce(&mut OfSubject)) {
        let mut pending = self.subjects.remove(subject).unwrap_or_default();
        if let Some(first) = due_of(&pending) {
            self.due.remove(&first);
        }
        change(&mut pending);
        self.due.extend(due_of(&pending));
        if !pending.is_empty() {
            self.subjects.insert(subject.to_owned(), pending);
        }
    }

    /// It holds nothing that is due or under way.
    pub(super) fn is_empty(&self) -> bool {
        self.due.is_empty() && self.subjects.is_empty() && self.in_flight == 0
    }

    /// When a request can be sent, if it `answers` or not; `None` when nothing is due, or as much as may be is under way.
    pub(super) fn next_at(&self, answers: bool) -> Option<Micros> {
        let most = if answers { PER_ENDPOINT } else { 1 };
        if self.in_flight >= most {
            return None;
        }
        let paced = |(due, ..): &Due| self.put_off.max(self.free_at).max(*due);
        let until = self.circuit.open_until();
        let at = until.unwrap_or(0).max(paced(self.due.first()?));
        let probe = self.probes.first().filter(|_| until.is_some() && self.in_flight == 0).map(paced);
        self.circuit.allows(at, self.in_flight).then(|| probe.map_or(at, |probe| probe.min(at)))
    }
}

/// The subject of which a delivery waits for earlier ones.
fn subject_of(delivery: &Delivery) -> Option<&str> {
    (delivery.is_ordered && !delivery.subject.is_empty()).then_some(&*delivery.subject)
}

/// The first of a subject, if it is not under way.
fn due_of(pending: &OfSubject) -> Option<Due> {
    let ((place, id), at) = pending.first_key_value()?;
    Some(((*at)?, *place, id.clone()))
}
