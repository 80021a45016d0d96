//! Tasks that requests have for machines: webhooks to send, results to grade by. Each request is answered once the broker has its task.
//!
//! It never looks into a task.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use arb_kafka::{TaskProducer, partition_of};
use arb_runtime::stop::Stop;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The key of a task that is no key's.
const REQUEST: &str = "request";
/// Tasks that wait to be written.
const QUEUE: usize = 64;
/// How long the writer waits for a task.
const WAIT: Duration = Duration::from_millis(20);
/// How long a request waits for the broker.
const WRITTEN: Duration = Duration::from_secs(5);

/// Records, each with its partition, and who waits for them.
#[derive(Debug)]
pub struct QueuedTask {
    key: String,
    records: Vec<(i32, Vec<u8>)>,
    written: oneshot::Sender<()>,
}

#[cfg(test)]
impl QueuedTask {
    /// Its records, which the broker has now.
    pub(crate) fn taken(self) -> Vec<(i32, Vec<u8>)> {
        let _ = self.written.send(());
        self.records
    }
}

/// The way to a machine.
#[derive(Debug, Clone)]
pub struct TaskQueue {
    queue: SyncSender<QueuedTask>,
    /// Of the topic of tasks.
    partitions: i32,
}

impl TaskQueue {
    /// To a topic of so many partitions, and what is to be written there.
    #[must_use]
    pub fn new(partitions: i32) -> (Self, Receiver<QueuedTask>) {
        let (queue, queued) = sync_channel(QUEUE);
        (Self { queue, partitions }, queued)
    }

    /// Of the topic of tasks.
    pub(crate) fn partitions(&self) -> i32 {
        self.partitions
    }

    /// Writes a task to every partition; whether the broker has them.
    pub(crate) async fn to_all(&self, value: Vec<u8>) -> bool {
        let records = (0..self.partitions).map(|partition| (partition, value.clone()));
        is_written(self.begin(records.collect())).await
    }

    /// Writes a task to the partition of a key; whether the broker has it.
    pub(crate) async fn to_partition_of(&self, key: &str, value: Vec<u8>) -> bool {
        is_written(self.queue(key, vec![(partition_of(key, self.partitions), value)])).await
    }

    /// Has records written, each to its partition, and reports when the broker has them; `None` when too many wait.
    pub(crate) fn begin(&self, records: Vec<(i32, Vec<u8>)>) -> Option<oneshot::Receiver<()>> {
        self.queue(REQUEST, records)
    }

    fn queue(&self, key: &str, records: Vec<(i32, Vec<u8>)>) -> Option<oneshot::Receiver<()>> {
        let ((written, is_written), key) = (oneshot::channel(), key.to_owned());
        self.queue.try_send(QueuedTask { key, records, written }).ok().map(|()| is_written)
    }
}

async fn is_written(begun: Option<oneshot::Receiver<()>>) -> bool {
    let Some(written) = begun else { return false };
    matches!(timeout(WRITTEN, written).await, Ok(Ok(())))
}

/// Writes tasks until the shutdown signal.
pub fn write_all(queued: &Receiver<QueuedTask>, producer: &TaskProducer, stop: &Stop) {
    while !stop.is_stopped() {
        match queued.recv_timeout(WAIT) {
            Ok(task) => write(task, producer),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn write(task: QueuedTask, producer: &TaskProducer) {
    let QueuedTask { key, records, written } = task;
    let sent = records.iter().try_for_each(|(partition, value)| producer.send(*partition, &key, value));
    match sent.and_then(|()| producer.flush()) {
        // Whoever has given up receives nothing.
        Ok(()) => drop(written.send(())),
        Err(error) => tracing::warn!(%error, "the task of a request was not written"),
    }
}
