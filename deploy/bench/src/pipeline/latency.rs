//! Latency: from the time at which a tick was to be sent to the time at which the records that it causes can be read.
//!
//! A process of its own sends ticks at a rate, and reads committed records and the event stream (`actor::generator`). The pump, with an
//! operator's default settings, is alone in this process, so that its CPU is the pump's. The time in a window's event is
//! the time of its tick, and all clocks are this machine's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use arb_engine::market::Policy;
use arb_kafka::{self as kafka, Cluster, InputConsumer, Surroundings, TransactionalProducer};
use arb_process::machine::OddsMachine;
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::Machine;
use arb_runtime::pump::Pump;
use arb_runtime::stop::Stop;
use arb_schemas::topics::{ALL, DEFAULT_PARTITIONS};

use super::broker::Broker;
use super::costs::{CostWatch, RunCost, RunWatch};
use super::gate::{Gate, GatedInput};
use super::ground::KafkaGround;
use super::metered::{Meter, Metered};
use super::pump_run::config;
use super::{INTERVAL, go_on};
use crate::actor::{Actor, Late, MarketKind, Order, Paced, Role, Served};

/// Not counted: after it every quote has been seen once and every cache is warm.
const WARM_UP: Duration = Duration::from_secs(3);
/// How long the pump may take for what was sent.
const DRAIN: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(20);

/// What came of one rate.
#[derive(Debug, Clone)]
pub(super) struct Latency {
    pub(super) paced: Paced,
    pub(super) late: Late,
    /// While the ticks were sent.
    pub(super) cost: RunCost,
    /// How long the pump's commits took, which is most of it.
    pub(super) commits: Vec<Duration>,
}

/// What threads share.
struct Shared<'a> {
    cluster: &'a Cluster,
    broker: Broker,
    group: String,
    stop: Stop,
    processed: AtomicU64,
}

pub(super) fn measure(
    rate: u32,
    time: Duration,
    market: MarketKind,
    ground: &mut KafkaGround<'_>,
) -> anyhow::Result<Latency> {
    ground.empty(&ALL)?;
    let served = ground.serve()?;
    let (group, stop, processed) = (ground.name(), Stop::default(), AtomicU64::new(0));
    let mut generator = Actor::start(Role::Generator)?;
    let shared = Shared { cluster: &ground.cluster, broker: ground.broker, group, stop, processed };
    let brokers = ground.cluster.brokers().to_owned();
    let api = Served { at: served.listen, key: served.key };
    let follow = Order::Follow { brokers, api, market };
    let _: Option<()> = generator.ask(&follow)?;
    let latency = thread::scope(|scope| {
        let pump = scope.spawn(|| pump(&shared));
        let sent = pace(rate, time, &mut generator, &shared, ground);
        shared.stop.stop();
        let commits = pump.join().map_err(|_| anyhow!("the pump panicked"))??.commits;
        let (paced, late, cost) = sent?;
        Ok(Latency { paced, late, cost, commits })
    });
    drop(generator);
    ground.end_serve();
    latency
}

/// Lets the generator send: first to warm up.
fn pace(
    rate: u32,
    time: Duration,
    generator: &mut Actor,
    shared: &Shared<'_>,
    ground: &KafkaGround<'_>,
) -> anyhow::Result<(Paced, Late, RunCost)> {
    let beats = u64::from(DEFAULT_PARTITIONS.unsigned_abs());
    wait_for(beats, shared, ground)?;
    let warmed: Paced = generator.ask(&Order::Pace { rate, time: WARM_UP })?;
    wait_for(beats + warmed.sent, shared, ground)?;
    let watch = CostWatch::start(shared.broker);
    let paced: Paced = generator.ask(&Order::Pace { rate, time })?;
    wait_for(beats + warmed.sent + paced.sent, shared, ground)?;
    let cost = watch.elapsed();
    Ok((paced, generator.ask(&Order::Late { since: paced.since })?, cost))
}

fn pump(shared: &Shared<'_>) -> anyhow::Result<Meter> {
    let _stop = StopAtEnd(&shared.stop);
    let partitions = kafka::partitions(shared.cluster)?;
    let producer = TransactionalProducer::new(
        shared.cluster,
        &shared.group,
        &OddsMachine::TOPICS,
        partitions,
        Surroundings::default(),
    )?;
    let watch = Arc::new(RunWatch::new(shared.broker));
    let mut to = Metered { producer, meter: Meter::new(false, &watch) };
    let consumer = InputConsumer::join(shared.cluster, &shared.group, &OddsMachine::TOPICS)?;
    let mut input = GatedInput::new(consumer, &Gate::new(1, partitions), 0);
    let mut pump = Pump::new(config(BatchLimits { records: 10_000, interval: INTERVAL }, Policy::Board));
    while !shared.stop.is_stopped() {
        pump.step(&mut input, &mut to)?;
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
