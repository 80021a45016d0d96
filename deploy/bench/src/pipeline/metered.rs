//! The measuring adapter: a producer under the pump's port that notes what goes through it.
//!
//! It counts and looks at clocks once a transaction, never once a record, and changes nothing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_kafka::InputConsumer;
use arb_runtime::log::{Adoption, Committed, LogError, Output, Producer, Renewal, Transaction};

use super::bare_loop::Cut;
use super::costs::{RunCost, RunWatch};
use super::gate::GatedInput;

/// What was written to one topic.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    pub(super) records: u64,
    /// Of keys and values.
    pub(super) bytes: u64,
}

/// What went through.
pub(super) struct Meter {
    /// Begun by the first transaction.
    watch: Arc<RunWatch>,
    /// From the first transaction, or from the end of a warm-up, to the last commit.
    pub(super) cost: RunCost,
    /// How many records were processed after a warm-up.
    pub(super) counted: u64,
    pub(super) commits: Vec<Duration>,
    pub(super) cuts: Vec<Cut>,
    pub(super) written: BTreeMap<&'static str, Written>,
    /// Everything that was written, if it is to be kept.
    pub(super) kept: Option<Vec<Output>>,
    next: BTreeMap<i32, i64>,
    cut: Cut,
}

impl Meter {
    /// Empty; keeps what is written if `kept` is set.
    pub(super) fn new(keep: bool, watch: &Arc<RunWatch>) -> Self {
        Self {
            watch: Arc::clone(watch),
            cost: RunCost::default(),
            counted: 0,
            commits: vec![],
            cuts: vec![],
            written: BTreeMap::new(),
            kept: keep.then(Vec::new),
            next: BTreeMap::new(),
            cut: Cut::default(),
        }
    }

    /// Adds what went through that of another worker.
    pub(super) fn add(&mut self, other: Self) {
        self.counted += other.counted;
        self.commits.extend(other.commits);
        self.cuts.extend(other.cuts);
        for (topic, Written { records, bytes }) in other.written {
            let written = self.written.entry(topic).or_default();
            written.records += records;
            written.bytes += bytes;
        }
        if let Some(kept) = &mut self.kept {
            kept.extend(other.kept.unwrap_or_default());
        }
    }

    fn send(&mut self, output: &Output) {
        let written = self.written.entry(output.topic).or_default();
        written.records += 1;
        written.bytes += length(output);
        self.cut.written += 1;
        if let Some(kept) = &mut self.kept {
            kept.push(output.clone());
        }
    }

    fn commit(&mut self, next: &BTreeMap<i32, i64>, took: Duration) {
        let read: i64 = next.iter().map(|(id, next)| next - self.next.insert(*id, *next).unwrap_or(0)).sum();
        self.cut.read = usize::try_from(read).unwrap_or(0);
        self.cuts.push(std::mem::take(&mut self.cut));
        self.commits.push(took);
    }
}

/// Bytes of key and value.
fn length(output: &Output) -> u64 {
    let length = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
    length(&output.key) + length(&output.value)
}

/// A producer with a meter.
pub(super) struct Metered<P> {
    pub(super) producer: P,
    pub(super) meter: Meter,
}

impl<P: Producer<Input = InputConsumer>> Producer for Metered<P> {
    type Input = GatedInput;
    type Transaction<'a>
        = MeteredTransaction<'a, P::Transaction<'a>>
    where
        Self: 'a;

    fn adopt(&mut self, partitions: &[i32], input: &mut GatedInput) -> Result<Adoption, LogError> {
        self.producer.adopt(partitions, &mut input.consumer)
    }

    fn release(&mut self, partitions: &[i32]) {
        self.producer.release(partitions);
    }

    fn begin(&mut self) -> Result<Self::Transaction<'_>, LogError> {
        self.meter.watch.begin();
        Ok(MeteredTransaction { transaction: self.producer.begin()?, meter: &mut self.meter })
    }

    fn renew(&mut self, input: &mut GatedInput) -> Result<Renewal, LogError> {
        self.producer.renew(&mut input.consumer)
    }
}

/// A transaction of one.
pub(super) struct MeteredTransaction<'a, T> {
    transaction: T,
    meter: &'a mut Meter,
}

impl<T: Transaction<Input = InputConsumer>> Transaction for MeteredTransaction<'_, T> {
    type Input = GatedInput;

    fn reads(&mut self, partition: i32, from: i64) {
        self.transaction.reads(partition, from);
    }

    fn send(&mut self, output: Output) -> Result<(), LogError> {
        self.meter.send(&output);
        self.transaction.send(output)
    }

    fn commit(self, input: &mut GatedInput, next: &BTreeMap<i32, i64>) -> Result<Committed, LogError> {
        let started = Instant::now();
        let committed = self.transaction.commit(&mut input.consumer, next)?;
        self.meter.commit(next, started.elapsed());
        Ok(committed)
    }

    fn abort(self) -> Result<(), LogError> {
        self.transaction.abort()
    }
}
