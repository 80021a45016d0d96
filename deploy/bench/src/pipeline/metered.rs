//! The measuring adapter: a producer under the pump's port that notes what goes through it.
//!
//! It counts and looks at clocks once a transaction, never once a record, and changes nothing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arb_runtime::log::{Adoption, Committed, LogError, Output, Producer, Renewal, Transaction};

use super::bare_loop::Cut;
use super::broker::Broker;
use super::costs::{CostWatch, RunCost};

/// What was written to one topic.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    pub(super) records: u64,
    /// Of keys and values.
    pub(super) bytes: u64,
}

/// What went through.
pub(super) struct Meter {
    broker: Broker,
    /// Since the first transaction.
    pub(super) watch: Option<CostWatch>,
    /// From there, or from the end of a warm-up, to the last commit.
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
    pub(super) fn new(keep: bool, broker: Broker) -> Self {
        Self {
            broker,
            watch: None,
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

impl<P: Producer> Producer for Metered<P> {
    type Input = P::Input;
    type Transaction<'a>
        = MeteredTransaction<'a, P::Transaction<'a>>
    where
        Self: 'a;

    fn adopt(&mut self, partitions: &[i32], input: &mut P::Input) -> Result<Adoption, LogError> {
        self.producer.adopt(partitions, input)
    }

    fn release(&mut self, partitions: &[i32]) {
        self.producer.release(partitions);
    }

    fn begin(&mut self) -> Result<Self::Transaction<'_>, LogError> {
        let broker = self.meter.broker;
        self.meter.watch.get_or_insert_with(|| CostWatch::start(broker));
        Ok(MeteredTransaction { transaction: self.producer.begin()?, meter: &mut self.meter })
    }

    fn renew(&mut self, input: &mut P::Input) -> Result<Renewal, LogError> {
        self.producer.renew(input)
    }
}

/// A transaction of one.
pub(super) struct MeteredTransaction<'a, T> {
    transaction: T,
    meter: &'a mut Meter,
}

impl<T: Transaction> Transaction for MeteredTransaction<'_, T> {
    type Input = T::Input;

    fn reads(&mut self, partition: i32, from: i64) {
        self.transaction.reads(partition, from);
    }

    fn send(&mut self, output: Output) -> Result<(), LogError> {
        self.meter.send(&output);
        self.transaction.send(output)
    }

    fn commit(self, input: &mut T::Input, next: &BTreeMap<i32, i64>) -> Result<Committed, LogError> {
        let started = Instant::now();
        let committed = self.transaction.commit(input, next)?;
        self.meter.commit(next, started.elapsed());
        Ok(committed)
    }

    fn abort(self) -> Result<(), LogError> {
        self.transaction.abort()
    }
}
