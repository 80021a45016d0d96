//! What is due at one endpoint, and when it can be sent next. Pure.

use std::collections::{BTreeMap, BTreeSet};

use arb_schemas::time::Micros;

use crate::circuit::{Circuit, Failing};
use crate::delivery::Delivery;

/// Requests to one endpoint that are under way at one time, if it answered the last one.
const PER_ENDPOINT: usize = 4;

/// A delivery that is pending: its place in the feed, and its id.
type Waiting = ((i64, i64), String);

/// The deliveries of an endpoint.
#[derive(Default)]
pub(super) struct Queue {
    /// By the time at which each is due.
    pub(super) due: BTreeSet<(Micros, (i64, i64), String)>,
    /// Of ordered endpoints: what is pending of each subject.
    subjects: BTreeMap<String, BTreeSet<Waiting>>,
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
        self.due.insert((delivery.next_at, delivery.place, delivery.id.clone()));
        if delivery.is_ordered {
            let subject = self.subjects.entry(delivery.subject.clone()).or_default();
            subject.insert((delivery.place, delivery.id.clone()));
        }
    }

    pub(super) fn remove(&mut self, delivery: &Delivery) {
        self.due.remove(&(delivery.next_at, delivery.place, delivery.id.clone()));
        if let Some(subject) = self.subjects.get_mut(&delivery.subject) {
            subject.remove(&(delivery.place, delivery.id.clone()));
            if subject.is_empty() {
                self.subjects.remove(&delivery.subject);
            }
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

    /// Whether an earlier delivery about the same subject is pending.
    pub(super) fn is_held(&self, delivery: &Delivery) -> bool {
        let subject = self.subjects.get(&delivery.subject).filter(|_| !delivery.subject.is_empty());
        let first = subject.and_then(|subject| subject.first());
        delivery.is_ordered && first.is_some_and(|(_, id)| *id != delivery.id)
    }
}
