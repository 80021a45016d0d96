//! Latency: from the time that a tick carries to the time at which the records that it causes can be read.
//!
//! A publisher sends ticks at a rate, each with the time at which it is sent; the pump has an operator's
//! default settings; a reader of committed records and a client of the event stream take the time of arrival.
//! The time in a window's event is the time of its tick, and all clocks are this machine's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use arb::system::clock;
use arb_kafka::{
    self as kafka, Cluster, Feed, FeedEvent, InputConsumer, Surroundings, TickProducer, TransactionalProducer,
};
use arb_process::machine::OddsMachine;
use arb_runtime::batch::BatchLimits;
use arb_runtime::feed_mark::FeedMarks;
use arb_runtime::machine::Machine;
use arb_runtime::pump::Pump;
use arb_runtime::stop::Stop;
use arb_schemas::TickRecord;
use arb_schemas::records::{ArbWindow, CloseSignal, Heartbeat};
use arb_schemas::time::Micros;
use arb_schemas::topics::{ALL, DEFAULT_PARTITIONS, FEED_EVENTS};
use arb_schemas::wire::{RecordType, decode};

use super::ground::KafkaGround;
use super::metered::{Meter, Metered};
use super::sse::Stream;
use super::throughput::config;
use super::{INTERVAL, go_on, partition_of};
use crate::meter::percentile;
use crate::push_market::PushMarket;

/// Not counted: after it every quote has been seen once and every cache is warm.
const WARM_UP: Duration = Duration::from_secs(2);
/// How long the pump may take for what was sent.
const DRAIN: Duration = Duration::from_secs(30);
/// How long the last events may take to their readers.
const LAST: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(20);
/// Between two sendings.
const STEP: Duration = Duration::from_micros(500);

/// An event that came.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    /// The time of its tick.
    pub(super) ticked: Micros,
    /// When it came.
    pub(super) now: Micros,
}

/// How late events were.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Delays {
    pub(super) events: usize,
    pub(super) p50: Micros,
    pub(super) p99: Micros,
}

/// What came of one rate.
#[derive(Debug, Clone)]
pub(super) struct Latency {
    /// Ticks a second that were really sent.
    pub(super) sent: f64,
    pub(super) feed: Delays,
    pub(super) stream: Delays,
    /// How long the pump's commits took, which is most of it.
    pub(super) commits: Vec<Duration>,
}

/// What threads share.
struct Shared<'a> {
    cluster: &'a Cluster,
    group: String,
    stop: Stop,
    processed: AtomicU64,
}

pub(super) fn measure(rate: u32, time: Duration, ground: &mut KafkaGround<'_>) -> anyhow::Result<Latency> {
    ground.empty(&ALL)?;
    let served = ground.serve()?;
    let group = ground.name();
    let (stream, end) = Stream::open(&served)?;
    let mut feed = Feed::open(&ground.cluster, &FEED_EVENTS, DEFAULT_PARTITIONS)?;
    let ends = feed.spans()?;
    feed.read_from((0..).zip(ends.iter().map(|span| span.next)), FeedMarks::default())?;
    let (stop, processed) = (Stop::default(), AtomicU64::new(0));
    let shared = Shared { cluster: &ground.cluster, group, stop, processed };
    let latency = thread::scope(|scope| {
        let pump = scope.spawn(|| pump(&shared));
        let feed = scope.spawn(|| arrivals(&mut feed, &shared.stop));
        let stream = scope.spawn(|| stream.arrivals());
        let published = publish(rate, time, &shared, ground);
        shared.stop.stop();
        end.end();
        let panicked = |_| anyhow!("a thread panicked");
        let commits = pump.join().map_err(panicked)??.commits;
        let (feed, stream) = (feed.join().map_err(panicked)??, stream.join().map_err(panicked)??);
        let Published { since, sent } = published?;
        let (feed, stream) = (delays(&feed, since), delays(&stream, since));
        Ok(Latency { sent, feed, stream, commits })
    });
    ground.end_serve();
    latency
}

fn delays(arrivals: &[Arrival], since: Micros) -> Delays {
    let counted = arrivals.iter().filter(|arrival| arrival.ticked >= since);
    let mut delays: Vec<_> = counted.map(|arrival| arrival.now - arrival.ticked).collect();
    let (p50, p99) = (percentile(&mut delays, 50), percentile(&mut delays, 99));
    Delays { events: delays.len(), p50, p99 }
}

fn pump(shared: &Shared<'_>) -> anyhow::Result<Meter> {
    let _stop = StopAtEnd(&shared.stop);
    let producer = TransactionalProducer::new(
        shared.cluster,
        &shared.group,
        &OddsMachine::TOPICS,
        kafka::partitions(shared.cluster)?,
        Surroundings::default(),
    )?;
    let mut to = Metered { producer, meter: Meter::new(false) };
    let mut consumer = InputConsumer::join(shared.cluster, &shared.group, &OddsMachine::TOPICS)?;
    let mut pump = Pump::new(config(BatchLimits { records: 10_000, interval: INTERVAL }));
    while !shared.stop.is_stopped() {
        pump.step(&mut consumer, &mut to)?;
        shared.processed.store(pump.counts().records, Ordering::Relaxed);
    }
    Ok(to.meter)
}

/// An error of the pump ends the measurement.
struct StopAtEnd<'a>(&'a Stop);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn arrivals(feed: &mut Feed, stop: &Stop) -> anyhow::Result<Vec<Arrival>> {
    let mut arrivals = Vec::new();
    while !stop.is_stopped() {
        if let FeedEvent::Record { value, .. } = feed.next(POLL)? {
            let now = clock::now();
            let ticked = match RecordType::of(&value)? {
                RecordType::ArbWindow => decode::<ArbWindow>(&value)?.entry.updated_at,
                RecordType::CloseSignal => decode::<CloseSignal>(&value)?.closed_at,
                _ => continue,
            };
            arrivals.push(Arrival { ticked: ticked.0, now });
        }
    }
    Ok(arrivals)
}

/// What was sent.
struct Published {
    /// From when on it counts.
    since: Micros,
    /// Ticks a second.
    sent: f64,
}

fn publish(
    rate: u32,
    time: Duration,
    shared: &Shared<'_>,
    ground: &KafkaGround<'_>,
) -> anyhow::Result<Published> {
    let to = TickProducer::new(shared.cluster)?;
    let alive = TickRecord::Heartbeat(Heartbeat { source: "bench".to_owned(), at: clock::now() }).encode()?;
    (0..DEFAULT_PARTITIONS).try_for_each(|partition| to.send(partition, "bench", &alive))?;
    let beats = u64::from(DEFAULT_PARTITIONS.unsigned_abs());
    wait_for(beats, shared, ground)?;
    let mut market = PushMarket::new(clock::now());
    let warmed = pace(rate, WARM_UP, &mut market, &to, ground)?;
    let (since, started) = (clock::now(), Instant::now());
    let count = pace(rate, time, &mut market, &to, ground)?;
    let sent = count as f64 / started.elapsed().as_secs_f64();
    to.flush()?;
    wait_for(beats + warmed + count, shared, ground)?;
    thread::sleep(LAST);
    Ok(Published { since, sent })
}

/// Sends ticks at a rate for a time; how many.
fn pace(
    rate: u32,
    time: Duration,
    market: &mut PushMarket,
    to: &TickProducer,
    ground: &KafkaGround<'_>,
) -> anyhow::Result<u64> {
    let (started, each) = (Instant::now(), Duration::from_secs(1) / rate.max(1));
    let mut sent = 0;
    while started.elapsed() < time {
        go_on(ground)?;
        let due = started.elapsed().min(time).as_nanos() / each.as_nanos().max(1);
        while u128::from(sent) < due {
            let frame = market.next(clock::now());
            let key = frame.event.id.clone();
            to.send(partition_of(&key), &key, &TickRecord::Frame(frame).encode()?)?;
            sent += 1;
        }
        thread::sleep(STEP);
    }
    Ok(sent)
}

/// Waits until the pump has processed so many records.
fn wait_for(records: u64, shared: &Shared<'_>, ground: &KafkaGround<'_>) -> anyhow::Result<()> {
    let deadline = Instant::now() + DRAIN;
    while shared.processed.load(Ordering::Relaxed) < records {
        go_on(ground)?;
        if shared.stop.is_stopped() {
            bail!("the pump has ended");
        }
        if Instant::now() > deadline {
            let processed = shared.processed.load(Ordering::Relaxed);
            bail!("the pump has processed {processed} of {records} records after {} s", DRAIN.as_secs());
        }
        thread::sleep(POLL);
    }
    Ok(())
}
