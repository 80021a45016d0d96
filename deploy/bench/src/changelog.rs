//! `arb-bench changelog`: what a processor writes for a tick, by kind of record, without Kafka.
//!
//! The odds machine of one partition over the push feed, cut into transactions; keys and values are counted, and compressed as the
//! client compresses a batch. It never judges a result.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use arb_engine::market::Policy;
use arb_process::books;
use arb_process::codec::TickMessage;
use arb_process::machine::{OddsConfig, OddsMachine};
use arb_runtime::machine::{InputPlace, Machine, Outbox};
use arb_runtime::pump::PARTITION_KEY;
use arb_schemas::TickRecord;
use arb_schemas::records::{StateCut, StatePartition};
use arb_schemas::topics::PROCESS_STATE;
use arb_schemas::wire::{RecordType, WireError, encode};

use super::Scale;
use super::pipeline::STEP;
use super::push_market::PushMarket;
use super::report::{Measure, Measured, Row};

pub(super) const PART: &str = "changelog";
/// Ticks of the feed, and of a quick run.
const TICKS: [i64; 2] = [400_000, 60_000];
/// So many prices in a hundred move.
const MOVING: u64 = 50;
/// Records a transaction, and records after which the state is written, of a processor under load, and of one that keeps up with 20,000 a
/// second by transactions of 10 ms: with each transaction, and as the processor does it, each 50,000 records or 250 ms.
const CUTS: [(i64, i64); 4] = [(10_000, 10_000), (10_000, 50_000), (200, 200), (200, 5_000)];
/// When the first tick comes, in microseconds.
const BEGIN: i64 = 1_800_000_000_000_000;
/// Of one batch of the client, at most.
const BATCH: usize = 1_000_000;

const BYTES: Measure = Measure("a tick", "bytes");
const RECORDS: Measure = Measure("records, 1,000 ticks", "records");
const CHANGES: Measure = Measure("encoding of the changes, a tick", "ns");

/// What was written, by topic and kind of record.
#[derive(Default)]
struct WrittenRecords {
    kinds: BTreeMap<(&'static str, String), Kind>,
    /// The batch of each topic that is being filled.
    open: BTreeMap<&'static str, Vec<u8>>,
    compressed: BTreeMap<&'static str, usize>,
    /// Time spent on the changes.
    took: Duration,
}

/// Records of a kind.
#[derive(Default)]
struct Kind {
    records: usize,
    bytes: usize,
}

pub(super) fn run(scale: Scale) -> anyhow::Result<Measured> {
    let ticks = TICKS[usize::from(scale.is_quick)];
    let rows: Vec<_> = CUTS
        .into_iter()
        .map(|cut| Ok(rows(cut, ticks, &written(ticks, cut)?)))
        .collect::<anyhow::Result<_>>()?;
    let note = format!(
        "changelog: the odds machine of one partition, {ticks} ticks of the push feed, {MOVING} % of prices moving, {} ms of event time; keys and values, \
         without the frame that Kafka puts around each; batches of a topic are compressed by LZ4, as the client does. Measured once.",
        ticks * STEP / 1_000
    );
    Ok(Measured { rows: rows.concat(), notes: vec![note], ..Measured::default() })
}

/// Lets a machine process the feed, a transaction each so many records, and the state after so many.
fn written(ticks: i64, (records, cut): (i64, i64)) -> anyhow::Result<WrittenRecords> {
    let books = Arc::new(books::shipped()?);
    let mut machine = OddsMachine::new(&OddsConfig { policy: Policy::Board, books });
    let (mut market, mut written) = (PushMarket::new(BEGIN, MOVING), WrittenRecords::default());
    let (mut out, mut counts) = (Outbox::default(), <OddsMachine as Machine>::Tally::default());
    for offset in 0..ticks {
        let tick = TickMessage::Record(TickRecord::Frame(market.next(BEGIN + offset * STEP)));
        machine.step(InputPlace { partition: 0, offset, epoch: 1 }, &tick, &mut out, &mut counts)?;
        for output in out.outputs() {
            written.add(output.topic, output.key.as_deref().unwrap_or_default(), output.value.as_deref())?;
        }
        ensure!(out.letters().is_empty(), "a tick of the feed is dead-lettered");
        out.clear();
        let (ends, cuts) = ((offset + 1) % records == 0, (offset + 1) % cut == 0);
        if cuts {
            written.changes(&machine)?;
            machine.apply();
        }
        if ends {
            let cut = (!cuts).then(|| StateCut { next_offset: offset, ..StateCut::default() });
            let place = StatePartition {
                next_offset: offset + 1,
                policy: "board".to_owned(),
                cut,
                ..StatePartition::default()
            };
            written.add(PROCESS_STATE.name, PARTITION_KEY.as_bytes(), Some(&encode(&place)?))?;
            written.end_batches();
        }
    }
    Ok(written)
}

impl WrittenRecords {
    fn changes(&mut self, machine: &OddsMachine) -> Result<(), WireError> {
        let (mut changes, started) = (Vec::new(), Instant::now());
        machine.changes(|change| -> Result<(), WireError> {
            changes.push(change);
            Ok(())
        })?;
        self.took += started.elapsed();
        for change in changes {
            self.add(PROCESS_STATE.name, change.key.as_bytes(), change.value.as_deref())?;
        }
        Ok(())
    }

    /// A transaction has ended.
    fn end_batches(&mut self) {
        let topics: Vec<_> = self.open.keys().copied().collect();
        for topic in topics {
            self.end_batch(topic);
        }
    }

    fn add(&mut self, topic: &'static str, key: &[u8], value: Option<&[u8]>) -> Result<(), WireError> {
        let kind = match value {
            Some(value) => format!("{:?}", RecordType::of(value)?),
            None => "tombstones".to_owned(),
        };
        let value = value.unwrap_or_default();
        let of_kind = self.kinds.entry((topic, kind)).or_default();
        of_kind.records += 1;
        of_kind.bytes += key.len() + value.len();
        let batch = self.open.entry(topic).or_default();
        batch.extend(key);
        batch.extend(value);
        if batch.len() >= BATCH {
            self.end_batch(topic);
        }
        Ok(())
    }

    fn end_batch(&mut self, topic: &'static str) {
        let batch = self.open.remove(topic).unwrap_or_default();
        *self.compressed.entry(topic).or_default() += lz4_flex::block::compress(&batch).len();
    }
}

fn rows((records, cut): (i64, i64), ticks: i64, written: &WrittenRecords) -> Vec<Row> {
    let row = |case: String, measure: Measure, value: f64| {
        let case =
            format!("{MOVING} % of prices moving, {records} records a transaction, state each {cut}, {case}");
        Row::alone(PART, case, measure, &[value])
    };
    let ticks = ticks as f64;
    let kinds = written.kinds.iter().flat_map(|((topic, kind), Kind { records, bytes })| {
        let case = format!("{topic}: {kind}");
        [row(case.clone(), BYTES, *bytes as f64 / ticks), row(case, RECORDS, *records as f64 / ticks * 1e3)]
    });
    let topics = written.compressed.iter().flat_map(|(topic, compressed)| {
        let of_topic = written.kinds.iter().filter(|((of, _), _)| of == topic);
        let bytes: usize = of_topic.map(|(_, kind)| kind.bytes).sum();
        [
            row(format!("{topic}, all"), BYTES, bytes as f64 / ticks),
            row(format!("{topic}, all, compressed"), BYTES, *compressed as f64 / ticks),
        ]
    });
    let took = row("all changes".to_owned(), CHANGES, written.took.as_nanos() as f64 / ticks);
    kinds.chain(topics).chain([took]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_written_is_of_a_kind_and_is_compressed() {
        let cuts = (100, 500);
        let written = written(2_000, cuts).unwrap();
        let rows = rows(cuts, 2_000, &written);
        let of = |case: &str| rows.iter().find(|row| row.case.ends_with(case)).unwrap().ours.median;
        let [all, compressed, lines] =
            ["process.state.v1, all", "process.state.v1, all, compressed", "process.state.v1: StateLine"]
                .map(of);
        assert!(all > lines && lines > 0.0 && compressed < all / 2.0, "{all} {lines} {compressed}");
        assert!(written.open.is_empty(), "the last batch has ended");
    }
}
