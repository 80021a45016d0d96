//! Two pumps on one broker, and the faults that befall them, all from one seed.
//!
//! What a log promises is kept here as Kafka keeps it: a transaction is visible whole or not at all; offsets are
//! taken only from the member that owns the partition, and only from the newest producer of a transactional id. A broker
//! may also lose the markers of a transaction: then its records stay open until a marker of the same id comes.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use arb_engine::market::Policy;
use arb_process::pump::{Config, Pump};
use arb_runtime::batch::BatchLimits;
use arb_runtime::fail_point::FailPoints;
use arb_runtime::log::{Event, Input, LogError, Output, Put, Record};
use arb_runtime::progress::ProgressMap;
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::PROCESS_STATE;

use crate::producer::SimProducer;
use crate::world::{PARTITIONS, World};

/// Pumps that share the partitions.
const PUMPS: usize = 2;
/// Faults of a run; after them it goes on undisturbed, so that it ends.
const FAULTS: u32 = 25;
/// Steps after which a run will not end: hundreds of times as many as any needs.
const STEPS: usize = 100_000;

/// What befalls a pump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Killed,
    WriteFails,
    CommitAborts,
    AbortLosesMarkers,
    InDoubtCommitted,
    InDoubtAborted,
    KilledAfterCommit,
    /// Killed, and the markers of its transaction are lost: the records stay open.
    KilledLeavesOpen,
    /// The commit is in doubt; it was aborted, and the markers are lost.
    InDoubtLeavesOpen,
    /// The ids cannot be adopted at once.
    AdoptionWaits,
    /// It learns while a commit is in doubt that the group has expelled it.
    Expelled,
    Revoked,
    Lost,
    FencedByGeneration,
    Idle,
}

impl Kind {
    pub(crate) const ALL: [Self; 15] = [
        Self::Killed,
        Self::WriteFails,
        Self::CommitAborts,
        Self::AbortLosesMarkers,
        Self::InDoubtCommitted,
        Self::InDoubtAborted,
        Self::KilledAfterCommit,
        Self::KilledLeavesOpen,
        Self::InDoubtLeavesOpen,
        Self::AdoptionWaits,
        Self::Expelled,
        Self::Revoked,
        Self::Lost,
        Self::FencedByGeneration,
        Self::Idle,
    ];
}

/// What all parts of a run share.
pub(crate) struct Shared {
    pub(crate) world: World,
    pub(crate) random: fastrand::Rng,
    left: u32,
    pub(crate) seen: BTreeSet<Kind>,
    /// Rebalances that a member has not been told yet.
    told: BTreeMap<usize, Vec<Event>>,
    /// Whether adoption and renewal abort what an id has left open.
    pub(crate) aborts_open: bool,
}

pub(crate) type Handle = Rc<RefCell<Shared>>;

impl Shared {
    /// Whether a fault happens now, one in so many times.
    pub(crate) fn happens(&mut self, kind: Kind, one_in: u32) -> bool {
        let happens = self.left > 0 && self.random.u32(..one_in) == 0;
        if happens {
            self.left -= 1;
            self.seen.insert(kind);
        }
        happens
    }

    /// A transaction of an id ends without becoming visible; the broker may lose its markers.
    pub(crate) fn abort(&mut self, id: i32, written: &[Output]) {
        if self.happens(Kind::AbortLosesMarkers, 4) {
            self.world.leave_open(id, written, &BTreeMap::new());
        }
    }

    pub(crate) fn killed(&mut self, one_in: u32) -> Result<(), LogError> {
        if self.happens(Kind::Killed, one_in) { Err(end("killed")) } else { Ok(()) }
    }

    /// Whether a member's offsets of a partition are taken: it owns it, and is of the generation that gave it to it. A
    /// member that has not yet heard that it lost the partition is of an older one, even if it was given it again.
    pub(crate) fn may_commit(&self, member: usize, partition: i32) -> bool {
        let stale = |event: &Event| match event {
            Event::Lost(gone) | Event::Assigned(gone) => gone.contains(&partition),
            Event::Revoked(_) | Event::Record | Event::Idle => false,
        };
        let waits = self.told.get(&member).is_some_and(|waits| waits.iter().any(stale));
        self.world.owners.get(&partition) == Some(&member) && !waits
    }

    /// Gives what nobody owns to members.
    fn assign(&mut self, members: &[usize]) {
        for partition in self.world.free() {
            let member = members[self.random.usize(..members.len())];
            self.world.owners.insert(partition, member);
            let waits = self.told.entry(member).or_default();
            // A rebalance may bring nothing new to a member; it must answer all the same.
            if self.random.u8(..4) == 0 {
                waits.push(Event::Assigned(Vec::new()));
            }
            waits.push(Event::Assigned(vec![partition]));
        }
    }

    /// Ends a member's session: all that it has goes to others, which it is told.
    pub(crate) fn expel(&mut self, member: usize) {
        let mut gone: BTreeSet<_> =
            self.world.owners.extract_if(.., |_, owner| *owner == member).map(|(id, _)| id).collect();
        let waits = self.told.remove(&member).unwrap_or_default();
        let lost = waits
            .into_iter()
            .filter_map(|event| if let Event::Lost(gone) = event { Some(gone) } else { None });
        gone.extend(lost.flatten());
        self.told.insert(member, vec![Event::Lost(gone.into_iter().collect())]);
        self.seen.insert(Kind::Expelled);
    }

    /// Takes a partition from its owner: in good order, or because its session has ended.
    fn disturb(&mut self) {
        let (Some(partition), lost) =
            (self.random.choice((0..PARTITIONS).collect::<Vec<_>>()), self.random.bool())
        else {
            return;
        };
        let Some(member) = self.world.owners.get(&partition).copied() else { return };
        let waits = self.told.entry(member).or_default();
        // One thing at a time: what it has not been told of yet cannot be taken from it.
        if !waits.is_empty() {
            return;
        }
        if lost && self.happens(Kind::Lost, 2) {
            self.told.entry(member).or_default().push(Event::Lost(vec![partition]));
            self.world.owners.remove(&partition);
        } else if self.happens(Kind::Revoked, 2) {
            self.told.entry(member).or_default().push(Event::Revoked(vec![partition]));
        }
    }
}

pub(crate) fn end(what: &str) -> LogError {
    LogError::Fatal(what.to_owned().into())
}

pub(crate) struct SimInput {
    shared: Handle,
    pub(crate) member: usize,
    positions: BTreeMap<i32, i64>,
    /// Partitions that it was told are lost, and has not given back.
    lost: BTreeSet<i32>,
    /// It was given nothing, and has not answered: the group waits for it.
    owes_answer: bool,
}

impl Input for SimInput {
    fn next(&mut self, _: Duration, record: &mut Record) -> Result<Event, LogError> {
        let shared = &mut *self.shared.borrow_mut();
        shared.killed(200)?;
        if shared.random.u8(..20) == 0 {
            shared.disturb();
        }
        // A zombie hears of it late.
        let waits = shared.told.entry(self.member).or_default();
        // That its session has ended it hears in any case.
        let may_hear = !self.owes_answer || matches!(waits.first(), Some(Event::Lost(_)));
        if !waits.is_empty() && may_hear && shared.random.u8(..4) == 0 {
            let event = waits.remove(0);
            self.owes_answer = event == Event::Assigned(Vec::new());
            if let Event::Lost(gone) = &event {
                self.lost.extend(gone);
            }
            return Ok(event);
        }
        if shared.happens(Kind::Idle, 30) {
            return Ok(Event::Idle);
        }
        let started: Vec<_> = self.positions.keys().copied().collect();
        let Some(partition) = shared.random.choice(started) else { return Ok(Event::Idle) };
        let Some((offset, value)) = shared.world.record(partition, self.positions[&partition]) else {
            return Ok(Event::Idle);
        };
        self.positions.insert(partition, offset + 1);
        *record = Record { partition, offset: *offset, key: None, value: Some(value.clone()) };
        Ok(Event::Record)
    }

    fn committed(&mut self, partition: i32) -> Result<Option<i64>, LogError> {
        let shared = &mut *self.shared.borrow_mut();
        shared.killed(100)?;
        Ok(shared.world.offset(partition))
    }

    fn replay(&mut self, partition: i32, put: &mut Put<'_>) -> Result<(), LogError> {
        let shared = &mut *self.shared.borrow_mut();
        shared.killed(100)?;
        if shared.random.bool() {
            shared.world.compact(partition);
        }
        for (id, records) in shared.world.log(PROCESS_STATE.name) {
            for (offset, (key, value, _)) in (0..).zip(records).filter(|_| id == partition) {
                put(offset, key.as_deref().unwrap(), value.as_deref());
            }
        }
        Ok(())
    }

    fn start(&mut self, partitions: &[(i32, Option<i64>)]) -> Result<(), LogError> {
        self.owes_answer = false;
        self.positions.extend(partitions.iter().map(|(id, offset)| (*id, offset.unwrap_or(0))));
        Ok(())
    }

    fn give_back(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        let shared = &mut *self.shared.borrow_mut();
        for partition in partitions {
            self.positions.remove(partition);
            // What was lost was another's before; this member may even have been given it again by now.
            let lost = self.lost.remove(partition);
            if !lost && shared.world.owners.get(partition) == Some(&self.member) {
                shared.world.owners.remove(partition);
            }
        }
        shared.killed(100)
    }

    fn seek(&mut self, partition: i32, offset: i64) -> Result<(), LogError> {
        self.positions.insert(partition, offset);
        Ok(())
    }
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
struct Process {
    pump: Pump,
    input: SimInput,
    producer: SimProducer,
}

/// A run.
pub(crate) struct Simulation {
    shared: Handle,
    processes: Vec<Process>,
    next_member: usize,
    batch: usize,
}

impl Simulation {
    /// Nothing happens.
    pub(crate) fn undisturbed(market: u64) -> Self {
        Self::new(World::new(market), 0, 0, true)
    }

    /// Faults from a seed.
    pub(crate) fn disturbed(market: u64, seed: u64) -> Self {
        Self::new(World::new(market), seed, FAULTS, true)
    }

    /// The same with a producer that fences, but aborts nothing that was left open.
    pub(crate) fn without_aborts(market: u64, seed: u64) -> Self {
        Self::new(World::new(market), seed, FAULTS, false)
    }

    /// A log with records at the limits, and faults from a seed, if any.
    pub(crate) fn at_limits(seed: Option<u64>) -> Self {
        Self::new(World::at_limits(), seed.unwrap_or(0), if seed.is_some() { FAULTS } else { 0 }, true)
    }

    fn new(world: World, seed: u64, left: u32, aborts_open: bool) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let batch = random.usize(1..40);
        let shared = Rc::new(RefCell::new(Shared {
            world,
            random,
            left,
            seen: BTreeSet::new(),
            told: BTreeMap::new(),
            aborts_open,
        }));
        let mut simulation = Self { shared, processes: Vec::new(), next_member: 0, batch };
        for _ in 0..PUMPS {
            let process = simulation.start();
            simulation.processes.push(process);
        }
        simulation
    }

    /// A new process, which owns nothing.
    fn start(&mut self) -> Process {
        let (shared, member) = (Rc::clone(&self.shared), self.next_member);
        self.next_member += 1;
        let pump = Pump::new(Config {
            policy: Policy::Board,
            books: Arc::default(),
            epoch: next_epoch,
            limits: BatchLimits { records: self.batch, interval: Duration::from_hours(1) },
            pause: Duration::ZERO,
            abort_each: None,
            fail_points: FailPoints::default(),
            pulse: Pulse::default(),
            places: ProgressMap::default(),
        });
        let input = SimInput {
            shared: Rc::clone(&shared),
            member,
            positions: BTreeMap::new(),
            lost: BTreeSet::new(),
            owes_answer: false,
        };
        let producer = SimProducer::new(shared, member);
        Process { pump, input, producer }
    }

    /// Runs until everything has been processed; the broker after it, or the error with which a pump ended that was not
    /// killed.
    pub(crate) fn run(&mut self) -> Result<World, String> {
        for _ in 0..STEPS {
            if self.shared.borrow().world.is_done() {
                self.processes.clear();
                return Ok(std::mem::take(&mut self.shared.borrow_mut().world));
            }
            let members: Vec<_> = self.processes.iter().map(|process| process.input.member).collect();
            self.shared.borrow_mut().assign(&members);
            let index = self.shared.borrow_mut().random.usize(..PUMPS);
            let Process { pump, input, producer } = &mut self.processes[index];
            if let Err(error) = pump.step(input, producer) {
                let said = error.to_string();
                if !said.starts_with("killed") && !said.starts_with("fenced") {
                    return Err(said);
                }
                self.bury(index);
            }
        }
        Err("it does not end".to_owned())
    }

    /// A process has ended: its session too, and another one starts in its place.
    fn bury(&mut self, index: usize) {
        let member = self.processes[index].input.member;
        {
            let shared = &mut *self.shared.borrow_mut();
            shared.world.owners.retain(|_, owner| *owner != member);
            shared.told.remove(&member);
        }
        self.processes[index] = self.start();
    }

    pub(crate) fn faults(&self) -> BTreeSet<Kind> {
        self.shared.borrow().seen.clone()
    }
}
