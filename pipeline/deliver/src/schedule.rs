//! What is pending of all partitions of this process, and what of it may be sent now.
//!
//! Machines put in what is committed; the sender takes out. No endpoint has more than its share of requests under way, and each is
//! asked in turn, so that one that is slow or dead delays no other. It never sends and never decides what becomes of a delivery.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arb_schemas::time::{Micros, SECOND};
use tokio::sync::Notify;

use crate::circuit::Circuit;
use crate::codec::Part;
use crate::delivery::Delivery;

/// Requests to one endpoint that are under way at one time, if it answered the last one.
const PER_ENDPOINT: usize = 4;
/// Requests to all others that are under way at one time, each to an endpoint of its own: those that never answer hold their
/// requests for as long as one may take.
const UNANSWERED: usize = 768;
/// Deliveries of an endpoint that are looked at for one that may be sent.
const LOOKED_AT: usize = 64;
/// After so long without a record of its attempt a delivery is sent again: the record was lost.
const REPORTED_WITHIN: Micros = 60 * SECOND;

/// Whether an endpoint can be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// Now, at so many requests a second at most.
    Open(Option<u32>),
    /// Not now: it is paused, or disabled, or not verified.
    Waiting,
    /// It does not exist any more.
    Gone,
}

/// A delivery to be attempted now.
#[derive(Debug, Clone)]
pub struct Job {
    /// The delivery.
    pub delivery: Arc<Delivery>,
    /// The partition whose machine decides about it.
    pub partition: i32,
}

/// All of it.
pub struct Schedule {
    state: Mutex<State>,
    wake: Notify,
    clock: fn() -> Micros,
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schedule").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    last_lane: u64,
    lanes: BTreeMap<u64, LaneState>,
    slots: HashMap<String, Slot>,
    queues: BTreeMap<String, Queue>,
    /// The endpoint that was asked last.
    last: String,
    /// Attempts whose record has not come back: when each was begun.
    sent: BTreeSet<(Micros, String)>,
    /// Since when all attempts to an endpoint fail, by lane.
    failing: BTreeMap<String, BTreeMap<u64, Micros>>,
    /// The last success of each endpoint.
    successes: HashMap<String, Micros>,
}

struct LaneState {
    partition: i32,
    /// It is sent from once a timer of after this moment was committed: then all attempts of the owner before are known.
    since: Micros,
    is_open: bool,
}

struct Slot {
    lane: u64,
    delivery: Arc<Delivery>,
    sent_at: Option<Micros>,
}

/// A delivery that is pending: its place in the feed, and its id.
type Waiting = ((i64, i64), String);

#[derive(Default)]
struct Queue {
    due: BTreeSet<(Micros, (i64, i64), String)>,
    /// Of ordered endpoints: what is pending of each subject.
    subjects: BTreeMap<String, BTreeSet<Waiting>>,
    in_flight: usize,
    circuit: Circuit,
    /// Before which nothing is sent, by the endpoint's rate.
    free_at: Micros,
}

/// The part of one machine; dropped with it.
#[derive(Debug)]
pub(crate) struct Lane {
    id: u64,
    schedule: Arc<Schedule>,
}

impl Lane {
    pub(crate) fn set_partition(&self, partition: i32) {
        if let Some(lane) = self.schedule.lock().lanes.get_mut(&self.id) {
            lane.partition = partition;
        }
    }

    /// Takes over what was committed.
    pub(crate) fn update<'a>(&self, changes: impl Iterator<Item = (&'a str, Option<Part>)>) {
        let mut state = self.schedule.lock();
        for (key, part) in changes {
            state.update(self.id, key, part);
        }
        drop(state);
        self.schedule.wake.notify_one();
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        let mut state = self.schedule.lock();
        state.lanes.remove(&self.id);
        let mut of_lane = state.slots.iter().filter(|(_, slot)| slot.lane == self.id);
        let ids: Vec<_> = of_lane.by_ref().map(|(id, _)| id.clone()).collect();
        for id in &ids {
            state.forget(id);
        }
        for lanes in state.failing.values_mut() {
            lanes.remove(&self.id);
        }
    }
}

impl Schedule {
    /// One that holds nothing; the clock gives the time at which a lane was taken over.
    #[must_use]
    pub fn new(clock: fn() -> Micros) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), wake: Notify::new(), clock })
    }

    pub(crate) fn lane(schedule: &Arc<Self>) -> Lane {
        let mut state = schedule.lock();
        state.last_lane += 1;
        let id = state.last_lane;
        state.lanes.insert(id, LaneState { partition: 0, since: (schedule.clock)(), is_open: false });
        drop(state);
        Lane { id, schedule: Arc::clone(schedule) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something has changed.
    pub async fn changed(&self) {
        self.wake.notified().await;
    }

    /// Takes at most so many deliveries that are due, of each endpoint in turn.
    pub fn take(&self, now: Micros, most: usize, readiness: impl Fn(&str) -> Readiness) -> Vec<Job> {
        let mut state = self.lock();
        state.put_back(now);
        let mut jobs = Vec::new();
        while jobs.len() < most {
            let before = jobs.len();
            state.round(now, most, &readiness, &mut jobs);
            if jobs.len() == before {
                break;
            }
        }
        jobs
    }

    /// A request to an endpoint ended.
    pub fn finished(&self, endpoint: &str, is_success: bool, now: Micros) {
        let mut state = self.lock();
        if is_success {
            state.successes.insert(endpoint.to_owned(), now);
        }
        if let Some(queue) = state.queues.get_mut(endpoint) {
            queue.in_flight = queue.in_flight.saturating_sub(1);
            queue.circuit.note(is_success, now);
            if queue.is_idle() {
                state.queues.remove(endpoint);
            }
        }
        drop(state);
        self.wake.notify_one();
    }

    /// Endpoints to which every attempt has failed since a moment.
    #[must_use]
    pub fn failing(&self) -> Vec<(String, Micros)> {
        let state = self.lock();
        let since = state.failing.iter().filter_map(|(endpoint, lanes)| {
            let since = *lanes.values().max()?;
            let success = state.successes.get(endpoint).copied().unwrap_or(0);
            (success < since).then(|| (endpoint.clone(), since))
        });
        since.collect()
    }

    /// Whether the machine of a partition is in this process.
    #[must_use]
    pub fn is_owner(&self, partition: i32) -> bool {
        self.lock().lanes.values().any(|lane| lane.is_open && lane.partition == partition)
    }

    /// Circuits that are open.
    #[must_use]
    pub fn open_circuits(&self) -> usize {
        self.lock().queues.values().filter(|queue| queue.circuit.is_open()).count()
    }
}

impl State {
    fn update(&mut self, lane: u64, key: &str, part: Option<Part>) {
        match (key.split_once('/'), part) {
            (_, Some(Part::Delivery(delivery))) if !delivery.has_failed => self.put(lane, delivery),
            (Some(("delivery", id)), _) => self.forget(id),
            (_, Some(Part::Failing(endpoint, since))) => {
                self.failing.entry(endpoint).or_default().insert(lane, since);
            }
            (Some((_, endpoint)), _) => {
                if let Some(lanes) = self.failing.get_mut(endpoint) {
                    lanes.remove(&lane);
                }
            }
            (None, Some(Part::Progress(progress))) => {
                if let Some(lane) = self.lanes.get_mut(&lane) {
                    lane.is_open |= progress.clock >= lane.since;
                }
            }
            (None, _) => {}
        }
    }

    fn put(&mut self, lane: u64, delivery: Arc<Delivery>) {
        self.forget(&delivery.id);
        let queue = self.queues.entry(delivery.endpoint.clone()).or_default();
        queue.due.insert((delivery.next_at, delivery.place, delivery.id.clone()));
        if delivery.is_ordered {
            let subject = queue.subjects.entry(delivery.subject.clone()).or_default();
            subject.insert((delivery.place, delivery.id.clone()));
        }
        self.slots.insert(delivery.id.clone(), Slot { lane, delivery, sent_at: None });
    }

    fn forget(&mut self, id: &str) {
        let Some(Slot { delivery, sent_at, .. }) = self.slots.remove(id) else { return };
        if let Some(sent_at) = sent_at {
            self.sent.remove(&(sent_at, id.to_owned()));
        }
        let Some(queue) = self.queues.get_mut(&delivery.endpoint) else { return };
        queue.due.remove(&(delivery.next_at, delivery.place, id.to_owned()));
        if let Some(subject) = queue.subjects.get_mut(&delivery.subject) {
            subject.remove(&(delivery.place, id.to_owned()));
            if subject.is_empty() {
                queue.subjects.remove(&delivery.subject);
            }
        }
        if queue.is_idle() {
            self.queues.remove(&delivery.endpoint);
        }
    }

    /// Puts back deliveries of whose attempt no record came.
    fn put_back(&mut self, now: Micros) {
        while let Some((_, id)) = self.sent.first().filter(|(at, _)| at + REPORTED_WITHIN <= now).cloned() {
            let Some(slot) = self.slots.get(&id) else { break };
            let (lane, delivery) = (slot.lane, Arc::clone(&slot.delivery));
            self.put(lane, delivery);
        }
    }

    /// At most one delivery of each endpoint, beginning after the endpoint that was asked last.
    fn round(
        &mut self,
        now: Micros,
        most: usize,
        readiness: &impl Fn(&str) -> Readiness,
        jobs: &mut Vec<Job>,
    ) {
        let after = (Bound::Excluded(self.last.clone()), Bound::Unbounded);
        let names = self.queues.range(after).chain(self.queues.range(..=self.last.clone()));
        let due = names.filter(|(_, queue)| queue.due.first().is_some_and(|(at, ..)| *at <= now));
        let asked = due.map(|(name, queue)| (name, queue, self.answers(name, queue)));
        let names: Vec<_> = asked
            .filter(|(_, queue, answers)| queue.may_send(now, *answers))
            .map(|(name, _, answers)| (name.clone(), answers))
            .collect();
        let mut unanswered = self.unanswered();
        for (name, answers) in names {
            if jobs.len() >= most {
                return;
            }
            if !answers {
                if unanswered >= UNANSWERED {
                    continue;
                }
                unanswered += 1;
            }
            let ready = readiness(&name);
            if ready != Readiness::Waiting
                && let Some(job) = self.take_one(&name, now, ready)
            {
                jobs.push(job);
                self.last = name;
            }
        }
    }

    /// Whether an endpoint is known to this process to answer: it did the last time.
    fn answers(&self, name: &str, queue: &Queue) -> bool {
        !queue.circuit.has_failed() && self.successes.contains_key(name)
    }

    /// Requests that are under way to endpoints of which that is not known.
    fn unanswered(&self) -> usize {
        let busy = self.queues.iter().filter(|(_, queue)| queue.in_flight > 0);
        busy.filter(|(name, queue)| !self.answers(name, queue)).map(|(_, queue)| queue.in_flight).sum()
    }

    fn take_one(&mut self, name: &str, now: Micros, ready: Readiness) -> Option<Job> {
        let queue = self.queues.get_mut(name)?;
        let due = queue.due.iter().take_while(|(at, ..)| *at <= now).take(LOOKED_AT);
        let is_open = |id: &String| {
            let slot = self.slots.get(id)?;
            let lane = self.lanes.get(&slot.lane).filter(|lane| lane.is_open)?;
            (!queue.is_held(&slot.delivery)).then_some((lane.partition, id.clone()))
        };
        let (partition, id) = due.map(|(.., id)| id).find_map(is_open)?;
        let slot = self.slots.get_mut(&id)?;
        slot.sent_at = Some(now);
        queue.due.remove(&(slot.delivery.next_at, slot.delivery.place, id.clone()));
        queue.in_flight += 1;
        if let Readiness::Open(Some(rate)) = ready {
            queue.free_at = now.max(queue.free_at) + SECOND / Micros::from(rate.max(1));
        }
        self.sent.insert((now, id));
        Some(Job { delivery: Arc::clone(&slot.delivery), partition })
    }
}

impl Queue {
    fn is_idle(&self) -> bool {
        self.due.is_empty() && self.subjects.is_empty() && self.in_flight == 0 && !self.circuit.is_open()
    }

    fn may_send(&self, now: Micros, answers: bool) -> bool {
        self.in_flight < if answers { PER_ENDPOINT } else { 1 }
            && now >= self.free_at
            && self.circuit.allows(now, self.in_flight)
    }

    /// Whether an earlier delivery about the same subject is pending.
    fn is_held(&self, delivery: &Delivery) -> bool {
        let subject = self.subjects.get(&delivery.subject).filter(|_| !delivery.subject.is_empty());
        let first = subject.and_then(|subject| subject.first());
        delivery.is_ordered && first.is_some_and(|(_, id)| *id != delivery.id)
    }
}

#[cfg(test)]
mod tests;
