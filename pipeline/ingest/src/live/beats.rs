//! Heartbeats: once a second, for the sources whose lease a worker holds.
//!
//! A heartbeat means that nothing new has come from a source until now; it confirms no price. So it continues
//! while the API fails or may not be called: quotes must still become stale by time. It is in no transaction: one that comes again or
//! late changes nothing. It never sends one for a source whose lease was given back, nor while a poll is written.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use arb_kafka::{Cluster, TickProducer};
use arb_runtime::stop::Stop;
use arb_schemas::time::{Micros, SECOND};

use super::LiveError;
use crate::publish::{PublishError, Publisher};
use crate::replay::LIVE_HEARTBEAT;
use crate::telemetry;

const EVERY: Duration = Duration::from_secs(LIVE_HEARTBEAT.cast_unsigned() / SECOND.cast_unsigned());

/// The heartbeat of a worker, on a dedicated thread: a call may hang for longer than the interval.
pub(super) struct Beats {
    shared: Arc<Mutex<Shared>>,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

/// Whom it beats for.
#[derive(Default)]
pub(super) struct Shared {
    sources: BTreeSet<String>,
    failed: Option<PublishError>,
}

impl Beats {
    /// Begins, with no source.
    pub(super) fn start(
        cluster: &Cluster,
        partitions: i32,
        clock: fn() -> Micros,
    ) -> Result<Self, LiveError> {
        let producer = TickProducer::new(cluster)?;
        let (shared, stop) = (Arc::new(Mutex::new(Shared::default())), Stop::default());
        let (theirs, until) = (Arc::clone(&shared), stop.clone());
        let thread = std::thread::Builder::new().name("heartbeats".to_owned()).spawn(move || {
            while !until.wait(EVERY) {
                beat(&mut lock(&theirs), (&producer, partitions), clock());
            }
        })?;
        Ok(Self { shared, stop, thread: Some(thread) })
    }

    /// From now on it beats for these; none of another is under way when this returns.
    pub(super) fn only_for(&self, sources: impl Iterator<Item = String>) {
        lock(&self.shared).sources = sources.collect();
    }

    /// None is sent while this is locked: what is published meanwhile comes before the next one.
    pub(super) fn pause(&self) -> Arc<Mutex<Shared>> {
        Arc::clone(&self.shared)
    }

    /// A beat that could not be sent.
    pub(super) fn check(&self) -> Result<(), PublishError> {
        lock(&self.shared).failed.take().map_or(Ok(()), Err)
    }
}

pub(super) fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn beat(shared: &mut Shared, to: (&TickProducer, i32), now: Micros) {
    let failed = shared.sources.iter().find_map(|source| send(source, to, now).err());
    shared.failed = shared.failed.take().or(failed);
}

fn send(source: &str, (producer, partitions): (&TickProducer, i32), now: Micros) -> Result<(), PublishError> {
    let mut publisher = Publisher::new(source, partitions);
    publisher.heartbeat(now)?;
    for record in publisher.take() {
        producer
            .send(record.partition, &record.key, &record.value)
            .inspect_err(|_| telemetry::not_published(true))?;
    }
    Ok(())
}

impl Drop for Beats {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
