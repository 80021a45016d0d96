//! A machine as a role: its pumps, each on a thread of its own under a watchdog, and how they are seen from outside.
//!
//! Each pump is a member of the group of its own, with partitions and a state of its own: what holds of several processes holds of
//! several pumps of one. It never knows what the machine decides about.

use std::fmt;
use std::time::Duration;

use anyhow::anyhow;
use arb_kafka::{self as kafka, Cluster, Ends, InputConsumer, TransactionalProducer};
use arb_runtime::batch::BatchLimits;
use arb_runtime::fail_point::FailPoints;
use arb_runtime::machine::{Counts, Machine};
use arb_runtime::progress::ProgressMap;
use arb_runtime::pump::{Config, CutLimits, Pump, SLICE};
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::{self, Role};
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics;

use super::guarded::{self, LoopLiveness};
use super::readiness::{Readiness, Topic};
use crate::cli::LoopOptions;
use crate::roles::admin::{Admin, Vitals};
use crate::roles::cluster;
use crate::system::{clock, signals};

/// Between a transaction that was aborted and the next.
const PAUSE: Duration = Duration::from_millis(20);

/// Has a timer written at a pace for each partition that is owned, on a thread of its own, until the shutdown signal. One that is not
/// delivered is followed by the next one; of several owners at a time the machine takes the latest.
pub(super) fn write_timers(
    places: &ProgressMap,
    every: Duration,
    stop: &Stop,
    write: impl Fn(i32) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let (places, stop) = (places.clone(), stop.clone());
    std::thread::Builder::new().name("timers".to_owned()).spawn(move || {
        while !stop.wait(every) {
            if let Err(error) = places.get().keys().try_for_each(|partition| write(*partition)) {
                tracing::warn!("a timer was not written: {error:#}");
            }
        }
    })?;
    Ok(())
}

/// A thread whose end, for whatever reason, is the process's.
pub(super) fn thread(
    name: &'static str,
    stop: &Stop,
    work: impl FnOnce(&Stop) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let stop = stop.clone();
    std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        let ended = work(&stop);
        if let Err(error) = &ended {
            tracing::error!(thread = name, "{error:#}");
        }
        stop.stop();
    })?;
    Ok(())
}

/// A machine as a role, by its settings and by what is fixed.
pub(super) struct MachineRole {
    pub(super) role: Role,
    /// What its loop is called in messages.
    pub(super) name: &'static str,
    pub(super) fail_points: FailPoints,
    pub(super) options: LoopOptions,
    pub(super) group: String,
    pub(super) limits: BatchLimits,
    pub(super) cuts: CutLimits,
    /// Pumps: no more run than there are partitions.
    pub(super) workers: usize,
    /// One of its outputs: what it writes there is held back by transactions that others leave open.
    pub(super) output: &'static topics::Topic,
}

/// Where a machine begins.
pub(super) struct Surroundings<'a> {
    pub(super) cluster: &'a Cluster,
    /// The positions of the partitions that its pumps own.
    pub(super) places: &'a ProgressMap,
    pub(super) stop: &'a Stop,
}

/// A machine whose pumps may begin.
pub(super) struct Begun<M: Machine, B> {
    pub(super) machine: M::Config,
    /// Of all its topics.
    pub(super) partitions: i32,
    /// What runs beside the pumps, dropped when they have ended.
    pub(super) beside: B,
}

/// Runs a machine until the shutdown signal, under its watchdog. `begin` begins what runs beside its pumps, on the thread of the first one.
pub(super) fn run_machine<M: Machine, B>(
    role: MachineRole,
    begin: impl FnOnce(&Surroundings<'_>) -> anyhow::Result<Begun<M, B>> + Send + 'static,
) -> anyhow::Result<()>
where
    M::Config: Clone + Send + Sync,
    M::Tally: fmt::Display + Send + 'static,
{
    let LoopOptions { guard, admin, brokers, child } = role.options.clone();
    let stop = signals::stop(child)?;
    let admin = Admin::start((admin, child), role.role)?;
    let pulses: Vec<_> = (0..role.workers).map(|_| Pulse::default()).collect();
    let counts = guarded::run(role.name, pulses.clone(), guard.watchdog, move || {
        let (cluster, places) = (&cluster::open(&brokers)?, ProgressMap::default());
        let Begun { machine, partitions, beside } =
            begin(&Surroundings { cluster, places: &places, stop: &stop })?;
        let pumps = Pumps::<M> { role, machine, partitions, pulses, places };
        let counts = pumps.run(&stop, cluster, &admin);
        drop(beside);
        counts
    })?;
    tracing::info!("finished: {counts}");
    Ok(())
}

/// The pumps of a machine.
struct Pumps<M: Machine> {
    role: MachineRole,
    machine: M::Config,
    partitions: i32,
    /// One for each pump.
    pulses: Vec<Pulse>,
    places: ProgressMap,
}

impl<M: Machine> Pumps<M>
where
    M::Config: Clone + Send + Sync,
    M::Tally: Send,
{
    /// Pumps until the shutdown signal; what was counted. The first pump that fails ends the others.
    fn run(&self, stop: &Stop, cluster: &Cluster, admin: &Admin) -> anyhow::Result<Counts<M::Tally>> {
        let (input, output, partitions) = (M::TOPICS.input, self.role.output, self.partitions);
        admin.show(MachineVitals {
            life: LoopLiveness::new(&self.pulses, self.role.options.guard.watchdog),
            places: self.places.clone(),
            input: (input, Ends::watch(cluster, input, partitions, stop)?),
            output: (output, Ends::watch(cluster, output, partitions, stop)?),
            readiness: Readiness::new(),
            role: self.role.role,
        });
        let workers = self.pulses.len().min(usize::try_from(partitions).unwrap_or(1));
        let one = &|worker| {
            let _end = EndOfAll(stop);
            let counts = self.pump(worker, stop, cluster);
            // Where several fail, one is returned.
            counts.inspect_err(|error| tracing::error!(worker, "{error:#}"))
        };
        std::thread::scope(|scope| {
            let _end = EndOfAll(stop);
            let spawn = |worker| {
                let thread = std::thread::Builder::new().name(format!("worker-{worker}"));
                thread.spawn_scoped(scope, move || one(worker))
            };
            let others = (1..workers).map(spawn).collect::<Result<Vec<_>, _>>()?;
            let mut sum = one(0)?;
            for other in others {
                sum.add(&other.join().map_err(|_| anyhow!("a worker panicked"))??);
            }
            Ok(sum)
        })
    }

    /// The pump of one worker, until the shutdown signal.
    fn pump(&self, worker: usize, stop: &Stop, cluster: &Cluster) -> anyhow::Result<Counts<M::Tally>> {
        let (topics, role, pulse) = (&M::TOPICS, &self.role, self.pulses[worker].clone());
        let fail_points = role.fail_points.clone();
        let surroundings = kafka::Surroundings { fail_points, pulse: pulse.clone(), stop: stop.clone() };
        let mut producer =
            TransactionalProducer::new(cluster, &role.group, topics, self.partitions, surroundings)?;
        let mut consumer = InputConsumer::join(cluster, &role.group, topics)?;
        let mut pump = Pump::<M>::new(Config {
            worker,
            machine: self.machine.clone(),
            epoch: clock::epoch,
            limits: role.limits,
            cuts: role.cuts,
            slice: SLICE,
            pause: PAUSE,
            fail_points: role.fail_points.clone(),
            pulse,
            places: self.places.of(worker),
        });
        while !stop.is_stopped() {
            pump.step(&mut consumer, &mut producer)?;
        }
        if let Err(error) = pump.finish(&mut consumer, &mut producer) {
            tracing::warn!(
                "the state is not written at the end, so the next owner processes some records again: {error:#}"
            );
        }
        Ok(pump.counts().clone())
    }
}

/// When one worker ends, also by a panic, or one cannot be started, all of them end.
struct EndOfAll<'a>(&'a Stop);

impl Drop for EndOfAll<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The pumps, seen from outside.
struct MachineVitals {
    life: LoopLiveness,
    places: ProgressMap,
    input: (&'static topics::Topic, Ends),
    output: (&'static topics::Topic, Ends),
    readiness: Readiness,
    role: Role,
}

impl Vitals for MachineVitals {
    fn is_alive(&self) -> bool {
        self.life.is_alive()
    }

    /// What they own moves; one that owns nothing stands by, and is ready.
    fn problem(&self) -> Option<String> {
        self.life.problem().or_else(|| self.readiness.problem())
    }

    fn inspect(&self) {
        let ((input, input_ends), (output, output_ends)) = (&self.input, &self.output);
        let input = Topic { name: input.name, places: Some(&self.places), ends: input_ends };
        self.readiness.inspect(&[input, Topic { name: output.name, places: None, ends: output_ends }]);
        telemetry::pump::inspect(
            self.role,
            &self.places.get(),
            &input_ends.get(),
            clock::now(),
            self.life.silence(),
        );
    }
}
