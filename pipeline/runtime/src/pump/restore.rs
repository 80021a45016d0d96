//! Restoring a partition: the state of its last commit, from the changelog.
//!
//! The changelog and the group's offset were committed in the same transactions, so they name the same offset; the
//! changelog contains it itself, because a group without members for long loses its offsets, and a broker that is killed
//! during a commit can lose the marker of the group's offset alone. Then the changelog counts: what it holds was
//! committed. It never continues from another offset.
//!
//! The state may be older than that offset: then the records of the input from its own offset on are processed again, without outputs, before
//! the partition goes on.
//!
//! It is done in slices, between which the pump processes its other partitions.

use std::collections::BTreeMap;
use std::time::Instant;

use arb_schemas::records::StatePartition;
use arb_schemas::wire::decode;

use super::Config;
use super::error::PumpError;
use super::meters::{Meters, Restoring};
use super::partition::{PARTITION_KEY, Partition, RestoredPlace};
use super::reach::Reach;
use crate::log::{GroupOffset, Input, Replay};
use crate::machine::{Fingerprint, Machine};

/// The last record of each key: its offset and its value.
type Newest = BTreeMap<Vec<u8>, (i64, Vec<u8>)>;

/// Parts that are restored between two looks at the clock.
const PARTS: usize = 16;

/// A restore that is under way.
pub(super) struct Restore<M> {
    id: i32,
    machine: M,
    fingerprint: Fingerprint,
    stage: RestoreStage,
    committed: Option<i64>,
    newest: Newest,
    /// The record of the partition itself, once it was met.
    state: Option<StatePartition>,
    restoring: Restoring,
}

/// What a restore does next.
#[derive(Debug, Clone, Copy)]
enum RestoreStage {
    /// Fetches the group's offset. Before the changelog is read: a transaction may be about to change both.
    Offset,
    /// It reads the changelog.
    Read,
    /// It restores what this many keys hold.
    Fill(usize),
}

/// How far a slice has brought a restore.
pub(super) enum Advance<M> {
    /// There is more to do.
    Working,
    /// There is nothing to do until the log gives more.
    Waiting,
    /// The partition is restored.
    Done(Box<Partition<M>>),
}

impl<M: Machine> Restore<M> {
    /// Begins to restore a partition as its last owner committed it.
    pub(super) fn begin(id: i32, config: &Config<M>, meters: &Meters) -> Self {
        Self {
            id,
            machine: M::new(&config.machine),
            fingerprint: M::fingerprint(&config.machine),
            stage: RestoreStage::Offset,
            committed: None,
            newest: Newest::new(),
            state: None,
            restoring: meters.restoring(),
        }
    }

    /// Its partition.
    pub(super) fn id(&self) -> i32 {
        self.id
    }

    /// Continues for a slice of time; returns itself until it is done.
    pub(super) fn advance<I: Input>(
        mut self,
        config: &Config<M>,
        meters: &Meters,
        input: &mut I,
    ) -> Result<(Advance<M>, Option<Self>), PumpError> {
        let deadline = Instant::now() + config.slice;
        loop {
            match self.stage {
                RestoreStage::Offset => match input.committed(self.id)? {
                    GroupOffset::Pending => return Ok((Advance::Waiting, Some(self))),
                    GroupOffset::Known(committed) => {
                        self.committed = committed;
                        input.open(M::TOPICS.changelog, self.id)?;
                        self.stage = RestoreStage::Read;
                    }
                },
                RestoreStage::Read => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    let note = &mut |offset, key: &[u8], value: Option<&[u8]>| self.note(offset, key, value);
                    match input.replay(left, note)? {
                        Replay::Waiting => return Ok((Advance::Waiting, Some(self))),
                        Replay::Partly => {}
                        Replay::Complete => self.stage = RestoreStage::Fill(self.newest.len()),
                    }
                }
                RestoreStage::Fill(records) => {
                    if !self.put_some()? {
                        return Ok((Advance::Done(Box::new(self.finish(records, config, meters)?)), None));
                    }
                }
            }
            if Instant::now() >= deadline {
                return Ok((Advance::Working, Some(self)));
            }
        }
    }

    /// Restores some parts in the order of their keys; whether there are more.
    fn put_some(&mut self) -> Result<bool, PumpError> {
        for _ in 0..PARTS {
            if !self.put_next()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Notes a record of the changelog.
    fn note(&mut self, offset: i64, key: &[u8], value: Option<&[u8]>) {
        match value {
            Some(value) => self.newest.insert(key.to_owned(), (offset, value.to_owned())),
            None => self.newest.remove(key),
        };
    }

    /// Restores the next part in the order of the keys; whether there was one.
    fn put_next(&mut self) -> Result<bool, PumpError> {
        let Some((key, (offset, value))) = self.newest.pop_first() else { return Ok(false) };
        self.put(&key, &value).map_err(|error| PumpError::State {
            changelog: M::TOPICS.changelog.name,
            partition: self.id,
            offset,
            key: String::from_utf8_lossy(&key).into_owned(),
            error,
        })?;
        Ok(true)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if key == PARTITION_KEY.as_bytes() {
            let state: StatePartition = decode(value)?;
            let (_, saved) = Reach::of(&state);
            self.machine.restore_sequence(saved.sequence);
            self.state = Some(state);
            return Ok(());
        }
        Ok(self.machine.restore(key, value)?)
    }

    /// The restored partition. One of which nothing is in the changelog begins its counters, so it takes a new epoch.
    fn finish(self, records: usize, config: &Config<M>, meters: &Meters) -> Result<Partition<M>, PumpError> {
        let Self { id, machine, fingerprint, committed, state, restoring, .. } = self;
        let Fingerprint { rules, setting, tables } = fingerprint;
        let changelog = M::TOPICS.changelog.name;
        if let Some(state) = state.as_ref().filter(|state| state.policy != rules) {
            return Err(PumpError::OtherRules {
                changelog,
                partition: id,
                setting,
                rules: state.policy.clone(),
            });
        }
        let epoch = state.as_ref().map_or_else(config.epoch, |state| state.epoch);
        let (reached, saved) = state.as_ref().map(Reach::of).unwrap_or_default();
        let next = agree(committed, reached.next).map_err(|(committed, state)| PumpError::Disagree {
            input: M::TOPICS.input.name,
            changelog,
            partition: id,
            committed,
            state,
        })?;
        // Its marker is lost, or Kafka has deleted it.
        let is_behind = committed != next;
        if is_behind {
            let text = "the group is behind the changelog, which counts: its offset is committed again";
            tracing::warn!(partition = id, group = committed, changelog = next, "{text}");
        }
        let (time, size) = (restoring.elapsed(), machine.size());
        let seconds = time.as_secs_f64();
        let seconds = format!("{seconds:.3}");
        let from = saved.next;
        tracing::info!(partition = id, next, from, records, %size, seconds, rules, tables, "restored");
        meters.restored(time, records);
        Ok(Partition::new(id, epoch, rules, machine, RestoredPlace { committed: reached, saved, is_behind }))
    }
}

/// The place of the changelog, or both where the group's is not that or an earlier one.
fn agree(committed: Option<i64>, state: Option<i64>) -> Result<Option<i64>, (i64, Option<i64>)> {
    match (committed, state) {
        (Some(committed), Some(state)) if committed <= state => Ok(Some(state)),
        // Kafka deletes the offsets of a group that had no members for a week.
        (None, state) => Ok(state),
        (Some(committed), state) => Err((committed, state)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changelog_counts_unless_the_group_is_ahead_of_it() {
        assert_eq!(agree(None, None), Ok(None), "there was never an owner");
        assert_eq!(agree(Some(7), Some(7)), Ok(Some(7)));
        assert_eq!(agree(None, Some(7)), Ok(Some(7)), "the group's offsets are forgotten");
        assert_eq!(agree(Some(7), Some(8)), Ok(Some(8)), "the marker of the group's offset is lost");
        assert_eq!(agree(Some(8), Some(7)), Err((8, Some(7))));
        assert_eq!(agree(Some(7), None), Err((7, None)));
    }
}
