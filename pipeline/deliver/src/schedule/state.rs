//! The queues of all endpoints, and in which order they are asked. It never waits and never reads a clock.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use arb_schemas::time::{Micros, SECOND};

use super::queue::Queue;
use super::{Job, Readiness};
use crate::circuit::{Circuit, Failing};
use crate::codec::Part;
use crate::delivery::Delivery;

/// Requests that are under way at one time to endpoints that did not answer the last one, each to an endpoint of its own: those that
/// never answer hold their requests for as long as one may take.
pub(super) const UNANSWERED: usize = 768;
/// Deliveries of an endpoint that are looked at for one in a lane that is open.
const LOOKED_AT: usize = 64;
/// After so long without a record of its attempt a delivery is sent again: the record was lost.
pub(crate) const REPORTED_WITHIN: Micros = 60 * SECOND;
/// For how long an endpoint of which nothing could be sent is not looked at, unless something of it changes.
const PUT_OFF: Micros = SECOND / 50;

/// All of it.
#[derive(Default)]
pub(super) struct State {
    last_lane: u64,
    lanes: BTreeMap<u64, LaneState>,
    slots: HashMap<String, Slot>,
    queues: HashMap<String, Queue>,
    /// Endpoints that have something to send, by when they can be sent to.
    ready: BTreeSet<(Micros, String)>,
    /// The endpoint that was asked last.
    last: String,
    /// Attempts whose record has not come back: when each was begun.
    sent: BTreeSet<(Micros, String)>,
    /// Attempts to an endpoint that fail in a row, with the lane that says so.
    failing: BTreeMap<String, (u64, Failing)>,
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

impl State {
    pub(super) fn add_lane(&mut self, since: Micros) -> u64 {
        self.last_lane += 1;
        self.lanes.insert(self.last_lane, LaneState { partition: 0, since, is_open: false });
        self.last_lane
    }

    pub(super) fn set_partition(&mut self, lane: u64, partition: i32) {
        if let Some(lane) = self.lanes.get_mut(&lane) {
            lane.partition = partition;
        }
    }

    pub(super) fn is_owner(&self, partition: i32) -> bool {
        self.lanes.values().any(|lane| lane.is_open && lane.partition == partition)
    }

    pub(super) fn open_circuits(&self) -> usize {
        self.queues.values().filter(|queue| queue.circuit.is_open()).count()
    }

    /// Endpoints to which every attempt has failed since a moment.
    pub(super) fn failing(&self) -> Vec<(String, Micros)> {
        let since = self.failing.iter().filter_map(|(endpoint, (_, failing))| {
            let success = self.successes.get(endpoint).copied().unwrap_or(0);
            (success < failing.since).then(|| (endpoint.clone(), failing.since))
        });
        since.collect()
    }

    /// Takes over a part that was committed in a lane.
    pub(super) fn update(&mut self, lane: u64, key: &str, part: Option<Part>) {
        match (key.split_once('/'), part) {
            (_, Some(Part::Delivery(delivery))) if !delivery.has_failed => self.put(lane, delivery),
            (Some(("delivery", id)), _) => self.forget(id),
            (_, Some(Part::Failing(endpoint, failing))) if failing.is_failing() => {
                self.failed(lane, endpoint, failing);
            }
            (Some(("failing", endpoint)), _) => self.answered(lane, endpoint),
            _ => {}
        }
    }

    /// Forgets a lane and all that is in it: it is another's now.
    pub(super) fn close(&mut self, lane: u64) {
        self.lanes.remove(&lane);
        let of_lane = self.slots.iter().filter(|(_, slot)| slot.lane == lane);
        let ids: Vec<_> = of_lane.map(|(id, _)| id.clone()).collect();
        for id in &ids {
            self.forget(id);
        }
        self.failing.retain(|_, (of, _)| *of != lane);
        // Circuits of endpoints that are not this process's any more.
        let failing = &self.failing;
        self.queues.retain(|endpoint, queue| !queue.is_empty() || failing.contains_key(endpoint));
    }

    /// A timer was committed that was written at a moment, by the clock of its instance: not the time of the machine, which waits
    /// for ten minutes after a long time without timers.
    pub(super) fn timer(&mut self, lane: u64, written_at: Micros) {
        let Some(lane) = self.lanes.get_mut(&lane) else { return };
        if !lane.is_open && written_at >= lane.since {
            lane.is_open = true;
            let names: Vec<_> = self.queues.keys().cloned().collect();
            for name in &names {
                self.changed(name, 0);
            }
        }
    }

    fn failed(&mut self, lane: u64, endpoint: String, failing: Failing) {
        let is_over = self.successes.get(&endpoint).is_some_and(|success| *success >= failing.failed_at);
        if let Some(queue) = self.queues.get_mut(&endpoint).filter(|_| !is_over) {
            queue.circuit.take_over(failing);
            self.changed(&endpoint, 0);
        }
        self.failing.insert(endpoint, (lane, failing));
    }

    /// An attempt to an endpoint has not failed. What this process has seen itself it knows already; what the owner before did is news.
    fn answered(&mut self, lane: u64, endpoint: &str) {
        if self.failing.get(endpoint).is_some_and(|(of, _)| *of == lane) {
            self.failing.remove(endpoint);
        }
        let is_taken_over = self.lanes.get(&lane).is_some_and(|lane| !lane.is_open);
        if let Some(queue) = self.queues.get_mut(endpoint).filter(|_| is_taken_over) {
            queue.circuit = Circuit::default();
            self.changed(endpoint, 0);
        }
    }

    fn put(&mut self, lane: u64, delivery: Arc<Delivery>) {
        let is_under_way = |slot: &&mut Slot| {
            slot.lane == lane && slot.sent_at.is_some() && slot.delivery.attempts == delivery.attempts
        };
        // Another time at which it is due says nothing about an attempt that is under way: its own record does.
        if let Some(slot) = self.slots.get_mut(&delivery.id).filter(is_under_way) {
            slot.delivery = delivery;
            return;
        }
        self.put_due(lane, delivery);
    }

    fn put_due(&mut self, lane: u64, delivery: Arc<Delivery>) {
        self.forget(&delivery.id);
        let failing = self.failing.get(&delivery.endpoint).map(|(_, failing)| *failing);
        let queue = self.queues.entry(delivery.endpoint.clone());
        queue.or_insert_with(|| Queue::after(failing)).put(&delivery);
        self.changed(&delivery.endpoint, 0);
        self.slots.insert(delivery.id.clone(), Slot { lane, delivery, sent_at: None });
    }

    fn forget(&mut self, id: &str) {
        let Some(Slot { delivery, sent_at, .. }) = self.slots.remove(id) else { return };
        if let Some(sent_at) = sent_at {
            self.sent.remove(&(sent_at, id.to_owned()));
        }
        if let Some(queue) = self.queues.get_mut(&delivery.endpoint) {
            queue.remove(&delivery);
        }
        self.changed(&delivery.endpoint, 0);
    }

    /// Finds the place of an endpoint among those that have something to send, after anything of it has changed; removes one that
    /// holds nothing.
    fn changed(&mut self, name: &str, put_off: Micros) {
        let answers = self.answers(name);
        let Some(queue) = self.queues.get_mut(name) else { return };
        queue.put_off = put_off;
        let ready_at = queue.next_at(answers);
        let is_over = queue.is_empty() && !queue.circuit.is_open();
        let before = std::mem::replace(&mut queue.ready_at, ready_at);
        if before != ready_at {
            if let Some(at) = before {
                self.ready.remove(&(at, name.to_owned()));
            }
            self.ready.extend(ready_at.map(|at| (at, name.to_owned())));
        }
        if is_over {
            self.queues.remove(name);
        }
    }

    /// A request to an endpoint ended.
    pub(super) fn finished(&mut self, endpoint: &str, is_success: bool, now: Micros) {
        if is_success {
            self.successes.insert(endpoint.to_owned(), now);
            self.failing.remove(endpoint);
        }
        if let Some(queue) = self.queues.get_mut(endpoint) {
            queue.in_flight = queue.in_flight.saturating_sub(1);
            queue.circuit.note(is_success, now);
            self.changed(endpoint, 0);
        }
    }

    /// Takes at most so many deliveries that are due, of each endpoint in turn.
    pub(super) fn take(
        &mut self,
        now: Micros,
        most: usize,
        readiness: &impl Fn(&str) -> Readiness,
    ) -> Vec<Job> {
        self.put_back(now);
        let mut jobs = Vec::new();
        while jobs.len() < most {
            let before = jobs.len();
            self.round(now, most, readiness, &mut jobs);
            if jobs.len() == before {
                break;
            }
        }
        jobs
    }

    /// Puts back deliveries of whose attempt no record came.
    fn put_back(&mut self, now: Micros) {
        while let Some((_, id)) = self.sent.first().filter(|(at, _)| at + REPORTED_WITHIN <= now).cloned() {
            let Some(slot) = self.slots.get(&id) else { break };
            let (lane, delivery) = (slot.lane, Arc::clone(&slot.delivery));
            self.put_due(lane, delivery);
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
        let mut unanswered = None;
        for name in self.in_turn(now) {
            if jobs.len() >= most {
                return;
            }
            let answers = self.answers(&name);
            if !answers && *unanswered.get_or_insert_with(|| self.unanswered()) >= UNANSWERED {
                continue;
            }
            let ready = readiness(&name);
            let job = if ready == Readiness::Waiting { None } else { self.take_one(&name, now, ready) };
            if let Some(job) = job {
                jobs.push(job);
                unanswered = unanswered.map(|count| count + usize::from(!answers));
                self.last = name;
            } else {
                self.changed(&name, now + PUT_OFF);
            }
        }
    }

    /// Endpoints that can be sent to now, beginning after the one that was asked last.
    fn in_turn(&self, now: Micros) -> Vec<String> {
        let ready = self.ready.iter().take_while(|(at, _)| *at <= now);
        let mut names: Vec<_> = ready.map(|(_, name)| name.clone()).collect();
        names.sort_unstable();
        let first = names.partition_point(|name| *name <= self.last);
        names.rotate_left(first);
        names
    }

    /// Whether an endpoint is known to this process to answer: it did the last time.
    fn answers(&self, name: &str) -> bool {
        let has_failed = self.queues.get(name).is_some_and(|queue| queue.circuit.has_failed());
        !has_failed && self.successes.contains_key(name)
    }

    /// Requests that are under way to endpoints of which that is not known.
    fn unanswered(&self) -> usize {
        let busy = self.queues.iter().filter(|(_, queue)| queue.in_flight > 0);
        busy.filter(|(name, _)| !self.answers(name)).map(|(_, queue)| queue.in_flight).sum()
    }

    /// Another delivery to an endpoint that answers, if one can be sent at once.
    pub(super) fn next_of(&mut self, name: &str, now: Micros, ready: Readiness) -> Option<Job> {
        let next_at = self.queues.get(name).and_then(|queue| queue.next_at(true));
        let can_be_sent = matches!(ready, Readiness::Open(_)) && next_at.is_some_and(|at| at <= now);
        if can_be_sent && self.answers(name) { self.take_one(name, now, ready) } else { None }
    }

    /// Whether an endpoint can be sent something now.
    pub(super) fn is_ready(&self, name: &str, now: Micros) -> bool {
        self.queues.get(name).and_then(|queue| queue.ready_at).is_some_and(|at| at <= now)
    }

    fn take_one(&mut self, name: &str, now: Micros, ready: Readiness) -> Option<Job> {
        let queue = self.queues.get_mut(name)?;
        let is_open = |id: &String| {
            let slot = self.slots.get(id)?;
            let lane = self.lanes.get(&slot.lane).filter(|lane| lane.is_open)?;
            Some((lane.partition, id.clone()))
        };
        let (partition, id) = queue.due_at(now).take(LOOKED_AT).find_map(is_open)?;
        let slot = self.slots.get_mut(&id)?;
        slot.sent_at = Some(now);
        let delivery = Arc::clone(&slot.delivery);
        queue.take(&delivery);
        queue.in_flight += 1;
        if let Readiness::Open(Some(rate)) = ready {
            queue.free_at = now.max(queue.free_at) + SECOND / Micros::from(rate.max(1));
        }
        self.sent.insert((now, id));
        self.changed(name, 0);
        Some(Job { delivery, partition })
    }
}
