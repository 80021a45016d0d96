//! What is pending of all partitions of this process, and what of it may be sent now.
//!
//! Machines put in what is committed; the sender takes out. No endpoint has more than its share of requests under way, and each is
//! asked in turn, so that one that is slow or dead delays no other. It never sends and never decides what becomes of a delivery.

mod queue;
mod state;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arb_schemas::time::Micros;
use tokio::sync::Notify;

use crate::codec::Part;
use crate::delivery::Delivery;

pub(crate) use state::REPORTED_WITHIN;
use state::State;

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

/// The part of one machine; dropped with it.
#[derive(Debug)]
pub(crate) struct Lane {
    id: u64,
    schedule: Arc<Schedule>,
}

impl Lane {
    pub(crate) fn set_partition(&self, partition: i32) {
        self.schedule.lock().set_partition(self.id, partition);
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

impl Lane {
    /// A timer that was written at a moment was committed.
    pub(crate) fn timer(&self, written_at: Option<Micros>) {
        let Some(at) = written_at else { return };
        self.schedule.lock().timer(self.id, at);
        self.schedule.wake.notify_one();
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.schedule.lock().close(self.id);
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
        let id = state.add_lane((schedule.clock)());
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
        self.lock().take(now, most, &readiness)
    }

    /// A request to an endpoint ended.
    pub fn finished(&self, endpoint: &str, is_success: bool, now: Micros) {
        self.lock().finished(endpoint, is_success, now);
        self.wake.notify_one();
    }

    /// The same; and another delivery to the endpoint in the place of the request that ended, if it answers and one can be sent at once.
    /// Others lose nothing by it as long as there is room for further requests.
    pub fn finished_for_next(
        &self,
        endpoint: &str,
        is_success: bool,
        now: Micros,
        ready: Readiness,
    ) -> Option<Job> {
        let mut state = self.lock();
        state.finished(endpoint, is_success, now);
        let next = state.next_of(endpoint, now, ready);
        let is_more = next.is_none() || state.is_ready(endpoint, now);
        drop(state);
        if is_more {
            self.wake.notify_one();
        }
        next
    }

    /// Endpoints to which every attempt has failed since a moment.
    #[must_use]
    pub fn failing(&self) -> Vec<(String, Micros)> {
        self.lock().failing()
    }

    /// Whether the machine of a partition is in this process.
    #[must_use]
    pub fn is_owner(&self, partition: i32) -> bool {
        self.lock().is_owner(partition)
    }

    /// Circuits that are open.
    #[must_use]
    pub fn open_circuits(&self) -> usize {
        self.lock().open_circuits()
    }
}

#[cfg(test)]
mod tests;
