//! One transaction: records in, outputs and changes of the state out, and what its end makes of the drafts.
//!
//! An abort drops the drafts and reads the same records again. A commit with unknown outcome is decided by
//! the committed offsets. It never continues from a state that is not that of the committed offsets.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::time::Instant;

use super::error::PumpError;
use super::partition::Partition;
use super::{COUNT, Config, Pump};
use crate::batch::{Awaited, Batch};
use crate::fail_point::Point;
use crate::log::{Committed, Event, GroupOffset, Input, LogError, Producer, Renewal, Transaction};
use crate::machine::{Counts, Machine};
use arb_schemas::wire::WireError;

/// What a transaction was made from.
struct Read<T> {
    batch: Batch,
    /// The first offset of each partition.
    from: BTreeMap<i32, i64>,
    /// What it came to, counted only if it is committed.
    counts: Counts<T>,
}

impl<M: Machine> Pump<M> {
    /// One transaction, from the record that was read on, if one was. It also commits offsets in which the group is behind.
    pub(super) fn transact<P: Producer>(
        &mut self,
        is_read: bool,
        input: &mut P::Input,
        producer: &mut P,
    ) -> Result<(), PumpError> {
        let mut transaction = producer.begin()?;
        let batch = Batch::new(self.config.limits, Instant::now());
        let mut read = Read { batch, from: BTreeMap::new(), counts: Counts::default() };
        let ended = match self.fill(is_read, input, &mut transaction, &mut read) {
            Ok(()) if self.is_to_fail() || matches!(self.due, Some(Event::Lost(_))) => {
                transaction.abort()?;
                Committed::Aborted
            }
            Ok(()) => {
                let begun = Instant::now();
                let committed = transaction.commit(input, &self.positions(&read))?;
                self.meters.commit_took(begun.elapsed());
                committed
            }
            Err(PumpError::Log(LogError::Abort(error))) => {
                tracing::warn!(%error, "the transaction is aborted");
                transaction.abort()?;
                Committed::Aborted
            }
            Err(PumpError::Record { partition, error, .. })
                if self.goes_back(partition, &error) || self.is_taken_again(&read, &error) =>
            {
                transaction.abort()?;
                Committed::Aborted
            }
            Err(error) => return Err(error),
        };
        self.end(ended, &read, input, producer)
    }

    /// A part of the state fits no record: whether that may be by records that were committed before. Then they are taken for not
    /// processed, and taken again one by one once all is closed that was published for them.
    fn goes_back(&mut self, id: i32, error: &WireError) -> bool {
        let is_older = self
            .partitions
            .get(&id)
            .is_some_and(|partition| partition.is_cutting() && partition.is_unsaved());
        let Some(mut partition) = is_older.then(|| self.partitions.remove(&id)).flatten() else {
            return false;
        };
        let until = partition.committed().unwrap_or(0);
        tracing::error!(%error, partition = id, until, "a part of the state fits no record, so a limit is missing: its records are taken again");
        partition.go_back();
        self.last_resort.take_singly(id, until);
        self.takeover.supersede(id, partition);
        true
    }

    /// What a transaction writes fits no record: whether its records are taken again, one by one.
    fn is_taken_again(&mut self, read: &Read<M::Tally>, error: &WireError) -> bool {
        let next_of = |id: &i32| Some((*id, self.partitions.get(id)?.next()?));
        let (records, next) = (read.batch.records(), read.from.keys().filter_map(next_of).collect());
        let is_taken_again = self.last_resort.begin(records, &next, &error.to_string());
        if is_taken_again {
            let text = "an output or a part of the state fits no record, so a limit is missing: the transaction is aborted";
            tracing::error!(%error, ?next, records, "{text}");
        }
        is_taken_again
    }

    fn end<P: Producer>(
        &mut self,
        ended: Committed,
        read: &Read<M::Tally>,
        input: &mut P::Input,
        producer: &mut P,
    ) -> Result<(), PumpError> {
        match ended {
            Committed::Yes => self.apply(read),
            Committed::Aborted => match self.end_aborted(input, producer)? {
                Renewal::Done => self.rewind(read, input)?,
                // Its partitions are others', or soon will be: another transaction would fence them.
                Renewal::Abandoned => self.forget_all(),
            },
            Committed::Unknown => match producer.renew(input)? {
                Renewal::Done => self.resolve(read, input)?,
                // Only a partition's new owner can find out whether its transaction was committed.
                Renewal::Abandoned => self.forget_all(),
            },
        }
        Ok(())
    }

    /// Makes sure that nothing of an aborted transaction is open: where its markers are lost, the next commit of the id would
    /// make its records visible. The id of a partition that is lost is its new owner's to end.
    fn end_aborted<P: Producer>(&self, input: &mut P::Input, producer: &mut P) -> Result<Renewal, PumpError> {
        if let Some(Event::Lost(gone)) = &self.due {
            producer.release(gone);
        }
        Ok(producer.renew(input)?)
    }

    fn is_to_fail(&self) -> bool {
        let ended = self.counts.commits + self.counts.aborts + 1;
        self.config.fail_points.aborts(ended)
    }

    /// Processes what there is to read, up to the limits or a rebalance, and writes what it changed.
    fn fill<I: Input, T: Transaction>(
        &mut self,
        is_read: bool,
        input: &mut I,
        to: &mut T,
        read: &mut Read<M::Tally>,
    ) -> Result<(), PumpError> {
        if is_read {
            self.process(to, read)?;
        }
        while self.saving.is_empty()
            && !(read.batch.is_full(Instant::now) || self.last_resort.is_single() && read.batch.records() > 0)
        {
            match self.next(read.batch.wait(Instant::now), input)? {
                Event::Record => self.process(to, read)?,
                Event::Idle => break,
                rebalance => {
                    self.due = Some(rebalance);
                    break;
                }
            }
        }
        self.write_states(to, read)
    }

    /// Writes how far the partitions have come that were read, and the state of those whose changelog has had an older one for long enough.
    fn write_states<T: Transaction>(
        &mut self,
        to: &mut T,
        read: &mut Read<M::Tally>,
    ) -> Result<(), PumpError> {
        let (now, is_each) = (Instant::now(), self.last_resort.is_active());
        for (id, partition) in &mut self.partitions {
            let (next, until_cut) =
                (partition.next().unwrap_or(0), partition.until_cut(&self.config.cuts, now));
            let is_read = read.from.contains_key(id);
            let is_cutting = is_each && is_read
                || until_cut.is_some_and(|until_cut| until_cut.is_zero())
                || self.saving.contains(id);
            if is_cutting && !is_read {
                to.reads(*id, *read.from.entry(*id).or_insert(next));
            }
            if is_cutting || is_read {
                let written = partition.write_state(is_cutting, to);
                written.map_err(|error| error.at(M::TOPICS.input.name, *id, next))?;
            }
        }
        Ok(())
    }

    fn process<T: Transaction>(&mut self, to: &mut T, read: &mut Read<M::Tally>) -> Result<(), PumpError> {
        self.config.fail_points.pass(Point::Process);
        let record = &self.record;
        if self.partitions.get(&record.partition).is_some_and(Partition::is_replaying) {
            self.replay();
            return Ok(());
        }
        if let Some(partition) = self.partitions.get_mut(&record.partition) {
            // A client may return records again: it has moved back by itself.
            if partition.has_processed(record.offset) {
                return Ok(());
            }
            if let Entry::Vacant(from) = read.from.entry(record.partition) {
                to.reads(record.partition, *from.insert(record.offset));
            }
            let done = match self.last_resort.refusal(record.partition, record.offset) {
                Some(error) => partition.refuse(record, error, to, &mut read.counts).map(|()| Awaited::Yes),
                None => partition.process(record, to, &mut self.out, &mut read.counts),
            };
            // Counted also where it fails: the last resort is of those that were read.
            read.batch.add(*done.as_ref().unwrap_or(&Awaited::Yes));
            done.map_err(|error| error.at(M::TOPICS.input.name, record.partition, record.offset))?;
        }
        Ok(())
    }

    /// The next offset of each partition that was read, or in which the group is behind.
    fn positions(&self, read: &Read<M::Tally>) -> BTreeMap<i32, i64> {
        let is_due =
            |(id, partition): &(&i32, &Partition<M>)| read.from.contains_key(*id) || partition.is_behind();
        self.partitions
            .iter()
            .filter(is_due)
            .filter_map(|(id, partition)| Some((*id, partition.position()?)))
            .collect()
    }

    fn apply(&mut self, read: &Read<M::Tally>) {
        self.counts.add(&read.counts);
        self.counts.commits += 1;
        self.partitions.values_mut().for_each(Partition::is_in_group);
        for id in read.from.keys() {
            if let Some(partition) = self.partitions.get_mut(id) {
                partition.apply();
                self.last_resort.committed(*id, partition.next().unwrap_or(0));
                self.config.places.put(*id, partition.progress());
            }
        }
        self.meters.committed(&read.counts);
        M::report(&read.counts);
        self.count_at.get_or_insert_with(|| Instant::now() + COUNT);
    }

    /// Drops the drafts, and reads again from the state that the changelog has.
    fn rewind<I: Input>(&mut self, read: &Read<M::Tally>, input: &mut I) -> Result<(), PumpError> {
        self.counts.aborts += 1;
        self.meters.aborted();
        let leaving = self.leaving();
        for id in read.from.keys() {
            if let Some(partition) = self.partitions.get_mut(id)
                && let Some(first) = partition.abort()
                && !leaving.contains(id)
            {
                input.seek(*id, first)?;
            }
        }
        std::thread::sleep(self.config.pause);
        Ok(())
    }

    /// Finds out from the committed offsets whether a commit happened. All partitions are in the same
    /// transaction, so they agree. Where the group does not have the new offsets, the partitions are restored: the
    /// commit was aborted, or another member has processed them, or the marker of the group's offsets alone is lost.
    fn resolve<I: Input>(&mut self, read: &Read<M::Tally>, input: &mut I) -> Result<(), PumpError> {
        self.counts.unknown += 1;
        let leaving = self.leaving();
        self.partitions.retain(|id, _| !(leaving.contains(id) && read.from.contains_key(id)));
        let mut found = BTreeSet::new();
        for (id, partition) in self.partitions.iter().filter(|(id, _)| read.from.contains_key(id)) {
            let committed = committed(*id, &self.config, input)?;
            found.insert(if partition.next() == partition.committed() {
                // The state was written, and nothing was read: the offset says nothing.
                Committed::Unknown
            } else if committed == partition.next() {
                Committed::Yes
            } else if committed == partition.committed() {
                Committed::Aborted
            } else {
                Committed::Unknown
            });
        }
        self.meters.in_doubt(&found);
        match found.into_iter().collect::<Vec<_>>()[..] {
            [Committed::Yes] => self.apply(read),
            [] => self.rewind(read, input)?,
            _ => self.rebuild(read),
        }
        Ok(())
    }

    /// Drops these partitions and restores them.
    fn rebuild(&mut self, read: &Read<M::Tally>) {
        let (partitions, takeover) = (&mut self.partitions, &mut self.takeover);
        for (id, _) in partitions.extract_if(.., |id, _| read.from.contains_key(id)) {
            takeover.restore_again(id);
        }
    }

    /// Partitions that leave once the transaction is over.
    fn leaving(&self) -> BTreeSet<i32> {
        match &self.due {
            Some(Event::Revoked(gone) | Event::Lost(gone)) => gone.iter().copied().collect(),
            _ => BTreeSet::new(),
        }
    }
}

/// The group's offset of a partition, once no transaction is about to change it.
fn committed<M: Machine, I: Input>(
    id: i32,
    config: &Config<M>,
    input: &mut I,
) -> Result<Option<i64>, PumpError> {
    loop {
        match input.committed(id)? {
            GroupOffset::Known(committed) => return Ok(committed),
            GroupOffset::Pending => {
                config.pulse.beat();
                std::thread::sleep(config.pause);
            }
        }
    }
}
