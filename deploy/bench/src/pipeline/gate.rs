//! The input of a pump that reads nothing before all pumps of its run own partitions: else the first to join would work for all.
//!
//! It never holds back a rebalance, and nothing once it has opened.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arb_kafka::InputConsumer;
use arb_runtime::log::{Event, GroupOffset, Input, LogError, Put, Record, Replay};
use arb_schemas::topics::Topic;

/// Opens once every worker owns partitions, and no partition is owned by none.
pub(super) struct Gate {
    is_open: AtomicBool,
    partitions: usize,
    /// How many each worker owns.
    owned: Mutex<Vec<usize>>,
}

impl Gate {
    pub(super) fn new(workers: usize, partitions: i32) -> Arc<Self> {
        let partitions = usize::try_from(partitions).unwrap_or(0);
        Arc::new(Self { is_open: AtomicBool::new(false), partitions, owned: Mutex::new(vec![0; workers]) })
    }

    fn owns(&self, worker: usize, partitions: usize) {
        let mut owned = self.owned.lock().unwrap_or_else(PoisonError::into_inner);
        owned[worker] = partitions;
        if owned.iter().all(|owned| *owned > 0) && owned.iter().sum::<usize>() == self.partitions {
            self.is_open.store(true, Ordering::Release);
        }
    }

    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }
}

/// The input of one worker.
pub(super) struct GatedInput {
    pub(super) consumer: InputConsumer,
    gate: Arc<Gate>,
    worker: usize,
    /// Partitions that are to be read once the gate is open, each from an offset or from its first record.
    held: BTreeMap<i32, Option<i64>>,
}

impl GatedInput {
    pub(super) fn new(consumer: InputConsumer, gate: &Arc<Gate>, worker: usize) -> Self {
        Self { consumer, gate: Arc::clone(gate), worker, held: BTreeMap::new() }
    }
}

impl Input for GatedInput {
    fn next(&mut self, wait: Duration, record: &mut Record) -> Result<Event, LogError> {
        if self.gate.is_open() {
            while let Some((partition, offset)) = self.held.pop_first() {
                self.consumer.start(partition, offset)?;
            }
        }
        self.consumer.next(wait, record)
    }

    fn accept(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        self.consumer.accept(partitions)
    }

    fn committed(&mut self, partition: i32) -> Result<GroupOffset, LogError> {
        self.consumer.committed(partition)
    }

    fn open(&mut self, topic: &'static Topic, partition: i32) -> Result<(), LogError> {
        self.consumer.open(topic, partition)
    }

    fn replay(&mut self, limit: Duration, put: &mut Put<'_>) -> Result<Replay, LogError> {
        self.consumer.replay(limit, put)
    }

    fn start(&mut self, partition: i32, offset: Option<i64>) -> Result<(), LogError> {
        if self.gate.is_open() {
            return self.consumer.start(partition, offset);
        }
        self.held.insert(partition, offset);
        self.gate.owns(self.worker, self.held.len());
        Ok(())
    }

    fn give_back(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        self.held.retain(|partition, _| !partitions.contains(partition));
        if !self.gate.is_open() {
            self.gate.owns(self.worker, self.held.len());
        }
        self.consumer.give_back(partitions)
    }

    fn seek(&mut self, partition: i32, offset: i64) -> Result<(), LogError> {
        self.consumer.seek(partition, offset)
    }
}
