//! The input of a simulated pump: a member of the group.
//!
//! Rebalances and faults of a member happen here. It never keeps what a broker would keep.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use arb_runtime::log::{Event, Input, LogError, Put, Record};

use crate::broker::{Handle, Kind};

/// A member of the group.
pub(crate) struct SimInput {
    shared: Handle,
    changelog: &'static str,
    pub(crate) member: usize,
    positions: BTreeMap<i32, i64>,
    /// Partitions that it was told are lost, and has not given back.
    lost: BTreeSet<i32>,
    /// It was given nothing, and has not answered: the group waits for it.
    owes_answer: bool,
}

impl SimInput {
    pub(crate) fn new(shared: Handle, member: usize, changelog: &'static str) -> Self {
        let (positions, lost) = (BTreeMap::new(), BTreeSet::new());
        Self { shared, changelog, member, positions, lost, owes_answer: false }
    }
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
            shared.world.compact(self.changelog, partition);
        }
        for (id, records) in shared.world.log(self.changelog) {
            for (offset, (key, value, _)) in (0..).zip(records).filter(|_| id == partition) {
                put(offset, key.as_deref().unwrap_or_default(), value.as_deref());
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
