//! Pumps on one broker, and the faults that befall them, all from one seed.
//!
//! A pump that is killed or fenced is replaced by a new process. It never hides any other error of a pump.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use arb_runtime::batch::BatchLimits;
use arb_runtime::fail_point::FailPoints;
use arb_runtime::machine::Machine;
use arb_runtime::progress::ProgressMap;
use arb_runtime::pump::{Config, CutLimits, PARTITION_KEY, Pump};
use arb_runtime::watchdog::Pulse;
use arb_schemas::records::StatePartition;
use arb_schemas::wire::decode;

use crate::broker::{Handle, Kind, Shared};
use crate::input::SimInput;
use crate::producer::SimProducer;
use crate::world::World;

/// Pumps that share the partitions.
const PUMPS: usize = 2;
/// Faults of a run; after them it continues undisturbed, so that it ends.
const FAULTS: u32 = 25;
/// Steps after which a member that is held back by an open transaction is restarted, as an operator does on
/// the alert.
///
/// A member that was expelled and does not know it may take an id after its successor has adopted it, and a
/// broker may lose the markers of the transaction that it aborts then: it stays open until the id is adopted
/// again.
const ALERT: usize = 2_000;
/// Steps after which a run will not end: hundreds of times as many as any needs.
const STEPS: usize = 100_000;

/// What happens in a run.
#[derive(Debug, Clone, Copy)]
pub enum Scenario {
    /// Nothing.
    Undisturbed,
    /// Faults from a seed.
    Disturbed(u64),
    /// The same with a producer that fences, but aborts nothing that was left open: no log that is to be used.
    WithoutAborts(u64),
}

thread_local! {
    static EPOCHS: Cell<i64> = const { Cell::new(0) };
}

/// Another one each time: a partition that takes a second one is found by it.
fn next_epoch() -> i64 {
    EPOCHS.with(|epochs| {
        epochs.set(epochs.get() + 1);
        epochs.get()
    })
}

/// One process.
struct Process<M: Machine> {
    pump: Pump<M>,
    input: SimInput,
    producer: SimProducer,
}

/// A run of a machine.
pub struct Simulation<M: Machine> {
    shared: Handle,
    config: M::Config,
    processes: Vec<Process<M>>,
    next_member: usize,
    batch: usize,
    cuts: CutLimits,
}

impl<M: Machine<Config: Clone>> Simulation<M> {
    /// Processes over the input of a world.
    #[must_use]
    pub fn new(config: M::Config, world: World, scenario: Scenario) -> Self {
        let (seed, left, aborts_open) = match scenario {
            Scenario::Undisturbed => (0, 0, true),
            Scenario::Disturbed(seed) => (seed, FAULTS, true),
            Scenario::WithoutAborts(seed) => (seed, FAULTS, false),
        };
        let mut random = fastrand::Rng::with_seed(seed);
        let batch = random.usize(1..40);
        // Not by time: a seed is a run.
        let later = CutLimits { records: random.usize(1..60), interval: Duration::from_hours(1) };
        let cuts = if random.u8(..4) == 0 { CutLimits::EACH } else { later };
        let shared =
            Shared { world, random, left, seen: BTreeSet::new(), pending: BTreeMap::new(), aborts_open };
        let shared = Rc::new(RefCell::new(shared));
        let mut simulation = Self { shared, config, processes: Vec::new(), next_member: 0, batch, cuts };
        for _ in 0..PUMPS {
            let process = simulation.start();
            simulation.processes.push(process);
        }
        simulation
    }

    /// The same, whose processes write the state so often. Those that have begun own nothing yet.
    #[must_use]
    pub fn cutting(mut self, cuts: CutLimits) -> Self {
        self.cuts = cuts;
        (0..PUMPS).for_each(|index| self.processes[index] = self.start());
        self
    }

    /// A new process, which owns nothing.
    fn start(&mut self) -> Process<M> {
        let (shared, member) = (Rc::clone(&self.shared), self.next_member);
        self.next_member += 1;
        let pump = Pump::new(Config {
            worker: 0,
            machine: self.config.clone(),
            epoch: next_epoch,
            limits: BatchLimits { records: self.batch, interval: Duration::from_hours(1) },
            cuts: self.cuts,
            // One read of the changelog, or some of its parts, between two events.
            slice: Duration::ZERO,
            pause: Duration::ZERO,
            fail_points: FailPoints::default(),
            pulse: Pulse::default(),
            places: ProgressMap::default(),
        });
        let input = SimInput::new(Rc::clone(&shared), member);
        Process { pump, input, producer: SimProducer::new(shared, member) }
    }

    /// Runs until everything has been processed; the broker after it.
    ///
    /// # Errors
    /// The error with which a pump ended that was not killed.
    pub fn run(&mut self) -> Result<World, String> {
        for step in 0..STEPS {
            let is_done = self.shared.borrow().is_done();
            if is_done && self.is_saved() {
                return Ok(self.end());
            }
            // At the end each is stopped in good order, which writes the state.
            self.step(step, is_done && step % 2 == 0)?;
        }
        Err("it does not end".to_owned())
    }

    /// Runs so many steps, and ends all processes at once, as a loss of power does; the broker after it.
    ///
    /// # Errors
    /// As above.
    pub fn crash_after(&mut self, steps: usize) -> Result<World, String> {
        (0..steps).try_for_each(|step| self.step(step, false))?;
        Ok(self.end())
    }

    fn end(&mut self) -> World {
        self.processes.clear();
        let mut world = std::mem::take(&mut self.shared.borrow_mut().world);
        world.owners.clear();
        world
    }

    /// What one of the processes does next.
    fn step(&mut self, step: usize, is_ending: bool) -> Result<(), String> {
        if step % ALERT == ALERT - 1 && self.shared.borrow().is_held_back() {
            (0..PUMPS).for_each(|index| self.replace(index));
        }
        let members: Vec<_> = self.processes.iter().map(|process| process.input.member).collect();
        self.shared.borrow_mut().assign(&members);
        let index = self.shared.borrow_mut().random.usize(..PUMPS);
        let Process { pump, input, producer } = &mut self.processes[index];
        let stepped = if is_ending { pump.finish(input, producer) } else { pump.step(input, producer) };
        if let Err(error) = stepped {
            let text = error.to_string();
            if !text.starts_with("killed") && !text.starts_with("fenced") {
                return Err(text);
            }
            self.replace(index);
        }
        Ok(())
    }

    /// Whether the changelog has the state of all that was committed.
    fn is_saved(&self) -> bool {
        let shared = self.shared.borrow();
        let state = shared.world.state(M::TOPICS.changelog.name).into_iter();
        let mut places = state.filter(|((_, key), _)| *key == PARTITION_KEY.as_bytes());
        places.all(|(_, value)| decode::<StatePartition>(value).is_ok_and(|place| place.cut.is_none()))
    }

    /// A process has ended: its session too, and another one starts in its place.
    fn replace(&mut self, index: usize) {
        let member = self.processes[index].input.member;
        {
            let shared = &mut *self.shared.borrow_mut();
            shared.world.owners.retain(|_, owner| *owner != member);
            shared.pending.remove(&member);
        }
        self.processes[index] = self.start();
    }

    /// The kinds of fault that happened.
    #[must_use]
    pub fn faults(&self) -> BTreeSet<Kind> {
        self.shared.borrow().seen.clone()
    }
}
