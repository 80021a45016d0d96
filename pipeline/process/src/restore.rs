//! Restoring a partition: the state of its last commit, from the changelog.
//!
//! The changelog and the group's offset were committed in the same transactions, so they must name the same place;
//! the changelog says it itself, because a group that is away for long loses its offsets. It never goes on from a
//! state of another place.

use std::collections::BTreeMap;

use arb_engine::Engine;
use arb_engine::state::Saved;
use arb_runtime::log::Input;
use arb_runtime::watchdog::Pulse;
use arb_schemas::records::StatePartition;

use super::error::PumpError;
use super::partition::Partition;
use crate::codec::state::{self, StateError, StateRecord};
use crate::telemetry::Restoring;

/// The partition as its last owner committed it, in an engine that remembers nothing yet. One of which nothing is in the
/// changelog begins its counters, so it takes a new `epoch`.
pub(super) fn restore<I: Input>(
    input: &mut I,
    id: i32,
    mut engine: Engine,
    epoch: fn() -> i64,
    pulse: &Pulse,
) -> Result<Partition, PumpError> {
    let restoring = Restoring::begin();
    // Before the changelog is read: this waits for a transaction that is about to change it.
    let committed = input.committed(id)?;
    let mut newest = Newest::new();
    input.replay(id, &mut |offset, key, value| {
        pulse.beat();
        match value {
            Some(value) => newest.insert(key.to_owned(), (offset, value.to_owned())),
            None => newest.remove(key),
        };
    })?;
    let records = newest.len();
    let policy = engine.policy();
    let state = fill(&mut engine, newest).map_err(|misfit| misfit.of(id))?;
    if let Some(state) = state.as_ref().filter(|state| state.policy != policy.key()) {
        return Err(PumpError::OtherPolicy { partition: id, policy: state.policy.clone() });
    }
    let epoch = state.as_ref().map_or_else(epoch, |state| state.epoch);
    let next = agree(id, committed, state.map(|state| state.next_offset))?;
    restoring.done(id, next, records, engine.size());
    Ok(Partition::new(id, epoch, engine, next))
}

/// The last record of each key: its offset and its value.
type Newest = BTreeMap<Vec<u8>, (i64, Vec<u8>)>;

/// A record that cannot be restored.
struct Misfit {
    offset: i64,
    key: String,
    error: StateError,
}

impl Misfit {
    fn of(self, partition: i32) -> PumpError {
        let Self { offset, key, error } = self;
        PumpError::State { partition, offset, key, error }
    }
}

/// Restores each record.
fn fill(engine: &mut Engine, newest: Newest) -> Result<Option<StatePartition>, Misfit> {
    let mut state = None;
    // In the order of their keys: heads before lines.
    for (key, (offset, value)) in newest {
        put(engine, &value, &mut state).map_err(|error| {
            let key = String::from_utf8_lossy(&key).into_owned();
            Misfit { offset, key, error }
        })?;
    }
    Ok(state)
}

fn put(engine: &mut Engine, value: &[u8], state: &mut Option<StatePartition>) -> Result<(), StateError> {
    let saved = match state::parse(value)? {
        StateRecord::Saved(saved) => saved,
        StateRecord::Partition(partition) => Saved::Sequence(state.insert(partition).sequence),
    };
    engine.restore(saved).map_err(StateError::Misfit)
}

/// The place that group and changelog name.
fn agree(partition: i32, committed: Option<i64>, state: Option<i64>) -> Result<Option<i64>, PumpError> {
    match (committed, state) {
        (Some(committed), Some(state)) if committed == state => Ok(Some(state)),
        // Kafka forgets the offsets of a group that was away for a week.
        (None, state) => Ok(state),
        (Some(committed), state) => Err(PumpError::Disagree { partition, committed, state }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_and_changelog_must_name_the_same_place() {
        let next = |committed, state| agree(0, committed, state).ok();
        assert_eq!(next(None, None), Some(None), "nobody was ever here");
        assert_eq!(next(Some(7), Some(7)), Some(Some(7)));
        assert_eq!(next(None, Some(7)), Some(Some(7)), "the group's offsets are forgotten");
        assert_eq!(next(Some(7), Some(8)), None);
        assert_eq!(next(Some(7), None), None);
    }
}
