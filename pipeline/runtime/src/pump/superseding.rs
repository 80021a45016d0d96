//! A partition whose outputs, since the state that the changelog has, are not those that its machine makes of the same records: another
//! program or other tables have published them, or records of the input are gone.
//!
//! What its outputs list is read from them; then one transaction closes it, with all that is open in the state, and begins another epoch. It
//! never goes on with something open of which the state and the outputs may say different things.

use super::Pump;
use super::error::PumpError;
use super::partition::Partition;
use crate::log::{Committed, Input, LogError, Producer, Renewal, Replay, Transaction};
use crate::machine::{Machine, OpenRecords};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Such a partition, and what was read so far of what is open.
pub(super) struct Superseding<M> {
    partition: Partition<M>,
    id: i32,
    /// Topics of [`Machine::OPEN`] that were read, the one that is being read included.
    opened: usize,
    open: OpenRecords,
}

impl<M: Machine> Superseding<M> {
    pub(super) fn new(id: i32, partition: Partition<M>) -> Self {
        Self { partition, id, opened: 0, open: OpenRecords::new() }
    }

    /// Its partition.
    pub(super) fn id(&self) -> i32 {
        self.id
    }

    /// Reads on for a slice of time. What the log said last: [`Replay::Complete`] once all is read.
    pub(super) fn read<I: Input>(&mut self, slice: Duration, input: &mut I) -> Result<Replay, PumpError> {
        let deadline = Instant::now() + slice;
        if self.opened == 0 {
            self.open_next(input)?;
        }
        while let Some(topic) = self.opened.checked_sub(1).and_then(|at| M::OPEN.get(at)) {
            let put = &mut |_, key: &[u8], value: Option<&[u8]>| {
                let key = (topic.name, key.to_owned());
                match value {
                    Some(value) => self.open.insert(key, value.to_owned()),
                    None => self.open.remove(&key),
                };
            };
            match input.replay(deadline.saturating_duration_since(Instant::now()), put)? {
                Replay::Complete => self.open_next(input)?,
                waits => return Ok(waits),
            }
        }
        Ok(Replay::Complete)
    }

    fn open_next<I: Input>(&mut self, input: &mut I) -> Result<(), PumpError> {
        if let Some(topic) = M::OPEN.get(self.opened) {
            input.open(topic, self.id)?;
        }
        self.opened += 1;
        Ok(())
    }
}

impl<M: Machine> Pump<M> {
    /// Closes all that is open of a partition of which all is read, and starts it in another epoch.
    pub(super) fn supersede<P: Producer>(
        &mut self,
        superseding: Superseding<M>,
        input: &mut P::Input,
        producer: &mut P,
    ) -> Result<(), PumpError> {
        let Superseding { mut partition, id, open, .. } = superseding;
        let next = partition.position();
        let mut transaction = producer.begin()?;
        transaction.reads(id, next.unwrap_or(0));
        let epoch = (self.config.epoch)();
        let written = partition.supersede(epoch, &open, &mut transaction);
        let ended = match written.map_err(|error| error.at(M::TOPICS.input.name, id, next.unwrap_or(0))) {
            Ok(()) => {
                let next = next.map(|next| (id, next));
                transaction.commit(input, &next.into_iter().collect::<BTreeMap<_, _>>())?
            }
            Err(PumpError::Log(LogError::Abort(_))) => {
                transaction.abort()?;
                Committed::Aborted
            }
            Err(error) => return Err(error),
        };
        if ended == Committed::Yes {
            partition.apply();
            self.meters.superseded(id, epoch, open.len());
            return self.start(id, partition, input);
        }
        match producer.renew(input)? {
            // What was committed of it, the next restore finds.
            Renewal::Done => self.takeover.restore_again(id),
            Renewal::Abandoned => self.forget_all(),
        }
        Ok(())
    }
}
