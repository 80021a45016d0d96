//! The scans that users ask for, as a worker receives them: a thread reads them, the worker takes them when it can poll.
//!
//! It never decides whether a scan is answered. A scan that waits for too long is dropped: whoever asked for it has its partial
//! answer by then.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use arb_kafka::{Cluster, Tail};
use arb_runtime::stop::Stop;
use arb_schemas::records::ScanRequest;
use arb_schemas::topics::SCAN_REQUESTS;
use arb_schemas::wire::decode;

/// Scans that wait.
const MOST: usize = 1_000;
/// A scan that has waited for so long is not answered any more.
const STALE: Duration = Duration::from_secs(15);
/// How long the thread waits for a record before it looks at the shutdown signal.
const WAIT: Duration = Duration::from_millis(100);
/// The pause before the topic is opened again after an error.
const AGAIN: Duration = Duration::from_secs(1);

/// The scans that wait to be answered.
pub struct ScanQueue {
    queued: Receiver<(Instant, ScanRequest)>,
}

impl ScanQueue {
    /// Reads scans from now on, on a thread, until the shutdown signal.
    ///
    /// # Errors
    /// That of the system when it gives no thread.
    pub fn start(cluster: &Cluster, stop: &Stop) -> std::io::Result<Self> {
        let (queue, queued) = sync_channel(MOST);
        let (cluster, stop) = (cluster.clone(), stop.clone());
        std::thread::Builder::new().name("scans".to_owned()).spawn(move || {
            while !stop.is_stopped() {
                match read(&cluster, &queue, &stop) {
                    Ok(()) => return,
                    Err(error) => tracing::warn!(%error, "scans cannot be read; trying again"),
                }
                if stop.wait(AGAIN) {
                    return;
                }
            }
        })?;
        Ok(Self { queued })
    }

    /// A queue that receives nothing, for a worker that answers no scan.
    #[must_use]
    pub fn none() -> Self {
        Self { queued: sync_channel(1).1 }
    }

    /// The scans that wait, oldest first.
    #[must_use]
    pub fn take(&self) -> Vec<ScanRequest> {
        let waiting = self.queued.try_iter().filter(|(since, _)| since.elapsed() < STALE);
        waiting.map(|(_, request)| request).collect()
    }
}

fn read(
    cluster: &Cluster,
    queue: &SyncSender<(Instant, ScanRequest)>,
    stop: &Stop,
) -> Result<(), arb_kafka::Error> {
    let mut tail = Tail::open(cluster, &SCAN_REQUESTS)?;
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
