//! The input of a simulated pump: a member of the group.
//!
//! Rebalances and faults of a member happen here. It never keeps what a broker would keep.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use arb_runtime::log::{Event, GroupOffset, Input, LogError, Put, Record, Replay};

use arb_schemas::topics::Topic;

use crate::broker::{Handle, Kind};
use crate::world::Written;

/// A record of a compacted topic: its offset, key and value.
type Logged = (i64, Vec<u8>, Option<Vec<u8>>);

/// A member of the group.
pub(crate) struct SimInput {
    shared: Handle,
    pub(crate) member: usize,
    positions: BTreeMap<i32, i64>,
    /// Where it began to read each.
    begun: BTreeMap<i32, i64>,
    /// Partitions whose loss it has received, and that it has not given back.
    lost: BTreeSet<i32>,
    /// It was assigned partitions, or none, and has not answered: the group waits for it.
    owes_answer: bool,
    /// Partitions that it accepted and has not started.
    accepted: BTreeSet<i32>,
    /// The topic and partition that it is to read, until nothing that is open hides a part of it.
    opened: Option<(&'static str, i32)>,
    /// What is left of that.
    replayed: VecDeque<Logged>,
}

impl SimInput {
    pub(crate) fn new(shared: Handle, member: usize) -> Self {
        Self {
            shared,
            member,
            positions: BTreeMap::new(),
            begun: BTreeMap::new(),
            lost: BTreeSet::new(),
            owes_answer: false,
            accepted: BTreeSet::new(),
            opened: None,
            replayed: VecDeque::new(),
        }
    }

    fn begin_at(&mut self, partition: i32, offset: i64) {
        self.positions.insert(partition, offset);
        self.begun.insert(partition, offset);
    }
}

impl Input for SimInput {
    fn next(&mut self, _: Duration, record: &mut Record) -> Result<Event, LogError> {
        let shared = &mut *self.shared.borrow_mut();
        shared.killed(200)?;
        if shared.random.u8(..20) == 0 {
            shared.disturb();
        }
        // A zombie receives it late.
        let waits = shared.pending.entry(self.member).or_default();
        // The end of its session it receives in any case.
        let may_hear = !self.owes_answer || matches!(waits.first(), Some(Event::Lost(_)));
        if !waits.is_empty() && may_hear && shared.random.u8(..4) == 0 {
            let event = waits.remove(0);
            self.owes_answer = matches!(event, Event::Assigned(_));
            if let Event::Lost(gone) | Event::Revoked(gone) = &event
                && gone.iter().any(|id| self.accepted.contains(id))
            {
                shared.seen.insert(Kind::TakenBackInRestore);
            }
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
        let (begun, position) = (self.begun[&partition], self.positions[&partition]);
        let is_repeated = begun < position && shared.happens(Kind::Repeats, 100);
        let from = if is_repeated { shared.random.i64(begun..position) } else { position };
        let Some((offset, value, appended_at)) = shared.world.record(partition, from) else {
            return Ok(Event::Idle);
        };
        if !is_repeated {
            self.positions.insert(partition, offset + 1);
        }
        let (value, appended_at) = (Some(value.clone()), *appended_at);
        *record = Record { partition, offset: *offset, key: None, value, appended_at };
        Ok(Event::Record)
    }

    fn accept(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        self.owes_answer = false;
        self.accepted.extend(partitions);
        self.shared.borrow_mut().killed(100)
    }

    fn committed(&mut self, partition: i32) -> Result<GroupOffset, LogError> {
        let shared = &mut *self.shared.borrow_mut();
        shared.killed(100)?;
        if shared.happens(Kind::OffsetPending, 10) {
            return Ok(GroupOffset::Pending);
        }
        Ok(GroupOffset::Known(shared.world.offset(partition)))
    }

    fn open(&mut self, topic: &'static Topic, partition: i32) -> Result<(), LogError> {
        let shared = &mut *self.shared.borrow_mut();
        shared.killed(100)?;
        if shared.random.bool() {
            shared.world.compact(topic.name, partition);
        }
        self.opened = Some((topic.name, partition));
        Ok(())
    }

    fn replay(&mut self, _: Duration, put: &mut Put<'_>) -> Result<Replay, LogError> {
        let shared = &mut *self.shared.borrow_mut();
        shared.killed(100)?;
        let is_hidden = self.opened.is_some_and(|(_, id)| shared.aborts_open && !shared.world.is_settled(id));
        if shared.happens(Kind::RestoreWaits, 10) || is_hidden {
            return Ok(Replay::Waiting);
        }
        if let Some((topic, partition)) = self.opened.take() {
            let log = shared.world.log(topic).into_iter().filter(|(id, _)| *id == partition);
            let records = (0..).zip(log.flat_map(|(_, records)| records));
            let logged = |(offset, (key, value, _)): (i64, &Written)| {
                (offset, key.clone().unwrap_or_default(), value.clone())
            };
            self.replayed = records.map(logged).collect();
        }
        let most = shared.random.usize(1..200).min(self.replayed.len());
        self.replayed.drain(..most).for_each(|(offset, key, value)| put(offset, &key, value.as_deref()));
        Ok(if self.replayed.is_empty() { Replay::Complete } else { Replay::Partly })
    }

    fn start(&mut self, partition: i32, offset: Option<i64>) -> Result<(), LogError> {
        self.accepted.remove(&partition);
        self.begin_at(partition, offset.unwrap_or(0));
        Ok(())
    }

    fn give_back(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        let shared = &mut *self.shared.borrow_mut();
        for partition in partitions {
            self.positions.remove(partition);
            self.accepted.remove(partition);
            // What was lost was another's before; this member may even have been given it again by now.
            let lost = self.lost.remove(partition);
            if !lost && shared.world.owners.get(partition) == Some(&self.member) {
                shared.world.owners.remove(partition);
            }
        }
        shared.killed(100)
    }

    fn seek(&mut self, partition: i32, offset: i64) -> Result<(), LogError> {
        self.begin_at(partition, offset);
        Ok(())
    }
}
