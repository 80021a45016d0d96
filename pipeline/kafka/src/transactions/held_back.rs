//! The output partitions that are held back by an open transaction, polled every few seconds by a dedicated
//! thread.
//!
//! A transaction of the processor ends within its time-out of 10 s. One that stays open longer belongs to
//! another producer, or the broker has lost its markers: readers of committed records see nothing behind it.
//! It never ends one; docs/operations/hanging-transactions.md explains how to.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arb_runtime::machine::MachineTopics;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::kafka::held_back as report;
use rdkafka::error::KafkaError;

use crate::cluster::Cluster;
use crate::error::Error;

use super::output_ends::{HeldBack, OutputEnds};

/// The interval between requests.
const EVERY: Duration = Duration::from_secs(5);

/// Begins to ask, until the shutdown signal.
///
/// # Errors
/// [`Error::Broker`] for settings that librdkafka refuses; [`Error::Thread`] when the system gives no thread.
pub fn watch(cluster: &Cluster, topics: &MachineTopics, partitions: i32, stop: &Stop) -> Result<(), Error> {
    let (ends, stop) = (OutputEnds::open(cluster, topics.written())?, stop.clone());
    let ids: Vec<_> = (0..partitions).collect();
    std::thread::Builder::new().name("held-back".to_owned()).spawn(move || {
        let mut stalls = Stalls::default();
        while !stop.wait(EVERY) {
            match held_back(&ends, &ids) {
                Ok(held) => stalls.seen(&held, Instant::now()).iter().for_each(|((topic, id), time)| {
                    report(topic, *id, *time);
                }),
                Err(error) => tracing::debug!(%error, "the ends of the outputs are not known"),
            }
        }
    })?;
    Ok(())
}

fn held_back(ends: &OutputEnds, ids: &[i32]) -> Result<Vec<HeldBack>, KafkaError> {
    ends.held_back(&ends.ends(ids)?)
}

/// Since when the last stable offset of each partition has not moved, before the end.
#[derive(Default)]
struct Stalls(BTreeMap<(&'static str, i32), (i64, Instant)>);

impl Stalls {
    /// Takes in what is held back now; gives how long each partition has been, and zero for those that are not any more.
    fn seen(&mut self, held: &[HeldBack], now: Instant) -> BTreeMap<(&'static str, i32), Duration> {
        let mut times: BTreeMap<_, _> = self.0.keys().map(|at| (*at, Duration::ZERO)).collect();
        let before = std::mem::take(&mut self.0);
        for HeldBack { topic, partition, stable, .. } in held {
            let at = (*topic, *partition);
            let same = before.get(&at).filter(|(then, _)| then == stable);
            let since = same.map_or(now, |(_, since)| *since);
            self.0.insert(at, (*stable, since));
            times.insert(at, now.duration_since(since));
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_offset_that_stands_still_counts() {
        let (mut stalls, start) = (Stalls::default(), Instant::now());
        let mut after = |seconds, held: &[(i32, i64)]| {
            let held: Vec<_> = held
                .iter()
                .map(|(partition, stable)| HeldBack {
                    topic: "t",
                    partition: *partition,
                    stable: *stable,
                    end: 99,
                })
                .collect();
            let times = stalls.seen(&held, start + Duration::from_secs(seconds));
            times.into_iter().map(|((_, partition), time)| (partition, time.as_secs())).collect::<Vec<_>>()
        };
        assert_eq!(after(0, &[(0, 5), (1, 7)]), [(0, 0), (1, 0)]);
        assert_eq!(after(5, &[(0, 5), (1, 8)]), [(0, 5), (1, 0)], "transactions of partition 1 end");
        assert_eq!(after(10, &[(0, 5)]), [(0, 10), (1, 0)], "reported as free, once");
        assert_eq!(after(15, &[]), [(0, 0)]);
        assert_eq!(after(20, &[]), []);
    }
}
