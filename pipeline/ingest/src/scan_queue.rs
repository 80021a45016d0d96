//! The scans that users ask for, as a worker receives them: a thread reads them, the worker takes them when it can poll.
//!
//! Those of the last seconds are kept: a worker that takes over what another one polled takes up the scans that the other one may
//! have left. It never decides whether a scan is answered. A scan that waits for too long is dropped: whoever asked for it has
//! its partial answer by then.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use arb_kafka::{Cluster, Tail};
use arb_runtime::stop::Stop;
use arb_schemas::records::ScanRequest;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::SCAN_REQUESTS;
use arb_schemas::wire::decode;

/// Scans that wait.
const MOST: usize = 1_000;
/// A scan that has waited for so long is not answered any more.
const STALE: Duration = Duration::from_secs(20);
/// A worker that begins takes up the scans of this time.
const BEFORE: Micros = 12 * SECOND;
/// How long the thread waits for a record before it looks at the shutdown signal.
const WAIT: Duration = Duration::from_millis(100);
/// The pause before the topic is opened again after an error.
const AGAIN: Duration = Duration::from_secs(1);

/// The scans that wait to be answered.
pub struct ScanQueue {
    queued: Receiver<(Instant, ScanRequest)>,
    /// Oldest first, those that were taken too.
    recent: RefCell<VecDeque<(Instant, ScanRequest)>>,
}

impl ScanQueue {
    /// Reads scans on a thread until the shutdown signal, from those of the last seconds on.
    ///
    /// # Errors
    /// That of the system when it gives no thread.
    pub fn start(cluster: &Cluster, clock: fn() -> Micros, stop: &Stop) -> std::io::Result<Self> {
        let (queue, queued) = sync_channel(MOST);
        let since = clock().saturating_sub(BEFORE);
        let (cluster, stop) = (cluster.clone(), stop.clone());
        std::thread::Builder::new().name("scans".to_owned()).spawn(move || {
            while !stop.is_stopped() {
                match read((&cluster, since), &queue, &stop) {
                    Ok(()) => return,
                    Err(error) => tracing::warn!(%error, "scans cannot be read; trying again"),
                }
                if stop.wait(AGAIN) {
                    return;
                }
            }
        })?;
        Ok(Self::of(queued))
    }

    /// A queue that receives nothing, for a worker that answers no scan.
    #[must_use]
    pub fn none() -> Self {
        Self::of(sync_channel(1).1)
    }

    fn of(queued: Receiver<(Instant, ScanRequest)>) -> Self {
        Self { queued, recent: RefCell::default() }
    }

    /// The scans that wait, oldest first.
    #[must_use]
    pub fn take(&self) -> Vec<ScanRequest> {
        let mut recent = self.recent.borrow_mut();
        while recent.front().is_some_and(|(since, _)| since.elapsed() >= STALE) {
            recent.pop_front();
        }
        let is_fresh = |(since, _): &(Instant, _)| since.elapsed() < STALE;
        let waiting: Vec<_> = self.queued.try_iter().filter(is_fresh).collect();
        recent.extend(waiting.iter().cloned());
        let excess = recent.len().saturating_sub(MOST);
        recent.drain(..excess);
        waiting.into_iter().map(|(_, request)| request).collect()
    }

    /// The scans of the last seconds, oldest first, whether they were taken or not.
    #[must_use]
    pub fn recent(&self) -> Vec<ScanRequest> {
        drop(self.take());
        self.recent.borrow().iter().map(|(_, request)| request.clone()).collect()
    }
}

fn read(
    (cluster, since): (&Cluster, Micros),
    queue: &SyncSender<(Instant, ScanRequest)>,
    stop: &Stop,
) -> Result<(), arb_kafka::Error> {
    let mut tail = Tail::open(cluster, &SCAN_REQUESTS, since)?;
    while !stop.is_stopped() {
        let Some(message) = tail.next(WAIT)? else { continue };
        let request = match decode(&message) {
            Ok(request) => request,
            Err(error) => {
                tracing::warn!(%error, "a request for a scan is left out");
                continue;
            }
        };
        match queue.try_send((Instant::now(), request)) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => tracing::warn!("a scan is dropped: too many wait"),
            Err(TrySendError::Disconnected(_)) => return Ok(()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_is_taken_once_and_kept_for_whoever_takes_over() {
        let (queue, queued) = sync_channel(2 * MOST);
        let scans = ScanQueue::of(queued);
        let send = |id: usize, since| {
            queue.send((since, ScanRequest { id: id.to_string(), ..ScanRequest::default() })).unwrap();
        };
        let now = Instant::now();
        send(0, now.checked_sub(STALE).unwrap());
        send(1, now);
        let ids = |scans: Vec<ScanRequest>| scans.into_iter().map(|scan| scan.id).collect::<Vec<_>>();
        assert_eq!(ids(scans.take()), ["1"], "the other one has waited for too long");
        assert!(scans.take().is_empty());
        send(2, now);
        assert_eq!(ids(scans.recent()), ["1", "2"]);
        (3..MOST + 100).for_each(|id| send(id, now));
        assert_eq!((scans.take().len(), scans.recent().len()), (MOST + 97, MOST), "the newest are kept");
    }
}
