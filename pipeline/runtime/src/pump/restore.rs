//! Restoring a partition: the state of its last commit, from the changelog.
//!
//! The changelog and the group's offset were committed in the same transactions, so they must name the same place;
//! the changelog says it itself, because a group that is away for long loses its offsets. It never goes on from a
//! state of another place.

use std::collections::BTreeMap;

use arb_schemas::records::StatePartition;
use arb_schemas::wire::decode;

use super::Config;
use super::error::PumpError;
use super::meters::{PumpMeters, Restoring};
use super::partition::{PARTITION_KEY, Partition};
use crate::log::Input;
use crate::machine::{Fingerprint, Machine};

/// The last record of each key: its offset and its value.
type Newest = BTreeMap<Vec<u8>, (i64, Vec<u8>)>;

/// A restore that is under way.
pub(super) struct Restore<M> {
    id: i32,
    machine: M,
    fingerprint: Fingerprint,
    committed: Option<i64>,
    newest: Newest,
    /// The record of the partition itself, once it was met.
    state: Option<StatePartition>,
    restoring: Restoring,
}

impl<M: Machine> Restore<M> {
    /// Restores the partition as its last owner committed it.
    pub(super) fn run<I: Input>(
        id: i32,
        config: &Config<M>,
        meters: &PumpMeters,
        input: &mut I,
    ) -> Result<Partition<M>, PumpError> {
        let mut restore = Self {
            id,
            machine: M::new(&config.machine),
            fingerprint: M::fingerprint(&config.machine),
            committed: None,
            newest: Newest::new(),
            state: None,
            restoring: meters.restoring(),
        };
        // Before the changelog is read: this waits for a transaction that is about to change it.
        restore.committed = input.committed(id)?;
        input.replay(id, &mut |offset, key, value| {
            config.pulse.beat();
            restore.note(offset, key, value);
        })?;
        let records = restore.newest.len();
        while restore.put_next()? {}
        restore.finish(records, config, meters)
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
            self.machine.restore_sequence(state.sequence);
            self.state = Some(state);
            return Ok(());
        }
        Ok(self.machine.restore(key, value)?)
    }

    /// The restored partition. One of which nothing is in the changelog begins its counters, so it takes a new epoch.
    fn finish(
        self,
        records: usize,
        config: &Config<M>,
        meters: &PumpMeters,
    ) -> Result<Partition<M>, PumpError> {
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
        let agreed = agree(committed, state.map(|state| state.next_offset));
        let next = agreed.map_err(|(committed, state)| PumpError::Disagree {
            input: M::TOPICS.input.name,
            changelog,
            partition: id,
            committed,
            state,
        })?;
        let (time, size) = (restoring.elapsed(), machine.size());
        let seconds = time.as_secs_f64();
        tracing::info!(partition = id, next, records, ?size, seconds, rules, tables, "restored");
        meters.restored(time, records);
        Ok(Partition::new(id, epoch, rules, machine, next))
    }
}

/// The place that group and changelog name, or both where they differ.
fn agree(committed: Option<i64>, state: Option<i64>) -> Result<Option<i64>, (i64, Option<i64>)> {
    match (committed, state) {
        (Some(committed), Some(state)) if committed == state => Ok(Some(state)),
        // Kafka forgets the offsets of a group that was away for a week.
        (None, state) => Ok(state),
        (Some(committed), state) => Err((committed, state)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_and_changelog_must_name_the_same_place() {
        assert_eq!(agree(None, None), Ok(None), "nobody was ever here");
        assert_eq!(agree(Some(7), Some(7)), Ok(Some(7)));
        assert_eq!(agree(None, Some(7)), Ok(Some(7)), "the group's offsets are forgotten");
        assert_eq!(agree(Some(7), Some(8)), Err((7, Some(8))));
        assert_eq!(agree(Some(7), None), Err((7, None)));
    }
}
