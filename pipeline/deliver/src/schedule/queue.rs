//! What is due at one endpoint, and when it can be sent next. Pure.

use std::collections::{BTreeMap, BTreeSet};

use arb_schemas::time::Micros;

use crate::circuit::{Circuit, Failing};
use crate::delivery::Delivery;

/// Requests to one endpoint that are under way at one time, if it answered the last one.
const PER_ENDPOINT: usize = 4;

/// A delivery that is pending: its place in the feed, and its id.
type Waiting = ((i64, i64), String);

/// What is pending of a subject, by its place, with the time at which each is due by itself; `None` of one that is under way.
type Pending = BTreeMap<Waiting, Option<Micros>>;

/// When a delivery is due, and which it is.
type Due = (Micros, (i64, i64), String);

/// The deliveries of an endpoint.
#[derive(Default)]
pub(super) struct Queue {
    /// Those that wait for no other, by the time at which each is due. One that is held behind an earlier one of its subject is not.
    pub(super) due: BTreeSet<Due>,
    /// Of ordered endpoints: what is pending of each subject.
    subjects: BTreeMap<String, Pending>,
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
    /// One that holds nothing, of an endpoint to which attempts fail.
    pub(super) fn after(failing: impl Iterator<Item = Failing>) -> Self {
        let mut queue = Self::default();
        failing.for_each(|failing| queue.circuit.take_over(failing));
        queue
    }

    pub(super) fn put(&mut self, delivery: &Delivery) {
        match subject_of(delivery) {
            None => _ = self.due.insert((delivery.next_at, delivery.place, delivery.id.clone())),
            Some(subject) => self.change(subject, |pending| {
                pending.insert((delivery.place, delivery.id.clone()), Some(delivery.next_at));
            }),
        }
    }

    /// It is under way: it is due no longer, and holds the later ones of its subject.
    pub(super) fn take(&mut self, delivery: &Delivery) {
        match subject_of(delivery) {
            None => _ = self.due.remove(&(delivery.next_at, delivery.place, delivery.id.clone())),
            Some(subject) => self.change(subject, |pending| {
                pending.insert((delivery.place, delivery.id.clone()), None);
            }),
        }
    }

    pub(super) fn remove(&mut self, delivery: &Delivery) {
        match subject_of(delivery) {
            None => _ = self.due.remove(&(delivery.next_at, delivery.place, delivery.id.clone())),
            Some(subject) => self.change(subject, |pending| {
                pending.remove(&(delivery.place, delivery.id.clone()));
            }),
        }
    }

    /// Changes what is pending of a subject, of which the first alone is due.
    fn change(&mut self, subject: &str, change: impl FnOnce(&mut Pending)) {
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
        let (due, ..) = self.due.first()?;
        let most = if answers { PER_ENDPOINT } else { 1 };
        let closed = self.circuit.open_until().unwrap_or(0);
        let at = [self.free_at, closed, self.put_off].into_iter().fold(*due, Micros::max);
        (self.in_flight < most && self.circuit.allows(at, self.in_flight)).then_some(at)
    }
}

/// The subject of which a delivery waits for earlier ones.
fn subject_of(delivery: &Delivery) -> Option<&str> {
    (delivery.is_ordered && !delivery.subject.is_empty()).then_some(&*delivery.subject)
}

/// The first of a subject, if it is not under way.
fn due_of(pending: &Pending) -> Option<Due> {
    let ((place, id), at) = pending.first_key_value()?;
    Some(((*at)?, *place, id.clone()))
}
