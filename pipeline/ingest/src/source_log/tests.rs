//! Instances of one source on a log with faults: whatever fails, whoever is frozen or takes over, each record is there once, in order.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

use super::*;

/// Records of a source.
const RECORDS: i64 = 60;

/// The log of a source, and the epoch of its transactional id.
#[derive(Default)]
struct World {
    records: Vec<TickOutput>,
    note: LeaseNote,
    epoch: u64,
    /// Who has the lease, as the group sees it.
    holder: usize,
    faults: fastrand::Rng,
}

/// An instance. It believes to be the holder for as long as it has not heard of another one.
struct Instance {
    id: usize,
    world: Rc<RefCell<World>>,
    epoch: Option<u64>,
    /// How often it is told that the lease is its own although it is another's: the group's word has not come yet.
    deaf: u32,
}

impl Instance {
    fn new(world: &Rc<RefCell<World>>, id: usize) -> Self {
        Self { id, world: Rc::clone(world), epoch: None, deaf: 0 }
    }
}

impl SourceLog for Instance {
    type Error = Infallible;

    fn take_over(&mut self) -> Result<Option<LeaseNote>, Infallible> {
        let mut world = self.world.borrow_mut();
        if world.faults.u8(..4) == 0 {
            return Ok(None);
        }
        world.epoch += 1;
        self.epoch = Some(world.epoch);
        Ok(Some(world.note.clone()))
    }

    fn write(&mut self, records: &[TickOutput], note: &LeaseNote) -> Result<Written, Infallible> {
        let mut world = self.world.borrow_mut();
        if self.epoch.take() != Some(world.epoch) {
            return Ok(Written::Fenced);
        }
        let (is_committed, is_known) = match world.faults.u8(..6) {
            0 => (false, false),
            1 => (true, false),
            _ => (true, true),
        };
        if is_committed {
            world.records.extend(records.iter().cloned());
            world.note = note.clone();
        }
        if !is_known {
            return Ok(Written::Unknown);
        }
        self.epoch = Some(world.epoch);
        Ok(Written::Yes)
    }

    fn is_wanted(&mut self, is_fenced: bool) -> Result<bool, Infallible> {
        let is_holder = self.world.borrow().holder == self.id;
        if !is_holder && !is_fenced && self.deaf > 0 {
            self.deaf -= 1;
            return Ok(true);
        }
        Ok(is_holder)
    }
}

fn record(index: i64) -> TickOutput {
    TickOutput { partition: 0, key: index.to_string(), value: Vec::new() }
}

/// Publishes from the note on until it is not wanted any more, at most so many transactions; the next record and note are kept for an
/// instance that is frozen there.
fn publish(instance: &mut Instance, at: &mut Option<LeaseNote>, transactions: u32) {
    if at.is_none() {
        *at = taken_over(instance, false).unwrap();
    }
    let Some(note) = at else { return };
    for _ in 0..transactions {
        let from: i64 = note.text.parse().unwrap_or_default();
        let until = (from + instance.world.borrow_mut().faults.i64(1..4)).min(RECORDS);
        let records: Vec<_> = (from..until).map(record).collect();
        if from == RECORDS || !write_once(instance, note, &records, until.to_string()).unwrap() {
            *at = None;
            return;
        }
    }
}

/// Two instances by turns; the one that is left believes for a while that it still has the lease.
fn run(seed: u64) -> Vec<TickOutput> {
    let world = World { faults: fastrand::Rng::with_seed(seed), ..World::default() };
    let world = Rc::new(RefCell::new(world));
    let mut instances = [0, 1].map(|id| (Instance::new(&world, id), None));
    while world.borrow().note.text != RECORDS.to_string() {
        let (id, transactions, deaf, is_woken) = {
            let mut world = world.borrow_mut();
            let is_woken = world.faults.bool();
            (world.faults.usize(..2), world.faults.u32(1..6), world.faults.u32(..4), is_woken)
        };
        world.borrow_mut().holder = id;
        let [one, two] = &mut instances;
        let (holder, other) = if id == 0 { (one, two) } else { (two, one) };
        publish(&mut holder.0, &mut holder.1, transactions);
        if is_woken {
            // It goes on where it was frozen, as if nothing had happened.
            other.0.deaf = deaf;
            publish(&mut other.0, &mut other.1, 2);
        }
    }
    world.borrow().records.clone()
}

#[test]
fn each_record_is_written_once_whoever_is_frozen_and_whatever_fails() {
    let expected: Vec<_> = (0..RECORDS).map(record).collect();
    for seed in 0..2_000 {
        assert_eq!(run(seed), expected, "seed {seed}");
    }
}

#[test]
fn a_transaction_whose_outcome_is_unknown_is_told_by_the_note() {
    let world = Rc::new(RefCell::new(World::default()));
    let mut holder = Instance::new(&world, 0);
    let mut note = taken_over(&mut holder, false).unwrap().unwrap();
    let before = note.clone();
    assert!(write_once(&mut holder, &mut note, &[record(0)], "1".to_owned()).unwrap());
    assert_eq!((note.count, world.borrow().records.len()), (1, 1));
    // Another instance has the lease by now, and has written what comes next.
    world.borrow_mut().holder = 1;
    let (mut next, mut theirs) = (Instance::new(&world, 1), note.clone());
    assert_eq!(taken_over(&mut next, false).unwrap(), Some(note.clone()));
    assert!(write_once(&mut next, &mut theirs, &[record(1)], "2".to_owned()).unwrap());
    holder.deaf = 9;
    assert!(!write_once(&mut holder, &mut note, &[record(1)], "other".to_owned()).unwrap());
    assert_eq!(world.borrow().records, [record(0), record(1)]);
    assert_eq!((before.count, note.count), (0, 1), "the note is that of the last transaction");
}
