//! The producer of a simulated pump: an id for each partition, the newest user of which alone may write.
//!
//! Faults that befall a transaction happen here. It never keeps what a broker would keep.

use std::collections::{BTreeMap, BTreeSet};

use arb_runtime::log::{Adoption, Committed, LogError, Output, Producer, Renewal, Transaction};

use crate::broker::{Handle, Kind, end};
use crate::input::SimInput;

pub(crate) struct SimProducer {
    shared: Handle,
    member: usize,
    /// Partitions whose ids it has adopted.
    owned: BTreeSet<i32>,
    /// The id that it uses, and its epoch.
    working: Option<(i32, u64)>,
    /// How often it was asked to adopt ids since that succeeded last.
    waited: u32,
}

/// So often a member waits for others' transactions until the group gives its partitions to others.
const PATIENCE: u32 = 300;

impl SimProducer {
    pub(crate) fn new(shared: Handle, member: usize) -> Self {
        Self { shared, member, owned: BTreeSet::new(), working: None, waited: 0 }
    }

    /// A new client of an id.
    fn connect(&mut self, id: i32) -> u64 {
        self.shared.borrow_mut().world.new_epoch(id)
    }

    fn adopt_one(&mut self, id: i32) {
        let epoch = self.connect(id);
        let shared = &mut *self.shared.borrow_mut();
        if shared.aborts_open {
            shared.world.abort(id);
        }
        if self.working.is_none_or(|(working, _)| working == id) {
            self.working = Some((id, epoch));
        }
    }
}

pub(crate) struct SimTransaction<'a> {
    producer: &'a mut SimProducer,
    written: Vec<Output>,
}

impl Producer for SimProducer {
    type Input = SimInput;
    type Transaction<'a> = SimTransaction<'a>;

    fn adopt(&mut self, partitions: &[i32], _: &mut SimInput) -> Result<Adoption, LogError> {
        for id in partitions {
            self.shared.borrow_mut().killed(100)?;
            self.adopt_one(*id);
        }
        let shared = &mut *self.shared.borrow_mut();
        let is_settled = |id: &i32| shared.world.is_settled(*id) || !shared.aborts_open;
        let is_settled = partitions.iter().all(is_settled);
        if !is_settled || shared.happens(Kind::AdoptionWaits, 10) {
            self.waited += 1;
            if self.waited.is_multiple_of(PATIENCE) {
                shared.expel(self.member);
            }
            return Ok(Adoption::Waiting);
        }
        self.waited = 0;
        self.owned.extend(partitions);
        Ok(Adoption::Done)
    }

    fn release(&mut self, partitions: &[i32]) {
        self.owned.retain(|id| !partitions.contains(id));
        self.working.take_if(|(id, _)| partitions.contains(id));
    }

    fn begin(&mut self) -> Result<SimTransaction<'_>, LogError> {
        if self.working.is_none() {
            let lowest = *self.owned.first().ok_or_else(|| end("no partition is owned"))?;
            self.working = Some((lowest, self.connect(lowest)));
        }
        Ok(SimTransaction { producer: self, written: Vec::new() })
    }

    fn renew(&mut self, _: &mut SimInput) -> Result<Renewal, LogError> {
        self.shared.borrow_mut().killed(20)?;
        let Some((id, _)) = self.working else { return Ok(Renewal::Done) };
        {
            let shared = &mut *self.shared.borrow_mut();
            let is_lost = shared.world.owners.get(&id) != Some(&self.member);
            if is_lost && shared.random.bool() {
                shared.expel(self.member);
                return Ok(Renewal::Abandoned);
            }
        }
        self.adopt_one(id);
        Ok(Renewal::Done)
    }
}

impl Transaction for SimTransaction<'_> {
    type Input = SimInput;

    fn send(&mut self, output: Output) -> Result<(), LogError> {
        let shared = &mut *self.producer.shared.borrow_mut();
        shared.killed(500)?;
        if shared.happens(Kind::WriteFails, 500) {
            return Err(LogError::Abort("not delivered".into()));
        }
        self.written.push(output);
        Ok(())
    }

    fn commit(self, input: &mut SimInput, next: &BTreeMap<i32, i64>) -> Result<Committed, LogError> {
        let shared = &mut *self.producer.shared.borrow_mut();
        shared.killed(50)?;
        let Some((id, epoch)) = self.producer.working else { return Err(end("no transaction was begun")) };
        if epoch != shared.world.epoch(id) {
            return Err(end("fenced by its successor"));
        }
        if next.keys().any(|id| !shared.may_commit(input.member, *id)) {
            shared.seen.insert(Kind::FencedByGeneration);
            return Ok(Committed::Aborted);
        }
        if shared.happens(Kind::CommitAborts, 20) {
            shared.abort(id, &self.written);
            return Ok(Committed::Aborted);
        }
        if shared.happens(Kind::InDoubtAborted, 20) {
            return Ok(Committed::Unknown);
        }
        if shared.happens(Kind::InDoubtLeavesOpen, 20) {
            shared.world.leave_open(id, &self.written, next);
            return Ok(Committed::Unknown);
        }
        if shared.happens(Kind::KilledLeavesOpen, 20) {
            shared.world.leave_open(id, &self.written, next);
            return Err(end("killed, and its markers are lost"));
        }
        if shared.happens(Kind::LosesOffsets, 20) {
            shared.world.commit_outputs(id, &self.written, next);
            let is_in_doubt = shared.random.bool();
            return if is_in_doubt {
                Ok(Committed::Unknown)
            } else {
                Err(end("killed, and a marker is lost"))
            };
        }
        shared.world.commit(id, &self.written, next);
        if shared.happens(Kind::InDoubtCommitted, 20) {
            return Ok(Committed::Unknown);
        }
        if shared.happens(Kind::KilledAfterCommit, 20) {
            return Err(end("killed after the commit"));
        }
        Ok(Committed::Yes)
    }

    fn abort(self) -> Result<(), LogError> {
        let shared = &mut *self.producer.shared.borrow_mut();
        shared.killed(20)?;
        let working = self.producer.working.filter(|(id, epoch)| *epoch == shared.world.epoch(*id));
        if let Some((id, _)) = working {
            shared.abort(id, &self.written);
        }
        Ok(())
    }
}
