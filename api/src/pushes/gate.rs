//! The way of pushed updates to Kafka: so many batches at one time, each answered once Kafka has acknowledged it.
//!
//! It never queues a batch: where there is no room, or a source sends too much of it, whoever pushes is asked to come again.

use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arb_kafka::{self as kafka, PushProducer, PushReceipt, partition_of};
use arb_runtime::stop::Stop;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::batch::Update;
use crate::access::burst::KeyedRate;

/// Batches that are worked on at one time, each with a body in memory.
const BATCHES: usize = 32;
/// Lines of a source at an instance: one more after so long, 10,000 a second, and so many at once.
const LINE_PERIOD: Duration = Duration::from_micros(100);
const LINES_AT_ONCE: NonZeroU32 = NonZeroU32::new(100_000).unwrap();
/// How long Kafka's acknowledgement is waited for.
const ACKNOWLEDGED: Duration = Duration::from_secs(6);
/// How long the thread waits for reports before it looks for the shutdown signal.
const SERVE: Duration = Duration::from_millis(100);
/// For how long batches are finished after the shutdown signal.
const DRAIN: Duration = Duration::from_secs(10);

/// Where updates are written.
pub trait PushLog: Send + Sync {
    /// Puts a record of a batch into the queue; whether there was room for it.
    ///
    /// # Errors
    /// For a record that is never taken.
    fn send(
        &self,
        partition: i32,
        key: &str,
        value: &[u8],
        receipt: &Arc<PushReceipt>,
    ) -> Result<bool, kafka::Error>;

    /// Hands the broker's reports to the batches, for so long.
    fn serve(&self, time: Duration);
}

impl PushLog for PushProducer {
    fn send(
        &self,
        partition: i32,
        key: &str,
        value: &[u8],
        receipt: &Arc<PushReceipt>,
    ) -> Result<bool, kafka::Error> {
        Self::send(self, partition, key, value, receipt)
    }

    fn serve(&self, time: Duration) {
        Self::serve(self, time);
    }
}

/// Why a batch was not acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendFailure {
    /// There is no room: some of its updates may have been sent.
    Full,
    /// Kafka did not acknowledge all of it in time: some of its updates may be written.
    Unacknowledged,
}

/// The way to Kafka.
pub(crate) struct PushGate {
    partitions: i32,
    log: OnceLock<Box<dyn PushLog>>,
    batches: Arc<Semaphore>,
    /// By source.
    pub(crate) lines: KeyedRate,
}

impl std::fmt::Debug for PushGate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushGate").field("partitions", &self.partitions).finish_non_exhaustive()
    }
}

impl PushGate {
    /// To a topic of so many partitions; nothing is written before [`Self::run`].
    pub(crate) fn new(partitions: i32) -> Self {
        let lines = KeyedRate::new(LINE_PERIOD, LINES_AT_ONCE);
        Self { partitions, log: OnceLock::new(), batches: Arc::new(Semaphore::new(BATCHES)), lines }
    }

    /// Room for one batch; `None` when there is none.
    pub(crate) fn enter(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.batches).try_acquire_owned().ok()
    }

    /// Writes to a log, and hands its reports to the batches until the shutdown signal and the end of those under way.
    pub(crate) fn run(&self, log: Box<dyn PushLog>, stop: &Stop) {
        let log = self.log.get_or_init(|| log);
        while !stop.is_stopped() {
            log.serve(SERVE);
        }
        let stopped = Instant::now();
        while self.batches.available_permits() < BATCHES && stopped.elapsed() < DRAIN {
            log.serve(SERVE);
        }
    }

    /// Sends the updates of a batch and waits until Kafka has acknowledged all of them.
    ///
    /// # Errors
    /// [`SendFailure`]: the batch may be sent again, and nothing of it is taken in twice.
    pub(crate) async fn send(&self, updates: &[Update]) -> Result<(), SendFailure> {
        let log = self.log.get().ok_or(SendFailure::Unacknowledged)?;
        let (acknowledge, acknowledged) = oneshot::channel();
        let receipt = PushReceipt::new(move |is_delivered| {
            let _ = acknowledge.send(is_delivered);
        });
        for Update { key, value } in updates {
            match log.send(partition_of(key, self.partitions), key, value, &receipt) {
                Ok(true) => {}
                Ok(false) => return Err(SendFailure::Full),
                Err(error) => {
                    tracing::warn!(%error, "a pushed update was not sent");
                    return Err(SendFailure::Unacknowledged);
                }
            }
        }
        receipt.close();
        match timeout(ACKNOWLEDGED, acknowledged).await {
            Ok(Ok(true)) => Ok(()),
            _ => Err(SendFailure::Unacknowledged),
        }
    }
}
