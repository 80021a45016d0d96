//! The measuring adapter: a producer under the pump's port that notes what goes through it.
//!
//! It counts and looks at clocks once a transaction, never once a record, and changes nothing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arb_pipeline::kafka::Cut;
use arb_pipeline::process::log::{Committed, LogError, Producer, Transaction};
use arb_pipeline::records::Output;
use rustix::time::{ClockId, clock_gettime};

/// Wall time and this process's CPU time, all threads, librdkafka's too.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct Watch {
    wall: Instant,
    cpu: Duration,
}

impl Watch {
    pub(in crate::bench) fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu() }
    }

    /// What has passed of both.
    pub(in crate::bench) fn elapsed(&self) -> (Duration, Duration) {
        (self.wall.elapsed(), cpu().saturating_sub(self.cpu))
    }
}

fn cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// What was written to one topic.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    pub(super) records: u64,
    /// Of keys and values.
    pub(super) bytes: u64,
}

/// What went through.
#[derive(Default)]
pub(super) struct Meter {
    /// Since the first transaction.
    pub(super) watch: Option<Watch>,
    /// Wall and CPU time from there to the last commit.
    pub(super) took: (Duration, Duration),
    pub(super) commits: Vec<Duration>,
    pub(super) cuts: Vec<Cut>,
    pub(super) written: BTreeMap<&'static str, Written>,
    /// Everything that was written, where it is wanted.
    pub(super) kept: Option<Vec<Output>>,
    next: BTreeMap<i32, i64>,
    cut: Cut,
}

impl Meter {
    /// Nothing yet; what is written is kept where it is wanted.
    pub(super) fn new(keep: bool) -> Self {
        Self { kept: keep.then(Vec::new), ..Self::default() }
    }

    /// Everything that was written.
    pub(super) fn all(&self) -> Written {
        self.written.values().fold(Written::default(), |all, one| Written {
            records: all.records + one.records,
            bytes: all.bytes + one.bytes,
        })
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
pub(super) fn length(output: &Output) -> u64 {
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

    fn begin(&mut self) -> Result<Self::Transaction<'_>, LogError> {
        self.meter.watch.get_or_insert_with(Watch::start);
        Ok(MeteredTransaction { transaction: self.producer.begin()?, meter: &mut self.meter })
    }

    fn renew(&mut self) -> Result<(), LogError> {
        self.producer.renew()
    }
}

/// A transaction of one.
pub(super) struct MeteredTransaction<'a, T> {
    transaction: T,
    meter: &'a mut Meter,
}

impl<T: Transaction> Transaction for MeteredTransaction<'_, T> {
    type Input = T::Input;

    fn send(&mut self, output: &Output) -> Result<(), LogError> {
        self.meter.send(output);
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

/// The value below which so many of a hundred lie; zero of none.
pub(super) fn percentile<T: Copy + Ord + Default>(values: &mut [T], percent: usize) -> T {
    values.sort_unstable();
    let index = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(index).copied().unwrap_or_default()
}

/// The middle of numbers.
pub(in crate::bench) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_medians() {
        let mut values: Vec<u32> = (0..100).rev().collect();
        assert_eq!((percentile(&mut values, 50), percentile(&mut values, 99)), (50, 99));
        assert_eq!(percentile::<u32>(&mut [], 50), 0);
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn cpu_time_passes_with_work() {
        let watch = Watch::start();
        while watch.elapsed().1.is_zero() {
            std::hint::black_box(0);
        }
    }
}
