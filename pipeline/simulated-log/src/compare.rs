//! What must be equal between a disturbed run and an undisturbed one: every output, the state and the offsets, but for
//! the epochs, in which runs differ.
//!
//! It never accepts a record that is duplicated, missing or at another place in its partition.

use std::collections::{BTreeMap, BTreeSet};

use arb_runtime::feed_mark::{EPOCH, FeedMark, SEQUENCE};
use arb_runtime::machine::Machine;
use arb_runtime::pump::PARTITION_KEY;
use arb_schemas::records::StatePartition;
use arb_schemas::wire::{decode, encode};

use crate::broker::Kind;
use crate::simulation::{Scenario, Simulation};
use crate::world::{World, Written};

/// The first difference between the outputs, the state and the offsets of two runs, in words.
#[must_use]
pub fn difference<M: Machine>(world: &World, expected: &World) -> Option<String> {
    let topics = M::TOPICS.outputs.iter().copied().chain([M::TOPICS.dead_letters]);
    let mut names = topics.map(|topic| topic.name);
    if let Some(name) = names.find(|name| without_epochs(world, name) != without_epochs(expected, name)) {
        return Some(format!("the records of {name}"));
    }
    let changelog = M::TOPICS.changelog.name;
    if state_without_epochs(world, changelog) != state_without_epochs(expected, changelog) {
        return Some("the state".to_owned());
    }
    (world.offsets() != expected.offsets()).then(|| "the offsets".to_owned())
}

/// Runs a machine over the same input undisturbed and with the faults of so many seeds. The kinds of fault that happened,
/// and the undisturbed run.
///
/// # Errors
/// With the seed, when a pump ends by an error or something differs from the undisturbed run.
pub fn run_disturbed<M: Machine<Config: Clone>>(
    config: &M::Config,
    input: &World,
    seeds: std::ops::Range<u64>,
) -> Result<(BTreeSet<Kind>, World), String> {
    let run = |scenario| Simulation::<M>::new(config.clone(), input.clone(), scenario);
    let expected = run(Scenario::Undisturbed).run()?;
    let mut happened = BTreeSet::new();
    for seed in seeds {
        let mut simulation = run(Scenario::Disturbed(seed));
        let world = simulation.run().map_err(|error| format!("seed {seed}: {error}"))?;
        happened.extend(simulation.faults());
        if let Some(difference) = difference::<M>(&world, &expected) {
            return Err(format!("seed {seed}: {difference} differ"));
        }
    }
    Ok((happened, expected))
}

/// A topic's records but for the epochs in their headers.
fn without_epochs(world: &World, topic: &str) -> Vec<(i32, Vec<Written>)> {
    let header = |(name, text): &(&'static str, String)| match *name {
        SEQUENCE => (SEQUENCE, FeedMark::parse(text).map_or(0, |mark| mark.sequence).to_string()),
        EPOCH => (EPOCH, String::new()),
        _ => (*name, text.clone()),
    };
    let record = |(key, value, headers): &Written| {
        (key.clone(), value.clone(), headers.iter().map(header).collect::<Vec<_>>())
    };
    let of_partition = |(id, records): (i32, Vec<&Written>)| (id, records.into_iter().map(record).collect());
    world.log(topic).into_iter().map(of_partition).collect()
}

fn state_without_epochs<'a>(world: &'a World, changelog: &str) -> BTreeMap<(i32, &'a [u8]), Vec<u8>> {
    let value = |key: &[u8], value: &[u8]| {
        let partition = (key == PARTITION_KEY.as_bytes()).then(|| decode::<StatePartition>(value).ok());
        let same = partition.flatten().and_then(|state| encode(&StatePartition { epoch: 0, ..state }).ok());
        same.unwrap_or_else(|| value.to_vec())
    };
    let state = world.state(changelog).into_iter();
    state.map(|((id, key), saved)| ((id, key), value(key, saved))).collect()
}
